import { expect, test } from 'vitest'
import { IdempotencyKeys } from './idempotency.ts'

const minting = () => {
  let minted = 0
  return () => `id-${(minted += 1)}`
}

const { signal } = new AbortController()
const lost = () => Promise.reject(new Error('the answer was lost'))
const made = (identity: string) => Promise.resolve(identity)

test('every create that succeeds has an identity of its own', async () => {
  const identities = new IdempotencyKeys({ mint: minting() })
  expect([await identities.run('call', made, signal), await identities.run('call', made, signal)]).toEqual(['id-1', 'id-2'])
})

test('a repeat takes up the identity of a call without a known outcome, until one succeeds', async () => {
  const identities = new IdempotencyKeys({ mint: minting() })
  await expect(identities.run(['Create', { title: 'a' }], lost, signal)).rejects.toThrow('lost')
  await expect(identities.run(['Create', { title: 'a' }], lost, signal)).rejects.toThrow('lost')
  expect(await identities.run(['Create', { title: 'b' }], made, signal)).toBe('id-2')
  expect(await identities.run(['Create', { title: 'a' }], made, signal)).toBe('id-1')
  expect(await identities.run(['Create', { title: 'a' }], made, signal)).toBe('id-3')
})

test('calls that run at once never share an identity, and each that fails keeps its own', async () => {
  const identities = new IdempotencyKeys({ mint: minting() })
  await Promise.allSettled([identities.run('call', lost, signal), identities.run('call', lost, signal)])
  const repeats = await Promise.all([identities.run('call', made, signal), identities.run('call', made, signal)])
  expect(repeats.toSorted()).toEqual(['id-1', 'id-2'])
})

test('a repeat that comes before a cancelled call has ended takes up its identity', async () => {
  const identities = new IdempotencyKeys({ mint: minting() })
  const cancelled = new AbortController()
  const ended = Promise.withResolvers<string>()
  const call = identities.run('call', () => ended.promise, cancelled.signal)
  await expect.poll(() => identities.run('another', made, signal)).toMatch(/^id-/)
  cancelled.abort()
  expect(await identities.run('call', made, signal)).toBe('id-1')
  ended.reject(new Error('cancelled'))
  await expect(call).rejects.toThrow('cancelled')
  expect(await identities.run('call', made, signal)).not.toBe('id-1')
})

test('an identity is forgotten after its time, and the oldest when there are too many', async () => {
  let now = 0
  const identities = new IdempotencyKeys({ mint: minting(), keepMs: 1_000, now: () => now })
  await expect(identities.run('call', lost, signal)).rejects.toThrow()
  now = 1_000
  expect(await identities.run('call', made, signal)).toBe('id-2')
  for (let call = 0; call <= 1_000; call += 1) await expect(identities.run(call, lost, signal)).rejects.toThrow()
  expect(await identities.run(1, made, signal)).toBe('id-4')
  expect(await identities.run(0, made, signal)).toBe('id-1004')
})
