import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestIdScanner } from './lines.ts'
import { runs } from '../../../../testing/src/runs.ts'
import { cut, cuts, json } from './test/json-text.ts'

function scanned(...chunks: readonly (string | Uint8Array)[]): string | number | undefined {
  const scanner = new RequestIdScanner()
  for (const chunk of chunks) scanner.read(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return scanner.id
}

/** The id as `JSON.parse` finds it. */
function parsed(text: string): string | number | undefined {
  const json: unknown = JSON.parse(text)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  if (!('id' in json) || !('method' in json)) return undefined
  return typeof json.id === 'string' || typeof json.id === 'number' ? json.id : undefined
}

/** JSON as others would write it: with blanks, and with letters escaped that need not be. */
const written = fc
  .record({ value: json, indent: fc.constantFrom(undefined, 1, '\t'), escaped: fc.constantFrom('none', 'letters', 'slashes') })
  .map(({ value, indent, escaped }) => {
    const plain = JSON.stringify(value, null, indent)
    if (escaped === 'letters') return plain.replaceAll('"id"', '"\\u0069d"')
    return escaped === 'slashes' ? plain.replaceAll('/', '\\/') : plain
  })

describe('RequestIdScanner', () => {
  it('finds the id that JSON.parse finds, however the bytes are cut', () => {
    let found = 0
    fc.assert(
      fc.property(written, cuts, (text, at) => {
        const id = parsed(text)
        expect(scanned(...cut(Buffer.from(text), at))).toBe(id)
        if (id !== undefined) found += 1
      }),
      { numRuns: runs(20_000) },
    )
    expect(found).toBeGreaterThan(runs(5000))
  })

  it.each([
    ['an answer', '{"id":1,"result":{}}', undefined],
    ['a notification', '{"method":"m","params":{"id":1}}', undefined],
    ['an id of null', '{"id":null,"method":"m"}', undefined],
    ['an object as id', '{"id":{"id":1},"method":"m"}', undefined],
    ['the last of two', '{"id":1,"method":"m","id":"two"}', 'two'],
    ['the last of two, which is none', '{"id":1,"method":"m","id":[2]}', undefined],
    ['blanks around', ` \t{ "method" : "m" ,\r "id" :${' '.repeat(500)}5 } `, 5],
    ['an id within a text', '{"params":"\\"id\\":1,{","method":"m","id":"\\"}"}', '"}'],
    ['a batch', '[{"id":1,"method":"m"}]', undefined],
    ['a longest id', `{"method":"m","id":"${'x'.repeat(254)}"}`, 'x'.repeat(254)],
    ['an id that is too long to keep', `{"method":"m","id":"${'x'.repeat(255)}"}`, undefined],
    ['a number that is too long to keep', `{"method":"m","id":${'1'.repeat(257)}}`, undefined],
    ['nothing', '', undefined],
    ['what is no JSON', '}}{"id":1,:,]', undefined],
  ])('reads %s', (_, text, id) => {
    expect(scanned(text)).toBe(id)
  })
})
