import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { type AsyncStore, openAsyncStore, openProcessLock, openStore, type Store, text } from '@mcp-toolkits/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../src/outbox/sqlite/migrations.ts'
import { SqliteOutboxStore } from '../../src/outbox/sqlite/store.ts'
import { WorkerRegistration } from '../../src/outbox/workers.ts'
import { deliverAll, destination, down, queue, waits } from './submit.ts'

/** An outbox, and the query plans that it has used on its file since the last `take`. */
async function planned() {
  const directory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const file = path.join(directory, 'outbox.db')
  const clock = new ManualClock()
  const asked = new Set<string>()
  const watched = (store: Store): Store => ({
    ...store,
    rows(columns, sql, parameters) {
      asked.add(sql)
      return store.rows(columns, sql, parameters)
    },
    run(sql, parameters) {
      asked.add(sql)
      return store.run(sql, parameters)
    },
  })
  const bare = await openAsyncStore({ file, migrations, clock })
  const watching: AsyncStore = {
    ...bare,
    read: (work) => bare.read((store) => work(watched(store))),
    write: (work, options) => bare.write((store) => work(watched(store)), options),
  }
  const store = new SqliteOutboxStore(watching, new WorkerRegistration(openProcessLock(path.join(directory, 'locks'))), clock)
  const explaining = openStore({ file })
  onTestFinished(async () => {
    await explaining.close()
    await store.close()
  })
  return {
    store,
    clock,
    /** The ways in which tables were read, one line for each. */
    take: () => {
      const plans = [...asked].flatMap((sql) => explaining.rows({ detail: text }, `explain query plan ${sql}`))
      asked.clear()
      const details = plans.map(({ detail }) => detail).filter((detail) => /^(?:SCAN|SEARCH|USE TEMP)/.test(detail))
      return [...new Set(details)].filter((detail) => !detail.includes('json_each')).toSorted()
    },
  }
}

test('looking for due events reads a few rows of an index, however long the queue is', async () => {
  const { store, clock, take } = await planned()
  for (const person of ['ada', 'ada', 'bob']) await queue(store, person, 60_000)
  take()
  expect(await store.untilNextDue(destination)).toBe(60_000)
  expect(await store.waiting()).toHaveLength(1)
  await clock.advance(60_000)
  const claimed = await store.claimNext(destination)
  await store.recordFailure(claimed?.id ?? 0, down, waits(1_000))
  expect(await store.waitOf(2)).toMatchObject({ ms: 1_000 })
  expect(await deliverAll(store)).toHaveLength(1)
  expect(take()).toMatchInlineSnapshot(`
    [
      "SCAN leases",
      "SCAN senders",
      "SEARCH (subquery-2)",
      "SEARCH entries USING COVERING INDEX claimed (sender>?)",
      "SEARCH entries USING COVERING INDEX due ((origin,key_hash)>(?,?))",
      "SEARCH entries USING INDEX claimed (sender>?)",
      "SEARCH entries USING INDEX due (origin=? AND key_hash=? AND next_attempt_at<?)",
      "SEARCH entries USING INDEX due (origin=? AND key_hash=?)",
      "SEARCH entries USING INDEX held (origin=? AND key_hash=?)",
      "SEARCH entries USING INDEX scheduled (origin=? AND key_hash=? AND scheduled_at>?)",
      "SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH mine USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH older USING INDEX deliveries (delivery_id=? AND part<?)",
      "SEARCH older USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH ours USING COVERING INDEX sqlite_autoindex_persons_1 (entry_id=?)",
      "SEARCH persons USING COVERING INDEX sqlite_autoindex_persons_1 (entry_id=?)",
      "SEARCH theirs USING COVERING INDEX entries_about (person=? AND entry_id<?)",
      "USE TEMP B-TREE FOR ORDER BY",
    ]
  `)
})

test('counting waiting events reads only an index', async () => {
  const { store, take } = await planned()
  await queue(store, 'ada')
  take()
  await store.backlog()
  expect(take()).toMatchInlineSnapshot(`
    [
      "SCAN entries USING COVERING INDEX undelivered",
      "USE TEMP B-TREE FOR GROUP BY",
    ]
  `)
})

test('an event waits for its nearest older one, even if that was parked, dropped or reopened meanwhile', async () => {
  const { store } = await planned()
  const [first, second, third] = [await queue(store, 'ada'), await queue(store, 'ada'), await queue(store, 'ada')]
  const isNext = async (id: number) => {
    const claimed = await store.claimNext(destination)
    if (claimed) await store.recordFailure(claimed.id, undefined, waits(0))
    return claimed?.id === id
  }
  expect(await isNext(first)).toBe(true)
  await store.recordAbandoned([first], { isCancelled: true, hasCaller: () => false })
  expect(await isNext(first)).toBe(true)
  const claimed = await store.claimNext(destination)
  await store.recordFailure(claimed?.id ?? 0, down, () => ({ state: 'parked', reason: 'unauthenticated' }))
  expect(await isNext(second)).toBe(true)
  await store.retry([first])
  expect(await store.claim(second, 'background')).toBeUndefined()
  expect(await isNext(first)).toBe(true)
  expect(await store.drop(first)).toBe(true)
  expect(await isNext(second)).toBe(true)
  expect(await store.drop(second)).toBe(true)
  expect(await deliverAll(store)).toEqual([third])
})
