import { describe, expect, it } from 'vitest'
import { DeliveryWorker } from '../../src/outbox/delivery-worker.ts'
import type { OutboxStore } from '../../src/outbox/outbox-store.ts'
import { OutboxWatcher } from '../../src/outbox/outbox-watcher.ts'
import type { PostRequest } from '../../src/pipelines/client.ts'
import type { OutboxMachine } from './machine.ts'
import { down, deliverAll, destination, eventOf, idOf, queue, submit, waits } from './submit.ts'

const minute = 60_000

/** Tests, with every store, the rules for events that wait for keys, which may be removed. */
export function parkingContract(open: () => Promise<OutboxMachine>): void {
  const startTwo = async () => {
    const { start, clock } = await open()
    return { clock, first: (await start()).store, second: (await start()).store }
  }

  describe('the events that wait for a destination', () => {
    it('are found among the waiting events of all destinations, however many there are', async () => {
      const { first, second, clock } = await startTwo()
      const [other, sent] = [
        { ...destination, keyHash: 'other', account: { owner: 'owner', profile: 'at work' } },
        { ...destination, keyHash: 'sent' },
      ]
      expect(await second.waiting()).toEqual([])
      for (let turn = 0; turn < 3; turn += 1) await queue(first, 'ada', minute)
      const { claimed } = await submit(first, eventOf('ada'), { destination: other })
      await first.recordFailure(claimed?.id ?? 0, down, waits(2 * minute))
      await submit(first, eventOf('ada'), { destination: sent })
      const found = async (store: OutboxStore) => new Map((await store.waiting()).map(({ destination: { keyHash }, ms }) => [keyHash, ms]))
      const queued = new Map([
        [destination.keyHash, minute],
        [other.keyHash, 2 * minute],
      ])
      expect(await found(first)).toEqual(queued)
      expect((await first.waiting()).map((waiting) => waiting.destination)).toContainEqual(other)
      expect(await found(second)).toEqual(new Map([...queued, [sent.keyHash, 2_000]]))
      await clock.advance(2 * minute)
      expect(await found(first)).toEqual(new Map([...queued.keys()].map((key) => [key, 0])))
    })

    it('are parked when they must not be sent, except one that is being sent, and later ones continue', async () => {
      const { first, second } = await startTwo()
      const [waiting, blocked, cancelled] = [await queue(first, 'ada', minute), await queue(first, 'ada'), await queue(first, 'ada')]
      const sending = idOf(await submit(first, eventOf('ben')))
      const elsewhere = idOf(await submit(first, eventOf('carl'), { destination: { ...destination, keyHash: 'other' } }))
      expect(await second.park(destination, 'key_ended')).toBe(3)
      expect((await first.entries([blocked, sending, elsewhere])).map(({ state, reason }) => [state, reason])).toEqual([
        ['parked', 'key_ended'],
        ['open', undefined],
        ['open', undefined],
      ])
      const later = await queue(first, 'ada')
      expect(await deliverAll(second)).toEqual([later])
      await second.retry([cancelled])
      expect(await deliverAll(second)).toEqual([cancelled])
      expect([await second.reopen(destination, 'key_ended'), await second.reopen(destination, 'key_ended')]).toEqual([2, 0])
      expect(await deliverAll(second)).toEqual([waiting, blocked])
    })

    it('are parked for another reason when their person is forgotten after their key has ended', async () => {
      const { first, second } = await startTwo()
      const [ended, open] = [await queue(first, 'ada'), await queue(first, 'ben')]
      await first.park(destination, 'key_ended')
      await first.retry([open])
      expect(await second.park(destination, 'person_forgotten')).toBe(2)
      expect((await first.entries([ended, open])).map(({ reason }) => reason)).toEqual(['person_forgotten', 'person_forgotten'])
      expect(await second.reopen(destination, 'key_ended')).toBe(0)
    })

    it('are parked after a failed attempt, or the death of its process, if their person is forgotten meanwhile', async () => {
      const { start, clock } = await open()
      const [dying, { store }] = [await start(), await start()]
      const left = idOf(await submit(dying.store, eventOf('left'), { owner: 'anna' }))
      const post = async ({ body }: PostRequest) => {
        await store.park(destination, 'person_forgotten', 'anna')
        if (String(body).includes('failing')) throw down
        return 200
      }
      const watcher = new OutboxWatcher({ store, clock, onProblem: () => undefined })
      const worker = new DeliveryWorker({ store, client: { post }, destination, watcher, clock, onFailure: () => undefined })
      const deliver = async (event: string, owner: string) => {
        const { claimed } = await submit(store, eventOf(event), { owner })
        const options = { signal: new AbortController().signal, budgetMs: minute, isShared: () => false }
        await (claimed && worker.deliver(claimed, options).catch(() => undefined))
        return claimed?.id ?? 0
      }
      const ids = [await deliver('failing 1', 'anna'), await deliver('accepted', 'anna'), await deliver('failing 2', 'ben')]
      await dying.kill()
      await clock.advance(minute)
      expect(await deliverAll(store)).toEqual([])
      await store.purge()
      expect((await store.entries([left, ...ids])).map(({ state, reason }) => [state, reason])).toEqual([
        ['parked', 'person_forgotten'],
        ['parked', 'person_forgotten'],
        ['delivered', undefined],
        ['open', undefined],
      ])
      await worker.close()
    })

    it('are counted and parked for one of the people who share a key', async () => {
      const { first, second } = await startTwo()
      const ids = []
      for (const owner of ['anna', 'ben', 'anna']) {
        const { entries, claimed } = await submit(first, eventOf(owner), { owner })
        if (claimed) await first.recordFailure(claimed.id, down, waits(minute))
        ids.push(entries[0]?.id ?? 0)
      }
      expect(await second.park(destination, 'person_forgotten', 'anna')).toBe(2)
      expect((await first.entries(ids)).map(({ reason }) => reason)).toEqual(['person_forgotten', undefined, 'person_forgotten'])
      const tally = await second.tally()
      expect(tally.toSorted((a, b) => a.owner.localeCompare(b.owner))).toEqual([
        { destination, owner: 'anna', state: 'parked', entries: 2 },
        { destination, owner: 'ben', state: 'open', entries: 1 },
      ])
    })
  })
}
