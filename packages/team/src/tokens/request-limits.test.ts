import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it } from 'vitest'
import { formLimits, limitRequestsByAddress } from './request-limits.ts'

const from = (address?: string) => ({ headers: new Headers(address === undefined ? {} : { 'x-forwarded-for': address }) })

it('takes sixty forms a minute from one address, whatever else the client says', async () => {
  const clock = new ManualClock()
  const maySend = formLimits(clock)
  const results = Array.from({ length: 61 }, (_, number) => maySend(from(`10.0.0.${number}, 203.0.113.7`)))
  expect(results).toEqual([...Array.from({ length: 60 }, () => true), false])
  expect(maySend(from('203.0.113.8'))).toBe(true)
  await clock.advance(60_000)
  expect(maySend(from('203.0.113.7'))).toBe(true)
})

it('takes 3,000 forms a minute in all, also where the proxy names no address', async () => {
  const clock = new ManualClock()
  const maySend = formLimits(clock)
  expect(Array.from({ length: 3_000 }, () => maySend(from())).every(Boolean)).toBe(true)
  expect([maySend(from()), maySend(from('203.0.113.8'))]).toEqual([false, false])
  await clock.advance(60_000)
  expect(maySend(from())).toBe(true)
})

it.each([
  ['::ffff:203.0.113.7', '203.0.113.7:1234', false],
  ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::', true],
  ['[2001:db8:1:2::1]:443', '2001:db8:1:2:3:4:5:6', true],
  ['fe80::1%eth0', 'fe80::2', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::1', '1::', false],
  ['203.0.113.7:1', '203.0.113.7:2', true],
  ['unknown', 'Unknown', true],
])('counts %s and %s as one sender: %s', (first, second, isOne) => {
  const may = limitRequestsByAddress(new ManualClock(), { perAddress: 1, total: 10 })
  expect([may(first), may(second)]).toEqual([true, !isOne])
})
