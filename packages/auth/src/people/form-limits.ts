import type { Clock } from '@mcp-toolkits/core/clock'

/** How many forms may be sent to one replica in a minute: from one client address, and by all together. */
const maxFormsPerAddress = 60
const maxForms = 3_000

const windowMs = 60_000

/**
 * Whether one more form may be sent: everyone can send one, and each time something is stored for ten minutes. The connection is that of
 * the proxy, so an address is what the proxy has added to `X-Forwarded-For`; where it adds none, only all forms together are limited.
 */
export function formLimits(clock: Pick<Clock, 'monotonic'>): (request: Pick<Request, 'headers'>) => boolean {
  let [startedAt, total] = [clock.monotonic(), 0]
  const counts = new Map<string, number>()
  return ({ headers }) => {
    const now = clock.monotonic()
    if (now - startedAt >= windowMs) {
      ;[startedAt, total] = [now, 0]
      counts.clear()
    }
    // What stands before the last one is what the client itself says.
    const address = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
    const ofAddress = counts.get(address) ?? 0
    if (total >= maxForms || (address !== '' && ofAddress >= maxFormsPerAddress)) return false
    counts.set(address, ofAddress + 1)
    total += 1
    return true
  }
}
