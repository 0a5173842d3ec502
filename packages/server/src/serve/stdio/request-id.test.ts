import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanRequestId } from './lines.ts'
import { runs } from '../../../../testing/src/runs.ts'
import { json } from '../../../test/stdio/json-text.ts'

/** The id as `JSON.parse` finds it. */
function parsed(text: string): string | number | undefined {
  const json: unknown = JSON.parse(text)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  if (!('id' in json) || !('method' in json)) return undefined
  return typeof json.id === 'string' || typeof json.id === 'number' ? json.id : undefined
}

/** JSON as others would write it: with blanks, and with needlessly escaped letters. */
const written = fc
  .record({ value: json, indent: fc.constantFrom(undefined, 1, '\t'), escaped: fc.constantFrom('none', 'letters', 'slashes') })
  .map(({ value, indent, escaped }) => {
    const plain = JSON.stringify(value, null, indent)
    if (escaped === 'letters') return plain.replaceAll('"id"', '"\\u0069d"')
    return escaped === 'slashes' ? plain.replaceAll('/', '\\/') : plain
  })

const long = 'x'.repeat(2_000)

describe('scanRequestId', () => {
  it('finds the id that JSON.parse finds', () => {
    let found = 0
    fc.assert(
      fc.property(written, (text) => {
        const id = parsed(text)
        expect(scanRequestId(text)).toBe(id)
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
    ['an id before a long member', `{"id":1,"method":"m","params":{"id":2,"text":"${long}"}}`, 1],
    ['an id behind a long member', `{"method":"m","params":{"id":2,"text":"${long}"},"id":1}`, 1],
    ['no id within a long member', `{"method":"m","params":{"text":"${long}","id":2}}`, undefined],
    ['no id that looks like one in a long text', `{"method":"m","params":"${long},\\"id\\":2"}`, undefined],
    ['no id between long members', `{"params":"${long}","method":"m","id":1,"more":"${long}"}`, undefined],
    ['no id that is itself too long', `{"method":"m","id":"${long}"}`, undefined],
    ['nothing', '', undefined],
    ['what is no JSON', '}}{"id":1,:,]', undefined],
  ])('reads %s', (_, text, id) => {
    expect(scanRequestId(text)).toBe(id)
  })
})
