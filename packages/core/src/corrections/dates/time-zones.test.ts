import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { daysIn, startOfDay } from './time-zones.ts'

test.for([
  ['UTC', '2026-11-27', '2026-11-27T00:00:00.000Z'],
  ['Europe/Vienna', '2026-11-27', '2026-11-26T23:00:00.000Z'],
  ['America/Los_Angeles', '2026-11-27', '2026-11-27T08:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-27', '2026-11-26T10:00:00.000Z'],
  // The clock goes from 00:00 to 01:00.
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
  // The day of the longer night, and the day after it.
  ['Europe/Vienna', '2026-10-25', '2026-10-24T22:00:00.000Z'],
  ['Europe/Vienna', '2026-10-26', '2026-10-25T23:00:00.000Z'],
] as const)('in %s, %s begins at %s', ([zone, day, start]) => {
  expect(startOfDay(day, zone)).toBe(start)
})

test('a day begins where the one before it ends', () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
  const days = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(zones, days, (zone, moment) => {
      const day = daysIn(zone).format(moment)
      const start = Date.parse(startOfDay(day, zone))
      expect(daysIn(zone).format(start)).toBe(day)
      expect(daysIn(zone).format(start - 1) < day).toBe(true)
    }),
    { numRuns: 50 },
  )
})
