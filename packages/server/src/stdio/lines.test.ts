import { describe, expect, it } from 'vitest'
import { LineReader, type Line } from './lines.ts'
import { forSeeds } from './test/random.ts'

function read(limit: number, chunks: readonly Uint8Array[]): Line[] {
  const reader = new LineReader(limit)
  return [...chunks.flatMap((chunk) => [...reader.read(chunk)]), ...reader.end()]
}

const text = (line: string): Line => ({ kind: 'text', text: line })

describe('lines', () => {
  it('are the same however the bytes are cut', () => {
    forSeeds(5000, (random) => {
      const limit = 40
      const lines = Array.from({ length: random.upTo(5) }, () =>
        random.pick(JSON.stringify(random.json(2)), random.text().replaceAll('\n', '')),
      )
      const ending = random.pick('\n', '\r\n')
      const bytes = Buffer.from(lines.join(ending) + random.pick('', ending))
      const expected = bytes
        .toString()
        .split('\n')
        .flatMap((line): Line['kind'][] => (Buffer.byteLength(line) > limit ? ['too_long'] : line.trim() === '' ? [] : ['text']))
      const whole = read(limit, [bytes])
      expect(whole.map(({ kind }) => kind)).toEqual(expected)
      expect(read(limit, random.chunks(bytes))).toEqual(whole)
    })
  })

  it('may have exactly the limit in bytes, whatever that is in characters', () => {
    expect(read(6, [Buffer.from('äöü\nabcdef\näöüx\nabcdefg\nok\n')])).toEqual([
      text('äöü'),
      text('abcdef'),
      { kind: 'too_long', id: undefined },
      { kind: 'too_long', id: undefined },
      text('ok'),
    ])
  })

  it('that are too long are known by the id of their request, and do no harm to the next', () => {
    const request = (id: number) => `{"jsonrpc":"2.0","method":"m","params":"${'x'.repeat(50)}","id":${id}}`
    const chunks = Array.from(Buffer.from(`${request(1)}\n${request(2)}\nok`), (byte) => Uint8Array.of(byte))
    expect(read(20, chunks)).toEqual([{ kind: 'too_long', id: 1 }, { kind: 'too_long', id: 2 }, text('ok')])
  })

  it('without anything in them are none', () => {
    expect(read(9, [Buffer.from('\n\r\n \t \n'), Buffer.from('')])).toEqual([])
  })
})
