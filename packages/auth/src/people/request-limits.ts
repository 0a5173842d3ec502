import type { Clock } from '@mcp-toolkits/core/clock'

/** How often something may be done on one replica in a minute: from one client address, and by all together. */
export interface AddressLimits {
  readonly perAddress: number
  readonly total: number
}

/**
 * What everyone can ask for, and how often in a minute on one replica; docs/people.md and docs/authorization-server.md tell operators.
 */
export const requestLimits = {
  /** Each time something is stored for ten minutes. */
  forms: { perAddress: 60, total: 3_000 },
  /**
   * Unused clients expire after an hour, so this caps their number, and one address cannot use up the total. Only a sign-in by someone
   * of the company marks a client as used.
   */
  registrations: { perAddress: 10, total: 60 },
  /** Browsers that begin an authorization: each time something is stored for ten minutes. */
  authorizations: 600,
  /**
   * Metadata documents of clients that no person uses. The documents of clients that people use are always fetched, so strangers cannot
   * keep those from working.
   */
  unknownDocuments: 120,
} as const satisfies Readonly<Record<string, AddressLimits | number>>

const windowMs = 60_000

/** Whether one more form may be sent from where a request comes from. */
export function formLimits(clock: Pick<Clock, 'monotonic'>): (request: Pick<Request, 'headers'>) => boolean {
  const may = limitRequestsByAddress(clock, requestLimits.forms)
  return ({ headers }) => may(headers.get('x-forwarded-for') ?? '')
}

/**
 * Whether one more request may be made within this minute. The connection is that of the proxy, so an address is what the proxy
 * has added to `X-Forwarded-For`; where it adds none (`''`), only all requests together are limited.
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
    // Everything before the last one is what the client itself claims.
    const address = forwardedFor.split(',').at(-1)?.trim() ?? ''
    const ofAddress = counts.get(address) ?? 0
    if (total >= limits.total || (address !== '' && ofAddress >= limits.perAddress)) return false
    counts.set(address, ofAddress + 1)
    total += 1
    return true
  }
}

/** Whether one more request may be made within this minute, no matter who sends it. */
export function limitRequests(clock: Pick<Clock, 'monotonic'>, perMinute: number): () => boolean {
  let [startedAt, count] = [clock.monotonic(), 0]
  return () => {
    const now = clock.monotonic()
    if (now - startedAt >= windowMs) [startedAt, count] = [now, 0]
    count += 1
    return count <= perMinute
  }
}
