import { lookup as systemLookup } from 'node:dns/promises'
import { once } from 'node:events'
import { BlockList, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { raceAbort, withTimeout } from '../../base/async.ts'
import type { Clock } from '../../base/clock.ts'
import { ToolError } from '../../errors/errors.ts'
import { withReadBuffer } from './read-buffer.ts'
import { connectionTimedOut, invalidCertificate, lookupFailed, notPublic, unreachable } from './refusals.ts'
import type { FetchRules, FetchTarget } from './address-rules.ts'

/** One of a host name's addresses, as the resolver returns it. */
export interface AddressRecord {
  readonly address: string
}

/** Asks the resolver for all addresses of a host name. */
export type NameLookup = (name: string) => Promise<readonly AddressRecord[]>

/** Opens a connection to one of the addresses that the options' `lookup` returns. */
export type Connect = (options: TcpNetConnectOpts) => Socket

export interface ConnectionOptions {
  readonly rules: FetchRules
  readonly lookup: NameLookup
  readonly connect: Connect
  /** PEM certificate authorities to trust instead of Node's. */
  readonly authorities: string | undefined
  /** Timeout, in milliseconds, for making a connection ready: DNS, TCP and TLS together. */
  readonly connectMs: number
  readonly clock: Clock
}

export const lookupAll: NameLookup = (name) => systemLookup(name, { all: true, order: 'verbatim' })

/**
 * Opens a connection to an address that is checked before and after connecting; with TLS, the certificate is verified for the URL's host
 * name. Throws `InvalidInput` if any of the host's addresses is not public.
 */
export function openConnection(target: FetchTarget, options: ConnectionOptions, signal: AbortSignal): Promise<Socket> {
  const { connectMs: ms, clock } = options
  return withTimeout({ ms, reason: () => connectionTimedOut(ms), signal, clock }, async (timeout) => {
    const addresses = await lookUpAddresses(target, options, timeout.signal)
    const socket = await connectTcp(target, addresses, options.connect, timeout.signal)
    return target.isSecure ? await startTls(socket, target, options.authorities, timeout.signal) : socket
  })
}

async function lookUpAddresses(target: FetchTarget, { rules, lookup }: ConnectionOptions, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(target.host) !== 0) return [target.host]
  const records = await raceAbort(lookup(target.host), signal).catch((error: unknown) => {
    throw isUnknownName(error) ? notPublic(target) : lookupFailed()
  })
  const addresses = records.map(({ address }) => address)
  // One bad record is reason enough to refuse: the next connection could use any of them.
  if (addresses.length === 0 || !(target.isAllowed || addresses.every(rules.isPublic))) throw notPublic(target)
  return addresses
}

function isUnknownName(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')
}

async function connectTcp(target: FetchTarget, addresses: readonly string[], connect: Connect, signal: AbortSignal): Promise<Socket> {
  const lookup: LookupFunction = (_name, _options, callback) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )
  }
  const options = { host: target.host, port: target.port, lookup, autoSelectFamily: true }
  // With TLS, the TLS connection on top owns the buffer.
  const socket = target.isSecure ? connect(options) : withReadBuffer((reading) => connect({ ...options, ...reading }))
  // A later error without a listener would crash the process.
  socket.on('error', () => undefined)
  try {
    await once(socket, 'connect', { signal })
    const peer = socket.remoteAddress
    if (peer === undefined) throw unreachable()
    if (!includesAddress(addresses, peer)) throw notPublic(target)
    return socket
  } catch (error) {
    socket.destroy()
    throw error instanceof ToolError ? error : unreachable()
  }
}

/** Compares addresses by value. A link-local address's zone is ignored: it only names a network interface. */
function includesAddress(addresses: readonly string[], address: string): boolean {
  const list = new BlockList()
  const family = (text: string) => (isIP(text) === 6 ? 'ipv6' : 'ipv4')
  const withoutZone = (text: string) => text.split('%', 1)[0] ?? text
  for (const text of addresses.map(withoutZone)) list.addAddress(text, family(text))
  return list.check(withoutZone(address), family(withoutZone(address)))
}

async function startTls(socket: Socket, { host }: FetchTarget, authorities: string | undefined, signal: AbortSignal): Promise<TLSSocket> {
  const options = {
    socket,
    host,
    // An address must not be sent as a server name (RFC 6066 §3).
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise turn it off.
    rejectUnauthorized: true,
    ...(authorities !== undefined && { ca: authorities }),
  }
  const tls = withReadBuffer((reading) => connectTls({ ...options, ...reading }))
  tls.on('error', () => undefined)
  try {
    await once(tls, 'secureConnect', { signal })
    return tls
  } catch {
    const isUntrusted = Boolean(tls.authorizationError)
    tls.destroy()
    socket.destroy()
    throw isUntrusted ? invalidCertificate() : unreachable()
  }
}
