/** An address as a number, and the number of its bits. */
export interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

export interface Range {
  readonly bits: 32 | 128
  readonly first: bigint
  readonly last: bigint
}

const v4 = (text: string): bigint => text.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n)

const range4 = (first: string, last: string): Range => ({ bits: 32, first: v4(first), last: v4(last) })

/** The addresses that begin with the first `prefix` bits of these groups of 16 bits. */
function range6(groups: readonly number[], prefix: number): Range {
  const whole = groups.reduce((value, group, index) => value + (BigInt(group) << BigInt(112 - 16 * index)), 0n)
  const rest = 1n << BigInt(128 - prefix)
  const first = (whole / rest) * rest
  return { bits: 128, first, last: first + rest - 1n }
}

/**
 * Special ranges according to the registries at https://www.iana.org/assignments (iana-ipv4-special-registry, iana-ipv6-special-registry,
 * multicast-addresses, ipv6-address-space), written as first and last address. Entries that are marked as globally reachable are special
 * too: they are anycast services of the network, which serve no files.
 */
export const specialRanges: readonly Range[] = [
  range4('0.0.0.0', '0.255.255.255'),
  range4('10.0.0.0', '10.255.255.255'),
  range4('100.64.0.0', '100.127.255.255'),
  range4('127.0.0.0', '127.255.255.255'),
  range4('168.63.129.16', '168.63.129.16'),
  range4('169.254.0.0', '169.254.255.255'),
  range4('172.16.0.0', '172.31.255.255'),
  range4('192.0.0.0', '192.0.0.255'),
  range4('192.0.2.0', '192.0.2.255'),
  range4('192.31.196.0', '192.31.196.255'),
  range4('192.52.193.0', '192.52.193.255'),
  range4('192.88.99.0', '192.88.99.255'),
  range4('192.168.0.0', '192.168.255.255'),
  range4('192.175.48.0', '192.175.48.255'),
  range4('198.18.0.0', '198.19.255.255'),
  range4('198.51.100.0', '198.51.100.255'),
  range4('203.0.113.0', '203.0.113.255'),
  range4('224.0.0.0', '239.255.255.255'),
  range4('240.0.0.0', '255.255.255.255'),
  // Everything before 2000::, including ::, ::1, compatible, mapped and translated addresses, NAT64 and discarded ones.
  { bits: 128, first: 0n, last: (0x2000n << 112n) - 1n },
  range6([0x64, 0xff9b], 96),
  range6([0x64, 0xff9b, 1], 48),
  range6([0x100], 64),
  range6([0x2001], 23),
  range6([0x2001, 0], 32),
  range6([0x2001, 2], 48),
  range6([0x2001, 0x20], 28),
  range6([0x2001, 0xdb8], 32),
  range6([0x2002], 16),
  range6([0x2620, 0x4f, 0x8000], 48),
  range6([0x3fff], 20),
  // Everything from 4000:: on: unassigned addresses, segment routing (5f00::/16), unique local, link-local, site-local and multicast
  // addresses.
  { bits: 128, first: 0x4000n << 112n, last: (1n << 128n) - 1n },
  range6([0xfc00], 7),
  range6([0xfe80], 10),
  range6([0xff00], 8),
]

export function isSpecial({ bits, value }: Address): boolean {
  return specialRanges.some((range) => range.bits === bits && range.first <= value && value <= range.last)
}
