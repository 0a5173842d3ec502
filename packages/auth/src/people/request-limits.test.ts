import { ManualClock } from '@mcp-toolkits/core/manual-clock'
import { expect, it } from 'vitest'
import { formLimits } from './request-limits.ts'

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
