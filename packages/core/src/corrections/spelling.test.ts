import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closest, foldSpelling, isMisspelling, isSameWord, unquote } from './spelling.ts'

describe('the same text in another spelling', () => {
  it.each([
    ['dueDate', 'due_date'],
    ['Due date', 'due-date'],
    ['due  __ date', 'dueDate'],
    ['“In Review”', 'in_review'],
    ["  'Q1 2027'\n", 'q1_2027'],
    ['v 2', 'V2'],
    ['2027 roadmap', '2027_Roadmap'],
    ['ｆｉｌｅ', 'file'],
    ['no‑priority', 'No Priority'],
  ])('%j is %j', (one, other) => {
    expect(foldSpelling(one)).toBe(foldSpelling(other))
  })

  it.each([
    ['! done', 'done'],
    ['! done', '!done'],
    ['-label', 'label'],
    ['high -', 'high'],
    ['a !b', 'a!b'],
    ['low+', 'low'],
  ])('%j is not %j, since a sign may have a meaning', (one, other) => {
    expect(foldSpelling(one)).not.toBe(foldSpelling(other))
  })

  it('is never found in the beginning of a long text', () => {
    expect(foldSpelling(`${'x'.repeat(99)}Y`)).toBe(`${'x'.repeat(99)}y`)
    expect(foldSpelling(`${'x'.repeat(100)}Y`)).toBe(`${'x'.repeat(100)}Y`)
    expect(foldSpelling(`high${' '.repeat(100)}unless it is blocked`)).not.toBe('high')
  })
})

describe('quotation marks and blanks around a text', () => {
  it.each([
    [' "Ada" ', 'Ada'],
    ['`Ada’s team`', 'Ada’s team'],
    ['say "hi" now', 'say "hi" now'],
    ['Ada', 'Ada'],
    [' \n', ''],
    ['""', ''],
    ['', ''],
  ])('of %j are removed', (written, text) => {
    expect(unquote(written)).toBe(text)
  })

  it('are all that is removed', () => {
    const outer = fc.string({ unit: fc.constantFrom(' ', '\n', '"', '“', '”', '’', '`'), maxLength: 5 })
    fc.assert(
      fc.property(outer, fc.stringMatching(/^[\w(][^]{0,9}[\w)]$/), outer, (before, text, after) => {
        expect(unquote(`${before}${text}${after}`)).toBe(text)
      }),
    )
  })
})

describe('a misspelt text', () => {
  it.each([
    ['hihg', 'high', 'two letters swapped'],
    ['tdoo', 'to do', 'in a word of four letters that is written as two'],
    ['needsreviw', 'needs review', 'without the blank between the words'],
    ['blockdby', 'blocked_by', 'without an underscore'],
    ['databse migratoin', 'Database migration', 'one slip in each word'],
    ['plurals', 'plural', 'another ending'],
    ['starting', 'started', 'another form of a verb'],
    [`${'x'.repeat(99)}y`, 'x'.repeat(100), 'a long one'],
  ])('%j is %j: %s', (written, meant) => {
    expect(isMisspelling(written, meant)).toBe(true)
  })

  it.each([
    ['bog', 'bug', 'three letters say too little'],
    ['i o', 'i p', 'two words of one letter'],
    ['stortid', 'started', 'two wrong letters in seven'],
    ['in review', 'in staging', 'only one word is the same'],
    ['high', 'high priority', 'a word is missing'],
    ['high priority', 'high', 'a word is too many'],
    ['q3 2026', 'q4 2026', 'another number'],
    ['sprint 12 planing', 'sprint 13 planning', 'another number beside a slip'],
    ['sprint12', 'sprint13', 'another number within a word'],
    ['unsubscribe', 'subscribe', 'the opposite'],
    [`${'x'.repeat(100)}y`, 'x'.repeat(101), 'nothing that is expected is that long'],
  ])('is not why %j differs from %j: %s', (written, meant) => {
    expect(isMisspelling(written, meant)).toBe(false)
  })
})

describe('a word', () => {
  it.each([
    ['bug', 'bugg', false],
    ['bugs', 'bug', true],
    ['labels', 'label', true],
    ['starting', 'started', true],
    ['tset', 'test', true],
    ['sprint12', 'sprint13', false],
    ['fearurs', 'feature', false],
  ])('%j is the word %j: %s', (word, other, isSame) => {
    expect([isSameWord(word, other), isSameWord(other, word)]).toEqual([isSame, isSame])
  })
})

describe('the closest texts', () => {
  it('are three at most, the most likely first, and none that says the opposite', () => {
    const names = ['labels', 'label_ids', 'label_names', 'add_labels', 'not_label']
    const values = closest('label', names).map(({ value }) => value)
    expect(values).toHaveLength(3)
    expect(values[0]).toBe('labels')
    expect(closest('label', ['not_label', 'xyzzy'])).toEqual([])
  })

  it('of a text that is longer than anything expected are none', () => {
    expect(closest('x'.repeat(100), ['x'.repeat(100)])).toHaveLength(1)
    expect(closest('x'.repeat(101), ['x'.repeat(101)])).toEqual([])
  })
})
