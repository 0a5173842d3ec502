import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { IdempotencyKeys } from './idempotency-keys.ts'
import { ManualClock } from './manual-clock.ts'

/** Makes the keys id-1, id-2 and so on. */
const countingKeys = () => {
  let count = 0
  return () => `id-${(count += 1)}`
}

const { signal } = new AbortController()
const fail = () => Promise.reject(new Error('the response was lost'))
const succeed = (key: string) => Promise.resolve(key)

test('gives every create that succeeds a key of its own', async () => {
  const keys = new IdempotencyKeys({ createKey: countingKeys() })
  expect([await keys.run('call', succeed, signal), await keys.run('call', succeed, signal)]).toEqual(['id-1', 'id-2'])
})

test('uses the key of a call without a known outcome again until a repeat succeeds', async () => {
  const keys = new IdempotencyKeys({ createKey: countingKeys() })
  await expect(keys.run(['Create', { title: 'a' }], fail, signal)).rejects.toThrow('lost')
  await expect(keys.run(['Create', { title: 'a' }], fail, signal)).rejects.toThrow('lost')
  expect(await keys.run(['Create', { title: 'b' }], succeed, signal)).toBe('id-2')
  expect(await keys.run(['Create', { title: 'a' }], succeed, signal)).toBe('id-1')
  expect(await keys.run(['Create', { title: 'a' }], succeed, signal)).toBe('id-3')
})

test('never shares a key between calls that run at once, and stores the key of each that fails', async () => {
  const keys = new IdempotencyKeys({ createKey: countingKeys() })
  await Promise.allSettled([keys.run('call', fail, signal), keys.run('call', fail, signal)])
  const repeats = await Promise.all([keys.run('call', succeed, signal), keys.run('call', succeed, signal)])
  expect(repeats.toSorted()).toEqual(['id-1', 'id-2'])
})

test('gives the key of a cancelled call that has not ended to its repeat', async () => {
  const keys = new IdempotencyKeys({ createKey: countingKeys() })
  const cancelled = new AbortController()
  const started = Promise.withResolvers<undefined>()
  const ended = Promise.withResolvers<string>()
  const create = () => {
    started.resolve(undefined)
    return ended.promise
  }
  const call = keys.run('call', create, cancelled.signal)
  await started.promise
  cancelled.abort()
  expect(await keys.run('call', succeed, signal)).toBe('id-1')
  ended.reject(new Error('cancelled'))
  await expect(call).rejects.toThrow('cancelled')
  expect(await keys.run('call', succeed, signal)).not.toBe('id-1')
})

test('forgets a key after its time, and the oldest when there are too many', async () => {
  const clock = new ManualClock()
  const keys = new IdempotencyKeys({ createKey: countingKeys(), retentionMs: 1_000, clock })
  await expect(keys.run('call', fail, signal)).rejects.toThrow()
  await clock.advance(1_000)
  expect(await keys.run('call', succeed, signal)).toBe('id-2')
  for (let call = 0; call <= 1_000; call += 1) await expect(keys.run(call, fail, signal)).rejects.toThrow()
  expect(await keys.run(1, succeed, signal)).toBe('id-4')
  expect(await keys.run(0, succeed, signal)).toBe('id-1004')
})

test('creates random keys that are stored for ten minutes when nothing else is said', async () => {
  const clock = new ManualClock()
  const keys = new IdempotencyKeys({ clock })
  const used: string[] = []
  const loseResponse = (key: string) => {
    used.push(key)
    return fail()
  }
  for (const minutes of [0, 9, 10]) {
    await clock.advance(minutes * 60_000)
    await expect(keys.run('call', loseResponse, signal)).rejects.toThrow('lost')
  }
  expect(used[0]).toMatch(/^[\da-f-]{36}$/)
  expect(used[1]).toBe(used[0])
  expect(used[2]).not.toBe(used[0])
})

test('stores the key of a cancelled call that fails only once, and leaves no listener on the signal', async () => {
  const keys = new IdempotencyKeys({ createKey: countingKeys() })
  const cancelled = new AbortController()
  const create = () => {
    expect(getEventListeners(cancelled.signal, 'abort')).toHaveLength(1)
    cancelled.abort()
    return fail()
  }
  await expect(keys.run('call', create, cancelled.signal)).rejects.toThrow('lost')
  expect([await keys.run('call', succeed, signal), await keys.run('call', succeed, signal)]).toEqual(['id-1', 'id-2'])
  const { signal: other } = new AbortController()
  await keys.run('call', succeed, other)
  expect(getEventListeners(other, 'abort')).toHaveLength(0)
})

test('reports a key that cannot be stored where the call fails, and not where it is cancelled', async () => {
  const store = { take: () => Promise.resolve(undefined), put: () => Promise.reject(new Error('the disk is full')) }
  const keys = new IdempotencyKeys({ createKey: countingKeys(), store })
  const cancelled = new AbortController()
  const create = async (key: string) => {
    cancelled.abort()
    await new Promise(setImmediate)
    return key
  }
  expect(await keys.run('call', create, cancelled.signal)).toBe('id-1')
  await expect(keys.run('call', fail, signal)).rejects.toThrow('the disk is full')
})
