import { BlockList, isIP } from 'node:net'

/** IPv4 that is no stranger's server: https://www.iana.org/assignments/iana-ipv4-special-registry, multicast, and one address of a cloud. */
const specialV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Public by its number, but inside Azure it is the machine's host: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const

/** The part of IPv6 that is given out to networks; mapped, compatible, translated, unique local and link-local addresses lie outside. */
const globalV6 = ['2000::', 3] as const

/** What is special within it: https://www.iana.org/assignments/iana-ipv6-special-registry (Teredo, 6to4, benchmarks, documentation). */
const specialV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const

/**
 * A test for addresses that anybody on the internet can reach: true for those, false for every other text. Addresses that carry an
 * IPv4 address within IPv6 are never public, whatever they carry.
 */
export function publicAddresses(): (address: string) => boolean {
  const special = new BlockList()
  for (const [net, prefix] of specialV4) special.addSubnet(net, prefix, 'ipv4')
  for (const [net, prefix] of specialV6) special.addSubnet(net, prefix, 'ipv6')
  const global = new BlockList()
  global.addSubnet(...globalV6, 'ipv6')
  return (address) => {
    const family = isIP(address)
    if (family === 4) return !special.check(address, 'ipv4')
    return family === 6 && !address.includes('%') && global.check(address, 'ipv6') && !special.check(address, 'ipv6')
  }
}
