// What one event costs in the outbox of event-pipeline: processor time of the server and of PostgreSQL, 64 calls at a time, in SQLite,
// in PostgreSQL and in PostgreSQL behind PgBouncer; how long one call takes alone; and how fast what an outage has queued is sent
// afterwards. Needs no build, but PostgreSQL and PgBouncer.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Settings } from '../../packages/server/src/mcp/definition.ts'
import { connect } from '../../apps/event-pipeline/src/connect.ts'
import type { Receipt, SubmitOptions } from '../../apps/event-pipeline/src/outbox/outbox.ts'
import { readBody } from '../../apps/event-pipeline/src/pipelines/body/body-reader.ts'
import { systemClock } from '../../packages/core/src/base/clock.ts'
import { openSharedStore, type SharedStore } from '../../packages/team/src/postgres/index.ts'
import { startPostgres } from '../../packages/testing/src/postgres.ts'
import { processorTimeOfAll, processesNamed } from '../../packages/testing/src/processes/proc.ts'
import { type Figures, figuresOf, medianOf } from './statistics.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const events = Number(process.env['EVENTS'] ?? 3_000)
const warmUp = 500
const together = 64
const alone = 200
/** Events about 500 people during an outage for which the vendor announces its end. */
const queued = 2_000
const outageSeconds = 60
/** The allowed processor time of one event, as a multiple of SQLite's in the same run. */
const allowed = 1.2
const minDrained = 200

/** Where the outbox is. */
interface Engine {
  readonly name: string
  /** `postgres://…`; absent for SQLite. */
  readonly url?: string
}

interface Round {
  readonly server_ms: number
  readonly database_ms: number
  readonly events_per_s: number
  readonly alone_ms: number
}

interface Vendor {
  isAway: boolean
  /** When it accepted each event. */
  readonly accepted: number[]
}

interface RunningOutbox {
  /** Sends an event about one of 1,000 people, and resolves with what became of it. */
  readonly send: (event: number, people?: number) => Promise<Receipt['outcome']>
  readonly vendor: Vendor
  readonly close: () => Promise<void>
}

async function openOutbox({ url }: Engine): Promise<RunningOutbox> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const clock = systemClock
  const shared: SharedStore | undefined =
    url === undefined ? undefined : await openSharedStore({ url, schema: `bench_${randomUUID().replaceAll('-', '')}`, clock })
  const settings: Settings = {
    embedded: false,
    dataDirectory,
    readOnly: false,
    toolNames: 'safe',
    environment: { EVENT_PIPELINE_API_KEY: 'bench' },
  }
  const vendor: Vendor = { isAway: false, accepted: [] }
  // A vendor that answers in the same turn costs nothing.
  const fetch = () => {
    if (vendor.isAway) return Promise.resolve(Response.json({}, { status: 429, headers: { 'retry-after': `${outageSeconds}` } }))
    vendor.accepted.push(performance.now())
    return Promise.resolve(Response.json({}))
  }
  const connection = await connect(settings, { fetch, clock, ...(shared && { shared }) })
  return {
    vendor,
    async send(event, people = 1_000) {
      const ends: Parameters<SubmitOptions['operation']['onEnd']>[0][] = []
      const body = await readBody(JSON.stringify({ userId: `user ${event % people}`, event: 'Order Completed', properties: { event } }))
      const unkeyed = () => Promise.reject(new Error('The call has no key.'))
      const operation: SubmitOptions['operation'] = {
        ...{ isKeyed: false, begin: unkeyed, renew: unkeyed, reserveKey: () => Promise.resolve(), leaveOpen: () => undefined },
        onEnd: (listener) => ends.push(listener),
      }
      const options = { operation, signal: new AbortController().signal, progress: () => undefined }
      const receipt = await connection.context.outbox.submit({ name: 'track', body, isStrict: false, findings: [] }, options)
      for (const end of ends) end('answered')
      return receipt.outcome
    },
    async close() {
      await connection.close()
      await shared?.close()
      rmSync(dataDirectory, { recursive: true, force: true })
    },
  }
}

/** Keeps so many calls under way until all events are sent. */
async function sendAll(outbox: RunningOutbox, first: number, count: number): Promise<void> {
  let next = first
  const lanes = Array.from({ length: together }, async () => {
    while (next < first + count) if ((await outbox.send(next++)) !== 'delivered') throw new Error('An event was not delivered.')
  })
  await Promise.all(lanes)
}

