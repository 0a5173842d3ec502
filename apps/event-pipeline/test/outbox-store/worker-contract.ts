import { describe, expect, it } from 'vitest'
import { DeliveryWorker } from '../../src/outbox/delivery-worker.ts'
import type { OutboxStore } from '../../src/outbox/outbox-store.ts'
import { OutboxWatcher, type Problem } from '../../src/outbox/outbox-watcher.ts'
import type { PostRequest } from '../../src/pipelines/client.ts'
import { elapse, until } from '../pipeline.ts'
import type { OutboxMachine } from './machine.ts'
import { destination, eventOf, idOf, queueBody, submit } from './submit.ts'

/** A request that the vendor has not answered yet. */
interface OpenRequest {
  readonly person: string
  readonly accept: () => void
}

/** A worker on a store, and a vendor that responds when the test says so. */
function startWorker(store: OutboxStore, clock: OutboxMachine['clock']) {
  const underWay: OpenRequest[] = []
  const sent: string[] = []
  const post = async ({ body }: PostRequest) => {
    sent.push(String(body))
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const person = /"userId":"(.*?)"/.exec(String(body))?.[1] ?? ''
    const request = {
      person,
      accept() {
        underWay.splice(underWay.indexOf(request), 1)
        resolve(undefined)
      },
    }
    underWay.push(request)
    await promise
    return 200
  }
  const problems: Problem[] = []
  const onProblem = (problem: Problem) => problems.push(problem)
  const watcher = new OutboxWatcher({ store, clock, onProblem })
  const worker = new DeliveryWorker({ store, client: { post }, destination, watcher, clock, onFailure: () => undefined })
  return { worker, underWay, sent, problems }
}

/** Tests the rules for background delivery, with every store. */
export function deliveryWorkerContract(open: () => Promise<OutboxMachine>): void {
  describe('background delivery', () => {
    it('begins with one event, then sends events about eight people at a time, those about one person in order', async () => {
      const { start, clock } = await open()
      const { store } = await start()
      const people = Array.from({ length: 10 }, (_, index) => `person ${index}`)
      for (const event of ['first', 'second', 'third']) for (const userId of people) await queueBody(store, { userId, event })
      const { worker, underWay, sent, problems } = startWorker(store, clock)
      const done = worker.deliverDue()
      await until(() => underWay.length === 1)
      underWay[0]?.accept()
      await until(() => underWay.length === 8)
      while (sent.length < 30 || underWay.length > 0) {
        await until(() => underWay.length > 0)
        expect(new Set(underWay.map(({ person }) => person)).size).toBe(underWay.length)
        expect(underWay.length).toBeLessThanOrEqual(8)
        underWay[0]?.accept()
      }
      await done
      for (const person of people) {
        const events = sent.filter((body) => body.includes(`"${person}"`)).map((body) => /"event":"(.*?)"/.exec(body)?.[1])
        expect(events).toEqual(['first', 'second', 'third'])
      }
      expect([await store.undelivered(), problems]).toEqual([[], []])
      await worker.close()
    })

    it('takes over the events of a process that dies, even if nothing else happens', async () => {
      const { start, clock } = await open()
      const [dying, idle] = [await start(), await start()]
      const { worker, underWay, problems } = startWorker(idle.store, clock)
      worker.wake()
      const id = idOf(await submit(dying.store, eventOf('ada')))
      await dying.kill()
      await elapse(
        clock,
        until(() => underWay.length === 1),
      )
      underWay[0]?.accept()
      await until(async () => (await idle.store.entries([id]))[0]?.state === 'delivered')
      expect(problems).toEqual([])
      await worker.close()
    })
  })
}
