import { expect, test } from 'vitest'
import { IdempotencyKeys } from './idempotency.ts'
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
