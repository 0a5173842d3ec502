import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../testing/src/runs.ts'
import { fromPrintable, printable, printableJson, printableLine, spellingsOf } from './printable.ts'

/** Characters that must never reach a reader raw, by Unicode property; the tests skip places where they are legitimate. */
const dangerous = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\uFDD0-\uFDEF\uFFF9-\uFFFB\uFFFE\uFFFF]/u

const legitimate = [
  ['an emoji of several people', '👩‍👩‍👧‍👦'],
  ['an emoji with a skin tone', '👨🏽‍💻'],
  ['emoji with variation selectors', '❤️ ☎︎ ✈️ ©️ 🏳️‍🌈 🏴‍☠️ 🙂‍↔️'],
  ['keycaps', '1️⃣ #️⃣ *️⃣'],
  ['flags of countries', '🇩🇪🇮🇷'],
  ['flags of regions', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁵󠁳󠁴󠁸󠁿'],
  ['Persian', 'می‌خواهم کتاب‌ها'],
  ['Arabic with a joiner at the end of a word', 'ه‍ ١٤٤٥'],
  ['Hindi', 'क्‍ष क्‌ष'],
  ['Bengali and Malayalam', 'র‍্যাম അവന്‍'],
  ['Sinhala', 'ශ්‍රී'],
  ['Khmer and Thai with breaks', 'ខ្មែរ\u200Bភាសា ไทย\u200Bดี'],
  ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ ᠬᠠ᠋'],
  ['variants of ideographs', '葛\u{E0100} 神\uFE00'],
  ['Hebrew, accents and symbols', 'שלום à é ∑ 日本語 £'],
] as const

describe('printable', () => {
  it.each(legitimate)('keeps %s', (_, text) => {
    expect([printable(text), printableLine(text)]).toEqual([text, text])
  })

  it.each([
    ['a control sequence of a terminal', 'a\u009B31mb\u001B[2Jc', 'a\\u{9B}31mb\\u{1B}[2Jc'],
    ['a bidirectional override', 'txt.\u202Eexe\u2066x\u2069', 'txt.\\u{202E}exe\\u{2066}x\\u{2069}'],
    ['text in tag characters', 'Hi\u{E0041}\u{E0042}', 'Hi\\u{E0041}\\u{E0042}'],
    ['text in tag characters after a flag', '🏴\u{E0068}\u{E0069}', '🏴\\u{E0068}\\u{E0069}'],
    ['text in variation selectors', '❤️\uFE0E\uFE01\u{E0101}', '❤️\\u{FE0E}\\u{FE01}\\u{E0101}'],
    ['a variation selector that nothing needs', 'a\uFE0F 1\uFE0F', 'a\\u{FE0F} 1\\u{FE0F}'],
    ['stray zero-width characters', 'a\u200Bb\u200C\u200D\uFEFF\u2060', 'a\\u{200B}b\\u{200C}\\u{200D}\\u{FEFF}\\u{2060}'],
    ['a second joiner', 'می\u200C\u200Cخ', 'می\u200C\\u{200C}خ'],
    ['a joiner without a second emoji', '👩\u200D', '👩\\u{200D}'],
    ['a soft hyphen and fillers', 'a\u00ADb\u3164\u115F', 'a\\u{AD}b\\u{3164}\\u{115F}'],
    ['separators', 'a\u2028b\u2029c\u0085', 'a\\u{2028}b\\u{2029}c\\u{85}'],
    ['lone surrogates', 'a\uD800b\uDC00', 'a\\u{D800}b\\u{DC00}'],
    ['what is hidden before a line break', 'a\u200B\r\n', 'a\\u{200B}\r\n'],
    ['a carriage return that overwrites the line', 'real\rfake\r\n', 'real\\u{D}fake\r\n'],
  ])('shows %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown)
    expect(fromPrintable(printable(text))).toBe(text)
  })

  it('keeps line breaks and tabs in text, and makes them visible in a single line', () => {
    expect(printable('a\n\tb')).toBe('a\n\tb')
    expect(printableLine('a\n\tb\r\n')).toBe('a\\u{A}\\u{9}b\\u{D}\\u{A}')
  })

  it('stops soon after the maximum length, and shows shorter text in full', () => {
    const row = '\u202E'.repeat(30_000)
    expect(printable(row)).toBe(String.raw`\u{202E}`.repeat(30_000))
    for (const text of [row, 'a\u202Eb'.repeat(30_000), '\u200D'.repeat(30_000)]) {
      const cut = printable(text, 100_000)
      expect(cut.length).toBeGreaterThan(100_000)
      expect(cut.length).toBeLessThan(120_000)
      expect(printable(text).startsWith(cut)).toBe(true)
    }
    expect(printable('a\u202Eb', 10)).toBe(String.raw`a\u{202E}b`)
    expect(printable('a'.repeat(20), 10)).toBe('a'.repeat(20))
  })

  it('shows each of many characters in a long text', () => {
    const kept = ['a', 'é', '👩\u200D💻', '']
    for (const count of [4_999, 5_000, 5_001, 12_345]) {
      const text = Array.from({ length: count }, (_, index) => `${kept[index % 4] ?? ''}\u202E`).join('')
      expect(printable(`${text}end`)).toBe(`${text.replaceAll('\u202E', String.raw`\u{202E}`)}end`)
    }
  })

  it('shows every dangerous character of Unicode', () => {
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
      const character = String.fromCodePoint(codePoint)
      if (dangerous.test(character) === (printableLine(character) === character)) expect.fail(`U+${codePoint.toString(16)}`)
    }
  })
})

