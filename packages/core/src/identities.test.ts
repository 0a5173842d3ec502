import { expect, test } from 'vitest'
import { Identities } from './identities.ts'

const minting = () => {
  let minted = 0
  return () => `id-${(minted += 1)}`
}

const lost = () => Promise.reject(new Error('the answer was lost'))
const made = (identity: string) => Promise.resolve(identity)

test('every create that succeeds has an identity of its own', async () => {
  const identities = new Identities({ mint: minting() })
  expect([await identities.using('call', made), await identities.using('call', made)]).toEqual(['id-1', 'id-2'])
})

test('a repeat takes up the identity of a call without a known outcome, until one succeeds', async () => {
  const identities = new Identities({ mint: minting() })
  await expect(identities.using(['Create', { title: 'a' }], lost)).rejects.toThrow('lost')
  await expect(identities.using(['Create', { title: 'a' }], lost)).rejects.toThrow('lost')
  expect(await identities.using(['Create', { title: 'b' }], made)).toBe('id-2')
  expect(await identities.using(['Create', { title: 'a' }], made)).toBe('id-1')
  expect(await identities.using(['Create', { title: 'a' }], made)).toBe('id-3')
})

test('calls that run at once never share an identity, and each that fails keeps its own', async () => {
  const identities = new Identities({ mint: minting() })
  await Promise.allSettled([identities.using('call', lost), identities.using('call', lost)])
  const repeats = await Promise.all([identities.using('call', made), identities.using('call', made)])
  expect(repeats.toSorted()).toEqual(['id-1', 'id-2'])
})

test('an identity is forgotten after its time, and the oldest when there are too many', async () => {
  let now = 0
  const identities = new Identities({ mint: minting(), keepMs: 1_000, now: () => now })
  await expect(identities.using('call', lost)).rejects.toThrow()
  now = 1_000
  expect(await identities.using('call', made)).toBe('id-2')
  for (let call = 0; call <= 1_000; call += 1) await expect(identities.using(call, lost)).rejects.toThrow()
  expect(await identities.using(1, made)).toBe('id-4')
  expect(await identities.using(0, made)).toBe('id-1004')
})
