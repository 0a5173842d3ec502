// Measures our servers over HTTP: one on its data directory, and one, two and four on one database, with 64 calls at a time, which a client
// sends to the replicas in turn. The vendor is the emulator in this process, which answers immediately or after 100 ms. Run after a build;
// needs Linux and PostgreSQL. `--quick` makes few calls, checks the number of requests, and writes nothing.
import { randomBytes } from 'node:crypto'
import { driveEmulator } from '../../../packages/emulators/drive/src/index.ts'
import { linearEmulator } from '../../../packages/emulators/linear/src/index.ts'
import { pipelinesEmulator } from '../../../packages/emulators/pipelines/src/index.ts'
import { startPostgres } from '../../../packages/testing/src/postgres/postgres.ts'
import { type Call, send } from '../../../packages/testing/src/cluster/client.ts'
import { type Replica, startReplica } from '../../../packages/testing/src/cluster/replica.ts'
import { eventPipeline, fileStorage, issueTracker } from '../../../servers.ts'
import { type BenchOptions, failFor, publish } from '../bench.ts'
import { observeMachine } from '../machine.ts'
import { openUpstream, type Upstream } from '../upstream.ts'
import { type ReplicaRow, report } from './report.ts'
import { peakOf } from '../../../packages/testing/src/processes/proc.ts'

const together = 64
const delays = [0, 100] as const

/** A server, its vendor, and a call that takes one request. */
interface Work {
  readonly app: string
  readonly open: () => Promise<Upstream>
  readonly environment: (url: string) => Readonly<Record<string, string>>
  readonly call: (number: number) => Call
}

const works: readonly Work[] = [
  {
    app: issueTracker.name,
    open: () => openUpstream(linearEmulator({ limits: { requests: 1e9, points: 1e12 } })),
    environment: (url) => ({ ISSUE_TRACKER_API_URL: `${url}/graphql`, ISSUE_TRACKER_API_KEY: 'lin_api_emulator' }),
    call: () => ({ name: 'IssueTracker_ListIssues', args: { limit: 10 } }),
  },
  {
    app: fileStorage.name,
    open: () => openUpstream(driveEmulator()),
    environment: (url) => ({ FILE_STORAGE_API_URL: url, FILE_STORAGE_ACCESS_TOKEN: 'drive-emulator' }),
    call: () => ({ name: 'FileStorage_SearchFiles', args: { query: 'launch', limit: 10 } }),
  },
  {
    app: eventPipeline.name,
    open: () => openUpstream(pipelinesEmulator({ seed: 'empty' })),
    environment: (url) => ({ EVENT_PIPELINE_API_URL: `${url}/v1`, EVENT_PIPELINE_API_KEY: 'pipelines-emulator' }),
    call: (number) => ({
      name: 'EventPipelineApi_TrackUserEvent',
      args: { mode: 'execute', request_body: JSON.stringify({ userId: `person-${number}`, event: 'Order Completed' }) },
    }),
  },
]

interface Setup {
  readonly replicas: number
  readonly store: 'data directory' | 'PostgreSQL'
}

const setups: readonly Setup[] = [
  { replicas: 1, store: 'data directory' },
  ...[1, 2, 4].map((replicas): Setup => ({ replicas, store: 'PostgreSQL' })),
]

let number = 0

/** Makes this many calls, 64 at a time, to the replicas in turn, and returns their durations in ms, in order. */
async function makeCalls(replicas: readonly Replica[], { call }: Work, count: number): Promise<number[]> {
  const times: number[] = []
  const numbers = Array.from({ length: count }, (_, index) => index).values()
  const work = async () => {
    for (const index of numbers) {
      const begun = performance.now()
      const outcome = await send(replicas[index % replicas.length]?.url ?? '', call((number += 1)))
      if (outcome.kind !== 'result') throw new Error(`A call failed: ${JSON.stringify(outcome)}`)
      times.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  return times.toSorted((a, b) => a - b)
}

/** Number of measured calls, and of calls to each replica beforehand. */
interface Length {
  readonly callsEach: number
  readonly warmUp: number
}

async function measure(
  work: Work,
  { replicas: count, store }: Setup,
  databaseUrl: string,
  { callsEach, warmUp }: Length,
): Promise<ReplicaRow[]> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await work.open())
  const shared = {
    MCP_TOOLKITS_STORE: `${databaseUrl}?schema=replicas_${randomBytes(4).toString('hex')}`,
    MCP_TOOLKITS_VAULT_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  }
  const environment = { ...work.environment(upstream.url), ...(store === 'PostgreSQL' && shared) }
  const replicas: Replica[] = []
  // Replicas start one after the other, because the first one creates the tables.
  while (replicas.length < count) replicas.push(stack.use(await startReplica({ app: work.app, environment })))
  await makeCalls(replicas, work, warmUp * count)
  const rows: ReplicaRow[] = []
  for (const delay of delays) {
    upstream.delay = delay
    upstream.reset()
    const begun = performance.now()
    const times = await makeCalls(replicas, work, callsEach)
    const seconds = (performance.now() - begun) / 1_000
    const at = (share: number) => Math.round(times[Math.ceil(share * times.length) - 1] ?? Number.NaN)
    rows.push({
      ...{ server: work.app, replicas: count, store, delay },
      ...{ calls_per_s: Math.round(callsEach / seconds), p50_ms: at(0.5), p99_ms: at(0.99) },
      requests_per_call: Math.round((100 * upstream.counts.requests) / callsEach) / 100,
      peak_mb: Math.max(...replicas.map((replica) => peakOf(replica.pid()) ?? Number.NaN)),
    })
  }
  return rows
}

export async function run({ isQuick }: BenchOptions): Promise<void> {
  const length = isQuick ? { callsEach: 64, warmUp: 8 } : { callsEach: 1_000, warmUp: 100 }
  const machine = observeMachine()
  const database = await startPostgres()
  const rows: ReplicaRow[] = []
  try {
    for (const work of works) {
      for (const setup of isQuick ? setups.slice(0, 3) : setups) rows.push(...(await measure(work, setup, database.directUrl, length)))
    }
  } finally {
    await database.stop()
  }
  const results = { machine: machine(), postgres: database.version, calls: length.callsEach, rows }
  console.log(report(results))
  if (!isQuick) publish(import.meta.dirname, results, report(results))
  const more = rows.filter((row) => row.requests_per_call > 1)
  failFor(more.map(({ server, replicas }) => `A call of ${server} with ${replicas} replicas takes more than one request.`))
}
