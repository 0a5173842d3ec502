import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDate } from './dates.ts'

const today = '2026-11-22'
const dayMs = 86_400_000
const monthNames = 'January February March April May June July August September October November December'.split(' ')

describe('a date with one meaning is proposed', () => {
  it.each([
    ['2027/12/01', '2027-12-01'],
    ['2027.2.1', '2027-02-01'],
    ['20280229', '2028-02-29'],
    ['2027-12-01T23:30:00-08:00', '2027-12-01'],
    ['2027-12-01 00:15', '2027-12-01'],
    ['Dec 1st, 2027', '2027-12-01'],
    ['Wednesday, the 1st of December 2027', '2027-12-01'],
    ['1-dec-2027', '2027-12-01'],
    ['13/04/2027', '2027-04-13'],
    ['04/13/2027', '2027-04-13'],
    ['04/04/2027', '2027-04-04'],
    ['29.02.2028', '2028-02-29'],
    ['2026-W53-7', '2027-01-03'],
    ['2027-W01-1', '2027-01-04'],
    ['Tomorrow', '2026-11-23'],
    ['the day before yesterday', '2026-11-20'],
    ['end of month', '2026-11-30'],
    ['EOQ', '2026-12-31'],
    ['start of the quarter', '2026-10-01'],
    ['+2w', '2026-12-06'],
    ['in a month', '2026-12-22'],
    ['30 days ago', '2026-10-23'],
    ['-P1Y', '2025-11-22'],
    ['1795996800', '2026-11-30'],
    [1_795_996_800_000, '2026-11-30'],
    [20_271_201, '2027-12-01'],
    ['in two weeks', '2026-12-06'],
    ['tonight', '2026-11-22'],
    ['13/04/27', '2027-04-13'],
  ])('reads %j as %s', (written, date) => {
    expect(readDate(written, today)).toEqual({ likely: date })
  })

  it.each([
    ['2028-01-31', '+1m', '2028-02-29'],
    ['2027-01-31', '+1m', '2027-02-28'],
    ['2027-03-31', '-1m', '2027-02-28'],
    ['2028-02-29', '+1y', '2029-02-28'],
    ['2028-02-29', '+4y', '2032-02-29'],
    ['2028-02-29', 'tomorrow', '2028-03-01'],
    ['2026-12-31', 'tomorrow', '2027-01-01'],
    ['2027-01-31', '+13m', '2028-02-29'],
    ['2027-01-15', '-1m', '2026-12-15'],
    ['2028-02-10', 'end of month', '2028-02-29'],
  ])('on %s, reads %s as %s', (day, written, date) => {
    expect(readDate(written, day)).toEqual({ likely: date })
  })

  it('takes an amount of time without a sign in the direction that the parameter has', () => {
    expect(readDate('2w', today, 'future')).toEqual({ likely: '2026-12-06' })
    expect(readDate('P30D', today, 'past')).toEqual({ likely: '2026-10-23' })
  })

  it('ignores a preposition that the direction of the parameter implies, and no other', () => {
    expect(readDate('by 1 Dec 2027', today, 'future')).toEqual({ likely: '2027-12-01' })
    expect(readDate('since 2026-11-01', today, 'past')).toEqual({ likely: '2026-11-01' })
    for (const written of ['before 2026-11-01', 'until 2026-11-01', 'by 2026-11-01', 'not 2026-11-01', '> 2026-11-01'])
      expect(readDate(written, today, 'past')).toBeUndefined()
    for (const written of ['since 2027-12-01', 'after 2027-12-01', 'from 2027-12-01'])
      expect(readDate(written, today, 'future')).toBeUndefined()
  })

  it.each([
    ['next week', ['2026-11-23', '2026-11-29']],
    ['last month', ['2026-10-01', '2026-10-22']],
    ['this year', ['2026-01-01']],
    ['next year', ['2027-01-01', '2027-11-22']],
    ['2027-02', ['2027-02-01', '2027-02-28']],
    ['1/12/27', ['2027-12-01', '2027-01-12']],
  ])('%s is no single day', (written, possible) => {
    expect(readDate(written, today)).toEqual({ possible })
  })

  it('takes a day without a year on the side of today that the parameter has', () => {
    expect(readDate('Nov 30', today, 'future')).toEqual({ likely: '2026-11-30' })
    expect(readDate('Nov 30', today, 'past')).toEqual({ likely: '2025-11-30' })
    expect(readDate('Friday', today, 'past')).toEqual({ possible: ['2026-11-20', '2026-11-13'] })
    expect(readDate('Friday', today, 'future')).toEqual({ possible: ['2026-11-27', '2026-12-04'] })
  })
})

describe('a date with several meanings is only suggested', () => {
  it.each([
    ['03/04/2027', ['2027-04-03', '2027-03-04']],
    ['2w', ['2026-12-06', '2026-11-08']],
    ['next Friday', ['2026-11-27', '2026-12-04']],
    ['last Monday', ['2026-11-16', '2026-11-09']],
    ['last Sunday', ['2026-11-15', '2026-11-08']],
    ['previous Sat', ['2026-11-21', '2026-11-14']],
    ['Nov 30', ['2025-11-30', '2026-11-30']],
    ['2027-W10', ['2027-03-08', '2027-03-14']],
    ['February 2028', ['2028-02-01', '2028-02-29']],
    ['2027-02-29', ['2027-02-28']],
    ['April 31, 2027', ['2027-04-30']],
    ['Monday, December 1, 2027', ['2027-12-01']],
  ])('suggests for %j %j', (written, dates) => {
    expect(readDate(written, today)).toEqual({ possible: dates })
  })
})

