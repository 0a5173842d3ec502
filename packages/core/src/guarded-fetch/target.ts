import { isIP } from 'node:net'
import type { AllowedHosts } from './allowed-hosts.ts'
import { credentialsInUrl, malformed, notPublic, otherPort, otherScheme, type Subject } from './refusals.ts'

/** What may be fetched, before any name is looked up. */
export interface Rules {
  readonly allowed: AllowedHosts
  readonly ports: readonly number[]
  readonly isPublic: (address: string) => boolean
}

/** One place to fetch from: a URL whose text is allowed. */
export interface Target {
  readonly url: URL
  /** Who the messages speak of. */
  readonly subject: Subject
  /** The name to look up, or the address itself without brackets. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
  /** Whether its host was allowed by name, so that its addresses need not be public. */
  readonly allowed: boolean
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Names that mean the inside wherever they are asked: RFC 6761, RFC 6762, RFC 8375, and `.internal`, which ICANN keeps free for it. */
const insideNames = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/

/** Names of at least two parts; others mean something only inside a network. */
const fullName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/

/**
 * The target that a text means; for a redirect it may be relative to `base`. Everything is judged after parsing, as the parser
 * brings decimal, octal, percent-encoded and full-width spellings of a host into one. Throws `InvalidInput`.
 */
export function targetOf(text: string, rules: Rules, base?: URL): Target {
  const subject: Subject = base ? 'The place that the URL redirects to' : 'The URL'
  const url = URL.parse(text, base?.href)
  if (!url) throw malformed(subject)
  const defaultPort = defaultPorts[url.protocol]
  if (defaultPort === undefined) throw otherScheme(subject)
  if (url.username !== '' || url.password !== '') throw credentialsInUrl(subject)
  url.hash = ''
  // The dot that ends a full name belongs to the look-up alone: certificates and `Host` have none.
  url.hostname = url.hostname.replace(/\.$/, '')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? defaultPort : Number(url.port)
  const target = { url, subject, host, port, secure: url.protocol === 'https:' }
  if (rules.allowed(url.hostname, port)) return { ...target, allowed: true }
  if (isIP(host) === 0 ? !fullName.test(host) || insideNames.test(host) : !rules.isPublic(host)) throw notPublic(subject)
  if (!rules.ports.includes(port)) throw otherPort(subject, rules.ports)
  return { ...target, allowed: false }
}
