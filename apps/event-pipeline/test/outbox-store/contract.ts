import { RateLimited } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it } from 'vitest'
import type { DeliveryDecision, OutboxStore } from '../../src/outbox/outbox-store.ts'
import { readBody } from '../../src/pipelines/body/body-reader.ts'
import { prepareBody } from '../../src/pipelines/calls.ts'
import type { OutboxMachine } from './machine.ts'
import { down, deliverAll, destination, eventOf, idOf, queue, submit, waits } from './submit.ts'

const minute = 60_000
const day = 24 * 60 * minute

const refuses = (): DeliveryDecision => ({ state: 'refused' })

/** Tests the rules for every outbox store. `open` creates an empty store. */
export function outboxStoreContract(open: () => Promise<OutboxMachine>): void {
  const startTwo = async () => {
    const machine = await open()
    return { ...machine, machine, first: (await machine.start()).store, second: (await machine.start()).store }
  }

  describe('an entry', () => {
    it('is claimed by the call that stores it, and has no body once it is delivered', async () => {
      const { first, second } = await startTwo()
      const { claimed, entries, messageIds } = await submit(first, { userId: 'ada', event: 'Café' })
      expect(claimed).toMatchObject({ state: 'open', attempts: 1, messageIds, isIdentified: true, destination, isAnswered: false })
      expect(claimed?.body).toContain('Café')
      expect(claimed?.id).toBe(entries[0]?.id)
      expect([
        await second.claim(idOf({ entries, messageIds, added: [], notices: [], claimed }), 'call'),
        await second.claimNext(destination),
      ]).toEqual([undefined, undefined])
      await first.recordDelivered(claimed?.id ?? 0, 201)
      const [delivered] = await second.entries([claimed?.id ?? 0, 77_777])
      expect(delivered).toMatchObject({ state: 'delivered', httpStatus: 201, body: undefined, messageIds, added: claimed?.added })
      expect(await second.undelivered()).toEqual([])
    })

    it('keeps the error of its attempt, and is due again after its backoff', async () => {
      const { first, second, clock } = await startTwo()
      const id = idOf(await submit(first, eventOf('ada')))
      expect(await first.recordFailure(id, down, waits(minute))).toEqual({ state: 'open', backoffMs: minute })
      expect((await second.entries([id]))[0]?.error?.message).toBe(down.message)
      expect([await second.untilNextDue(destination), (await second.waitOf(id)).ms]).toEqual([minute, minute])
      expect(await second.claimNext(destination)).toBeUndefined()
      await clock.advance(minute)
      expect(await second.untilNextDue(destination)).toBe(0)
      expect(await second.claimNext(destination)).toMatchObject({ id, attempts: 2 })
      expect(await first.recordFailure(id, down, waits(minute))).toBeUndefined()
    })

    it('is separate for each destination', async () => {
      const { first } = await startTwo()
      const other = { ...destination, keyHash: 'other' }
      const id = await queue(first, 'ada')
      expect((await submit(first, eventOf('ada'), { destination: other })).claimed).toBeDefined()
      expect(await first.claimNext(other)).toBeUndefined()
      expect(await first.claimNext(destination)).toMatchObject({ id })
    })

    it('is listed without its body, for its owner or for the whole destination, and for everyone if it has no owner', async () => {
      const { first, second } = await startTwo()
      const ids = []
      for (const owner of ['anna', 'ben', 'anna', '']) ids.push(idOf(await submit(first, eventOf('ada'), { owner })))
      await submit(first, eventOf('ada'), { destination: { ...destination, keyHash: 'other' }, owner: 'anna' })
      await first.recordDelivered(ids[0] ?? 0, 200)
      const listed = async (owner: string | undefined, limit = 9) =>
        (await second.overview(destination, { owner, limit })).map((entry) => [entry.id, entry.owner, entry.body])
      expect(await listed('anna')).toEqual([
        [ids[2], 'anna', undefined],
        [ids[3], '', undefined],
      ])
      expect(await listed(undefined, 2)).toEqual([
        [ids[1], 'ben', undefined],
        [ids[2], 'anna', undefined],
      ])
      expect(await listed('')).toEqual([[ids[3], '', undefined]])
    })

    it('that is unknown is not waited for', async () => {
      const { first } = await startTwo()
      expect([await first.untilNextDue(destination), await first.claimNext(destination), await first.claim(5, 'call')]).toEqual([
        undefined,
        undefined,
        undefined,
      ])
      expect(await first.waitOf(5)).toEqual({ ms: 0, isHeld: false, holdError: undefined })
    })
  })

  describe('a repeat', () => {
    const body = { userId: 'ada', event: 'E' }

    it('with the same messageId joins the entry, even if it is delivered, and is a conflict if the body differs', async () => {
      const { first, second } = await startTwo()
      const identified = { ...body, messageId: 'm' }
      const { entries, claimed } = await submit(first, identified)
      const joined = await submit(second, identified)
      expect([joined.entries.map(({ id }) => id), joined.claimed]).toEqual([entries.map(({ id }) => id), undefined])
      await first.recordDelivered(claimed?.id ?? 0, 200)
      await first.recordAnswered(entries.map(({ id }) => id))
      expect((await submit(second, identified)).notices.join()).toContain('Already delivered')
      await expect(submit(second, { ...identified, event: 'other' })).rejects.toThrow('was already used for a different body')
      expect(await second.undelivered()).toEqual([])
    })

    it('of a call that got no result continues it, within ten minutes', async () => {
      const { first, second, clock } = await startTwo()
      const id = idOf(await submit(first, body))
      await first.recordFailure(id, down, waits(0))
      await first.recordAbandoned([id], { isCancelled: false, hasCaller: () => false })
      const again = await submit(second, body)
      expect([idOf(again), again.claimed?.id]).toEqual([id, id])
      await second.recordDelivered(id, 200)
      await second.recordAbandoned([id], { isCancelled: false, hasCaller: () => false })
      await clock.advance(10 * minute)
      expect(idOf(await submit(first, body))).not.toBe(id)
    })

    it('of a call that was answered, or is still running in this process or another, is a second event', async () => {
      const { first, second } = await startTwo()
      const id = idOf(await submit(first, body))
      const other = await submit(second, body)
      const own = await submit(first, body, { hasCaller: () => true })
      expect(new Set([id, idOf(other), idOf(own)]).size).toBe(3)
      expect(other.notices.join()).toContain('An identical body was submitted')
      for (const { claimed } of [other, own]) if (claimed) await first.recordDelivered(claimed.id, 200)
      await first.recordAnswered([id, idOf(other), idOf(own)])
      expect([id, idOf(other), idOf(own)]).not.toContain(idOf(await submit(second, body)))
    })

    it('learns which entries a call in another process is waiting for, until that call is answered or dies', async () => {
      const { start } = await open()
      const [own, other] = [await start(), await start()]
      const awaited: (readonly number[])[] = []
      const callers = new Map([own, other].map(({ store }) => [store, new Set<number>()]))
      const look = async (store: OutboxStore) => {
        const hasCaller = (id: number) => callers.get(store)?.has(id) === true
        const id = idOf(await submit(store, body, { hasCaller, onPlan: (found) => awaited.push(found.awaited) }))
        callers.get(store)?.add(id)
        return id
      }
      const [answered, dead] = [await look(other.store), await look(other.store)]
      const mine = await look(own.store)
      await other.store.recordAnswered([answered])
      const second = await look(own.store)
      await other.kill()
      expect([answered, dead, mine, second, await look(own.store)]).toEqual([answered, dead, dead + 1, dead + 2, dead])
      expect(awaited.map((ids) => ids.toSorted((a, b) => a - b))).toEqual([[], [], [answered, dead], [dead], []])
    })

    it('is not stored until its caller wants it', async () => {
      const { first } = await startTwo()
      const text = await readBody(JSON.stringify(body))
      const prepared = await prepareBody('track', text, { create: undefined, clock: new ManualClock() })
      const request = {
        destination,
        fingerprints: prepared.calls,
        bodyHash: prepared.hash,
        persons: ['ada'],
        isKeyed: false,
        isStrict: false,
      }
      const caller = { signal: new AbortController().signal, hasCaller: () => false, onStored: () => undefined }
      expect(await first.enqueue({ ...request, ...caller }, () => undefined)).toBeUndefined()
      expect(await first.undelivered()).toEqual([])
    })

    it('that is a conflict does not keep concurrent ones from being stored', async () => {
      const { first } = await startTwo()
      await submit(first, { ...body, messageId: 'm' })
      const outcomes = await Promise.allSettled([
        submit(first, eventOf('ben')),
        submit(first, { ...body, event: 'other', messageId: 'm' }),
        submit(first, eventOf('dora')),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await first.undelivered()).toHaveLength(3)
    })

    it('of a call whose process has died continues it', async () => {
      const { start } = await open()
      const [dying, other] = [await start(), await start()]
      const id = idOf(await submit(dying.store, body))
      await dying.kill()
      const again = await submit(other.store, body)
      expect([idOf(again), again.claimed?.id]).toEqual([id, id])
    })

    it('of a refused event may correct and replace it under the same messageId', async () => {
      const { first } = await startTwo()
      const refused = idOf(await submit(first, { ...body, messageId: 'm' }))
      await first.recordFailure(refused, down, refuses)
      const corrected = idOf(await submit(first, { ...body, event: 'corrected', messageId: 'm' }))
      expect((await first.undelivered()).map(({ id }) => id)).toEqual([corrected])
    })

    it('at the same time in two processes is stored once when it has a messageId', async () => {
      const { first, second } = await startTwo()
      const repeats = Array.from({ length: 6 }, (_, turn) => submit(turn % 2 === 0 ? first : second, { ...body, messageId: 'm' }))
      const ids = (await Promise.all(repeats)).map(idOf)
      expect(new Set(ids).size).toBe(1)
      expect(await first.undelivered()).toHaveLength(1)
    })

    it('after seven days is a new event', async () => {
      const { first, clock } = await startTwo()
      const id = idOf(await submit(first, { ...body, messageId: 'm' }))
      await first.recordDelivered(id, 200)
      await first.recordAnswered([id])
      await clock.advance(7 * day + minute)
      await first.purge()
      expect(await first.entries([id])).toEqual([])
      expect(idOf(await submit(first, { ...body, messageId: 'm' }))).not.toBe(id)
    })
  })

  describe('events about one person', () => {
    it('wait for older ones, and events about other people do not', async () => {
      const { first, second, clock } = await startTwo()
      const oldest = await queue(first, 'ada', minute)
      const [next, last] = [await queue(second, 'ada'), await queue(first, 'ada')]
      const other = await queue(second, 'ben')
      expect(await deliverAll(first)).toEqual([other])
      expect([(await first.waitOf(next)).ms, (await first.waitOf(last)).ms]).toEqual([minute, minute])
      expect(await first.claim(last, 'operator')).toBeUndefined()
      await clock.advance(minute)
      expect(await deliverAll(second)).toEqual([oldest, next, last])
    })

    it('keep their order around one that is dropped, refused or parked', async () => {
      const { first, clock } = await startTwo()
      const oldest = await queue(first, 'ada', minute)
      const [dropped, cancelled, last] = [await queue(first, 'ada'), idOf(await submit(first, eventOf('ada'))), await queue(first, 'ada')]
      expect([await first.drop(dropped), await first.drop(dropped)]).toEqual([true, false])
      await first.recordAbandoned([cancelled], { isCancelled: true, hasCaller: () => false })
      expect((await first.entries([cancelled]))[0]).toMatchObject({ state: 'parked', reason: 'cancelled' })
      expect(await first.claim(last, 'call')).toBeUndefined()
      await clock.advance(minute)
      expect(await first.claimNext(destination)).toMatchObject({ id: oldest })
      await first.recordFailure(oldest, down, refuses)
      expect(await deliverAll(first)).toEqual([last])
    })

    it('wait for one that is retried', async () => {
      const { first } = await startTwo()
      const refused = idOf(await submit(first, eventOf('ada')))
      await first.recordFailure(refused, down, refuses)
      const later = await queue(first, 'ada')
      await first.retry([refused])
      expect(await first.claim(later, 'background')).toBeUndefined()
      expect(await deliverAll(first)).toEqual([refused, later])
    })

    it('are in the order in which their calls were stored, whichever process stored them', async () => {
      const { first, second } = await startTwo()
      await queue(first, 'ada')
      const queued = Array.from({ length: 20 }, (_, turn) => queue(turn % 2 === 0 ? first : second, turn % 3 === 0 ? 'ben' : 'ada'))
      await Promise.all(queued)
      const ada = await deliverAll(first)
      expect(ada).toHaveLength(21)
      expect(ada).toEqual(ada.toSorted((a, b) => a - b))
    })

    it('in a batch wait for older ones about each person in it', async () => {
      const { first, clock } = await startTwo()
      const [ada, ben] = [await queue(first, 'ada', minute), await queue(first, 'ben', 2 * minute)]
      const batch = await submit(
        first,
        { batch: ['ada', 'ben'].map((userId) => ({ type: 'track', ...eventOf(userId) })) },
        { name: 'batch' },
      )
      expect([batch.claimed, (await first.waitOf(idOf(batch))).ms]).toEqual([undefined, 2 * minute])
      await clock.advance(minute)
      expect(await deliverAll(first)).toEqual([ada])
      await clock.advance(minute)
      expect(await deliverAll(first)).toEqual([ben, idOf(batch)])
    })
  })

  describe('the parts of a large batch', () => {
    const calls = Array.from({ length: 1_500 }, (_, index) => ({
      type: 'track',
      event: 'E',
      userId: `u${index}`,
      properties: { text: 'x'.repeat(700) },
    }))

    it('are sent in order, and those after a refused part are parked with it', async () => {
      const { first, second } = await startTwo()
      const { entries, claimed } = await submit(first, { batch: calls }, { name: 'batch' })
      const [one = 0, two = 0, three = 0] = entries.map(({ id }) => id)
      expect([entries.length, claimed?.id, await second.claim(two, 'call')]).toEqual([3, one, undefined])
      await first.recordDelivered(one, 200)
      expect(await first.claim(three, 'call')).toBeUndefined()
      expect((await first.claim(two, 'call'))?.id).toBe(two)
      await first.recordFailure(two, down, refuses)
      expect((await second.entries([two, three])).map(({ state, reason }) => [state, reason])).toEqual([
        ['refused', undefined],
        ['parked', 'earlier_part_refused'],
      ])
      await second.retry([two])
      expect(await deliverAll(second)).toEqual([two, three])
    })
  })

  describe('a hold', () => {
    const slowDown = new RateLimited('Slow down.', { retryAfterSeconds: 60, httpStatus: 429 })

    it('keeps everything waiting except entries that an operator sends, and ends once one entry has been accepted', async () => {
      const { first, second, clock } = await startTwo()
      const held = idOf(await submit(first, eventOf('ada')))
      await first.recordFailure(held, slowDown, waits(minute))
      const others = [await queue(first, 'ben'), await queue(second, 'carl')]
      expect([await second.claimNext(destination), await second.untilNextDue(destination)]).toEqual([undefined, minute])
      const wait = await second.waitOf(others[0] ?? 0)
      expect([wait.ms, wait.isHeld, wait.holdError?.message]).toEqual([minute, true, slowDown.message])
      expect((await second.claim(others[0] ?? 0, 'operator'))?.id).toBe(others[0])
      await second.recordFailure(others[0] ?? 0, undefined, waits(0))
      await clock.advance(minute)
      const probe = await first.claimNext(destination)
      expect([probe?.httpStatus, await second.claimNext(destination)]).toEqual([429, undefined])
      await first.recordDelivered(probe?.id ?? 0, 200)
      expect(new Set([probe?.id, ...(await deliverAll(second))])).toEqual(new Set([held, ...others]))
    })
  })

  describe('a process that dies', () => {
    it('leaves its entries and its lease to others', async () => {
      const { start } = await open()
      const [dying, other] = [await start(), await start()]
      expect([await dying.store.acquireLease(destination), await other.store.acquireLease(destination)]).toEqual([true, false])
      const id = idOf(await submit(dying.store, eventOf('ada')))
      await dying.kill()
      expect([await other.store.untilNextDue(destination), await other.store.acquireLease(destination)]).toEqual([0, true])
      expect(await deliverAll(other.store)).toEqual([id])
      await other.store.releaseLease(destination)
      expect(await (await start()).store.acquireLease(destination)).toBe(true)
    })

    it('leaves entries that may have been sent without an id to an operator', async () => {
      const { start, clock } = await open()
      const [dying, other] = [await start(), await start()]
      const id = idOf(await submit(dying.store, eventOf('ada'), { addsIds: false }))
      await dying.kill()
      expect([await other.store.claimNext(destination), await other.store.claim(id, 'call')]).toEqual([undefined, undefined])
      await clock.advance(2 * minute)
      await other.store.purge()
      expect((await other.store.entries([id]))[0]).toMatchObject({ state: 'parked', reason: 'unknown_outcome' })
      await other.store.retry([id])
      expect(await deliverAll(other.store)).toEqual([id])
    })
  })

  it('a call that gives up keeps an entry that another call waits for, and one that was reported as queued', async () => {
    const { first } = await startTwo()
    const shared = idOf(await submit(first, eventOf('ada')))
    await first.recordFailure(shared, down, waits(0))
    await first.recordAbandoned([shared], { isCancelled: true, hasCaller: () => true })
    const queued = await queue(first, 'ben')
    await first.recordAbandoned([queued], { isCancelled: true, hasCaller: () => false })
    expect((await first.undelivered()).map(({ state }) => state)).toEqual(['open', 'open'])
  })

  it('all processes hash API keys the same way', async () => {
    const { first, second } = await startTwo()
    expect(await first.hashKey()).toMatch(/^[\da-f]{64}$/)
    expect(await second.hashKey()).toBe(await first.hashKey())
  })

  it('a watch notices changes, and the end of a call', async () => {
    const { first } = await startTwo()
    const watch = await first.watch()
    await queue(first, 'ada')
    await watch.next(day, new AbortController().signal)
    await expect(watch.next(day, AbortSignal.abort(new Error('given up')))).rejects.toThrow('given up')
  })
}
