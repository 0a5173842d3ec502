import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../testing/src/runs.ts'
import { Secret } from '../upstream/credentials.ts'
import { printable } from './printable.ts'
import { count, joinWords, quote, quoteIfNeeded, quoteVendor, truncate } from './text.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\u202E', '\u200D', '.', ' ', 'a'), maxLength: 12 }),
)
/** One quotation and nothing else. */
const quotation = /^"(?:[^"\\\n]|\\.)*"$/u

describe('quote', () => {
  it('turns any text into one quotation on one line, which needs no further escapes', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 15 }), (text, max) => {
        expect(quote(text, max)).toMatch(quotation)
        expect(printable(quote(text, max))).toBe(quote(text, max))
      }),
      { numRuns: runs(5_000) },
    )
  })

  it('distinguishes an invisible character from text that shows one', () => {
    expect([quote('a\u202Eb'), quote(String.raw`a\u{202E}b`)]).toEqual([String.raw`"a\u{202E}b"`, String.raw`"a\\u{202E}b"`])
  })

  it('leaves no part of a secret where it cuts', () => {
    const secret = new Secret('canary-in-a-quotation-0123456789').reveal()
    expect(quote(`Key ${secret} is wrong`, 12)).toBe('"Key [secret]…"')
  })
})

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc…'],
  ['ab🎉cd', 3, 'ab…'],
  ['ab🎉cd', 4, 'ab🎉…'],
  ['🎉abcd', 4, '🎉ab…'],
])('cuts %j to %i characters without splitting any', (text, max, cut) => {
  expect(truncate(text, max)).toBe(cut)
})

it.each([
  ['ENG', 'ENG'],
  ['ada@acme.example', 'ada@acme.example'],
  ['Ada Okonkwo', '"Ada Okonkwo"'],
  ['a"b', String.raw`"a\"b"`],
  ['', '""'],
])('quotes %j only if it has to: %s', (value, shown) => {
  expect(quoteIfNeeded(value)).toBe(shown)
})

it('quotes what a vendor says on one line, cut, or says nothing', () => {
  expect(quoteVendor('Acme', 'No.\n\nCall "X" now')).toBe(String.raw`Acme says: "No. Call \"X\" now".`)
  expect(quoteVendor('Acme', 'One.', ' ', 'Two.')).toBe('Acme says: "One."; "Two."')
  expect(quoteVendor('Acme', 'One.', 'Two')).toBe('Acme says: "One."; "Two".')
  expect(quoteVendor('Acme', 'x'.repeat(10_000)).length).toBeLessThan(350)
  expect(quoteVendor('Acme', '', '\n')).toBe('')
})

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
])('joins the words %j: %s', (words, joined) => {
  expect([joinWords(words), joinWords(words, 'or')]).toEqual([joined, joined.replace('and', 'or')])
})

it.each([
  [0, '0 files', '0 entries'],
  [1, '1 file', '1 entry'],
  [2, '2 files', '2 entries'],
])('counts %i', (number, files, entries) => {
  expect([count(number, 'file'), count(number, 'entry', 'entries')]).toEqual([files, entries])
})
