import { describe, expect, it } from 'vitest'
import { identityOf, type IdempotencyStore } from './operation-types.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { memoryIdempotencyStore } from '../../../test/memory-operations.ts'
import { CallOperation } from './operation.ts'

/** A store, and operations that by default belong to identical calls to one tool. */
function opened(clock = new ManualClock()) {
  const events: string[] = []
  const memory = memoryIdempotencyStore(clock)
  const elsewhere = { isRunning: false, beforeClaim: () => Promise.resolve<unknown>(undefined) }
  const store: IdempotencyStore = {
    ...memory,
    async claim(...claimed) {
      await elsewhere.beforeClaim()
      const outcome = elsewhere.isRunning ? ({ kind: 'running' } as const) : await memory.claim(...claimed)
      events.push(outcome.kind)
      return outcome
    },
    async touch(id) {
      events.push('touched')
      await memory.touch(id)
    },
    async complete(...ended) {
      events.push('completed')
      await memory.complete(...ended)
    },
    async abandon(id) {
      events.push('abandoned')
      await memory.abandon(id)
    },
  }
  const operation = ({ key, args = 'same', account = 'me', tool = 'Create' }: Record<string, string | undefined> = {}) =>
    new CallOperation({
      key,
      describe: () => Promise.resolve({ account, tool, argumentsHash: args }),
      store: () => Promise.resolve(store),
      clock,
    })
  return { clock, events, operation, elsewhere }
}

describe('an identity', () => {
  it('gives each item a version 4 UUID that is derived from its value', () => {
    const { uuid } = identityOf('value', false)
    expect(uuid('issue')).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(uuid('issue')).toBe(identityOf('value', true).uuid('issue'))
    expect(new Set([uuid('issue'), uuid('attachment'), identityOf('other', false).uuid('issue')]).size).toBe(3)
  })
})

