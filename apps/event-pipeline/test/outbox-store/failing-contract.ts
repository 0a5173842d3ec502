import { Unavailable } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { shareOf } from '@mcp-toolkits/testing'
import { describe, expect, it } from 'vitest'
import { outboxCommand } from '../../src/outbox/command.ts'
import { DeliveryWorker } from '../../src/outbox/delivery-worker.ts'
import { OutboxWatcher } from '../../src/outbox/outbox-watcher.ts'
import type { PostRequest } from '../../src/pipelines/client.ts'
import type { OutboxMachine } from './machine.ts'
import { destination, eventOf, queue, queueBody } from './submit.ts'

const minute = 60_000

/** The longest backoff. */
const step = 5 * minute

/** A worker whose vendor returns 500 for events about `ada`, and for everything while it is down. */
async function startWorkerOn(open: () => Promise<OutboxMachine>) {
  const { start, clock } = await open()
  const { store } = await start()
  const vendor = { isDown: false, status: 500 }
  const post = ({ body }: PostRequest) => {
    const { status: httpStatus } = vendor
    if (vendor.isDown || String(body).includes('"ada"'))
      throw new Unavailable(`Customer.io answered HTTP ${httpStatus}.`, { httpStatus, retryable: true })
    return Promise.resolve(200)
  }
  const failures: unknown[] = []
  const worker = new DeliveryWorker({
    ...{ store, client: { post: async (request) => post(request) }, destination, clock },
    // With the same clock, the watcher would poll in every second of these hours. Instead, the test calls the worker itself.
    watcher: new OutboxWatcher({ store, clock: new ManualClock(), onProblem: (problem) => expect.unreachable(JSON.stringify(problem)) }),
    onFailure: (entry, outcome, { http_status: status }) => failures.push([entry, outcome, status]),
  })
  /** Lets hours pass. In each step, an event about someone else is stored, and events that are due are sent. */
  const pass = async (hours: number, { hasOthers = true } = {}) => {
    for (let ms = 0; ms < hours * 60 * minute; ms += step) {
      await clock.advance(step)
      if (hasOthers) await queue(store, 'ben')
      await worker.deliverDue()
    }
  }
  const stateOf = async (id: number) => (await store.entries([id])).map(({ state, reason }) => reason ?? state)[0]
  return { store, vendor, worker, failures, pass, stateOf, access: { store, worker, destination, clock, damaged: [] } }
}

/** Tests, with every store, the rules for an event on which the vendor fails. */
export function failingContract(open: () => Promise<OutboxMachine>): void {
  const startWorker = () => startWorkerOn(open)

  describe('an event that gets a 5xx from the vendor', () => {
    it('is parked after six hours in which others were accepted, and the next event about its person is tried', async () => {
      const { store, worker, failures, pass, stateOf, access } = await startWorker()
      const [first, second] = [await queue(store, 'ada'), await queueBody(store, eventOf('ada'))]
      await pass(5)
      expect([await stateOf(first), await stateOf(second)]).toEqual(['open', 'open'])
      await pass(2)
      expect([await stateOf(first), await stateOf(second)]).toEqual(['not_accepted', 'open'])
      expect(failures).toContainEqual([first, 'parked', 500])
      const { text } = await outboxCommand(access, ['list'], false)
      expect(text).toContain('keeps answering this event with an error while it accepts others')
      expect(text).toContain(`outbox retry ${first} or outbox drop ${first}`)
      await worker.close()
    })

    it('gets the full time again after a retry', async () => {
      const { store, worker, pass, stateOf, access } = await startWorker()
      const id = await queue(store, 'ada')
      await pass(7)
      expect(await stateOf(id)).toBe('not_accepted')
      await outboxCommand(access, ['retry', String(id)], false)
      await pass(0.5)
      expect(await stateOf(id)).toBe('open')
      await worker.close()
    })
  })

  it('knows whether the same call to the same destination was accepted in a period', async () => {
    const { store, worker, pass } = await startWorker()
    await queue(store, 'ben')
    await worker.deliverDue()
    await pass(1, { hasOthers: false })
    const twoHours = { fromMs: 120 * minute, toMs: 0 }
    const other = { ...destination, keyHash: 'other' }
    expect([
      await store.hasAccepted({ call: 'track', destination }, { fromMs: 120 * minute, toMs: 50 * minute }),
      await store.hasAccepted({ call: 'track', destination }, { fromMs: 50 * minute, toMs: 0 }),
      await store.hasAccepted({ call: 'track', destination: other }, twoHours),
      await store.hasAccepted({ call: 'batch', destination }, twoHours),
    ]).toEqual([true, false, false, false])
    await worker.close()
  })
}

/** Tests when such an event keeps waiting. This does not depend on the store, so testing one store is enough. */
export function waitingContract(open: () => Promise<OutboxMachine>): void {
  const cases = [
    ['while it answers everything so', { isDown: true, status: 500, hasOthers: true }],
    ['and nothing else is sent', { isDown: false, status: 500, hasOthers: false }],
    ['or rather with a status that says nothing of the event', { isDown: false, status: 408, hasOthers: true }],
  ] as const
  it.for(shareOf(cases, 3, 0))('an event that gets a 5xx from the vendor waits %s', async ([, { isDown, status, hasOthers }]) => {
    const { store, vendor, worker, pass, stateOf } = await startWorkerOn(open)
    Object.assign(vendor, { isDown, status })
    const id = await queue(store, 'ada')
    await pass(9, { hasOthers })
    expect(await stateOf(id)).toBe('open')
    // An outage that ends with a mix of both responses does not park anything yet.
    vendor.isDown = false
    await pass(0.5, { hasOthers })
    expect(await stateOf(id)).toBe('open')
    await worker.close()
  })
}
