import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineReader, type Line } from './lines.ts'
import { runs } from '../../../../testing/src/runs.ts'
import { cut, cuts, json, texts } from '../../../test/stdio/json-text.ts'

function read(limit: number, chunks: readonly Uint8Array[]): Line[] {
  const reader = new LineReader(limit)
  return [...chunks.flatMap((chunk) => [...reader.read(chunk)]), ...reader.end()]
}

const text = (line: string): Line => ({ kind: 'text', text: line })

describe('LineReader', () => {
  it('reads the same lines however the bytes are cut', () => {
    const limit = 40
    const line = fc.oneof(
      json.map((each) => JSON.stringify(each)),
      texts.map((text) => text.replaceAll('\n', '')),
    )
    const sent = fc.record({ lines: fc.array(line, { maxLength: 5 }), ending: fc.constantFrom('\n', '\r\n'), ended: fc.boolean(), cuts })
    fc.assert(
      fc.property(sent, ({ lines, ending, ended, cuts: at }) => {
        const bytes = Buffer.from(lines.join(ending) + (ended ? ending : ''))
        const expected = bytes
          .toString()
          .split('\n')
          .flatMap((each): Line['kind'][] => (Buffer.byteLength(each) > limit ? ['too_long'] : each.trim() === '' ? [] : ['text']))
        const whole = read(limit, [bytes])
        expect(whole.map(({ kind }) => kind)).toEqual(expected)
        expect(read(limit, cut(bytes, at))).toEqual(whole)
      }),
      { numRuns: runs(5000) },
    )
  })

  it('accepts lines of exactly the limit, in bytes and not in characters', () => {
    expect(read(6, [Buffer.from('äöü\nabcdef\näöüx\nabcdefg\nok\n')])).toEqual([
      text('äöü'),
      text('abcdef'),
      { kind: 'too_long', id: undefined },
      { kind: 'too_long', id: undefined },
      text('ok'),
    ])
  })

  it('reports the request id of a line that is too long, and reads on', () => {
    const request = (id: number) => `{"jsonrpc":"2.0","method":"m","params":"${'x'.repeat(50)}","id":${id}}`
    const chunks = Array.from(Buffer.from(`${request(1)}\n${request(2)}\nok`), (byte) => Uint8Array.of(byte))
    expect(read(20, chunks)).toEqual([{ kind: 'too_long', id: 1 }, { kind: 'too_long', id: 2 }, text('ok')])
  })

  it('skips empty lines', () => {
    expect(read(9, [Buffer.from('\n\r\n \t \n'), Buffer.from('')])).toEqual([])
  })
})
