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
    ['1-dec-2027', '2027-12-01'],
    ['13/04/2027', '2027-04-13'],
    ['04/13/2027', '2027-04-13'],
    ['04/04/2027', '2027-04-04'],
    ['29.02.2028', '2028-02-29'],
    ['Tomorrow', '2026-11-23'],
    ['+2w', '2026-12-06'],
    ['30 days ago', '2026-10-23'],
    [20_271_201, '2027-12-01'],
    ['2027/12/01,', '2027-12-01'],
    ['Dec 1,2027', '2027-12-01'],
    ['Dec. 1, 2027', '2027-12-01'],
    ['2027-12-01T1030', '2027-12-01'],
    ['2027-12-01T103000Z', '2027-12-01'],
    ['2027-12-01 10:30 UTC', '2027-12-01'],
    ['2027-12-01T10:30:00.5+0100', '2027-12-01'],
    ['2999/12/31', '2999-12-31'],
    ['in  2   weeks', '2026-12-06'],
    ['in 1 day', '2026-11-23'],
    ['in 1 week', '2026-11-29'],
    ['last 7 days', '2026-11-15'],
    ['yesterday', '2026-11-21'],
    ['last 6 months', '2026-05-22'],
    ['-P9M', '2026-02-22'],
    ['in 3 months', '2027-02-22'],
    ['end of April 2027', '2027-04-30'],
    ['in two weeks', '2026-12-06'],
    ['a month from now', '2026-12-22'],
    ['ten days ago', '2026-11-12'],
    ['1795996800', '2026-11-30'],
    [1_796_342_400_000, '2026-12-04'],
  ])('reads %j as %s', (written, date) => {
    expect(readDate(written, today)).toEqual({ likely: date })
  })

  it.each([
    ['2028-02-29', 'tomorrow', '2028-03-01'],
    ['2026-12-31', 'tomorrow', '2027-01-01'],
    ['2026-11-20', 'next Friday', '2026-11-27'],
  ])('on %s, reads %s as %s', (day, written, date) => {
    expect(readDate(written, day)).toEqual({ likely: date })
  })

  it('takes an amount of time in the direction that its sign or word says', () => {
    for (const written of ['+2w', 'in 2 weeks', '2 weeks from now']) expect(readDate(written, today)).toEqual({ likely: '2026-12-06' })
    for (const written of ['-2w', '2 weeks ago', 'last 2 weeks']) expect(readDate(written, today)).toEqual({ likely: '2026-11-08' })
  })

  it('drops no word that may change the meaning', () => {
    for (const written of ['before 2026-11-01', 'until 2026-11-01', 'by 2026-11-01', 'since 2026-11-01', 'not 2026-11-01', '> 2026-11-01'])
      expect(readDate(written, today)).toBeUndefined()
  })

  it('is the date itself where only blanks, quotation marks or dashes are others', () => {
    for (const written of [' 2027-12-01\n', '"2027-12-01"', '2027‑12‑01', '2027–12–01'])
      expect(readDate(written, today)).toEqual({ equal: '2027-12-01' })
  })
})

describe('a date with several meanings is only suggested', () => {
  it.each([
    ['03/04/2027', ['2027-04-03', '2027-03-04']],
    ['2027-02-29', ['2027-02-28']],
    ['April 31, 2027', ['2027-04-30']],
    ['24/01/27', ['2027-01-24', '2024-01-27']],
    ['Next Friday', ['2026-11-27', '2026-12-04']],
    ['last Sunday', ['2026-11-22', '2026-11-15']],
    ['end of January', ['2027-01-31']],
    ['end of the month', ['2026-11-30']],
    ['Q1 2027', ['2027-03-31', '2027-01-01']],
    ['2027-02', ['2027-02-28', '2027-02-01']],
    ['December 2026', ['2026-12-31', '2026-12-01']],
    ['Dec 4th', ['2026-12-04', '2025-12-04']],
    ['4 January', ['2027-01-04', '2026-01-04']],
  ])('suggests for %j %j', (written, dates) => {
    expect(readDate(written, today)).toEqual({ possible: dates })
  })
})

it.each([
  ...['2w', 'Nov 31', '+1m', 'P30D'],
  ...[
    '2027-13-01',
    '2027-02-32',
    '2027-12-00',
    '2027-00-31',
    '2027-13-31',
    '2027-W53',
    '2027-W00',
    '31/31/2027',
    '0031-01-01',
    '3000-01-01',
  ],
  ...[
    'Q5 2027',
    '2027-12-01 or later',
    '2027-02 or so',
    '2027-W10 or W11',
    '13/04/20275',
    'x2027-02',
    'week 2027-W10',
    'at 2027-12-01 10:00',
  ],
  ...[
    '2027-12-01T10:00 until',
    'Dec 1-2',
    'Dec 1-2, 2027',
    'Dec +1 2027',
    'Dec 001 2027',
    'Dec 1 maybe',
    'December',
    '2027',
    '5',
    'D 1 2027',
  ],
  ...[
    'Friday, Nov 27',
    'Sunday, Nov 29',
    'not Friday',
    'Friday afternoon',
    'next week',
    'end of this week',
    'by next week',
    'not the end of the month',
  ],
  ...[
    'end of month or later',
    'in 2 weeks ago',
    '30m ago',
    'in 15m',
    '-3 days ago',
    '2 weeks or so',
    'any day',
    'in extra days',
    'P1Y2M',
    'about P30D',
    '+P1DT1H',
  ],
  ...['11795996800', '179599680000', '-1795996800', '0795996800', 'soon', '', 'x'.repeat(61), 12, null, []],
])('does not read %j as a date', (written) => {
  expect(readDate(written, today)).toBeUndefined()
})

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
})

it('answers any text with dates that exist, or not at all', () => {
  const part = fc.oneof(
    fc.integer({ min: 0, max: 9999 }).map(String),
    fc.constantFrom('-', '/', ' ', '+', 'p', 'w', 'd', 'm', 'y', ' ago', 'in ', 'next ', 'dec', 'friday', 'end of ', 'month', 't00:00'),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  )
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (written) => {
      for (const date of possible(readDate(written, today))) {
        expect(new Date(date).toISOString().slice(0, 10)).toBe(date)
      }
    }),
    { numRuns: 1000 },
  )
})

function nameOf(month: string): string {
  return monthNames[Number(month) - 1] ?? ''
}

/** A reading's dates, in order. */
function possible(reading: ReturnType<typeof readDate>): string[] {
  if (reading === undefined) return []
  const values = 'possible' in reading ? reading.possible : ['equal' in reading ? reading.equal : reading.likely]
  return values.map(String)
}
