import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { evaluation, oneWrongLetter } from '../../../test/fuzzy-evaluation.ts'
import { labels, people, projects, states, teams } from '../../../test/fuzzy-evaluation/workspaces.ts'
import { runs } from '../../../../testing/src/runs.ts'
import { NotFound } from '../../errors/errors.ts'
import { autoAccept, distance, rank, suggestionOf } from './closest-names.ts'
import { findMatch } from './match.ts'
import { createNormalizer, foldCase } from './normalize.ts'

const best = (reference: string, names: readonly string[]) => rank(reference, names)[0]
const confidence = (reference: string, name: string) => best(reference, [name])?.confidence ?? 0

/** The accepted name, or the proposed change. */
function outcome(reference: string, names: readonly string[]): { accepted?: string; change?: unknown } {
  const candidates = names.map((name, index) => ({ id: `id-${index}`, name }))
  try {
    return { accepted: findMatch(reference, candidates, { kind: 'team', parameter: 'team', autoAccept: true }).candidate.name }
  } catch (error) {
    return { change: error instanceof NotFound ? error.details.next?.change : undefined }
  }
}

describe('the evaluation set', () => {
  for (const [kind, entries] of Object.entries(evaluation)) {
    describe(kind, () => {
      it.each(entries.map((entry) => [entry.reference, entry.names.join(', '), entry] as const))('%j among %s', (reference, _, entry) => {
        const { names, expect: expected } = entry
        if (expected === 'nothing') {
          expect(outcome(reference, names)).toEqual({})
          return
        }
        expect(best(reference, names)?.value).toBe(expected.first)
        expect(outcome(reference, names).accepted).toBe(expected.autoAccept ? expected.first : undefined)
      })
    })
  }
})

describe('one wrong letter in a unique name', () => {
  const entries = oneWrongLetter.flatMap((kind) => evaluation[kind])

  it.each(entries.map((entry) => [entry.reference, entry] as const))('%j is above 0.90', (reference, { names }) => {
    expect(best(reference, names)?.confidence).toBeGreaterThan(0.9)
  })
})

