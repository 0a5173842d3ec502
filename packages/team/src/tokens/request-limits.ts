import { AsyncLocalStorage } from 'node:async_hooks'
import { isIPv6 } from 'node:net'
import type { Clock } from '@mcp-toolkits/core/base'

/** Maximum number of uses per minute on one replica: from one client address, and in total. */
export interface AddressLimits {
  readonly perAddress: number
  readonly total: number
}

/** Limits per minute on one replica for requests that anyone can make, documented in docs/people.md and docs/authorization-server.md. */
export const requestLimits = {
  /** Each submission is stored for ten minutes. */
  forms: { perAddress: 60, total: 3_000 },
  /**
   * Unused clients expire after an hour, so this caps their number, and a single address cannot use up the total. Only a sign-in by
   * someone in the company marks a client as used.
   */
  registrations: { perAddress: 10, total: 600 },
  /** Authorization requests from browsers: each stores a record for ten minutes. */
  authorizations: { perAddress: 60, total: 3_000 },
  /**
   * Metadata documents of clients that no person uses. Used clients' documents are always fetched, so strangers cannot keep those clients
   * from working.
   */
  unknownDocuments: { perAddress: 20, total: 600 },
} as const satisfies Readonly<Record<string, AddressLimits>>

const windowMs = 60_000

/** Limits form submissions; true if one more may be sent. */
export function formLimits(clock: Pick<Clock, 'monotonic'>): (request: Pick<Request, 'headers'>) => boolean {
  const may = limitRequestsByAddress(clock, requestLimits.forms)
  return ({ headers }) => may(headers.get('x-forwarded-for') ?? '')
}

/**
 * Limits requests; true if one more request may be made within this minute. The connection is the proxy's, so the address is the one the
 * proxy adds to `X-Forwarded-For`. If the proxy adds no address (`''`), only the total is limited.
 */
export function limitRequestsByAddress(clock: Pick<Clock, 'monotonic'>, limits: AddressLimits): (forwardedFor: string) => boolean {
  let [startedAt, total] = [clock.monotonic(), 0]
  const counts = new Map<string, number>()
  return (forwardedFor) => {
    const now = clock.monotonic()
    if (now - startedAt >= windowMs) {
      ;[startedAt, total] = [now, 0]
      counts.clear()
    }
    const address = networkOf(forwardedFor)
    const ofAddress = counts.get(address) ?? 0
    if (total >= limits.total || (address !== '' && ofAddress >= limits.perAddress)) return false
    counts.set(address, ofAddress + 1)
    total += 1
    return true
  }
}

const senders = new AsyncLocalStorage<string>()

/** Address of the current request's sender, according to the proxy; empty if the proxy names no address. */
export function currentSender(): string {
  return senders.getStore() ?? ''
}

export function withSender<Result>(forwardedFor: string, answer: () => Result): Result {
  return senders.run(forwardedFor, answer)
}

/** An IPv4 address, or the /64 of an IPv6 address: the owner of one address has that whole network. Empty if the proxy names no address. */
function networkOf(forwardedFor: string): string {
  // Everything before the last address is the client's own claim.
  const last = forwardedFor.split(',').at(-1)?.trim() ?? ''
  const bare = last.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  const [address = ''] = bare.split('%')
  if (!isIPv6(address)) return address.toLowerCase()
  const [left = '', right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [before, after] = [left, right ?? ''].map((groups) => groups.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => '0')
  const groups = [...(before ?? []), ...zeros, ...(after ?? [])]
  const isMappedIPv4 = groups.slice(0, 6).join() === '0,0,0,0,0,ffff'
  return isMappedIPv4 ? groups.slice(6).join(':') : `${groups.slice(0, 4).join(':')}::/64`
}
