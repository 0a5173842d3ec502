import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { ReadableStream } from 'node:stream/web'
import { withTimeout } from '../../base/async.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Mention } from '../../errors/message.ts'
import { parseAllowedHosts } from './allowed-hosts.ts'
import { openConnection, type Connect, type ConnectionOptions, type NameLookup, lookupAll } from './connection.ts'
import { insecureRedirect, responseTimedOut, tooManyRedirects, unsupportedCoding } from './refusals.ts'
import { checkPartHeaders, type PartHeaders, sendRequest, streamBody } from './response.ts'
import { isPublicAddress, parseTarget, type FetchTarget } from './address-rules.ts'

export type { PartHeaders } from './response.ts'
export type { AddressRecord, Connect, NameLookup } from './connection.ts'

/** Limits on a source, in milliseconds and bytes. The total time has no limit. */
export interface SourceLimits {
  /** Timeout for making a connection ready: DNS, TCP and TLS. */
  readonly connectMs: number
  /** Timeout from the call until the last response's headers, including all look-ups, connections and redirects. */
  readonly headersMs: number
  /** Timeout for each wait for the next byte. */
  readonly idleMs: number
  /** Maximum number of redirects to follow. */
  readonly redirects: number
  /** Maximum number of bytes of content to read. */
  readonly maxBytes: number
}

export interface GuardedFetchOptions {
  /** Hosts that may be fetched even though they are not public, as `host` (on every port) or `host:port`. */
  readonly allowPrivate?: readonly string[]
  /** The setting with which the operator allows those hosts; `--allow-private-urls` by default. */
  readonly setting?: Mention
  /** Ports allowed on all other hosts. */
  readonly ports?: readonly number[]
  /** By default 10, 30 and 60 seconds, 5 redirects and any number of bytes. */
  readonly limits?: Partial<SourceLimits>
  /** The resolver; the system's by default. */
  readonly lookup?: NameLookup
  /** Opens connections; `net.connect` by default. The remote address is checked afterwards. */
  readonly connect?: Connect
  /** PEM certificate authorities to trust instead of Node's. */
  readonly authorities?: string
  readonly clock?: Clock
}

export interface GuardedResponse {
  readonly status: number
  readonly headers: Headers
  /** The content's address after all redirects. */
  readonly url: string
  /**
   * The content as sent, never decompressed, and read only on demand; read or cancel it. Empty unless the status is 2xx. Fails with
   * `Unavailable` if the source stalls or disconnects, and with `TooLarge` past the limit.
   */
  readonly body: ReadableStream<Uint8Array>
}

export interface GuardedRequest {
  readonly signal?: AbortSignal | undefined
  readonly headers?: PartHeaders
}

export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedResponse>

/**
 * A fetch (GET) for untrusted URLs. It reaches public addresses only: the URL's text, every DNS record of its host and the connection's
 * remote address are checked before a byte is sent, and again for each redirect. It sends no credentials or cookies, accepts no compressed
 * content, ignores the environment's proxy and keeps no connection open.
 *
 * It resolves with any status that is not a redirect. It throws `InvalidInput` for a URL that must not be fetched, `Unavailable` for a
 * server that does not answer, and the signal's reason if the caller gives up. No message reveals a host's addresses or services.
 */
export function guardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const limits = { connectMs: 10_000, headersMs: 30_000, idleMs: 60_000, redirects: 5, maxBytes: Infinity, ...options.limits }
  const { clock = systemClock } = options
  const connection: ConnectionOptions = {
    rules: {
      isAllowed: parseAllowedHosts(options.allowPrivate ?? []),
      setting: options.setting ?? { option: '--allow-private-urls' },
      ports: options.ports ?? [80, 443],
      isPublic: isPublicAddress,
    },
    lookup: options.lookup ?? lookupAll,
    connect: options.connect ?? connect,
    authorities: options.authorities,
    connectMs: limits.connectMs,
    clock,
  }
  return async (text, { signal, headers = {} } = {}) => {
    const context = { connection, limits, headers: checkPartHeaders(headers), signal }
    const target = parseTarget(text, connection.rules)
    const timeout = { ms: limits.headersMs, reason: () => responseTimedOut(limits.headersMs), signal, clock }
    return withTimeout(timeout, (scope) => fetchWithRedirects(target, context, scope.signal))
  }
}

interface FetchContext {
  readonly connection: ConnectionOptions
  readonly limits: SourceLimits
  readonly headers: Readonly<Record<string, string>>
  /** The caller's signal; it also ends the body. */
  readonly signal: AbortSignal | undefined
}

async function fetchWithRedirects(first: FetchTarget, context: FetchContext, signal: AbortSignal): Promise<GuardedResponse> {
  const { connection, limits } = context
  const visited: string[] = []
  let target = first
  for (;;) {
    const result = await fetchOnce(target, context, signal)
    if (!('location' in result)) return result
    visited.push(target.url.href)
    const next = parseTarget(result.location, connection.rules, target.url)
    if (target.isSecure && !next.isSecure) throw insecureRedirect()
    if (visited.length > limits.redirects || visited.includes(next.url.href)) throw tooManyRedirects()
    target = next
  }
}

async function fetchOnce(
  target: FetchTarget,
  context: FetchContext,
  signal: AbortSignal,
): Promise<GuardedResponse | { readonly location: string }> {
  const { connection, limits, headers } = context
  const socket = await openConnection(target, connection, signal)
  try {
    const message = await sendRequest(socket, target.url, headers, signal)
    const { statusCode: status = 0 } = message
    const location = redirectLocation(status, message)
    // Node decodes only this transfer coding.
    const isDecoded = (message.headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase() === 'chunked'
    const isSuccess = status >= 200 && status < 300
    if (!isSuccess) socket.destroy()
    else if (!isDecoded) throw unsupportedCoding()
    if (location !== undefined) return { location }
    const body = isSuccess
      ? streamBody(message, { socket, ...limits, signal: context.signal, clock: connection.clock })
      : ReadableStream.from<Uint8Array>([])
    return { status, headers: toHeaders(message), url: target.url.href, body }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** A redirect's target (https://www.rfc-editor.org/rfc/rfc9110#name-redirection-3xx); undefined for any other response. */
function redirectLocation(status: number, message: IncomingMessage): string | undefined {
  const { location } = message.headers
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  // Node reads headers as Latin-1; browsers also accept UTF-8.
  return Buffer.from(location, 'latin1').toString()
}

function toHeaders(message: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(message.headersDistinct)) for (const value of values) headers.append(name, value)
  return headers
}