describe('an operation without a key', () => {
  it('waits while an identical call may be running in another process, and then has its full time again', async () => {
    const { operation, clock, elsewhere } = opened(new ManualClock({ skipSleeps: false }))
    let extensions = 0
    const extend = () => {
      extensions += 1
    }
    elsewhere.isRunning = true
    const call = operation()
    await call.checkKey({ remainingMs: () => 28_000, extend })
    const beginning = call.claim()
    await clock.advance(19_000)
    expect(call.hasBegun).toBe(false)
    elsewhere.isRunning = false
    await clock.advance(500)
    expect(await beginning).toMatchObject({ isRepeat: false })
    expect(extensions).toBe(1)
  })

  it('does nothing when the other call takes more than 20 seconds, or longer than it may take itself', async () => {
    for (const remainingMs of [28_000, 3_000]) {
      const { operation, clock, elsewhere } = opened()
      elsewhere.isRunning = true
      const call = operation()
      await call.checkKey({ remainingMs: () => remainingMs, extend: () => undefined })
      await expect(call.claim()).rejects.toMatchObject({ code: 'unavailable', retryable: true, details: { sent: 'no' } })
      expect(clock.monotonic()).toBe(Math.min(20_000, remainingMs))
    }
  })

  it('is a new one for each call if earlier calls are answered or still running', async () => {
    const { operation } = opened()
    const first = operation()
    const values = [await first.claim(), await operation().claim()]
    await first.complete()
    values.push(await operation().claim())
    expect(values.map(({ isRepeat }) => isRepeat)).toEqual([false, false, false])
    expect(new Set(values.map(({ value }) => value)).size).toBe(3)
  })

  it('is continued by one identical call when it was abandoned', async () => {
    const { operation } = opened()
    const first = operation()
    const { value } = await first.claim()
    await first.abandon()
    expect(await operation({ args: 'other' }).claim()).toMatchObject({ isRepeat: false })
    expect(await operation({ account: 'other' }).claim()).toMatchObject({ isRepeat: false })
    expect(await operation({ tool: 'other' }).claim()).toMatchObject({ isRepeat: false })
    expect(await operation().claim()).toMatchObject({ value, isRepeat: true })
    expect(await operation().claim()).toMatchObject({ isRepeat: false })
  })

  it('begins once, and has the identity that the vendor generated', async () => {
    const { operation, events } = opened()
    const one = operation()
    expect(await one.begin()).toBeUndefined()
    const claims = Promise.all([one.claim('made by the vendor'), one.claim('made by the vendor')])
    expect(await claims).toMatchObject([{ value: 'made by the vendor' }, { value: 'made by the vendor' }])
    expect(await one.begin()).toMatchObject({ value: 'made by the vendor' })
    expect(events).toEqual(['begun'])
  })

  it('that has begun elsewhere needs no new id, and has the identity of the faster call', async () => {
    const { operation } = opened()
    const [first, second, third] = [operation(), operation(), operation()]
    expect(await second.begin()).toBeUndefined()
    await first.claim('first')
    await first.abandon()
    expect(await second.claim('second')).toMatchObject({ value: 'first', isRepeat: true })
    await second.abandon()
    expect(await third.begin()).toMatchObject({ value: 'first', isRepeat: true })
    expect(await third.claim('third')).toMatchObject({ value: 'first', isRepeat: true })
  })

  it('ends once: only the first outcome counts', async () => {
    const { operation, events } = opened()
    const ends: string[] = []
    const one = operation()
    one.onEnd((end) => ends.push(end))
    await one.claim()
    await Promise.all([one.complete(), one.abandon(), one.complete()])
    one.onEnd((end) => ends.push(`${end} before`))
    expect(events).toEqual(['begun', 'completed'])
    expect(ends).toEqual(['answered', 'answered before'])
  })

  it('writes nothing when it never begins', async () => {
    const { operation, events } = opened()
    await operation().complete()
    await operation().abandon()
    expect(events).toEqual([])
  })

  it('that is abandoned while it begins sends nothing, and leaves its record to a repeat', async () => {
    const { operation, events, elsewhere } = opened()
    const [begun, storing] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
    elsewhere.beforeClaim = () => {
      begun.resolve(undefined)
      return storing.promise
    }
    const one = operation()
    const claiming = one.claim('late')
    await begun.promise
    await one.abandon()
    storing.resolve(undefined)
    await expect(claiming).rejects.toThrow('The call has ended.')
    expect(events).toEqual(['begun', 'abandoned'])
    await expect(one.claim()).rejects.toThrow('The call has ended.')
    expect(await operation().claim()).toMatchObject({ value: 'late', isRepeat: true })
  })
})

it('an operation renews its record each minute until it ends', async () => {
  const { operation, clock, events } = opened()
  const one = operation()
  await one.claim()
  await clock.advance(11 * 60_000)
  await one.complete()
  await clock.advance(5 * 60_000)
  expect(events).toEqual(['begun', ...Array.from({ length: 11 }, () => 'touched'), 'completed'])
})