async function measure(engine: Engine): Promise<Round> {
  const outbox = await openOutbox(engine)
  await sendAll(outbox, 0, warmUp)
  const databases = engine.url === undefined ? [] : processesNamed(['postgres', 'pgbouncer'])
  const before = { server: process.cpuUsage(), database: processorTimeOfAll(databases), at: performance.now() }
  await sendAll(outbox, warmUp, events)
  const { user, system } = process.cpuUsage(before.server)
  const seconds = (performance.now() - before.at) / 1_000
  const database = processorTimeOfAll(engine.url === undefined ? [] : processesNamed(['postgres', 'pgbouncer'])) - before.database
  const times: number[] = []
  for (let index = 0; index < alone; index += 1) {
    await setImmediate()
    const started = performance.now()
    await outbox.send(warmUp + events + index)
    times.push(performance.now() - started)
  }
  await outbox.close()
  return {
    server_ms: (user + system) / 1_000 / events,
    database_ms: database / events,
    events_per_s: events / seconds,
    alone_ms: medianOf(times),
  }
}

/** How many events are sent per second after an outage. */
async function measureDrain(engine: Engine): Promise<number> {
  const { vendor, send, close } = await openOutbox(engine)
  vendor.isAway = true
  await send(0)
  const lanes = Array.from({ length: together }, async (_, lane) => {
    for (let event = lane + 1; event < queued; event += together) await send(event, 500)
  })
  await Promise.all(lanes)
  vendor.isAway = false
  while (vendor.accepted.length < queued) await setTimeout(100)
  await close()
  const [first = 0, last = 0] = [vendor.accepted.at(0), vendor.accepted.at(-1)]
  return (1_000 * queued) / (last - first)
}

interface Row {
  readonly engine: string
  readonly server_ms: Figures
  readonly database_ms: Figures
  readonly times_sqlite: Figures
  readonly events_per_s: Figures
  readonly alone_ms: Figures
  readonly drained_per_s: number
}

const server = await startPostgres()
const engines: readonly Engine[] = [
  { name: 'SQLite' },
  { name: 'PostgreSQL', url: server.directUrl },
  { name: 'PostgreSQL behind PgBouncer', url: server.pooledUrl },
]
const measured = new Map<string, Round[]>(engines.map(({ name }) => [name, []]))
const drained = new Map<string, number>()
try {
  for (let round = 0; round < rounds; round += 1) {
    for (const engine of engines) {
      const each = await measure(engine)
      console.error(engine.name, each)
      measured.get(engine.name)?.push(each)
    }
  }
  for (const engine of engines) drained.set(engine.name, Math.round(await measureDrain(engine)))
} finally {
  await server.stop()
}
const ofSqlite = measured.get('SQLite') ?? []
const rows = [...measured].map(([engine, each]): Row => {
  const times = each.map(({ server_ms, database_ms }, round) => (server_ms + database_ms) / (ofSqlite[round]?.server_ms ?? Number.NaN))
  return {
    engine,
    server_ms: figuresOf(
      each.map((figures) => figures.server_ms),
      2,
    ),
    database_ms: figuresOf(
      each.map((figures) => figures.database_ms),
      2,
    ),
    times_sqlite: figuresOf(times, 2),
    events_per_s: figuresOf(each.map((figures) => figures.events_per_s)),
    alone_ms: figuresOf(each.map((figures) => figures.alone_ms)),
    drained_per_s: drained.get(engine) ?? Number.NaN,
  }
})
writeFileSync(path.join(import.meta.dirname, 'outbox.json'), `${JSON.stringify({ postgres: server.version, events, rows }, null, 2)}\n`)
console.table(
  rows.map(({ engine, ...figures }) => ({
    engine,
    ...Object.fromEntries(Object.entries(figures).map(([name, each]) => [name, typeof each === 'number' ? each : each.median])),
  })),
)
const over = rows.filter(
  ({ engine, times_sqlite, drained_per_s }) => (engine === 'PostgreSQL' && times_sqlite.median > allowed) || drained_per_s < minDrained,
)
if (over.length > 0) {
  console.error(
    `More than ${allowed} times SQLite, or fewer than ${minDrained} events per second: ${over.map(({ engine }) => engine).join(', ')}`,
  )
  process.exitCode = 1
}
