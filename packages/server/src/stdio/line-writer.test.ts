import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineOf } from './line-writer.ts'
import { json } from './test/json-text.ts'

const written = (message: object) => [...lineOf(message)].join('')
const large = 'QUJD'.repeat(100_000)
const block = (blob: string) => ({ type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', blob }, annotations: {} })

describe('a line', () => {
  it('is the JSON of its message and a line break, whatever the message', () => {
    fc.assert(
      fc.property(json, fc.array(fc.constantFrom(large, 'QUJD', `${large}ä`, `"${large}`), { maxLength: 3 }), (value, blobs) => {
        for (const message of [
          { jsonrpc: '2.0', id: 1, result: value },
          { value, result: { content: [value, ...blobs.map(block), value] } },
        ]) {
          expect(written(message) === `${JSON.stringify(message)}\n`).toBe(true)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('is whole when a text says what marks the place of large content', () => {
    const message = { result: { content: [block(large), { type: 'text', text: '\0blob\0' }] } }
    expect(JSON.parse(written(message))).toEqual(message)
  })

  it('comes in one piece when it holds no large content, and otherwise in pieces of which none is large', () => {
    expect([...lineOf({ id: 1, result: { content: [block('QUJD')], structuredContent: { blob: large } } })].length).toBe(1)
    const pieces = [...lineOf({ id: 1, result: { content: [block(large)], isError: false } })]
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(256 * 1024)
    expect(pieces.length).toBe(6)
  })
})