describe('an operation with a key', () => {
  const key = 'k'

  it('has the same identity everywhere, and a different one for other arguments, tools and accounts', async () => {
    const requests = [{}, {}, { args: 'other' }, { tool: 'other' }, { account: 'other' }, { key: 'other' }]
    const identities = await Promise.all(
      requests.map(async (request) =>
        opened()
          .operation({ key, ...request })
          .claim(),
      ),
    )
    const values = identities.map(({ value }) => value)
    expect(values[0]).toBe(values[1])
    expect(new Set(values).size).toBe(5)
  })

  it('ends with the stored result of an earlier one', async () => {
    const { operation } = opened()
    const first = operation({ key })
    await first.checkKey()
    await first.claim()
    await first.completeWith('result')
    for (const meet of ['checkKey', 'begin'] as const) {
      const repeat = operation({ key })
      await expect(repeat[meet]()).rejects.toThrow()
      expect(repeat.storedResult).toBe('result')
      await expect(operation({ key, args: 'other' })[meet]()).rejects.toMatchObject({ code: 'conflict', retryable: false })
    }
    await operation({ key: 'other' }).checkKey()
  })

  it('is recorded at its end when it created nothing', async () => {
    const { operation, events } = opened()
    await operation({ key }).completeWith('result')
    expect(events).toEqual(['begun', 'completed'])
    const repeat = operation({ key })
    await expect(repeat.checkKey()).rejects.toThrow()
    expect(repeat.storedResult).toBe('result')
  })

  it.each(['checkKey', 'begin'] as const)('waits in %s for a running operation, and returns its result', async (meet) => {
    const { operation, clock } = opened(new ManualClock({ skipSleeps: false }))
    const first = operation({ key })
    await first.claim()
    const repeat = operation({ key })
    const outcome = repeat[meet]().catch(() => repeat.storedResult)
    await clock.advance(10_000)
    await first.completeWith('result')
    await clock.advance(1_000)
    expect(await outcome).toBe('result')
  })

  it('continues when the operation that it waits for is abandoned', async () => {
    const { operation, clock } = opened(new ManualClock({ skipSleeps: false }))
    const first = operation({ key })
    const { value } = await first.claim()
    const repeat = operation({ key }).claim()
    await clock.advance(5_000)
    await first.abandon()
    await clock.advance(1_000)
    expect(await repeat).toMatchObject({ value, isRepeat: true })
  })

  it('waits for 20 seconds at most, and stops when its call ends', async () => {
    const { operation, clock } = opened(new ManualClock({ skipSleeps: false }))
    await operation({ key }).claim()
    const [waiting, ended] = [operation({ key }), operation({ key })]
    const outcomes = Promise.allSettled([waiting.checkKey(), ended.claim()])
    await clock.advance(19_900)
    await ended.abandon()
    await clock.advance(100)
    const [first, second] = await outcomes
    expect(first).toMatchObject({ reason: { code: 'unavailable', retryable: true } })
    expect(second).toMatchObject({ reason: { message: 'The call has ended.' } })
  })

  it('has its full time again if it got the key after a wait, and no more time if it did not wait', async () => {
    const { operation, clock } = opened(new ManualClock({ skipSleeps: false }))
    let extensions = 0
    const extend = () => {
      extensions += 1
    }
    const scope = { remainingMs: () => 28_000 - clock.monotonic(), extend }
    const first = operation({ key })
    await first.checkKey(scope)
    await first.claim()
    expect(extensions).toBe(0)
    const waiting = operation({ key }).checkKey(scope)
    await clock.advance(19_000)
    await first.abandon()
    await clock.advance(500)
    await waiting
    expect(extensions).toBe(1)
  })

  it('waits no longer than its call may take', async () => {
    const { operation, clock } = opened()
    await operation({ key }).claim()
    const deadline = clock.monotonic() + 3_000
    const scope = { remainingMs: () => Math.max(0, deadline - clock.monotonic()), extend: () => undefined }
    await expect(operation({ key }).checkKey(scope)).rejects.toMatchObject({ code: 'unavailable', details: { sent: 'no' } })
    expect(clock.monotonic()).toBe(deadline)
  })

  it('creates one thing when many calls begin at once', async () => {
    const { operation, events } = opened()
    const calls = Array.from({ length: 20 }, () => operation({ key }))
    const outcomes = await Promise.all(
      calls.map(async (call) =>
        call.claim().then(
          async () => call.completeWith('result'),
          () => undefined,
        ),
      ),
    )
    expect(outcomes).toHaveLength(20)
    expect(calls.filter(({ storedResult }) => storedResult === 'result')).toHaveLength(19)
    expect(events.filter((event) => event === 'begun')).toHaveLength(1)
  })

  it('is left to a repeat when its result cannot be stored', async () => {
    const full = memoryIdempotencyStore(new ManualClock())
    const broken = new CallOperation({
      key,
      describe: () => Promise.resolve({ account: 'me', tool: 'Create', argumentsHash: 'same' }),
      store: () => Promise.resolve({ ...full, complete: () => Promise.reject(new Error('full')) }),
      clock: new ManualClock(),
    })
    const { value } = await broken.claim()
    await expect(broken.completeWith('result')).rejects.toThrow('full')
    expect(await full.claim({ account: 'me', tool: 'Create', argumentsHash: 'same', key }, 'new')).toMatchObject({
      identity: value,
      isRepeat: true,
    })
  })

  it('that only reserves its key keeps others out, and frees the key for any call if its own call fails', async () => {
    const { operation, events } = opened()
    const first = operation({ key })
    await Promise.all([first.reserveKey(), first.reserveKey()])
    expect(first.hasBegun).toBe(true)
    const waiting = operation({ key }).reserveKey()
    await first.abandon()
    await waiting
    expect(events.filter((event) => event !== 'running')).toEqual(['begun', 'completed', 'begun'])
    const failed = opened()
    const other = failed.operation({ key })
    await other.reserveKey()
    await other.abandon()
    expect(await failed.operation({ key, args: 'other' }).claim()).toMatchObject({ isRepeat: false })
  })

  it('belongs to its arguments when something may have been created under it, by this call or an earlier one', async () => {
    const { operation } = opened()
    const first = operation({ key })
    await first.reserveKey()
    const { value } = await first.claim()
    await first.abandon()
    await expect(operation({ key, args: 'other' }).claim()).rejects.toMatchObject({ code: 'conflict', details: { sent: 'no' } })
    const repeat = operation({ key })
    await repeat.reserveKey()
    await repeat.abandon()
    await expect(operation({ key, args: 'other' }).reserveKey()).rejects.toThrow('Use another key for this call')
    expect(await operation({ key }).claim()).toMatchObject({ value, isRepeat: true })
  })

  it('stores no result that leaves something open, and a repeat does the rest', async () => {
    const { operation, events } = opened()
    const first = operation({ key })
    const ends: string[] = []
    first.onEnd((end) => ends.push(end))
    const { value } = await first.claim()
    first.leaveOpen()
    await first.completeWith('half of it')
    expect([events, ends]).toEqual([['begun', 'abandoned'], ['abandoned']])
    expect(await operation({ key }).claim()).toMatchObject({ value, isRepeat: true })
  })

  it('tells other calls that it is running, and that they did nothing', async () => {
    const { operation } = opened()
    await operation({ key }).claim()
    const refused = operation({ key }).claim()
    await expect(refused).rejects.toMatchObject({ code: 'unavailable', details: { sent: 'no', retryAfterSeconds: 5 } })
    await expect(refused).rejects.toThrow('still running, so this one did nothing')
  })
})

