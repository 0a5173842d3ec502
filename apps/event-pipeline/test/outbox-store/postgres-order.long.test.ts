import { Unavailable } from '@mcp-toolkits/core/errors'
import { integer } from '@mcp-toolkits/sqlite'
import { openDatabase } from '@mcp-toolkits/team/postgres'
import { isFull } from '@mcp-toolkits/testing'
import { type PostgresServer, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { OutboxStore } from '../../src/outbox/outbox-store.ts'
import { postgresOutbox } from './machine.ts'
import { destination, eventOf, idOf, submit } from './submit.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const steps = isFull ? 150 : 40

const down = new Unavailable('The vendor is down.')

/** Makes one thing happen to the outbox; a random number decides which. */
async function happen(store: OutboxStore, known: number[], random: () => number): Promise<void> {
  const chosen = Math.floor(random() * 10)
  const some = known[Math.floor(random() * known.length)] ?? 0
  if (chosen < 5) {
    const people = Array.from({ length: random() < 0.7 ? 1 : 3 }, () => `person ${Math.floor(random() * 5)}`)
    const body = { batch: people.map((person) => ({ type: 'track', ...eventOf(person) })) }
    const enqueued = await submit(store, body, { name: 'batch' })
    known.push(idOf(enqueued))
    if (enqueued.claimed)
      await store.recordFailure(enqueued.claimed.id, down, () => ({ state: random() < 0.8 ? 'open' : 'refused', backoffMs: 0 }))
  } else if (chosen < 7) {
    const entry = await store.claimNext(destination)
    if (!entry) return
    if (random() < 0.5) await store.recordDelivered(entry.id, 200)
    else await store.recordFailure(entry.id, down, () => (random() < 0.5 ? { state: 'refused' } : { state: 'open', backoffMs: 0 }))
  } else if (chosen === 7) await store.drop(some)
  else if (chosen === 8) await store.retry([some])
  else await store.recordAbandoned([some], { isCancelled: true, hasCaller: () => false })
}

/** Pseudorandom numbers from 0 to 1, from a seed: https://en.wikipedia.org/wiki/Linear_congruential_generator */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32
}

it(
  'three replicas that change the outbox at the same time keep each person’s events in order, and leave nothing behind',
  { timeout: 300_000 },
  async () => {
    const seed = Math.floor(Math.random() * 2 ** 32)
    process.stderr.write(`seed ${seed}\n`)
    const { start, schema } = await postgresOutbox(server.pooledUrl)
    const processes = [await start(), await start(), await start()]
    const known: number[] = []
    const workers = processes.flatMap(({ store }, index) =>
      [0, 1].map(async (lane) => {
        const random = randomFrom(seed + index * 2 + lane)
        for (let step = 0; step < steps; step += 1) await happen(store, known, random)
      }),
    )
    await Promise.all(workers)
    const database = openDatabase({ url: server.directUrl, schema })
    onTestFinished(() => database.close())
    const older = `select 1 from schema.persons as mine join schema.persons as theirs on theirs.person = mine.person and theirs.entry_id < mine.entry_id
    join schema.entries as other on other.id = theirs.entry_id and other.state = 'open' where mine.entry_id = entries.id`
    const misplaced = `select id from schema.entries where state = 'open' and is_blocked <> exists (${older})`
    expect(await database.rows({ id: integer }, misplaced)).toEqual([])
    const [first] = processes
    const sent = new Set<number>()
    for (let entry = await first?.store.claimNext(destination); entry; entry = await first?.store.claimNext(destination)) {
      const before = `select id from schema.entries where id = :id and exists (${older})`
      expect(await database.rows({ id: integer }, before, { id: entry.id })).toEqual([])
      await first?.store.recordDelivered(entry.id, 200)
      sent.add(entry.id)
    }
    expect(sent.size).toBeGreaterThan(10)
    expect((await first?.store.undelivered())?.filter(({ state }) => state === 'open')).toEqual([])
  },
)
