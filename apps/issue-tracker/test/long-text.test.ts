import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkOf, withShortDescription } from '../src/tools/long-text.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 300 })

test('chunks of any size join to the text, with no character cut in two', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), (whole, limit) => {
      let read = ''
      for (let offset: number | null = 0; offset !== null;) {
        const chunk = chunkOf(whole, offset, limit)
        expect(chunk.text.isWellFormed()).toBe(true)
        expect(chunk.total_characters).toBe(Array.from(whole).length)
        read += chunk.text
        offset = chunk.next_offset
      }
      expect(read).toBe(whole)
    }),
  )
})

test('an offset at the end returns an empty chunk; one beyond it is rejected', () => {
  expect(chunkOf('abc', 3, 10)).toEqual({ text: '', offset: 3, next_offset: null, total_characters: 3 })
  expect(() => chunkOf('abc', 4, 10)).toThrow('beyond the end: the description has 3 characters')
})

test('prefers the long text, cuts it at 5,000 code points and says so', () => {
  const long = '😀'.repeat(5_001)
  expect(withShortDescription({ content: long, description: 'short' })).toEqual({
    description: '😀'.repeat(5_000),
    truncated: true,
    total_characters: 5_001,
  })
  expect(withShortDescription({ content: undefined, description: 'short' })).toEqual({ description: 'short' })
  expect(withShortDescription({ content: undefined, description: undefined })).toEqual({})
})
