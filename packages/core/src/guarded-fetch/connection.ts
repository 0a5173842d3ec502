import { lookup as systemLookup } from 'node:dns/promises'
import { once } from 'node:events'
import { BlockList, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as secure, type TLSSocket } from 'node:tls'
import { ToolError } from '../errors.ts'
import { notConnected, notLookedUp, notPublic, unreachable, untrusted } from './refusals.ts'
import type { Rules, Target } from './target.ts'
import { unlessAborted, within } from './time-limit.ts'

/** One answer of the name service. */
export interface AddressRecord {
  readonly address: string
}

/** Asks the name service for all addresses of a name. */
export type Lookup = (name: string) => Promise<readonly AddressRecord[]>

/** Opens a connection to one of the addresses that `lookup` in the options gives. */
export type Connect = (options: TcpNetConnectOpts) => Socket

/** How connections are made. */
export interface Wiring {
  readonly rules: Rules
  readonly lookup: Lookup
  readonly connect: Connect
  /** Certificates of authorities in place of those that Node trusts, as PEM. */
  readonly authorities: string | undefined
  /** Longest time until a connection stands, in milliseconds: name service, TCP and TLS together. */
  readonly connectMs: number
}

export const systemRecords: Lookup = (name) => systemLookup(name, { all: true, order: 'verbatim' })

/**
 * A connection on which nothing of a request has been sent, to an address that was checked before and after it was opened; with TLS,
 * the certificate was verified for the name in the URL. Throws `InvalidInput` when any address of the host is not public.
 */
export function connection(target: Target, wiring: Wiring, signal: AbortSignal | undefined): Promise<Socket> {
  const ms = wiring.connectMs
  return within({ ms, late: () => notConnected(ms), signal }, async (limit) => {
    const addresses = await addressesOf(target, wiring, limit)
    const socket = await opened(target, { ...wiring, addresses, signal: limit })
    return target.secure ? await secured(socket, target, { ...wiring, signal: limit }) : socket
  })
}

async function addressesOf(target: Target, { rules, lookup }: Wiring, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(target.host) !== 0) return [target.host]
  const records = await unlessAborted(lookup(target.host), signal).catch((error: unknown) => {
    throw isUnknownName(error) ? notPublic(target.subject) : notLookedUp()
  })
  const addresses = records.map(({ address }) => address)
  // One bad record among good ones is enough, as nobody can say which of them the next connection would take.
  if (addresses.length === 0 || !(target.allowed || addresses.every(rules.isPublic))) throw notPublic(target.subject)
  return addresses
}

function isUnknownName(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')
}

interface Opening extends Wiring {
  readonly addresses: readonly string[]
  readonly signal: AbortSignal
}

async function opened(target: Target, { connect, addresses, signal }: Opening): Promise<Socket> {
  const lookup: LookupFunction = (_name, _options, callback) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )
  }
  const socket = connect({ host: target.host, port: target.port, lookup, autoSelectFamily: true })
  // An error may come again when nobody waits any more, and would end the process.
  socket.on('error', () => undefined)
  try {
    await once(socket, 'connect', { signal })
    const reached = socket.remoteAddress
    if (reached === undefined) throw unreachable()
    if (!isOneOf(addresses, reached)) throw notPublic(target.subject)
    return socket
  } catch (error) {
    socket.destroy()
    throw error instanceof ToolError ? error : unreachable()
  }
}

/** Compares addresses by value; the zone of a link-local one says only which way out it takes. */
function isOneOf(addresses: readonly string[], address: string): boolean {
  const checked = new BlockList()
  const family = (text: string) => (isIP(text) === 6 ? 'ipv6' : 'ipv4')
  const bare = (text: string) => text.replace(/%.*$/, '')
  for (const text of addresses.map(bare)) checked.addAddress(text, family(text))
  return checked.check(bare(address), family(bare(address)))
}

interface Securing extends Wiring {
  readonly signal: AbortSignal
}

async function secured(socket: Socket, { host }: Target, { authorities, signal }: Securing): Promise<TLSSocket> {
  const tls = secure({
    socket,
    host,
    // A name is sent and compared; an address is compared alone (RFC 6066 §3).
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    // Said, because NODE_TLS_REJECT_UNAUTHORIZED=0 would decide otherwise.
    rejectUnauthorized: true,
    ...(authorities !== undefined && { ca: authorities }),
  })
  tls.on('error', () => undefined)
  try {
    await once(tls, 'secureConnect', { signal })
    return tls
  } catch {
    const refused = Boolean(tls.authorizationError)
    tls.destroy()
    socket.destroy()
    throw refused ? untrusted() : unreachable()
  }
}