it.each(['2027-13-01', '2027-02-32', '2027-W53', '31/31/2027', 'in 2 weeks ago', '-3 days ago', '0031-01-01', 'soon', '', 12, null, []])(
  'does not read %j as a date',
  (written) => {
    expect(readDate(written, today)).toBeUndefined()
  },
)

describe('any date', () => {
  const moments = fc.integer({ min: Date.UTC(1901, 0, 1) / dayMs, max: Date.UTC(2998, 11, 31) / dayMs })
  const dates = moments.map((day) => new Date(day * dayMs).toISOString().slice(0, 10))

  it('is read from every spelling that puts the year first or names the month', () => {
    const spelling = fc.constantFrom<(year: string, month: string, day: string) => string>(
      (year, month, day) => `${year}/${month}/${day}`,
      (year, month, day) => `${year}.${String(Number(month))}.${String(Number(day))}`,
      (year, month, day) => `${year}${month}${day}`,
      (year, month, day) => `${year}-${month}-${day}T00:00:00.000Z`,
      (year, month, day) => `${nameOf(month)} ${String(Number(day))}, ${year}`,
      (year, month, day) => `${day} ${nameOf(month).slice(0, 3).toUpperCase()} ${year}`,
    )
    fc.assert(
      fc.property(dates, spelling, (date, spell) => {
        const [year = '', month = '', day = ''] = date.split('-')
        expect(readDate(spell(year, month, day), today)).toEqual({ likely: date })
      }),
    )
  })

  it('is proposed from numbers with the year last only where their order leaves one date', () => {
    fc.assert(
      fc.property(dates, fc.boolean(), fc.constantFrom('/', '.', '-'), (date, isDayFirst, separator) => {
        const [year = '', month = '', day = ''] = date.split('-')
        const written = [isDayFirst ? day : month, isDayFirst ? month : day, year].join(separator)
        if (Number(day) > 12 || day === month) expect(readDate(written, today)).toEqual({ likely: date })
        else expect(new Set(possible(readDate(written, today)))).toEqual(new Set([date, `${year}-${day}-${month}`]))
      }),
    )
  })

  it('moves by months to the same day, or to the last one of a shorter month', () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: 1, max: 24 }), fc.constantFrom('+', '-'), (date, count, sign) => {
        const moved = new Date(date)
        const day = moved.getUTCDate()
        moved.setUTCDate(1)
        moved.setUTCMonth(moved.getUTCMonth() + (sign === '+' ? count : -count))
        const daysOfMonth = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate()
        moved.setUTCDate(Math.min(day, daysOfMonth))
        fc.pre(moved.getUTCFullYear() >= 1900 && moved.getUTCFullYear() <= 2999)
        expect(readDate(`${sign}${String(count)}m`, date)).toEqual({ likely: moved.toISOString().slice(0, 10) })
      }),
    )
  })

  it('follows the last day of its week by one day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1901, max: 2998 }), fc.integer({ min: 1, max: 52 }), (year, week) => {
        const write = (each: number) => `${String(year)}-W${String(each).padStart(2, '0')}`
        const [monday = '', sunday = ''] = possible(readDate(write(week), today))
        expect([new Date(monday).getUTCDay(), Date.parse(sunday) - Date.parse(monday)]).toEqual([1, 6 * dayMs])
        expect(readDate(`${write(week)}-4`, today)).toEqual({ likely: new Date(Date.parse(monday) + 3 * dayMs).toISOString().slice(0, 10) })
        if (week === 1) expect(Math.abs(Date.parse(monday) - Date.UTC(year, 0, 1))).toBeLessThanOrEqual(3 * dayMs)
        else expect(Date.parse(monday) - Date.parse(possible(readDate(write(week - 1), today))[0] ?? '')).toBe(7 * dayMs)
      }),
    )
  })
})

it('answers any text with dates that exist, or not at all', () => {
  const part = fc.oneof(
    fc.integer({ min: 0, max: 9999 }).map(String),
    fc.constantFrom('-', '/', ' ', '+', 'p', 'w', 'd', 'm', 'y', ' ago', 'in ', 'next ', 'dec', 'friday', 'end of ', 'month', 't00:00'),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  )
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, fc.constantFrom('past', 'future', undefined), (written, side) => {
      for (const date of possible(readDate(written, today, side))) {
        expect(new Date(date).toISOString().slice(0, 10)).toBe(date)
      }
    }),
    { numRuns: 1000 },
  )
})

function nameOf(month: string): string {
  return monthNames[Number(month) - 1] ?? ''
}

/** The dates of a reading, in its order. */
function possible(reading: ReturnType<typeof readDate>): string[] {
  if (reading === undefined) return []
  const values = 'possible' in reading ? reading.possible : ['equal' in reading ? reading.equal : reading.likely]
  return values.map(String)
}
