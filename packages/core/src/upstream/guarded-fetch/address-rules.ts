import { BlockList, isIP } from 'node:net'
import type { AllowedHosts } from './allowed-hosts.ts'
import { credentialsInUrl, forbiddenPort, invalidUrl, notPublic, type Refused, type Subject, unsupportedScheme } from './refusals.ts'

export interface FetchRules {
  readonly isAllowed: AllowedHosts
  /** The setting with which the operator allows hosts. */
  readonly setting: Refused['setting']
  readonly ports: readonly number[]
  readonly isPublic: (address: string) => boolean
}

/** A URL that may be fetched, judging by its text, before its host is looked up. */
export interface FetchTarget extends Refused {
  readonly url: URL
  /** The name to look up, or the address without brackets. */
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
  /** True if the operator allowed the host, so its addresses need not be public. */
  readonly isAllowed: boolean
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Names that are internal everywhere: RFC 6761, RFC 6762, RFC 8375, and `.internal`, which ICANN reserves. */
const internalName = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/

/** Names with at least two parts; shorter names have meaning only inside a network. */
const qualifiedName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/

/**
 * A URL's target; a redirect URL may be relative to `base`. Everything is checked after parsing, because the parser turns decimal, octal,
 * percent-encoded and full-width spellings of a host into one. Throws `InvalidInput`.
 */
export function parseTarget(text: string, rules: FetchRules, base?: URL): FetchTarget {
  const subject: Subject = base ? 'The address that the URL redirects to' : 'The URL'
  const url = URL.parse(text, base?.href)
  if (!url) throw invalidUrl(subject)
  const defaultPort = defaultPorts[url.protocol]
  if (defaultPort === undefined) throw unsupportedScheme(subject)
  if (url.username !== '' || url.password !== '') throw credentialsInUrl(subject)
  url.hash = ''
  // A full name's trailing dot matters only to a resolver: certificates and `Host` omit it.
  url.hostname = url.hostname.replace(/\.$/, '')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? defaultPort : Number(url.port)
  const target = { url, subject, setting: rules.setting, host, port, isSecure: url.protocol === 'https:' }
  if (rules.isAllowed(url.hostname, port)) return { ...target, isAllowed: true }
  if (isIP(host) === 0 ? !qualifiedName.test(host) || internalName.test(host) : !rules.isPublic(host)) throw notPublic(target)
  if (!rules.ports.includes(port)) throw forbiddenPort(target, rules.ports)
  return { ...target, isAllowed: false }
}

/**
 * IPv4 addresses that are not public: those in https://www.iana.org/assignments/iana-ipv4-special-registry, multicast, and one in Azure.
 */
const specialV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Numerically a public address, but inside Azure it reaches the machine's host:
  // https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
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

/** The global unicast part of IPv6; mapped, compatible, translated, unique local and link-local addresses are outside it. */
const globalV6 = ['2000::', 3] as const

/**
 * Special ranges in the global part: https://www.iana.org/assignments/iana-ipv6-special-registry (Teredo, 6to4, benchmarks, documentation).
 */
const specialV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const

interface AddressLists {
  readonly special: BlockList
  readonly global: BlockList
}

/** Shared by the whole process: a multi-user server has a fetch for each person. */
let lists: AddressLists | undefined

function createLists(): AddressLists {
  const special = new BlockList()
  for (const [net, prefix] of specialV4) special.addSubnet(net, prefix, 'ipv4')
  for (const [net, prefix] of specialV6) special.addSubnet(net, prefix, 'ipv6')
  const global = new BlockList()
  global.addSubnet(...globalV6, 'ipv6')
  return { special, global }
}

/**
 * True if an address is reachable from anywhere on the internet; false for anything that is not an address. IPv6 addresses that embed an
 * IPv4 address never count as public.
 */
export function isPublicAddress(address: string): boolean {
  const { special, global } = (lists ??= createLists())
  const family = isIP(address)
  if (family === 4) return !special.check(address, 'ipv4')
  return family === 6 && !address.includes('%') && global.check(address, 'ipv6') && !special.check(address, 'ipv6')
}
