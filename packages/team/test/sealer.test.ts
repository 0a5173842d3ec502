import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readVaultKeys, vaultKeyId, vaultSealer } from '../src/vault/sealer.ts'

const key = (id: string, bytes = randomBytes(32)) => ({ id, bytes })
const location = 'postgres://db/x'

describe('vault keys', () => {
  it('are ids with 32 bytes each', () => {
    const bytes = randomBytes(32)
    const read = readVaultKeys(` new:${bytes.toString('base64')} , old.1:${Buffer.alloc(32, 1).toString('base64url')}`)
    expect(read.map(({ id }) => id)).toEqual(['new', 'old.1'])
    expect(Buffer.from(read[0]?.bytes ?? []).equals(bytes)).toBe(true)
  })

  it.each([
    ['', 'It contains no key.'],
    [' , ', 'It contains no key.'],
    [randomBytes(32).toString('base64'), 'Key 1 is not written as id:base64.'],
    [`a b:${randomBytes(32).toString('base64')}`, 'Key 1 is not written as id:base64.'],
    [`${'x'.repeat(33)}:${randomBytes(32).toString('base64')}`, 'Key 1 is not written as id:base64.'],
    ['a:secret!', 'Key 1 is not written as id:base64.'],
    [`a:${randomBytes(31).toString('base64')}`, 'The key a has 31 bytes instead of 32.'],
    [`a:${randomBytes(32).toString('base64')},a:${randomBytes(32).toString('base64')}`, 'Two keys have the id a.'],
  ])('are refused when they are written otherwise: %s', (text, problem) => {
    expect(() => readVaultKeys(text)).toThrow(new RangeError(problem))
  })
})

describe('a sealed text', () => {
  const [first, second] = [key('first'), key('second')]
  const sealed = vaultSealer([first], location).seal('Grüße an ada@acme.example', 'row 1')

  it('opens with any of the keys, in its context', () => {
    expect(vaultSealer([second, first], location).open(sealed, 'row 1')).toBe('Grüße an ada@acme.example')
    expect(vaultKeyId(sealed)).toBe('first')
  })

  it('is resealed only if a different key comes first', () => {
    const sealer = vaultSealer([second, first], location)
    const resealed = sealer.reseal(sealed, 'row 1')
    expect(vaultSealer([second], location).open(resealed ?? sealed, 'row 1')).toBe('Grüße an ada@acme.example')
    expect(sealer.reseal(resealed ?? sealed, 'row 1')).toBeUndefined()
  })

  it('differs each time, and shows nothing of the text', () => {
    const again = vaultSealer([first], location).seal('Grüße an ada@acme.example', 'row 1')
    expect(Buffer.from(again).equals(sealed)).toBe(false)
    expect(Buffer.from(sealed).includes('acme')).toBe(false)
  })

  const opener = vaultSealer([first], location)
  it.each([
    [
      'under an unknown key',
      () => vaultSealer([second], location).open(sealed, 'row 1'),
      /sealed with the key first, which is unknown here/,
    ],
    ['under other bytes of the key', () => vaultSealer([key('first')], location).open(sealed, 'row 1'), /does not open with the key first/],
    ['in another context', () => opener.open(sealed, 'row 2'), /does not open with the key first/],
    ['that was never sealed', () => opener.open(Buffer.from('{"plain":true}'), 'row 1'), /not sealed/],
    ['that is empty', () => opener.open(Buffer.alloc(0), 'row 1'), /not sealed/],
  ] as const)('is a problem of the store %s', (_, open, message) => {
    expect(open).toThrow(expect.objectContaining({ code: 'ERR_STORE', problem: 'sealed' }))
    expect(open).toThrow(message)
  })

  it('does not open when any byte was changed', () => {
    const sealer = vaultSealer([first], location)
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
      expect(() => sealer.open(changed, 'row 1'), `byte ${index}`).toThrow(expect.objectContaining({ problem: 'sealed' }))
    }
  })
})

it('digests depend on the secret, and not on the keys', () => {
  const [secret, other] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const digests = [
    vaultSealer([key('a')], location, secret).digest('ada'),
    vaultSealer([key('b'), key('a')], location, secret).digest('ada'),
    vaultSealer([key('a')], location, other).digest('ada'),
    vaultSealer([key('a')], location, secret).digest('bob'),
  ]
  expect(digests[0]).toBe(digests[1])
  expect(new Set(digests).size).toBe(3)
})
