// The programs that send events to Customer.io: our server, and the vendor's own SDKs, each as a small program would use it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { eventPipeline } from '../../../servers.ts'
import { member } from '../../../packages/core/src/base/json.ts'
import type { Program } from '../../../packages/testing/src/processes/measure-start.ts'
import { startServer } from '../client.ts'

/** An event about a person with no other events. */
export interface SampleEvent {
  readonly userId: string
  readonly event: string
  readonly properties: object
}

/** A sender's installation, directory and vendor. */
export interface Place {
  readonly installation: string
  /** A directory that the sender may write to. */
  readonly home: string
  readonly upstream: string
}

export interface OpenSender extends AsyncDisposable {
  /** Sends the events; true if the sender reports that it has accepted all of them. */
  readonly send: (events: readonly SampleEvent[]) => Promise<boolean>
  /** Asks the sender to send the events that it still holds. */
  readonly flush: () => Promise<unknown>
}

/** Kinds of measurement that a sender can take part in. */
export type Kind = 'single' | 'batch'

export interface Sender {
  readonly name: string
  /** The package on npm; undefined for ours. */
  readonly spec: string | undefined
  /** The way it is used, for senders with several. */
  readonly use?: string
  readonly kinds: readonly Kind[]
  readonly open: (place: Place) => Promise<OpenSender>
}

const preload = path.join(import.meta.dirname, 'preload.ts')
const driver = path.join(import.meta.dirname, 'sdk-driver.mjs')

const ours: Sender = {
  name: eventPipeline.name,
  spec: undefined,
  kinds: ['single', 'batch'],
  async open({ installation, home, upstream }) {
    const server = await startServer({
      main: path.join(installation, 'node_modules', '@mcp-toolkits', eventPipeline.name, 'dist', 'main.js'),
      environment: environmentOf(home, {
        EVENT_PIPELINE_API_KEY: 'pipelines-emulator',
        EVENT_PIPELINE_API_URL: `${upstream}/v1`,
      }),
    })
    return {
      async send(events) {
        const [first] = events
        const body = events.length === 1 ? first : { batch: events.map((event) => ({ type: 'track', ...event })) }
        const tool = events.length === 1 ? 'EventPipelineApi_TrackUserEvent' : 'EventPipelineApi_SendBatchRequests'
        return (await server.call(tool, { mode: 'execute', request_body: JSON.stringify(body) }))?.isError === false
      },
      flush: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  },
}

const analytics = '@customerio/cdp-analytics-node'

interface Sdk extends Pick<Sender, 'name' | 'use' | 'kinds'> {
  readonly version: string
  readonly settings?: object
}

const sdk = ({ name, version, settings, ...sender }: Sdk): Sender => ({
  ...sender,
  name,
  spec: `${name}@${version}`,
  open: ({ installation, home, upstream }) =>
    startDriver(
      { main: driver, options: ['--import', preload], environment: environmentOf(home, { BENCH_UPSTREAM: upstream }) },
      { directory: installation, package: name, ...settings },
    ),
})

export const senders: readonly Sender[] = [
  ours,
  sdk({ name: 'customerio-node', version: '5.2.0', kinds: ['single', 'batch'] }),
  sdk({ name: analytics, version: '0.5.9', use: 'by default', kinds: ['single', 'batch'], settings: { isAwaited: false } }),
  sdk({
    ...{ name: analytics, version: '0.5.9', use: '`maxEventsInBatch` 1, awaited', kinds: ['single'] },
    settings: { isAwaited: true, maxEventsInBatch: 1 },
  }),
  sdk({
    ...{ name: analytics, version: '0.5.9', use: '`maxEventsInBatch` 1,000', kinds: ['batch'] },
    settings: { isAwaited: false, maxEventsInBatch: 1_000 },
  }),
]

const environmentOf = (home: string, more: Readonly<Record<string, string>>) => ({ PATH: process.env['PATH'] ?? '', HOME: home, ...more })

/** Starts an SDK in its driver, and resolves when it is loaded. */
async function startDriver({ main, options = [], environment }: Program, settings: object): Promise<OpenSender> {
  const child = spawn(process.execPath, [...options, main], { env: environment, stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = new Map<unknown, (isAccepted: boolean) => void>()
  const ready = readAnswers(child, answers)
  let nextId = 0
  const request = (message: object) => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const id = (nextId += 1)
    answers.set(id, resolve)
    child.stdin.write(`${JSON.stringify({ id, ...message })}\n`)
    return promise
  }
  child.stdin.write(`${JSON.stringify(settings)}\n`)
  await ready
  return {
    send: (events) => request({ events }),
    flush: () => request({}),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'close')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Calls back with each answer, and resolves with the first line, which has no id. */
function readAnswers(child: ChildProcess, answers: ReadonlyMap<unknown, (isAccepted: boolean) => void>): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  if (!child.stdout) throw new Error('The driver has no output.')
  child.once('exit', (code) => {
    reject(new Error(`The SDK did not start (exit code ${String(code)}).`))
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer: unknown = JSON.parse(line)
    resolve(answer)
    answers.get(member(answer, 'id'))?.(member(answer, 'accepted') === true)
  })
  return promise
}
