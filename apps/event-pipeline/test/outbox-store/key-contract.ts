import { isCI } from '@mcp-toolkits/testing'
import { describe, expect, it } from 'vitest'
import { keyConfirmationMs } from '../../src/outbox/outbox-store.ts'
import type { OutboxMachine } from './machine.ts'
import { deliverAll, destination, down, eventOf, idOf, queue, submit } from './submit.ts'

const old = { ...destination, keyHash: 'old' }

/** Tests the rules for keys with every store: confirmed keys, and events stored under a key that is no longer in use. */
export function keyContract(open: () => Promise<OutboxMachine>): void {
  it('a key is confirmed for an hour, for every process, until it is refused', async () => {
    const { start, clock } = await open()
    const [{ store: first }, { store: second }] = [await start(), await start()]
    expect(await second.isKeyConfirmed(destination)).toBe(false)
    await first.setKeyConfirmed(destination, true)
    expect([await second.isKeyConfirmed(destination), await second.isKeyConfirmed(old)]).toEqual([true, false])
    await clock.advance(keyConfirmationMs + 1)
    expect(await second.isKeyConfirmed(destination)).toBe(false)
    for (const isRight of [true, true, false]) await second.setKeyConfirmed(destination, isRight)
    expect(await first.isKeyConfirmed(destination)).toBe(false)
  })

  describe('events stored under another key', () => {
    const queueOld = async (store: Parameters<typeof submit>[0], person: string, state: 'open' | 'unauthenticated' | 'refused') => {
      const { entries, claimed } = await submit(store, eventOf(person), { destination: old })
      const id = idOf({ entries, claimed, messageIds: [], added: [], notices: [] })
      if (claimed)
        await store.recordFailure(id, down, () =>
          state === 'open' ? { state, backoffMs: 60_000 } : state === 'refused' ? { state } : { state: 'parked', reason: state },
        )
      await store.recordAnswered([id])
      return id
    }

    it('are counted by key and state', async () => {
      const { start } = await open()
      const { store } = await start()
      await queue(store, 'ada')
      await queueOld(store, 'ada', 'unauthenticated')
      await queueOld(store, 'ada', 'open')
      const tally = await store.tally()
      expect(tally.toSorted((a, b) => `${a.destination.keyHash}${a.state}`.localeCompare(`${b.destination.keyHash}${b.state}`))).toEqual([
        { destination, owner: '', state: 'open', entries: 1 },
        { destination: old, owner: '', state: 'open', entries: 1 },
        { destination: old, owner: '', state: 'parked', entries: 1 },
      ])
    })

    it('are moved to the current key in order, before newer events about the same people, except those being sent', async () => {
      const { start, clock } = await open()
      const { store } = await start()
      const parked = await queueOld(store, 'ada', 'unauthenticated')
      const waiting = await queueOld(store, 'ada', 'open')
      const refused = await queueOld(store, 'ben', 'refused')
      const { claimed } = await submit(store, eventOf('cy'), { destination: old })
      const newer = idOf(await submit(store, eventOf('dora')))
      await store.recordFailure(newer, down, () => ({ state: 'open', backoffMs: 0 }))
      const ofAda = await queue(store, 'ada')
      expect(await store.adopt(old, destination)).toBe(3)
      expect(await store.adopt(old, destination)).toBe(0)
      await clock.advance(1)
      const delivered = await deliverAll(store)
      expect(delivered.filter((id) => id !== newer)).toEqual([parked, waiting, ofAda])
      expect(delivered).toContain(newer)
      expect((await store.undelivered()).map((entry) => [entry.id, entry.state, entry.destination.keyHash])).toEqual([
        [refused, 'refused', destination.keyHash],
        [claimed?.id, 'open', old.keyHash],
      ])
    })

    it('keep their place when a person has many events', async () => {
      const { start } = await open()
      const { store } = await start()
      const ids: number[] = []
      // More than the PostgreSQL store moves at a time.
      const count = isCI ? 210 : 25
      for (let index = 0; index < count; index += 1) ids.push(await queueOld(store, 'ada', 'open'))
      expect(await store.adopt(old, destination)).toBe(count)
      expect(await deliverAll(store)).toEqual(ids)
    })
  })
}
