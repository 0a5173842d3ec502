import { expect, it } from 'vitest'
import { canonicalJson, isObject, member, parseJson, stringMember } from './json.ts'
import { count, joinWords, quote, truncate } from './text.ts'

it('parses JSON and gives undefined for anything else', () => {
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] })
  expect(parseJson('{a}')).toBeUndefined()
})

it('tells objects from arrays and null, and reads own members only', () => {
  expect([{}, [], null, 'x'].map(isObject)).toEqual([true, false, false, false])
  expect(member({ a: 1 }, 'a')).toBe(1)
  expect(member({}, 'toString')).toBeUndefined()
  expect(stringMember({ a: '' }, 'a')).toBeUndefined()
})

it('writes the same text for values that mean the same', () => {
  expect(canonicalJson({ b: 1, a: { d: null, c: [2, { f: 1, e: 2 }] } })).toBe('{"a":{"c":[2,{"e":2,"f":1}]},"b":1}')
  expect(canonicalJson(undefined)).toBe('null')
})

it('quotes, cuts, joins and counts', () => {
  expect(quote('a "b"')).toBe('"a \\"b\\""')
  expect(truncate('ab😀', 3)).toBe('ab…')
  expect(truncate('abc', 3)).toBe('abc')
  expect([joinWords([]), joinWords(['a']), joinWords(['a', 'b', 'c'], 'or')]).toEqual(['', 'a', 'a, b or c'])
  expect([count(1, 'file'), count(2, 'entry', 'entries')]).toEqual(['1 file', '2 entries'])
})
