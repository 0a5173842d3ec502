import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineChunks } from './lines.ts'
import { runs } from '../../../../testing/src/runs.ts'
import { json } from '../../../test/stdio/json-text.ts'

const written = (message: object) => [...lineChunks(message)].join('')
const large = 'QUJD'.repeat(100_000)
const block = (blob: string) => ({ type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', blob }, annotations: {} })

describe('lineOf', () => {
  it('returns the JSON of any message and a line break', () => {
    fc.assert(
      fc.property(json, fc.array(fc.constantFrom(large, 'QUJD', `${large}ä`, `"${large}`), { maxLength: 3 }), (value, blobs) => {
        for (const message of [
          { jsonrpc: '2.0', id: 1, result: value },
          { value, result: { content: [value, ...blobs.map(block), value] } },
        ]) {
          expect(written(message) === `${JSON.stringify(message)}\n`).toBe(true)
        }
      }),
      { numRuns: runs(200) },
    )
  })

  it('keeps a text that equals the mark of cut content', () => {
    const message = { result: { content: [block(large), { type: 'text', text: '\0blob\0' }] } }
    expect(JSON.parse(written(message))).toEqual(message)
  })

  it('returns one piece without large content, and otherwise only small pieces', () => {
    expect([...lineChunks({ id: 1, result: { content: [block('QUJD')], structuredContent: { blob: large } } })].length).toBe(1)
    const pieces = [...lineChunks({ id: 1, result: { content: [block(large)], isError: false } })]
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(256 * 1024)
    expect(pieces.length).toBe(6)
  })
})
