// Counts the items that exist after a repeated create: the vendor carries out the first call, the response is lost, and the agent makes the
// same call again.
import { member } from '../../../packages/core/src/base/json.ts'
import { type Candidate, programOf } from './catalog.ts'
import { parsed, type Reply, type RunningServer, startServer } from '../client.ts'
import type { Installed } from './install.ts'
import type { OpenWorld } from './world.ts'

/**
 * Ways in which the response is lost: one connection breaks, every connection breaks until the call has ended, or the server's process is
 * killed.
 */
export const losses = ['one answer lost', 'connection lost', 'process killed'] as const
export type Loss = (typeof losses)[number]

export interface CallOutcome {
  /** `error`, `success` or `no answer`. */
  readonly outcome: string
  /** The notices that the model reads, or else the beginning of the answer. */
  readonly text: string
}

export interface RepeatRow {
  readonly loss: string
  readonly job: string
  readonly name: string
  readonly first: CallOutcome
  /** Null after a successful first call, which no agent repeats. */
  readonly second: CallOutcome | null
  /** Number of requests to the vendor, for both calls and the agent's look-ups before them. */
  readonly requests: number
  /** Number of items added at the vendor; one was meant. */
  readonly created: number
}

export interface Repeats {
  readonly measured_on: string
  readonly rows: readonly RepeatRow[]
}

const jobs = { Linear: ['create an issue in a team'], 'Google Drive': ['upload 1 MiB', 'create a folder'] } as const
const timeoutMs = 40_000

export async function measureRepeats(installed: readonly Installed[], open: OpenWorld): Promise<Repeats> {
  const rows: RepeatRow[] = []
  for (const loss of losses) {
    for (const job of [...jobs.Linear, ...jobs['Google Drive']]) {
      for (const each of installed.filter(({ candidate }) => candidate.work[job])) rows.push(await measure(each, { loss, job, open }))
    }
  }
  return { measured_on: new Date().toISOString().slice(0, 10), rows }
}

interface Trial {
  readonly loss: Loss
  readonly job: string
  readonly open: OpenWorld
}

async function measure({ candidate, installation: { directory } }: Installed, { loss, job, open }: Trial): Promise<RepeatRow> {
  const { name, vendor } = candidate
  const upstream = open.upstream(vendor)
  const program = programOf(candidate, directory, open.world(vendor))
  const before = open.count(vendor)
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startServer(program))
  const killed = Promise.withResolvers<undefined>()
  upstream.reset()
  upstream.losesAnswer = async () => {
    if (open.count(vendor) === before) return false
    upstream.losesAnswer = undefined
    if (loss === 'connection lost') upstream.fault = 'cut connection'
    if (loss === 'process killed') {
      await server[Symbol.asyncDispose]()
      killed.resolve(undefined)
    }
    return true
  }
  const { tool, args, reply } = await lastCall(candidate, { job, open, server, killed: killed.promise })
  upstream.fault = undefined
  if (open.count(vendor) === before) throw new Error(`${name} has created nothing: ${reply?.text.slice(0, 200) ?? 'no answer'}`)
  const first = outcomeOf(reply)
  const again = loss === 'process killed' ? stack.use(await startServer(program)) : server
  const second = first.outcome === 'success' ? null : outcomeOf(await again.call(tool, args, timeoutMs))
  return { loss, job, name, first, second, requests: upstream.counts.requests, created: open.count(vendor) - before }
}

interface FirstAttempt extends Omit<Trial, 'loss'> {
  readonly server: RunningServer
  /** Resolves if the server has been killed and will therefore not answer. */
  readonly killed: Promise<undefined>
}

interface MadeCall {
  readonly tool: string
  readonly args: object
  readonly reply: Reply | undefined
}

/** Does a job, and resolves with its last call, which is the one that creates. */
async function lastCall({ name, vendor, work }: Candidate, { job, open, server, killed }: FirstAttempt): Promise<MadeCall> {
  const made: MadeCall[] = []
  const call = async (tool: string, args: object): Promise<Reply> => {
    const reply = await Promise.race([server.call(tool, args, timeoutMs), killed])
    made.push({ tool, args, reply })
    return reply ?? { isError: true, text: '', bytes: 0 }
  }
  await work[job]?.(call, open.world(vendor))
  const last = made.at(-1)
  if (!last) throw new Error(`${name} has made no call.`)
  return last
}

function outcomeOf(reply: Reply | undefined): CallOutcome {
  const outcome = reply === undefined ? 'no answer' : reply.isError ? 'error' : 'success'
  const text = reply?.text ?? ''
  return { outcome, text: (noticesIn(text) ?? text).slice(0, 300) }
}

/** An answer's notices, which its beginning may not include; undefined if there are none. */
function noticesIn(text: string): string | undefined {
  const notices = member(parsed(text), 'notices')
  return Array.isArray(notices) ? notices.join(' ') : undefined
}
