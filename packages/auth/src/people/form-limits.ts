import type { Clock } from '@mcp-toolkits/core/clock'

/** How often something may be done on one replica in a minute: from one client address, and by all together. */
export interface AddressLimits {
  readonly perAddress: number
  readonly total: number
}

const forms: AddressLimits = { perAddress: 60, total: 3_000 }

const windowMs = 60_000

/** Whether one more form may be sent: everyone can send one, and each time something is stored for ten minutes. */
export function formLimits(clock: Pick<Clock, 'monotonic'>): (request: Pick<Request, 'headers'>) => boolean {
  const may = limitByAddress(clock, forms)
  return ({ headers }) => may(headers.get('x-forwarded-for') ?? '')
}

/**
 * Whether something may be done once more that everyone can ask for. The connection is that of the proxy, so an address is what the proxy
 * has added to `X-Forwarded-For`; where it adds none (`''`), only all requests together are limited.
 */
export function limitByAddress(clock: Pick<Clock, 'monotonic'>, limits: AddressLimits): (forwardedFor: string) => boolean {
  let [startedAt, total] = [clock.monotonic(), 0]
  const counts = new Map<string, number>()
  return (forwardedFor) => {
    const now = clock.monotonic()
    if (now - startedAt >= windowMs) {
      ;[startedAt, total] = [now, 0]
      counts.clear()
    }
    // What stands before the last one is what the client itself says.
    const address = forwardedFor.split(',').at(-1)?.trim() ?? ''
    const ofAddress = counts.get(address) ?? 0
    if (total >= limits.total || (address !== '' && ofAddress >= limits.perAddress)) return false
    counts.set(address, ofAddress + 1)
    total += 1
    return true
  }
}
