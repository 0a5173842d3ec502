import { Socket, SocketAddress } from 'node:net'
import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput, Unavailable } from '../../src/errors/errors.ts'
import { guardedFetch, type GuardedFetchOptions } from '../../src/upstream/guarded-fetch/guarded-fetch.ts'
import { isPublicAddress } from '../../src/upstream/guarded-fetch/address-rules.ts'
import { runs } from '../../../testing/src/runs.ts'
import { failure, resolves } from './sources.ts'
import { isSpecial, specialRanges, type Address } from './special-ranges.ts'
import { address, spellingOfV4, spellingOfV6 } from './spellings.ts'

/** Tries a URL in a network without connections; true if it is allowed to connect. */
async function isConnectedTo(url: string, options: GuardedFetchOptions = {}): Promise<boolean> {
  let asked = 0
  const connect = () => {
    asked += 1
    return new Socket().destroy(new Error('There is no network.'))
  }
  const error = await failure(guardedFetch({ ...options, connect })(url))
  expect(error).toBeInstanceOf(asked === 0 ? InvalidInput : Unavailable)
  return asked > 0
}

const spelled = (bits: 32 | 128, spelling: (address: Address) => Arbitrary<string>) =>
  address(bits).chain((value) => fc.tuple(fc.constant(value), spelling(value)))

const plain = ({ bits, value }: Address) =>
  Array.from({ length: bits === 32 ? 4 : 8 }, (_, index) =>
    bits === 32 ? ((value >> BigInt(24 - 8 * index)) & 255n).toString() : ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  ).join(bits === 32 ? '.' : ':')

describe('an address', () => {
  it('of IPv4 is allowed in every spelling when it is public, and in none when it is special', async () => {
    await fc.assert(
      fc.asyncProperty(spelled(32, spellingOfV4), async ([value, text]) => {
        expect(await isConnectedTo(`http://${text}/`)).toBe(!isSpecial(value))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('of IPv6 is allowed in every spelling when it is public, and in none when it is special', async () => {
    await fc.assert(
      fc.asyncProperty(spelled(128, spellingOfV6), async ([value, text]) => {
        expect(await isConnectedTo(`https://[${text}]/`)).toBe(!isSpecial(value))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('is treated the same when a name resolves to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(address(32), address(128)), { minLength: 1, maxLength: 4 }), async (records) => {
        const lookup = resolves(...records.map(plain))
        expect(await isConnectedTo('http://name.example/', { lookup })).toBe(!records.some(isSpecial))
      }),
      { numRuns: runs(500) },
    )
  })

  it('is never public when it carries an IPv4 address within IPv6', () => {
    const prefixes = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2002:', '2001:0:']
    fc.assert(
      fc.property(address(32), fc.constantFrom(...prefixes), (value, prefix) => {
        const hex = value.value.toString(16).padStart(8, '0').replace(/.{4}$/, ':$&')
        const text = prefix.endsWith('::') || prefix.includes('::') ? `${prefix}${hex}` : `${prefix}${hex}::`
        expect(SocketAddress.parse(`[${text}]`)).toBeDefined()
        expect(isPublicAddress(text)).toBe(false)
      }),
    )
  })

  it('is special throughout its range, and public next to it', () => {
    for (const { bits, first, last } of specialRanges) {
      expect([isPublicAddress(plain({ bits, value: first })), isPublicAddress(plain({ bits, value: last }))]).toEqual([false, false])
    }
    const known = ['1.1.1.1', '8.8.8.8', '93.184.216.34', '9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '223.255.255.255']
    const known6 = ['2606:4700:4700::1111', '2a00:1450:4001:82f::200e', '2001:200::1', '2001:db7::1', '2001:db9::1', '2003::1', '2400::1']
    expect([...known, ...known6].filter((text) => !isPublicAddress(text))).toEqual([])
  })

  it('is a text without anything else', () => {
    const others = [
      '',
      'localhost',
      '1.1.1',
      '1.1.1.1.',
      ' 1.1.1.1',
      '01.1.1.1',
      '0x1.1.1.1',
      '[2606:4700::1]',
      '2606:4700::1%lo',
      '1.1.1.1/8',
      '1.1.1.1:80',
    ]
    expect(others.filter(isPublicAddress)).toEqual([])
  })
})