describe('an operation that is renewed', () => {
  it('continues under the new identity, and so does a repeat', async () => {
    const { operation } = opened()
    const first = operation()
    await first.claim('old')
    expect(await first.renew('new')).toMatchObject({ value: 'new', isRepeat: false })
    expect(await first.claim()).toMatchObject({ value: 'new' })
    await first.abandon()
    const repeat = operation()
    expect(await repeat.claim()).toMatchObject({ value: 'new', isRepeat: true })
    expect(await repeat.renew('newest')).toMatchObject({ value: 'newest', isRepeat: true })
  })

  it('is not renewed when its call has ended', async () => {
    const { operation } = opened()
    const one = operation()
    await one.claim('old')
    await one.abandon()
    await expect(one.renew('late')).rejects.toThrow('The call has ended.')
    expect(await operation().claim()).toMatchObject({ value: 'old' })
  })
})

it('reserves nothing, and leaves nothing open, without a key', async () => {
  const { operation, events } = opened()
  const one = operation()
  expect([one.isKeyed, one.hasBegun, operation({ key: 'k' }).isKeyed]).toEqual([false, false, true])
  await one.reserveKey()
  expect([one.hasBegun, events]).toEqual([false, []])
  await one.claim()
  expect(one.hasBegun).toBe(true)
  one.leaveOpen()
  await one.completeWith('result')
  expect(events).toEqual(['begun', 'completed'])
})
