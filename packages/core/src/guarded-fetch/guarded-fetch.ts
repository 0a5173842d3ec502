import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { ReadableStream } from 'node:stream/web'
import { parseAllowedHosts } from './allowed-hosts.ts'
import { answer, partHeaders, type PartHeaders } from './answer.ts'
import { connection, systemRecords, type Connect, type Lookup, type Wiring } from './connection.ts'
import { content } from './content.ts'
import { publicAddresses } from './public-addresses.ts'
import { downgrade, encoded, silent, tooManyRedirects } from './refusals.ts'
import { targetOf, type Target } from './target.ts'
import { within } from './time-limit.ts'

export type { PartHeaders } from './answer.ts'
export type { AddressRecord, Connect, Lookup } from './connection.ts'

/** How long a source may take, in milliseconds, and how much it may send. There is no limit on the time of the whole. */
export interface SourceLimits {
  /** Until a connection stands: name service, TCP and TLS. */
  readonly connectMs: number
  /** From the call until the headers of the last answer have arrived, however many look-ups, connections and redirects lie between. */
  readonly headersMs: number
  /** Without a byte while somebody waits for one. */
  readonly idleMs: number
  /** How many redirects are followed. */
  readonly redirects: number
  /** How many bytes of content are read. */
  readonly maxBytes: number
}

export interface GuardedFetchOptions {
  /** Hosts that may be fetched although they are not public, as `host` (on every port) or `host:port`. */
  readonly allowPrivate?: readonly string[]
  /** Ports of all other hosts. */
  readonly ports?: readonly number[]
  /** 10, 30 and 60 seconds, 5 redirects and no limit on bytes unless said otherwise. */
  readonly limits?: Partial<SourceLimits>
  /** The name service; the system's unless given. */
  readonly lookup?: Lookup
  /** What opens connections; `net.connect` unless given. Where it leads is checked afterwards. */
  readonly connect?: Connect
  /** Certificate authorities in place of those that Node trusts, as PEM. */
  readonly authorities?: string
}

/** What a source answered. */
export interface GuardedResponse {
  readonly status: number
  readonly headers: Headers
  /** Where the content was found, after all redirects. */
  readonly url: string
  /**
   * The content as it was sent, never decompressed, and read no faster than it is asked for; to be read or cancelled. Of an answer
   * that is no success (2xx) it is empty. It ends with `Unavailable` when the source stops or breaks off, with `TooLarge` past the limit.
   */
  readonly body: ReadableStream<Uint8Array>
}

export interface GuardedRequest {
  readonly signal?: AbortSignal | undefined
  readonly headers?: PartHeaders
}

export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedResponse>

/**
 * A fetch (GET) for URLs that a stranger gave. It reaches public addresses only: the text of the URL, every record of its host and
 * the address at the other end of the connection are checked before a byte is sent, and again for each redirect. It sends no
 * credentials, no cookies and no compressed-content offer, uses no proxy of the environment and keeps no connection.
 *
 * It resolves with any status that is no redirect and throws `InvalidInput` for a URL that must not be fetched, `Unavailable` for a
 * server that does not answer, and the signal's reason when the caller gives up. No message tells what a host resolves to or runs.
 */
export function guardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const rules = { allowed: parseAllowedHosts(options.allowPrivate ?? []), ports: options.ports ?? [80, 443], isPublic: publicAddresses() }
  const limits = { connectMs: 10_000, headersMs: 30_000, idleMs: 60_000, redirects: 5, maxBytes: Infinity, ...options.limits }
  const wiring: Wiring = {
    rules,
    lookup: options.lookup ?? systemRecords,
    connect: options.connect ?? connect,
    authorities: options.authorities,
    connectMs: limits.connectMs,
  }
  return async (text, { signal, headers = {} } = {}) => {
    const sent = partHeaders(headers)
    const first = targetOf(text, rules)
    const late = () => silent(limits.headersMs)
    return within({ ms: limits.headersMs, late, signal }, (limit) => followed(first, { wiring, limits, headers: sent, signal, limit }))
  }
}

/** The answer at the end of all redirects. */
async function followed(first: Target, fetching: Exchange): Promise<GuardedResponse> {
  const { wiring, limits } = fetching
  const visited: string[] = []
  let target = first
  for (;;) {
    const outcome = await exchange(target, fetching)
    if (!('location' in outcome)) return outcome
    visited.push(target.url.href)
    const next = targetOf(outcome.location, wiring.rules, target.url)
    if (target.secure && !next.secure) throw downgrade()
    if (visited.length > limits.redirects || visited.includes(next.url.href)) throw tooManyRedirects()
    target = next
  }
}

interface Exchange {
  readonly wiring: Wiring
  readonly limits: SourceLimits
  readonly headers: Readonly<Record<string, string>>
  /** The caller's, which ends the content too. */
  readonly signal: AbortSignal | undefined
  /** Ends when the headers are late. */
  readonly limit: AbortSignal
}

interface Redirect {
  readonly location: string
}

async function exchange(target: Target, { wiring, limits, headers, signal, limit }: Exchange): Promise<GuardedResponse | Redirect> {
  const socket = await connection(target, wiring, limit)
  try {
    const message = await answer(socket, { target, headers, signal: limit })
    const { statusCode: status = 0 } = message
    const location = redirectOf(status, message)
    const success = status >= 200 && status < 300
    if (!success) socket.destroy()
    else if (isEncoded(message)) throw encoded()
    if (location !== undefined) return { location }
    const body = success ? content(message, { socket, ...limits, signal }) : ReadableStream.from<Uint8Array>([])
    return { status, headers: headersOf(message), url: target.url.href, body }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** Whether bytes were made of the content for the way, other than by cutting it into chunks, which are undone. */
function isEncoded({ headers: { 'transfer-encoding': coding = 'chunked' } }: IncomingMessage): boolean {
  return coding.trim().toLowerCase() !== 'chunked'
}

/** Where a redirect leads (https://www.rfc-editor.org/rfc/rfc9110#name-redirection-3xx); undefined for every other answer. */
function redirectOf(status: number, message: IncomingMessage): string | undefined {
  const { location } = message.headers
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  // Node reads headers as Latin-1; what browsers accept beyond ASCII is UTF-8.
  return Buffer.from(location, 'latin1').toString()
}

function headersOf(message: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(message.headersDistinct)) for (const value of values) headers.append(name, value)
  return headers
}