describe('autoAccept', () => {
  it('never accepts a wrong candidate of the evaluation set', () => {
    for (const { reference, names, expect: expected } of Object.values(evaluation).flat()) {
      const accepted = autoAccept(reference, rank(reference, names))?.value
      expect([undefined, expected === 'nothing' ? undefined : expected.first]).toContain(accepted)
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
    ['Team 2026123', 'Teams 2026123'],
    ['Teams 2026123', 'Team 2026123'],
  ])('accepts no name under five letters, however close: %s, %s', (reference, name) => {
    expect(confidence(reference, name)).toBeGreaterThan(0.9)
    expect(autoAccept(reference, rank(reference, [name]))).toBeUndefined()
  })

  it('accepts a name of five letters in a longer text', () => {
    expect(autoAccept('Taems 2026123', rank('Taems 2026123', ['Teams 2026123']))?.value).toBe('Teams 2026123')
  })
})

describe('confidence', () => {
  it.each<[string, string, number, string]>([
    ['custmersuces', 'Customer Success', 0.8, 'three wrong letters, and a blank is missing'],
    ['Fextuxe', 'Feature', 0.7143, 'two wrong letters in seven'],
    ['Comxletx', 'Complete', 0.85, 'two wrong letters in eight'],
    ['Custmer Sucess Mobile', 'Customer Success Mobile', 0.9429, 'one wrong letter in each of two words'],
    ['Custmer Sucess Mobil', 'Customer Success Mobile', 0.8571, 'one wrong letter in each of three words'],
    ['Slaes Desing', 'Sales Design', 0.8909, 'one in a word of five letters and one in a longer one'],
    ['Sles Desing', 'Sales Design', 0.8909, 'one letter too few'],
    ['Taem Desing', 'Team Design', 0.87, 'one of them in a word of four letters'],
    ['enginering desgin', 'Design Engineering', 0.8894, 'another order of two words'],
    ['Sucess Custmr', 'Customer Success', 0.76, 'another order and three wrong letters'],
    ['web design', 'Web Design Team', 0.8638, 'the name has a word more'],
    ['Engineering Ops', 'Engineering', 0.8314, 'the name has a word less'],
    ['Salesforce', 'US Salesforce', 0.8667, 'the word that it has more is a code'],
    ['cust succ', 'Customer Success', 0.7067, 'beginnings of its words'],
    ['gineer', 'Engineering', 0.6591, 'a part of it'],
    ['mktg', 'Marketing', 0.5889, 'some of its letters'],
    ['succ cust', 'Customer Success', 0.4933, 'beginnings in another order'],
    ['cust web', 'Customer Success', 0.3333, 'the beginning of one of its words'],
    ['mgkt', 'Marketing', 0.3333, 'some letters in another order'],
    ['rkg', 'Marketing', 0.3333, 'some letters without the first'],
    ['mg', 'Marketing', 0.2222, 'two letters'],
    ['C', 'Customer Success', 0.0667, 'one letter'],
    ['Team AB C', 'Team A BC', 0.8, 'the same letters with another word of one letter'],
    ['กิaaaaaa', 'กaaaaaa', 0.9143, 'a vowel sign'],
    ['Engi\u00adneering', 'Engineering', 0.98, 'an invisible hyphen'],
    ['Women’s Health', 'Womens Health', 0.98, 'an apostrophe'],
    ['Engineering', '???', 0, 'a name without letters'],
  ])('in %j for %j is %f: %s', (reference, name, expected) => {
    expect(confidence(reference, name)).toBeCloseTo(expected, 4)
  })

  it('compares up to eight words in any order', () => {
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
    const reversed = (count: number) => confidence(words.slice(0, count).join(' '), words.slice(0, count).reverse().join(' '))
    expect(reversed(8)).toBe(0.85)
    expect(reversed(9)).toBeLessThan(0.3)
  })

  it('of one wrong letter in the longest text that is compared as a whole is that of a typo', () => {
    const text = 'a'.repeat(255)
    expect(confidence(`${text}b`, `${text}c`)).toBeGreaterThan(0.99)
    expect(confidence(`${text}ab`, `${text}ac`)).toBeLessThan(0.9)
  })

  it('of the same text is 1, even where a code in it has a mark', () => {
    expect(confidence('AB\u3099 Team', 'AB\u3099 Team')).toBe(1)
    expect(confidence('AB\u3099 Team', 'ab\u3099 team')).toBe(0.99)
  })

  it('orders names by what remains when a number differs', () => {
    expect(rank('Sprint 12', ['Sprint 13', 'Sprint 12 planning']).map(({ value }) => value)).toEqual(['Sprint 12 planning', 'Sprint 13'])
  })

  it('leaves equal names in their order', () => {
    expect(rank('Desing', ['Design', 'Zebra', 'Design']).map(({ index }) => index)).toEqual([0, 2, 1])
  })

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
  ])('is at most 0.80 for %s and %s: %s', (reference, name) => {
    expect(confidence(reference, name)).toBeLessThanOrEqual(0.8)
    expect(confidence(name, reference)).toBeLessThanOrEqual(0.8)
  })

  it.each([
    ['Søren Þór', 'Soren Thor'],
    ['Łucja Æbelø', 'Lucja Aebelo'],
  ])('is 0.98 for %s and %s, whose letters have no decomposition', (reference, name) => {
    expect(confidence(reference, name)).toBe(0.98)
  })

  it('is 0.87 for two wrong letters in one word, however long', () => {
    expect(confidence('Headquxrtxrs', 'Headquarters')).toBe(0.87)
    expect(confidence('Telecommxnicatxons', 'Telecommunications')).toBe(0.87)
  })

  it('decreases with each wrong letter of texts that are compared in part', () => {
    expect(confidence(`${'a'.repeat(128)}${'b'.repeat(200)}`, 'a'.repeat(328))).toBe(0.5)
  })

  it('is that of a typo where a code is the same', () => {
    expect(confidence('US Salesforec', 'US Salesforce')).toBeGreaterThan(0.9)
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

it.each([
  [' Sprint \t\n 12 ', 'sprint 12'],
  ['Straße', 'strasse'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['σοφός', 'σοφόσ'],
  ['Cafe\u0301', 'café'],
])('compares %j as %j when case is ignored', (text, folded) => {
  expect(foldCase(text)).toBe(folded)
})

it.each([
  ['abcd', 'acbd', 1],
  ['abc', 'xac', 2],
  ['ana', 'nan', 2],
  ['abc', 'abcde', 2],
  ['abdc', 'bacd', 3],
])('counts one swap of neighbours as one edit: %s, %s', (one, other, edits) => {
  expect([distance(one, other), distance(other, one)]).toEqual([edits, edits])
})

it('a suggestion has what is known of it, and its confidence with two decimals', () => {
  expect(suggestionOf({ confidence: 0.876 }, { value: 'Design' })).toStrictEqual({ value: 'Design', confidence: 0.88 })
  const whole = { value: 'Design', id: 't1', parameter: 'team' }
  expect(suggestionOf({ confidence: 0.5 }, whole)).toStrictEqual({ ...whole, confidence: 0.5 })
})

describe('properties', () => {
  const parameters = { numRuns: runs(500) }
  // Lacks v and x, so that no edit makes a Roman numeral.
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuwyz'.split(''))
  const word = (minLength: number) => fc.string({ unit: letter, minLength, maxLength: 12 }).filter((text) => !/^[ivx]+$/.test(text))
  const name = fc.array(word(4), { minLength: 2, maxLength: 3 }).map((words) => words.join(' '))
  const longName = fc.oneof(word(7), name)
  const anything = fc.string({ unit: 'grapheme', maxLength: 30 })
  const company = ['Quality Assurance', 'Bookkeeping', 'Warehouse Logistics']

  test('an exact name wins with confidence 1', () => {
    fc.assert(
      fc.property(fc.array(anything), anything, (others, reference) => {
        expect(best(reference, [...others, reference])).toMatchObject({ value: reference, confidence: 1 })
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
      fc.property(anything, fc.array(fc.oneof(anything, name)), (reference, names) => {
        const confidences = rank(reference, names).map((one) => one.confidence)
        expect(confidences.every((one) => one >= 0 && one <= 1)).toBe(true)
        expect(confidences).toEqual(confidences.toSorted((a, b) => b - a))
      }),
      parameters,
    )
  })

  test('a least confidence leaves out exactly the names below it', () => {
    const known = fc.constantFrom(...teams, ...states, ...labels, ...projects, ...people)
    const least = fc.constantFrom(0.3, 0.55, 0.8, 0.9)
    fc.assert(
      fc.property(fc.oneof(known, anything), fc.array(fc.oneof(known, anything, name)), least, (reference, names, minConfidence) => {
        const all = rank(reference, names)
        expect(rank(reference, names, { minConfidence })).toEqual(all.filter((one) => one.confidence >= minConfidence))
      }),
      parameters,
    )
  })

  test('the order of the candidates does not matter', () => {
    const shuffled = fc.array(fc.oneof(name, fc.constantFrom(...teams))).chain((all) => {
      return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))
    })
    const rankedValues = (reference: string, names: readonly string[]) =>
      rank(reference, names).map(({ value, confidence }) => ({ value, confidence }))
    fc.assert(
      fc.property(fc.constantFrom(...teams, 'enginering', 'design web'), shuffled, (reference, [names, others]) => {
        expect(rankedValues(reference, others)).toEqual(rankedValues(reference, names))
      }),
      parameters,
    )
  })

  test('what is accepted is above 0.90, with the runner-up below 0.85', () => {
    const typed = fc.constantFrom(...Object.values(evaluation).flatMap((entries) => entries.map((entry) => entry.reference)))
    fc.assert(
      fc.property(
        typed,
        fc.subarray([...teams, ...states, ...labels, ...projects, ...people, 'Engineerings', 'Web Design']),
        (reference, names) => {
          const ranked = rank(reference, names)
          fc.pre(autoAccept(reference, ranked) !== undefined)
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
      fc.property(name, digits, fc.constantFrom(' ', '', '-', ' v'), (text, [first, second], between) => {
        const reference = `${text}${between}${first}`
        expect(autoAccept(reference, rank(reference, [`${text}${between}${second}`]))).toBeUndefined()
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

  it('reads every text once, however many references are ranked', () => {
    const normalize = createNormalizer()
    const read = new Set<object>()
    for (const reference of ['Custmer Sucess Mobile Chekout', 'Enginering Checkout'])
      rank(reference, names, {
        normalize: (text) => {
          const normalized = normalize(text)
          read.add(normalized)
          return normalized
        },
      })
    expect(read.size).toBe(names.length + 2)
  })

  it.each<[string, number, string[]]>([
    ['Design', 0.55, ['Desing', 'Des', 'Design Systems']],
    ['Enginxxring', 0.85, ['Engineering']],
    ['Enginxring', 0.85, ['Engineering']],
    ['Feature', 0.9, ['Fearure']],
    ['Engxxxxring', 0.75, []],
    ['Planning', 0.55, ['Plan']],
  ])('compares %j at %f only with names that have nearly the same letters', (reference, minConfidence, expected) => {
    const compared = new Set<string>()
    const normalize = createNormalizer()
    const counted = (text: string) => ({
      ...normalize(text),
      get lower() {
        compared.add(text)
        return text.toLowerCase()
      },
    })
    const all = ['Desing', 'Des', 'Design Systems', 'Engineering', 'Fearure', 'Plan', 'Zebra', 'Marketing']
    rank(reference, all, { normalize: counted, minConfidence })
    compared.delete(reference)
    expect([...compared]).toEqual(expected)
  })

  it('compares only the beginning of a long text', () => {
    const long = createNormalizer()('a b '.repeat(100_000))
    expect(long).toMatchObject({ isTruncated: true, letters: 'ab'.repeat(64) })
    expect(confidence(`${'a'.repeat(300)}b`, `${'a'.repeat(300)}c`)).toBeLessThan(0.9)
  })
})
