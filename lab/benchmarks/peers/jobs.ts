// Measures the same jobs with every server: time, requests to the vendor, and bytes for the model.
import { figuresOf, type Figures } from '../statistics.ts'
import { type Candidate, programOf, type Work } from './catalog.ts'
import { startServer, type Reply, type RunningServer } from '../client.ts'
import type { Installed } from './install.ts'
import type { OpenWorld } from './world.ts'

export interface JobRow {
  readonly job: string
  readonly name: string
  /** The reason the row has no figures. */
  readonly problem?: string
  /** Number of tool calls that an agent makes for the job. */
  readonly calls?: number
  /** Number of requests to the vendor, the first time and after that. */
  readonly first_requests?: number
  readonly requests?: number
  readonly upstream_bytes?: number
  /** Bytes in all results; a token is about four. */
  readonly result_bytes?: number
  /** Milliseconds, with a vendor that answers immediately and with one that answers after 100 ms. */
  readonly ms?: Figures
  readonly ms_at_100?: Figures
}

export interface JobRun {
  readonly open: OpenWorld
  readonly rounds: number
  /** True to measure with a late vendor too. */
  readonly withLate: boolean
}

interface Running {
  readonly candidate: Candidate
  readonly server: RunningServer
}

interface Trial {
  readonly ms: number
  readonly calls: number
  readonly bytes: number
  readonly requests: number
  readonly upstreamBytes: number
}

interface Task {
  readonly running: Running
  readonly job: string
  readonly work: Work
  readonly first: Trial | undefined
  readonly problem: string | undefined
  readonly trials: { readonly atOnce: Trial[]; readonly late: Trial[] }
}

const lateMs = 100

/** Timeout for an answer, in milliseconds: longer than the slowest takes. */
const timeoutMs = 30_000

export async function measureJobs(installed: readonly Installed[], { open, rounds, withLate }: JobRun): Promise<JobRow[]> {
  await using stack = new AsyncDisposableStack()
  const running: Running[] = []
  for (const { candidate, installation } of installed) {
    const server = stack.use(await startServer(programOf(candidate, installation.directory, open.world(candidate.vendor))))
    running.push({ candidate, server })
  }
  const tasks: Task[] = []
  for (const each of running) {
    for (const [job, work] of Object.entries(each.candidate.work)) if (work) tasks.push(await begin({ running: each, job, work }, open))
  }
  const delays = [{ late: 0, into: 'atOnce' }, ...(withLate ? [{ late: lateMs, into: 'late' } as const] : [])] as const
  for (const { late, into } of delays) {
    for (let round = 0; round < rounds; round += 1) {
      for (const task of inOrder(tasks)) {
        if (task.problem !== undefined || round >= mostRounds(task)) continue
        open.upstream(task.running.candidate.vendor).delay = late
        task.trials[into].push(await trial(task, open))
        open.upstream(task.running.candidate.vendor).delay = 0
      }
    }
  }
  return inOrder(tasks).map(rowOf)
}

/** Maximum rounds; tasks that take seconds get fewer. */
const mostRounds = ({ first }: Task) => (first && first.ms > 1_000 ? 3 : Infinity)

/** Groups tasks by job, so that measurements to be compared follow each other directly. */
const inOrder = (tasks: readonly Task[]) => [...Map.groupBy(tasks, ({ job }) => job).values()].flat()

/** Does a job for the first time, when nothing is known about the vendor. A server that cannot do it is not measured. */
async function begin(task: Pick<Task, 'running' | 'job' | 'work'>, open: OpenWorld): Promise<Task> {
  const trials = { atOnce: [], late: [] }
  try {
    return { ...task, trials, first: await trial(task, open), problem: undefined }
  } catch (error) {
    return { ...task, trials, first: undefined, problem: error instanceof Error ? error.message : String(error) }
  }
}

async function trial(
  { running: { candidate, server }, work, job }: Pick<Task, 'running' | 'job' | 'work'>,
  open: OpenWorld,
): Promise<Trial> {
  const upstream = open.upstream(candidate.vendor)
  const world = open.world(candidate.vendor)
  upstream.reset()
  let [calls, bytes] = [0, 0]
  const call = async (tool: string, args: object): Promise<Reply> => {
    const reply = await server.call(tool, args, timeoutMs)
    if (!reply) throw new Error(`no answer in ${timeoutMs / 1_000} s`)
    if (reply.isError) throw new Error(`${tool}: ${reply.text.slice(0, 300)}`)
    calls += 1
    bytes += reply.bytes
    return reply
  }
  const begun = performance.now()
  const reply = await work(call, world)
  const ms = performance.now() - begun
  if (job.startsWith('read') && !hasContent(reply, world.text)) throw new Error(`not the content: ${reply.text.slice(0, 200)}`)
  return { ms, calls, bytes, requests: upstream.counts.requests, upstreamBytes: upstream.counts.bytes }
}

/** True if an answer has the content, as text or in base64, in which 18 bytes take 24 characters. */
function hasContent({ text }: Reply, content: string): boolean {
  const beginning = content.slice(0, 18)
  return [beginning, Buffer.from(beginning).toString('base64')].some((form) => text.includes(form))
}

function rowOf({ running: { candidate }, job, first, problem, trials: { atOnce, late } }: Task): JobRow {
  const { name } = candidate
  const [last] = atOnce
  if (problem !== undefined || !last || !first) return { job, name, problem: problem ?? 'not measured' }
  return {
    ...{ job, name, calls: last.calls, first_requests: first.requests, requests: last.requests },
    ...{ upstream_bytes: last.upstreamBytes, result_bytes: last.bytes },
    ...{ ms: figuresOf(atOnce.map(({ ms }) => ms)), ...(late.length > 0 && { ms_at_100: figuresOf(late.map(({ ms }) => ms)) }) },
  }
}
