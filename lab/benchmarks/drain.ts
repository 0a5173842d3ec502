// How fast event-pipeline sends what waits in its outbox, for queues of 1,000 to 1,000,000 events, in SQLite and in PostgreSQL, and how long
// one look keeps the event loop busy: while the queue drains, while everything is in backoff, and where everything is about one person.
// Needs no build, but PostgreSQL.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { connect } from '../../apps/event-pipeline/src/connect.ts'
import { columnsOf } from '../../apps/event-pipeline/src/outbox/outbox-store.ts'
import { systemClock } from '../../packages/core/src/base/clock.ts'
import type { Settings } from '../../packages/server/src/mcp/definition.ts'
import { openStore } from '../../packages/sqlite/src/index.ts'
import { type Database, openSharedStore } from '../../packages/team/src/postgres/index.ts'
import { startPostgres } from '../../packages/testing/src/postgres.ts'

const sizes = (process.env['SIZES'] ?? '1000,20000,200000,1000000').split(',').map(Number)
/** The rate is that of so many events of a queue, without those that start the delivery. */
const counted = 2_000
const warmUp = 200
const people = 500
/** How often each rate is measured; the best counts, because what else the machine does only lowers it. */
const rounds = Number(process.env['ROUNDS'] ?? 3)
/** The least rate at any size, as a share of that at the smallest. */
const allowed = 0.8

interface Queue {
  readonly events: number
  /** Events about each in turn; those about one wait for each other. */
  readonly people: number
  /** How long all of them wait for their next attempt, in milliseconds. */
  readonly backoffMs: number
}

type Key = ReturnType<typeof columnsOf>

/** Stores a queue in SQLite, as calls would that were answered. */
function fillFile(file: string, { origin, keyHash }: Key, queue: Queue): void {
  const store = openStore({ file })
  const numbers = 'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < :events)'
  const at = Math.floor(Date.now())
  store.writeNow(() => {
    store.run(
      `insert into entries (delivery_id, part, origin, key_hash, call, strict, identified, body, given_hash, message_ids, added, state,
         attempts, next_attempt_at, scheduled_at, answered, created_at) ${numbers}
       select 'delivery ' || n, 0, :origin, :keyHash, 'track', 0, 1, '{"userId":"user ' || n % :people || '","event":"E","messageId":"' || n || '"}',
         'hash ' || n, '["' || n || '"]', '[]', 'open', 1, :due, :at, 1, :at from numbers`,
      { origin, keyHash, events: queue.events, people: queue.people, at, due: at + queue.backoffMs },
    )
    store.run(`insert into persons select id, 'user ' || id % :people from entries order by id`, { people: queue.people })
    store.run(`insert into messages select id, '' || id, 'given', 'sent' from entries`)
  })
  void store.close()
}

async function fillDatabase(database: Database, { origin, keyHash }: Key, { events, people: each, backoffMs }: Queue): Promise<void> {
  const numbers = `generate_series(1, ${events}) as n`
  await database.transaction(
    (transaction) =>
      transaction.script(`
        insert into schema.entries (delivery_id, part, origin, key_hash, call, strict, identified, body, body_hash, message_ids, added,
          attempts, next_attempt_at, is_blocked, created_at, begun_at, answered)
        select 'delivery ' || n, 0, '${origin}', '${keyHash}', 'track', false, true,
          convert_to('{"userId":"user ' || n % ${each} || '","event":"E","messageId":"' || n || '"}', 'UTF8'), 'hash ' || n, '["' || n || '"]', '[]',
          1, now() + ${backoffMs} * interval '1 ms', n > ${each}, now(), now(), true from ${numbers};
        insert into schema.persons select 'user ' || n % ${each}, n from ${numbers};
        insert into schema.messages select n, to_json('' || n), 'given', 'sent' from ${numbers};
        insert into schema.waits select n, n - ${each} from generate_series(${each + 1}, ${events}) as n`),
    { statementMs: 600_000 },
  )
}

interface Drained {
  readonly per_s: number
  readonly longest_ms: number
}

/** Fills an outbox, lets a server send what is in it for a while, and looks at its event loop. */
async function drain(url: string | undefined, queue: Queue, isDone: (accepted: readonly number[]) => boolean): Promise<Drained> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const clock = systemClock
  const shared = url === undefined ? undefined : await openSharedStore({ url, schema: `bench_${randomUUID().replaceAll('-', '')}`, clock })
  const settings: Settings = {
    embedded: false,
    dataDirectory,
    readOnly: false,
    toolNames: 'safe',
    environment: { EVENT_PIPELINE_API_KEY: 'bench' },
  }
  const accepted: number[] = []
  const fetch = () => {
    accepted.push(performance.now())
    return Promise.resolve(Response.json({}))
  }
  const connection = await connect(settings, { fetch, clock, ...(shared && { shared }) })
  const key = columnsOf(connection.context.destination)
  if (shared) await fillDatabase(shared.database, key, queue)
  else fillFile(path.join(dataDirectory, 'event-pipeline', 'outbox.db'), key, queue)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  connection.resume()
  while (!isDone(accepted)) await setTimeout(50)
  delay.disable()
  const [first = 0, last = 0] = [accepted[warmUp], accepted.at(-1)]
  const per_s = Math.round((1_000 * (accepted.length - warmUp)) / (last - first))
  await connection.close()
  await shared?.close()
  rmSync(dataDirectory, { recursive: true, force: true })
  return { per_s, longest_ms: Math.round(delay.max / 1e6) }
}

interface Row {
  readonly engine: string
  readonly waiting: number
  readonly drained_per_s: number
  readonly longest_ms: { readonly draining: number; readonly in_backoff: number; readonly of_one_person: number }
}

async function measure(engine: string, url: string | undefined, events: number): Promise<Row> {
  const enough = Math.min(events, warmUp + counted)
  const draining: Drained[] = []
  for (let round = 0; round < rounds; round += 1)
    draining.push(await drain(url, { events, people, backoffMs: 0 }, (accepted) => accepted.length >= enough))
  const until = () => {
    const end = performance.now() + 5_000
    return () => performance.now() > end
  }
  const inBackoff = await drain(url, { events, people, backoffMs: 3_600_000 }, until())
  const ofOne = await drain(url, { events, people: 1, backoffMs: 0 }, (accepted) => accepted.length >= Math.min(events, 300))
  const longest_ms = {
    draining: Math.min(...draining.map((each) => each.longest_ms)),
    in_backoff: inBackoff.longest_ms,
    of_one_person: ofOne.longest_ms,
  }
  const row = { engine, waiting: events, drained_per_s: Math.max(...draining.map((each) => each.per_s)), longest_ms }
  console.error(JSON.stringify(row))
  return row
}

const rows: Row[] = []
const server = await startPostgres()
try {
  for (const events of sizes) {
    rows.push(await measure('SQLite', undefined, events))
    rows.push(await measure('PostgreSQL', server.directUrl, events))
  }
} finally {
  await server.stop()
}
writeFileSync(path.join(import.meta.dirname, 'drain.json'), `${JSON.stringify({ postgres: server.version, rows }, null, 2)}\n`)
const slow = rows.filter(({ engine, drained_per_s: rate }) => {
  const smallest = rows.find((row) => row.engine === engine)
  return smallest && rate < allowed * smallest.drained_per_s
})
for (const { engine, waiting } of slow)
  console.error(`${engine} with ${waiting} waiting drains more slowly than ${allowed} × the smallest queue.`)
if (slow.length > 0) process.exitCode = 1
