import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson, excessOf, isObject, mapTexts, member, parseJson, stringMember } from './json.ts'
import { count, joinWords, quote, quoteIfNeeded, quoteVendor, truncate } from '../errors/text.ts'

it('parses JSON and gives undefined for anything else', () => {
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] })
  expect(parseJson('{a}')).toBeUndefined()
})

it('tells objects from arrays and null, and reads own members only', () => {
  expect([{}, [], null, 'x'].map(isObject)).toEqual([true, false, false, false])
  expect(member({ a: 1 }, 'a')).toBe(1)
  expect(member({}, 'toString')).toBeUndefined()
  expect([member(null, 'a'), member('text', 'length'), member(['x'], '0')]).toEqual([undefined, undefined, undefined])
  expect([{ a: '' }, { a: 1 }, { a: 'x' }].map((value) => stringMember(value, 'a'))).toEqual([undefined, undefined, 'x'])
})

it('writes the same text for values that mean the same', () => {
  expect(canonicalJson({ b: 1, a: { d: null, c: [2, { f: 1, e: 2 }] } })).toBe('{"a":{"c":[2,{"e":2,"f":1}]},"b":1}')
  expect(canonicalJson({ b: null, a: [{ d: null, c: 1 }] }, 'kept')).toBe('{"a":[{"c":1,"d":null}],"b":null}')
  expect([undefined, null, [undefined, null]].map((value) => canonicalJson(value))).toEqual(['null', 'null', '[null,null]'])
  expect(canonicalJson({ a: undefined, b: false, c: 0, d: '' })).toBe('{"b":false,"c":0,"d":""}')
})

it('quotes, cuts, joins and counts', () => {
  expect(quote('a "b" \\c\n')).toBe('"a \\"b\\" \\\\c\\u{A}"')
  expect(quote('x'.repeat(101))).toBe(`"${'x'.repeat(100)}…"`)
  expect(quote('abc', 2)).toBe('"ab…"')
  expect([truncate('ab😀', 3), truncate('ab😀d', 4), truncate('😀bc', 2), truncate('😀bcd', 3)]).toEqual(['ab…', 'ab😀…', '😀…', '😀b…'])
  expect([truncate('abc', 3), truncate('abcd', 3)]).toEqual(['abc', 'abc…'])
  expect(joinWords(['a', 'b'])).toBe('a and b')
  expect([joinWords([]), joinWords(['a']), joinWords(['a', 'b', 'c'], 'or')]).toEqual(['', 'a', 'a, b or c'])
  expect([count(0, 'file'), count(2, 'file')]).toEqual(['0 files', '2 files'])
  expect([count(1, 'file'), count(2, 'entry', 'entries')]).toEqual(['1 file', '2 entries'])
})

/** A value's depth and counts, computed independently. */
function extentOf(value: unknown): { depth: number; members: number; containers: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, members: 0, containers: 0 }
  const parts = Object.values(value).map(extentOf)
  return {
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
    members: Math.max(Array.isArray(value) ? 0 : parts.length, ...parts.map(({ members }) => members)),
    containers: 1 + parts.reduce((sum, { containers }) => sum + containers, 0),
  }
}

it('finds the limit that JSON exceeds', () => {
  const generous = { maxDepth: 1_000, maxMembers: 1_000, maxContainers: 1_000 }
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const { depth, members, containers } = extentOf(value)
      expect(excessOf(text, { maxDepth: depth, maxMembers: members, maxContainers: containers })).toBeUndefined()
      if (depth > 0) expect(excessOf(text, { ...generous, maxDepth: depth - 1 })).toBe('maxDepth')
      if (members > 0) expect(excessOf(text, { ...generous, maxMembers: members - 1 })).toBe('maxMembers')
      if (containers > 0) expect(excessOf(text, { ...generous, maxContainers: containers - 1 })).toBe('maxContainers')
    }),
    { verbose: true },
  )
})

it.each(['', '"', '"\\', ']]]]', '::::', '{"a":', '\\"{[:'])('reads text that is not JSON to its end: %j', (text) => {
  expect(excessOf(text, { maxDepth: 5, maxMembers: 5, maxContainers: 5 })).toBeUndefined()
})

it('quotes a vendor on one line of limited length, or returns nothing if the vendor says nothing', () => {
  expect(quoteVendor('Acme', ' No\n\tsuch   team. ')).toBe('Acme says: "No such team."')
  expect([quoteVendor('Acme', ' \n'), quoteVendor('Acme')]).toEqual(['', ''])
  expect(quoteVendor('Acme', 'Who?', '', 'What')).toBe('Acme says: "Who?"; "What".')
  expect(quoteVendor('Acme', 'x'.repeat(301))).toBe(`Acme says: "${'x'.repeat(300)}…".`)
})

it('quotes only what is not one short word', () => {
  for (const word of ['ENG-1', 'robin.vance+x@lodestar.example', '字', 'a/b:c,d…', 'x'.repeat(100)]) expect(quoteIfNeeded(word)).toBe(word)
  expect(['', 'a b', '"', 'x\n'].map(quoteIfNeeded)).toEqual(['""', '"a b"', '"\\""', '"x\\u{A}"'])
  expect(quoteIfNeeded('x'.repeat(101))).toBe(`"${'x'.repeat(100)}…"`)
})

it('finds the end of a string of any length, with any backslashes in it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('x', '"', '\\', '[', 'ä', 'x'.repeat(63), 'x'.repeat(100)), { maxLength: 12 }), (parts) => {
      const text = JSON.stringify([parts.join(''), [[]]])
      expect(excessOf(text, { maxDepth: 3, maxMembers: 0, maxContainers: 3 })).toBeUndefined()
      expect(excessOf(text, { maxDepth: 2, maxMembers: 0, maxContainers: 3 })).toBe('maxDepth')
    }),
    { verbose: true, numRuns: 1_000 },
  )
})

it('changes every string in an object, and returns the object itself if nothing changes', () => {
  const object = { name: 'a', list: ['a', 1, [null, { deep: 'a' }]], same: { x: 'b' }, flag: true }
  const change = (text: string) => (text === 'a' ? 'A' : text)
  expect(mapTexts(object, change)).toEqual({ name: 'A', list: ['A', 1, [null, { deep: 'A' }]], same: { x: 'b' }, flag: true })
  expect(mapTexts(object, change)['same']).toBe(object.same)
  expect(mapTexts(object, (text) => text)).toBe(object)
  for (const one of [{ a: 1 }, { x: 'a' }, { x: ['b', 'a'] }, { x: { y: { a: 1 } } }]) {
    expect(mapTexts(one, change)).not.toBe(one)
    expect(JSON.stringify(mapTexts(one, change))).toBe(JSON.stringify(one).replace('"a"', '"A"'))
  }
})
