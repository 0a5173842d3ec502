import { type Database, migrate, openDatabase, openReplica, storeMigrations, type Transaction } from '@mcp-toolkits/team/postgres'
import { Unavailable } from '@mcp-toolkits/core/errors'
import { isFull } from '@mcp-toolkits/testing'
import { type PostgresServer, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Entry, OutboxStore } from '../../src/outbox/outbox-store.ts'
import { openPostgresOutbox } from '../../src/team/outbox/open.ts'
import { destination, eventOf, submit } from './submit.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
  // The speed of the disk does not matter for the speed of finding an entry.
  const database = openDatabase({ url: server.directUrl })
  await database.script('alter role tests set synchronous_commit = off')
  await database.close()
})
afterAll(() => server.stop())

const count = isFull ? 100_000 : 20_000
const people = count / 10

const down = new Unavailable('The vendor is down.')

/** A full outbox in a new schema, in which no table is ever analyzed unless the test does so. */
async function openFull(schema: string, nextAttempt: string): Promise<{ readonly store: OutboxStore; readonly database: Database }> {
  const database = openDatabase({ url: server.directUrl, schema })
  await migrate(database, storeMigrations)
  const replica = await openReplica(database)
  const store = await openPostgresOutbox({ database, replica })
  onTestFinished(async () => {
    await store.close()
    await replica.close()
    await database.close()
  })
  await database.script(
    ['entries', 'persons', 'waits', 'messages'].map((name) => `alter table schema.${name} set (autovacuum_enabled = false)`).join('; '),
  )
  // Ten events about each person; each event waits for the one before it.
  await database.transaction(
    (transaction) =>
      transaction.script(`
        insert into schema.entries (delivery_id, part, origin, key_hash, call, strict, identified, body, body_hash, message_ids, added,
          next_attempt_at, is_blocked, created_at, begun_at, answered)
        select 'delivery ' || n, 0, '${destination.origin}', '${destination.keyHash}', 'track', false, true, '\\x7b7d', 'hash ' || n,
          '[]', '[]', ${nextAttempt}, n > ${people}, now(), now(), true from generate_series(1, ${count}) as n;
        insert into schema.persons select 'person ' || n % ${people}, n from generate_series(1, ${count}) as n;
        insert into schema.messages select n, 'message ' || n, 'given', 'sent' from generate_series(1, ${count}) as n;
        insert into schema.waits select n, n - ${people} from generate_series(${people + 1}, ${count}) as n`),
    { statementMs: 120_000 },
  )
  return { store, database }
}

/** The time of the fastest run, in milliseconds. */
async function fastest<T>(work: () => Promise<T>, after: (result: T) => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < 10; turn += 1) {
    const start = performance.now()
    const result = await work()
    times.push(performance.now() - start)
    await after(result)
  }
  return Math.min(...times)
}

it.each([
  ['are due', 'now()'],
  ['rest', `now() + interval '1 hour'`],
])(`among ${count} entries that all %s, due ones are found fast, even before the tables are analyzed`, async (name, nextAttempt) => {
  const { store, database } = await openFull(`size_${name.replaceAll(' ', '_')}`, nextAttempt)
  const settle = async (entry: Entry | undefined) => {
    if (entry) await store.recordFailure(entry.id, down, () => ({ state: 'open', backoffMs: 60_000 }))
  }
  const nothing = () => Promise.resolve()
  for (const [state, most] of [
    ['never analysed', 200],
    ['analysed', 50],
  ] as const) {
    const times = {
      look: await fastest(() => store.untilNextDue(destination), nothing),
      claim: await fastest(() => store.claimNext(destination), settle),
      wait: await fastest(() => store.waitOf(0.95 * count), nothing),
    }
    process.stderr.write(`all ${name}, ${state}: ${JSON.stringify(times)}\n`)
    expect(Math.max(...Object.values(times))).toBeLessThan(most)
    await database.script('analyze schema.entries, schema.persons, schema.waits, schema.messages')
  }
})

it('a call takes four messages to the database, and its delivery takes one', async () => {
  const database = openDatabase({ url: server.directUrl, schema: 'messages' })
  onTestFinished(() => database.close())
  await migrate(database, storeMigrations)
  const replica = await openReplica(database)
  onTestFinished(() => replica.close())
  let messages = 0
  const counting = (transaction: Transaction): Transaction => ({
    rows: (...query) => ((messages += 1), transaction.rows(...query)),
    run: (...query) => ((messages += 1), transaction.run(...query)),
    script: (sql) => ((messages += 1), transaction.script(sql)),
  })
  const counted: Database = {
    ...counting(database),
    location: database.location,
    schema: database.schema,
    reading: { rows: (...query) => ((messages += 1), database.reading.rows(...query)) },
    // Two more messages begin and end the transaction.
    transaction: (work, options) => ((messages += 2), database.transaction((transaction) => work(counting(transaction)), options)),
    reserve: () => database.reserve(),
    pools: () => database.pools(),
    close: () => database.close(),
  }
  const store = await openPostgresOutbox({ database: counted, replica })
  messages = 0
  const { claimed } = await submit(store, eventOf('ada'))
  expect(messages).toBe(4)
  await store.recordDelivered(claimed?.id ?? 0, 200)
  expect(messages).toBe(5)
})
