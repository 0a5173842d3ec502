import { expect, it } from 'vitest'
import { todayIn } from './today.ts'

it('is the day where the person is', () => {
  const now = Date.UTC(2026, 10, 27, 11, 30)
  expect(['Pacific/Kiritimati', 'Europe/Vienna', 'UTC', 'Pacific/Pago_Pago'].map((zone) => todayIn(zone, now).date)).toEqual([
    '2026-11-28',
    '2026-11-27',
    '2026-11-27',
    '2026-11-27',
  ])
  expect(todayIn('Pacific/Pago_Pago', Date.UTC(2026, 10, 27, 10, 30)).date).toBe('2026-11-26')
  expect(todayIn(':Europe/Vienna', now)).toEqual({ date: '2026-11-27', timeZone: 'Europe/Vienna' })
})

it('is the day of the process where the zone is unknown', () => {
  const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  for (const zone of [undefined, '', 'Nowhere/Land']) expect(todayIn(zone, Date.UTC(2026, 10, 27, 12)).timeZone).toBe(timeZone)
})
