import { expect, it } from 'vitest'
import type { OutboxMachine } from './machine.ts'
import { down, destination, eventOf, idOf, queueBody, submit } from './submit.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** Tests an outbox store's counts. `open` creates an empty store. */
export function backlogContract(open: () => Promise<OutboxMachine>): void {
  it('counts undelivered entries by state, for all destinations, with the age of the oldest', async () => {
    const machine = await open()
    const [{ store: first }, { store: second }] = [await machine.start(), await machine.start()]
    const none = { entries: 0, oldestSeconds: 0 }
    expect(await second.backlog()).toEqual([
      { state: 'waiting', ...none },
      { state: 'refused', ...none },
      { state: 'parked', ...none },
    ])
    await queueBody(first, eventOf('ada'), day)
    await machine.clock.advance(minute)
    await queueBody(first, eventOf('ben'), day)
    const refused = idOf(await submit(first, eventOf('cleo'), { destination: { ...destination, keyHash: 'other' } }))
    await first.recordFailure(refused, down, () => ({ state: 'refused' }))
    await first.recordDelivered(idOf(await submit(first, eventOf('dora'))), 200)
    expect(await second.backlog()).toEqual([
      { state: 'waiting', entries: 2, oldestSeconds: 60 },
      { state: 'refused', entries: 1, oldestSeconds: 0 },
      { state: 'parked', ...none },
    ])
  })
}
