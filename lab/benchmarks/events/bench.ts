// Cost of one event in event-pipeline's outbox: the server's and PostgreSQL's processor time, 64 calls at a time, in SQLite, in
// PostgreSQL and in PostgreSQL behind PgBouncer; how long one call takes alone; and how fast queues of 1,000 to 1,000,000 events drain.
// Runs on the sources. Needs PostgreSQL and PgBouncer.
import { setImmediate } from 'node:timers/promises'
import type { SubmitOptions } from '../../../apps/event-pipeline/src/outbox/outbox.ts'
import { readBody } from '../../../apps/event-pipeline/src/pipelines/body/body-reader.ts'
import { startPostgres } from '../../../packages/testing/src/postgres/postgres.ts'
import { processesNamed, processorTimeOfAll } from '../../../packages/testing/src/processes/proc.ts'
import { type BenchOptions, failFor, publish } from '../bench.ts'
import { figuresOf, medianOf } from '../statistics.ts'
import { measureQueue } from './drain.ts'
import { type Engine, openOutbox } from './outbox.ts'
import { type EngineRow, type QueueRow, report } from './report.ts'

const warmUp = 500
const together = 64
const alone = 200
/** Maximum processor time per event, as a multiple of SQLite's in the same run. */
const mostTimesSqlite = 1.2
/** Minimum rate of a queue, as a share of the shortest queue's. */
const leastRate = 0.8

type Outbox = Awaited<ReturnType<typeof openOutbox>>

/** Sends an event about one of 1,000 people. */
async function send({ connection }: Outbox, event: number): Promise<void> {
  const ends: Parameters<SubmitOptions['operation']['onEnd']>[0][] = []
  const body = await readBody(JSON.stringify({ userId: `user ${event % 1_000}`, event: 'Order Completed', properties: { event } }))
  const unkeyed = () => Promise.reject(new Error('The call has no key.'))
  const operation: SubmitOptions['operation'] = {
    isKeyed: false,
    begin: unkeyed,
    claim: unkeyed,
    renew: unkeyed,
    reserveKey: () => Promise.resolve(),
    leaveOpen: () => undefined,
    onEnd: (listener) => ends.push(listener),
  }
  const options = { operation, signal: new AbortController().signal, progress: () => undefined }
  const { outcome } = await connection.context.outbox.submit({ name: 'track', body, isStrict: false, findings: [] }, options)
  for (const end of ends) end('answered')
  if (outcome !== 'delivered') throw new Error('An event was not delivered.')
}

/** Keeps this many calls in flight until all events are sent. */
async function sendAll(outbox: Outbox, first: number, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => first + index).values()
  const work = async () => {
    for (const event of events) await send(outbox, event)
  }
  await Promise.all(Array.from({ length: together }, work))
}

async function measure(engine: Engine, events: number) {
  await using outbox = await openOutbox(engine)
  const databaseTime = () => (engine.url === undefined ? 0 : processorTimeOfAll(processesNamed(['postgres', 'pgbouncer'])))
  await sendAll(outbox, 0, warmUp)
  const before = { server: process.cpuUsage(), database: databaseTime(), at: performance.now() }
  await sendAll(outbox, warmUp, events)
  const { user, system } = process.cpuUsage(before.server)
  const seconds = (performance.now() - before.at) / 1_000
  const database = databaseTime() - before.database
  const times: number[] = []
  for (let index = 0; index < alone; index += 1) {
    await setImmediate()
    const started = performance.now()
    await send(outbox, warmUp + events + index)
    times.push(performance.now() - started)
  }
  return {
    server_ms: (user + system) / 1_000 / events,
    database_ms: database / events,
    events_per_s: events / seconds,
    alone_ms: medianOf(times),
  }
}

type Round = Awaited<ReturnType<typeof measure>>

function rowOf(engine: string, rounds: readonly Round[], ofSqlite: readonly Round[]): EngineRow {
  const figures = (name: keyof Round, decimals?: number) =>
    figuresOf(
      rounds.map((round) => round[name]),
      decimals,
    )
  const times = rounds.map(({ server_ms: server, database_ms: database }, index) => (server + database) / (ofSqlite[index]?.server_ms ?? 1))
  return {
    ...{ engine, server_ms: figures('server_ms', 2), database_ms: figures('database_ms', 2), times_sqlite: figuresOf(times, 2) },
    ...{ events_per_s: figures('events_per_s'), alone_ms: figures('alone_ms') },
  }
}

export async function run({ isQuick }: BenchOptions): Promise<void> {
  const { rounds, events, sizes } = isQuick
    ? { rounds: 1, events: 500, sizes: [1_000] }
    : { rounds: 5, events: 3_000, sizes: [1_000, 20_000, 200_000, 1_000_000] }
  const server = await startPostgres()
  const [sqlite, postgres]: [Engine, Engine] = [
    { name: 'SQLite', url: undefined },
    { name: 'PostgreSQL', url: server.directUrl },
  ]
  const measured = new Map<Engine, Round[]>(
    [sqlite, postgres, { name: 'PostgreSQL behind PgBouncer', url: server.pooledUrl }].map((each) => [each, []]),
  )
  const queues: QueueRow[] = []
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [engine, results] of measured) results.push(await measure(engine, events))
    }
    for (const waiting of sizes) {
      for (const engine of [sqlite, postgres]) queues.push(await measureQueue(engine, waiting))
    }
  } finally {
    await server.stop()
  }
  const engines = [...measured].map(([{ name }, results]) => rowOf(name, results, measured.get(sqlite) ?? []))
  const results = { postgres: server.version, events, engines, queues }
  console.log(report(results))
  if (isQuick) return
  publish(import.meta.dirname, results, report(results))
  failFor([
    ...engines
      .filter(({ engine, times_sqlite: times }) => engine === 'PostgreSQL' && times.median > mostTimesSqlite)
      .map(() => `An event in PostgreSQL costs more than ${mostTimesSqlite} times one in SQLite.`),
    ...queues
      .filter(({ engine, drained_per_s: rate }) => rate < leastRate * (queues.find((row) => row.engine === engine)?.drained_per_s ?? 0))
      .map(({ engine, waiting }) => `${engine} with ${waiting} waiting drains at less than ${leastRate} × the rate of the shortest queue.`),
  ])
}