/** Texts in which any two relevant characters can be adjacent. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...Array.from('\u200B\u200C\u200D\u202E\u2066\uFE0F\uFE0E\uFE00\uFEFF\u00AD\u009B\r\n\t\u180B\uD800\uDC00\u20E31#a')),
      fc.constantFrom('\u{E0067}', '\u{E007F}', '\u{E0100}', '🏴', '👩', '🏽', '❤', 'م', 'क', '्', 'ខ', '神', 'ᠠ', '\u{1F02C}', '\\u{202E}'),
      fc.constantFrom(...legitimate.map(([, text]) => text)),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('any text', () => {
  const check = (property: (text: string) => void) => {
    fc.assert(fc.property(texts, property), { numRuns: runs(20_000) })
  }

  it('does not change when it is made printable again', () => {
    check((text) => {
      for (const make of [printable, printableLine]) expect(make(make(text))).toBe(make(text))
    })
  })

  it('has no dangerous character afterwards but one after each visible character, and flags', () => {
    check((text) => {
      const rest = printableLine(text).replace(/🏴[\u{E0030}-\u{E007A}]{3,5}\u{E007F}/gu, '')
      const strays = new RegExp(`(?:^|${dangerous.source})${dangerous.source}`, 'u')
      expect(rest.replaceAll('\uFE0F\u200D', '\u200D')).not.toMatch(strays)
      expect(rest).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\u00AD\uFEFF\u2060-\u206F]/u)
    })
  })

  it('comes back from its printable form', () => {
    check((text) => {
      if (text.includes('\\u{')) return
      expect(fromPrintable(printable(text))).toBe(text)
      expect(fromPrintable(printableLine(text))).toBe(text)
    })
  })

  it('is unchanged in printable JSON, which is ASCII where it has to be', () => {
    check((text) => {
      const json = printableJson(JSON.stringify({ [text]: text }, null, 2))
      expect(JSON.parse(json)).toEqual({ [text]: text })
      expect(printable(json)).toBe(json)
    })
  })
})

it.each(['\\u{41}', '\\u{110000}', '\\u{}', '\\u{1F469}', '\\u202E', 'C:\\users'])('leaves %s in a reference unchanged', (text) => {
  expect(fromPrintable(text)).toBe(text)
})

it.each([
  ['plain', ['plain']],
  [String.raw`a\u{202E}b`, [String.raw`a\u{202E}b`, 'a\u202Eb']],
  [String.raw`a\u{41}b`, [String.raw`a\u{41}b`]],
])('reads %s as itself first, then with its escapes turned back into characters', (reference, spellings) => {
  expect(spellingsOf(reference)).toEqual(spellings)
})
