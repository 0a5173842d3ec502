import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { evaluation, oneWrongLetter } from '../../test/fuzzy-evaluation.ts'
import { labels, people, projects, states, teams } from '../../test/fuzzy-evaluation/workspaces.ts'
import { runs } from '../../test/runs.ts'
import { NotFound } from '../errors.ts'
import { autoAccept, rank } from './rank.ts'
import { findMatch } from './match.ts'

const best = (wanted: string, among: readonly string[]) => rank(wanted, among)[0]
const confidence = (wanted: string, name: string) => best(wanted, [name])?.confidence ?? 0

/** What a tool that may accept near misses makes of it: the name taken, the change proposed. */
function outcome(wanted: string, among: readonly string[]): { taken?: string; change?: unknown } {
  const candidates = among.map((name, index) => ({ id: `id-${index}`, name }))
  try {
    return { taken: findMatch(wanted, candidates, { kind: 'team', parameter: 'team', autoAccept: true }).candidate.name }
  } catch (error) {
    return { change: error instanceof NotFound ? error.details.next?.change : undefined }
  }
}

describe('the evaluation set', () => {
  for (const [kind, entries] of Object.entries(evaluation)) {
    describe(kind, () => {
      it.each(entries.map((entry) => [entry.wanted, entry.among.join(', '), entry] as const))('%j among %s', (wanted, _, entry) => {
        const { among, expect: expected } = entry
        if (expected === 'nothing') {
          expect(outcome(wanted, among)).toEqual({})
          return
        }
        expect(best(wanted, among)?.value).toBe(expected.first)
        expect(outcome(wanted, among).taken).toBe(expected.autoAccept ? expected.first : undefined)
      })
    })
  }
})

describe('one wrong letter in a unique name', () => {
  const entries = oneWrongLetter.flatMap((kind) => evaluation[kind])

  it.each(entries.map((entry) => [entry.wanted, entry] as const))('%j is above 0.90', (wanted, { among }) => {
    expect(best(wanted, among)?.confidence).toBeGreaterThan(0.9)
  })
})

describe('autoAccept', () => {
  it('never accepts a wrong candidate of the evaluation set', () => {
    for (const { wanted, among, expect: expected } of Object.values(evaluation).flat()) {
      const taken = autoAccept(wanted, rank(wanted, among))?.value
      expect([undefined, expected === 'nothing' ? undefined : expected.first]).toContain(taken)
    }
  })

  it('accepts nothing at 0.90, and nothing beside a runner-up at 0.85', () => {
    const named = (value: string, confidence: number) => ({ value, index: 0, confidence })
    expect(autoAccept('Engineering', [named('Engineerin', 0.9)])).toBeUndefined()
    expect(autoAccept('Engineering', [named('Engineerin', 0.901), named('Engine', 0.85)])).toBeUndefined()
    expect(autoAccept('Engineering', [named('Engineerin', 0.901), named('Engine', 0.849)])?.value).toBe('Engineerin')
    expect(autoAccept('Engineering', [])).toBeUndefined()
  })

  it.each([
    ['Bugs', 'Bugs!'],
    ['A-B-C-D', 'ABCD'],
    ['2026 12', '2026-12'],
    ['営業部署', '営業 部署'],
  ])('accepts no name under five letters, however close: %s, %s', (wanted, name) => {
    expect(confidence(wanted, name)).toBeGreaterThan(0.9)
    expect(autoAccept(wanted, rank(wanted, [name]))).toBeUndefined()
  })
})

describe('confidence', () => {
  it('decreases from the same text to other case, accents, spaces', () => {
    expect(rank('Café Bar', ['Cafebar', 'Cafe Bar', 'CAFÉ BAR', 'Café Bar'])).toEqual([
      { value: 'Café Bar', index: 3, confidence: 1 },
      { value: 'CAFÉ BAR', index: 2, confidence: 0.99 },
      { value: 'Cafe Bar', index: 1, confidence: 0.98 },
      { value: 'Cafebar', index: 0, confidence: 0.97 },
    ])
  })

  it('is above 0.90 for one wrong letter in seven, not in six', () => {
    expect(confidence('Fearure', 'Feature')).toBeCloseTo(0.914, 3)
    expect(confidence('Desing', 'Design')).toBe(0.9)
    expect(confidence('Feature', 'Featur')).toBeGreaterThan(0.9)
  })

  it.each([
    ['Sprint 12', 'Sprint 13', 'a digit'],
    ['Sprint 12', 'Sprint 112', 'a digit more'],
    ['Sprint twelve', 'Sprint twelve 2', 'a number more'],
    ['Conference Room A', 'Conference Room B', 'a word of one letter'],
    ['Conference Room', 'Conference Room B', 'a word of one letter more'],
    ['Migration Phase II', 'Migration Phase III', 'a Roman numeral'],
    ['US Salesforce', 'UK Salesforce', 'a code'],
    ['プロダクト開発部', 'プロダクト開発課', 'an ideograph'],
    ['C++ Developers', 'C# Developers', 'a symbol'],
  ])('is at most 0.80 for %s and %s: %s', (wanted, name) => {
    expect(confidence(wanted, name)).toBeLessThanOrEqual(0.8)
    expect(confidence(name, wanted)).toBeLessThanOrEqual(0.8)
  })

  it('is at most 0.90 with a word more, even a short one in a long name', () => {
    expect(confidence('Engineering', 'Engineering Ops')).toBeLessThanOrEqual(0.9)
    expect(confidence('International Customer Success Programme', 'International Customer Success Programme of')).toBeLessThanOrEqual(0.9)
  })

  it('counts graphemes: one emoji or one Thai syllable is one letter', () => {
    expect(confidence('aa👩‍💻aaaa', 'aa👩‍💻aaba')).toBe(confidence('aacaaaa', 'aacaaba'))
    expect(confidence('กิกิกิกิกิกิกิ', 'กิกิกิกิกิกิกี')).toBe(confidence('aaaaaaa', 'aaaaaab'))
  })

  it('is 0 where there is nothing to compare', () => {
    expect(confidence('', 'Engineering')).toBe(0)
    expect(confidence('???', '!!!')).toBe(0)
  })
})

