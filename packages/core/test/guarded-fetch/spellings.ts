import fc, { type Arbitrary } from 'fast-check'
import { specialRanges, type Address } from './special-ranges.ts'

/** Addresses anywhere, inside the special ranges and just outside them. */
export function address(bits: 32 | 128): Arbitrary<Address> {
  const end = (1n << BigInt(bits)) - 1n
  const ranges = specialRanges.filter((range) => range.bits === bits)
  const within = fc.constantFrom(...ranges).chain(({ first, last }) => fc.bigInt(first, last))
  const atEdge = fc.constantFrom(...ranges).chain(({ first, last }) => fc.constantFrom(first - 1n, first, last, last + 1n))
  const global = bits === 128 ? fc.bigInt(0x2000n << 112n, (0x4000n << 112n) - 1n) : fc.bigInt(v4(1), v4(224))
  return fc
    .oneof(fc.bigInt(0n, end), within, atEdge, global)
    .filter((value) => value >= 0n && value <= end)
    .map((value) => ({ bits, value }))
}

const v4 = (first: number) => BigInt(first) << 24n

/** Number formats of one part of an IPv4 address (https://url.spec.whatwg.org/#concept-ipv4-parser). */
const radix = fc.constantFrom(
  (part: bigint) => part.toString(),
  (part: bigint) => `0x${part.toString(16)}`,
  (part: bigint) => `0X${part.toString(16).toUpperCase()}`,
  (part: bigint) => `0x000${part.toString(16)}`,
  (part: bigint) => `0${part.toString(8)}`,
  (part: bigint) => `000${part.toString(8)}`,
)

const disguises = fc.constantFrom(
  (text: string) => text,
  (text: string) => `${text}.`,
  (text: string) => text.replace(/\d/g, (digit) => `%3${digit}`),
  (text: string) => text.replaceAll('.', '%2E'),
  (text: string) => text.replaceAll('.', '。'),
  (text: string) => text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
)

/** Spellings of an IPv4 address that a URL may contain: one to four parts, the last of which takes the rest of the address. */
export function spellingOfV4({ value }: Address): Arbitrary<string> {
  return fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.array(radix, { minLength: 4, maxLength: 4 }), disguises)
    .map(([count, formats, disguise]) => {
      const bytes = [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n)
      const last = value & ((1n << BigInt(8 * (5 - count))) - 1n)
      const parts = [...bytes.slice(0, count - 1), last]
      return disguise(parts.map((part, index) => formats[index]?.(part) ?? '').join('.'))
    })
}

/** Spellings of an IPv6 address: with some zeros left out, letters of either case, leading zeros, or an IPv4 address at its end. */
export function spellingOfV6({ value }: Address): Arbitrary<string> {
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn)
  const cut = fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 1, max: 8 }))
  return fc.tuple(cut, fc.boolean(), fc.boolean(), fc.boolean()).map(([[from, length], upper, padded, dotted]) => {
    const texts = groups.map((group) => group.toString(16).padStart(padded ? 4 : 0, '0'))
    const low = value & 0xffffffffn
    if (dotted) texts.splice(6, 2, [24n, 16n, 8n, 0n].map((shift) => (low >> shift) & 255n).join('.'))
    const to = Math.min(from + length, dotted ? 6 : 8)
    const zeros = to > from && groups.slice(from, to).every((group) => group === 0n)
    const text = zeros ? `${texts.slice(0, from).join(':')}::${texts.slice(to).join(':')}` : texts.join(':')
    return upper ? text.toUpperCase() : text
  })
}
