// Measures the rate at which event-pipeline sends its outbox's events, and the longest time that looking for due events blocks the event
// loop: while the queue drains, while everything is in backoff, and while everything is about one person.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { columnsOf } from '../../../apps/event-pipeline/src/outbox/outbox-store.ts'
import { openStore } from '../../../packages/sqlite/src/index.ts'
import type { Database } from '../../../packages/team/src/postgres/index.ts'
import { type Engine, openOutbox } from './outbox.ts'
import type { QueueRow } from './report.ts'

/** Number of events in a queue that count for the rate, excluding those with which the delivery starts. */
const counted = 2_000
const warmUp = 200
const people = 500
/** Number of runs for each rate. The best one counts, because other load on the machine only lowers the rate. */
const rounds = 3

interface Queue {
  readonly events: number
  /** Number of people whom events are about, in turn; events about one person wait for each other. */
  readonly people: number
  /** Wait before the next attempt, in milliseconds, for all events. */
  readonly backoffMs: number
}

type Key = ReturnType<typeof columnsOf>

/** Stores a queue in SQLite, as answered calls would. */
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

/** Fills an outbox, lets a server send its events for a while, and watches the event loop. */
async function drain(engine: Engine, queue: Queue, isDone: (accepted: readonly number[], ms: number) => boolean) {
  await using outbox = await openOutbox(engine)
  const { connection, shared, accepted, file } = outbox
  const key = columnsOf(connection.context.destination)
  if (shared) await fillDatabase(shared.database, key, queue)
  else fillFile(file, key, queue)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  connection.resume()
  const began = performance.now()
  while (!isDone(accepted, performance.now() - began)) await setTimeout(50)
  delay.disable()
  const [first = 0, last = 0] = [accepted[warmUp], accepted.at(-1)]
  return { perSecond: Math.round((1_000 * (accepted.length - warmUp)) / (last - first)), longestMs: Math.round(delay.max / 1e6) }
}

export async function measureQueue(engine: Engine, events: number): Promise<QueueRow> {
  const enough = Math.min(events, warmUp + counted)
  const draining: Awaited<ReturnType<typeof drain>>[] = []
  for (let round = 0; round < rounds; round += 1)
    draining.push(await drain(engine, { events, people, backoffMs: 0 }, (accepted) => accepted.length >= enough))
  const inBackoff = await drain(engine, { events, people, backoffMs: 3_600_000 }, (_, ms) => ms > 5_000)
  const ofOne = await drain(engine, { events, people: 1, backoffMs: 0 }, (accepted) => accepted.length >= Math.min(events, 300))
  return {
    ...{ engine: engine.name, waiting: events, drained_per_s: Math.max(...draining.map(({ perSecond }) => perSecond)) },
    longest_ms: {
      draining: Math.min(...draining.map(({ longestMs }) => longestMs)),
      in_backoff: inBackoff.longestMs,
      of_one_person: ofOne.longestMs,
    },
  }
}