describe('properties', () => {
  const parameters = { numRuns: runs(500) }
  // Without v and x, so that no edit makes a Roman numeral.
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuwyz'.split(''))
  const word = (minLength: number) => fc.string({ unit: letter, minLength, maxLength: 12 }).filter((text) => !/^[ivx]+$/.test(text))
  const name = fc.array(word(4), { minLength: 2, maxLength: 3 }).map((words) => words.join(' '))
  const longName = fc.oneof(word(7), name)
  const anything = fc.string({ unit: 'grapheme', maxLength: 30 })
  const company = ['Quality Assurance', 'Bookkeeping', 'Warehouse Logistics']

  test('an exact name wins with confidence 1', () => {
    fc.assert(
      fc.property(fc.array(anything), anything, (others, wanted) => {
        expect(best(wanted, [...others, wanted])).toMatchObject({ value: wanted, confidence: 1 })
      }),
      parameters,
    )
  })

  test('a name of seven letters or more with a single edit ranks first, above 0.90, and is accepted', () => {
    const slip = fc.record({ at: fc.nat(), other: letter, kind: fc.constantFrom('insert', 'delete', 'replace', 'swap') })
    fc.assert(
      fc.property(longName, slip, (text, { at, other, kind }) => {
        const place = at % text.length
        fc.pre(text.charAt(place) !== ' ' && text.charAt(place + 1) !== ' ' && (kind !== 'swap' || place + 1 < text.length))
        const [before, here, next, after] = [text.slice(0, place), text.charAt(place), text.charAt(place + 1), text.slice(place + 2)]
        const edited = { insert: other + here + next, delete: next, replace: other + next, swap: next + here }[kind]
        const ranked = rank(before + edited + after, [...company, text])
        expect(ranked[0]?.value).toBe(text)
        expect(ranked[0]?.confidence).toBeGreaterThan(0.9)
        expect(autoAccept(before + edited + after, ranked)?.value).toBe(text)
      }),
      parameters,
    )
  })

  test('confidence is between 0 and 1, in descending order', () => {
    fc.assert(
      fc.property(anything, fc.array(fc.oneof(anything, name)), (wanted, names) => {
        const confidences = rank(wanted, names).map((one) => one.confidence)
        expect(confidences.every((one) => one >= 0 && one <= 1)).toBe(true)
        expect(confidences).toEqual(confidences.toSorted((a, b) => b - a))
      }),
      parameters,
    )
  })

  test('the order of the candidates does not matter', () => {
    const shuffled = fc.array(fc.oneof(name, fc.constantFrom(...teams))).chain((all) => {
      return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))
    })
    const shown = (wanted: string, names: readonly string[]) => rank(wanted, names).map(({ value, confidence }) => ({ value, confidence }))
    fc.assert(
      fc.property(fc.constantFrom(...teams, 'enginering', 'design web'), shuffled, (wanted, [names, others]) => {
        expect(shown(wanted, others)).toEqual(shown(wanted, names))
      }),
      parameters,
    )
  })

  test('what is accepted is above 0.90, with the runner-up below 0.85', () => {
    const typed = fc.constantFrom(...Object.values(evaluation).flatMap((entries) => entries.map((entry) => entry.wanted)))
    fc.assert(
      fc.property(
        typed,
        fc.subarray([...teams, ...states, ...labels, ...projects, ...people, 'Engineerings', 'Web Design']),
        (wanted, names) => {
          const ranked = rank(wanted, names)
          fc.pre(autoAccept(wanted, ranked) !== undefined)
          expect(ranked[0]?.confidence).toBeGreaterThan(0.9)
          expect(ranked[1]?.confidence ?? 0).toBeLessThan(0.85)
        },
      ),
      parameters,
    )
  })

  test('another digit is never accepted', () => {
    const digits = fc.tuple(fc.nat(9999), fc.nat(9999)).filter(([a, b]) => a !== b)
    fc.assert(
      fc.property(name, digits, fc.constantFrom(' ', '', '-', ' v'), (text, [wanted, existing], between) => {
        const [asked, there] = [`${text}${between}${wanted}`, `${text}${between}${existing}`]
        expect(autoAccept(asked, rank(asked, [there]))).toBeUndefined()
      }),
      parameters,
    )
  })

  test('a word more or less is never accepted', () => {
    fc.assert(
      fc.property(name, word(2), (text, more) => {
        expect(autoAccept(text, rank(text, [`${text} ${more}`]))).toBeUndefined()
        expect(autoAccept(`${text} ${more}`, rank(`${text} ${more}`, [text]))).toBeUndefined()
      }),
      parameters,
    )
  })
})

describe('cost', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `${teams[index % 7]} ${projects[index % 6]} ${index.toString(36)}é`)
  const milliseconds = (wanted: string) => {
    // Processor time, which other processes do not prolong.
    const start = process.cpuUsage()
    rank(wanted, names)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }

  it('ranks 10,000 candidates well within a second', () => {
    expect(milliseconds('Custmer Sucess Mobile Chekout')).toBeLessThan(1000)
  })

  it('does not grow with a long text', () => {
    expect(milliseconds('a b '.repeat(100_000))).toBeLessThan(1000)
    expect(confidence(`${'a'.repeat(300)}b`, `${'a'.repeat(300)}c`)).toBeLessThan(0.9)
  })
})
