// Several servers on one data directory, with the embedded default: 200 parallel calls from each of four processes against 800 from one,
// in pairs; and the longest processor time for which a server is blocked whose data directory another process has locked. Run after a build.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { figuresOf, type Figures, medianOf } from './statistics.ts'

const root = path.join(import.meta.dirname, '..', '..')
const rounds = 3
const processes = 4
const callsEach = 200
const lockedMs = 10_000
/** The allowed ratios: four processes to one, and the slowest call to the median. */
const allowed = { together: 1.5, slowest: 3 }
/** The most processor time that a locked data directory may cost in one turn of the event loop, in milliseconds: that of an ordinary call. */
const maxLockedBlockMs = 25

interface Workload {
  readonly server: string
  readonly databases: readonly string[]
  /** A call that writes. */
  readonly call: (title: string) => { readonly name: string; readonly arguments: Record<string, unknown> }
}

const createIssue = (title: string) => ({ name: 'IssueTracker.CreateIssue', arguments: { team: 'Engineering', title } })
const track = (userId: string) => ({
  name: 'EventPipelineApi.TrackUserEvent',
  arguments: { mode: 'execute', request_body: JSON.stringify({ userId, event: 'Bench' }) },
})
const createFolder = (name: string) => ({ name: 'FileStorage.CreateFolder', arguments: { folder_name: name } })

const workloads: readonly Workload[] = [
  { server: 'issue-tracker', databases: ['linear.db', 'calls.db'], call: createIssue },
  { server: 'event-pipeline', databases: ['outbox.db', 'pipelines.db'], call: track },
  { server: 'file-storage', databases: ['drive.db', 'calls.db'], call: createFolder },
]

interface Outcome {
  readonly ms: number
  readonly isError: boolean
  readonly text: string
}

interface RunningServer {
  readonly call: (call: ReturnType<Workload['call']>) => Promise<Outcome>
  /** The longest processor time for which the event loop was blocked since the last call of this function, in milliseconds. */
  readonly longestBlock: () => Promise<number>
  readonly close: () => Promise<void>
}

async function startServer({ server, call }: Workload, directory: string): Promise<RunningServer> {
  const main = path.join(root, 'apps', server, 'dist', 'main.js')
  const client = new Client({ name: 'bench', version: '1' })
  const heartbeat = path.join(import.meta.dirname, 'heartbeat.mjs')
  const args = ['--import', heartbeat, main, '--embedded', '--data-dir', directory, '--log-level', 'error']
  const env = { PATH: process.env['PATH'] ?? '' }
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' })
  await client.connect(transport)
  const longestBlock = async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    transport.stderr?.on('data', (said: Buffer) => {
      const block = /^heartbeat .*"processor":([\d.]+)/m.exec(said.toString())
      if (block) resolve(Number(block[1]))
    })
    if (transport.pid !== null) process.kill(transport.pid, 'SIGUSR2')
    return promise
  }
  const timed: RunningServer['call'] = async (params) => {
    const started = performance.now()
    const { isError = false, content } = await client.callTool(params, { timeout: 120_000 })
    return { ms: performance.now() - started, isError, text: JSON.stringify(content) }
  }
  // The first call loads the tools and opens the database.
  await timed(call('first'))
  return { call: timed, longestBlock, close: () => client.close() }
}

interface LoadFigures {
  readonly ms: number
  readonly slowestMs: number
  readonly medianMs: number
  readonly errors: number
}

/** All calls of all processes at once. */
async function measureLoad(workload: Workload, processCount: number, calls: number): Promise<LoadFigures> {
  return withDirectory(async (directory) => {
    const servers = await Promise.all(Array.from({ length: processCount }, () => startServer(workload, directory)))
    const started = performance.now()
    const outcomes = await Promise.all(
      servers.flatMap((server, index) => Array.from({ length: calls }, (_, call) => server.call(workload.call(`call ${index}.${call}`)))),
    )
    const ms = performance.now() - started
    await Promise.all(servers.map((server) => server.close()))
    const each = outcomes.map((outcome) => outcome.ms)
    const errors = outcomes.filter(({ isError }) => isError)
    if (errors[0]) console.error(errors[0].text)
    return { ms, slowestMs: Math.max(...each), medianMs: medianOf(each), errors: errors.length }
  })
}

async function measureLock(workload: Workload): Promise<{ readonly blockMs: number; readonly answer: Outcome }> {
  return withDirectory(async (directory) => {
    const server = await startServer(workload, directory)
    const locks = workload.databases.map((name) => new DatabaseSync(path.join(directory, workload.server, name)))
    for (const lock of locks) lock.exec('begin exclusive')
    await server.longestBlock()
    const [answer] = await Promise.all([server.call(workload.call('while locked')), sleep(lockedMs)])
    const blockMs = await server.longestBlock()
    for (const lock of locks) lock.close()
    const { isError, text } = await server.call(workload.call('after the lock'))
    if (isError) throw new Error(text)
    await server.close()
    return { blockMs, answer }
  })
}

async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  try {
    return await work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Row {
  readonly server: string
  readonly one_ms: Figures
  readonly four_ms: Figures
  readonly times_one: Figures
  readonly slowest_to_median: Figures
  readonly errors: number
  readonly locked_block_ms: number
}

async function measure(workload: Workload): Promise<Row> {
  const pairs: { readonly one: LoadFigures; readonly four: LoadFigures }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const one = await measureLoad(workload, 1, processes * callsEach)
    const four = await measureLoad(workload, processes, callsEach)
    pairs.push({ one, four })
  }
  const { blockMs, answer } = await measureLock(workload)
  console.log(`${workload.server}, locked: ${Math.round(answer.ms)} ms, ${answer.text}`)
  return {
    server: workload.server,
    one_ms: figuresOf(pairs.map(({ one }) => one.ms)),
    four_ms: figuresOf(pairs.map(({ four }) => four.ms)),
    times_one: figuresOf(pairs.map(({ one, four }) => four.ms / one.ms)),
    slowest_to_median: figuresOf(pairs.map(({ four }) => four.slowestMs / four.medianMs)),
    errors: pairs.reduce((sum, { one, four }) => sum + one.errors + four.errors, 0),
    locked_block_ms: Math.round(blockMs * 10) / 10,
  }
}

const rows: Row[] = []
for (const workload of workloads) {
  const row = await measure(workload)
  console.log(JSON.stringify(row))
  rows.push(row)
}
const isOver = ({ times_one, slowest_to_median, errors, locked_block_ms }: Row) =>
  errors > 0 || locked_block_ms > maxLockedBlockMs || times_one.median > allowed.together || slowest_to_median.median > allowed.slowest
writeFileSync(path.join(import.meta.dirname, 'shared-data.json'), `${JSON.stringify(rows, null, 2)}\n`)
const over = rows.filter(isOver).map(({ server }) => server)
if (over.length > 0) {
  console.error(`Above the limits: ${over.join(', ')}`)
  process.exitCode = 1
}
