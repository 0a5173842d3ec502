import { RateLimited, type ToolError } from '@mcp-toolkits/core'
import type { Clock } from '@mcp-toolkits/core/clock'
import { retryAfterMs } from '@mcp-toolkits/core/retry'
import type { Hold } from '@mcp-toolkits/core/upstream-limits'

type Head = Pick<Response, 'headers'>

/** How long Linear wants no requests after a response: of this account, or of one document where only its endpoint is limited. */
export function holdsIn(response: Head, error: ToolError | undefined, clock: Clock): readonly Hold[] {
  const isRefused = error instanceof RateLimited
  const endpointMs = quotaMs(response, 'Endpoint-Requests', 1, clock)
  const accountMs = accountQuotaMs(response, isRefused, clock)
  const askedMs = isRefused ? retryAfterMs(response, clock) : undefined
  if (endpointMs > 0) return [{ covers: 'operation', ms: askedMs ?? endpointMs }]
  if (isRefused) return [{ covers: 'account', ms: askedMs ?? (accountMs > 0 ? accountMs : undefined) }]
  return accountMs > 0 ? [{ covers: 'account', ms: accountMs }] : []
}

/** How long to wait after Linear refused a request, in milliseconds; undefined when it does not say. */
export function waitBeforeNext(response: Head, clock: Clock): number | undefined {
  const quotaWaitMs = Math.max(quotaMs(response, 'Endpoint-Requests', 1, clock), accountQuotaMs(response, true, clock))
  return retryAfterMs(response, clock) ?? (quotaWaitMs > 0 ? quotaWaitMs : undefined)
}

function accountQuotaMs(response: Head, isRefused: boolean, clock: Clock): number {
  const points = isRefused ? Number(response.headers.get('X-Complexity') ?? 1) : 1
  return Math.max(quotaMs(response, 'Requests', 1, clock), quotaMs(response, 'Complexity', points, clock))
}

/** Linear counts in hours, so a quota that seems to reset later shows that a clock is wrong. In milliseconds. */
const maxResetMs = 3_600_000

/**
 * How long until a quota holds what a request needs, in milliseconds; 0 when it does, or does not say. One that is used up is left alone
 * until it resets. One that still holds something refills evenly. https://linear.app/developers/rate-limiting
 */
function quotaMs({ headers }: Head, kind: string, needed: number, clock: Clock): number {
  const [limit = NaN, remaining = NaN, reset = NaN] = ['Limit', 'Remaining', 'Reset'].map((part) =>
    Number(headers.get(`X-RateLimit-${kind}-${part}`) ?? NaN),
  )
  if (!(remaining < needed)) return 0
  const untilReset = Math.min(maxResetMs, reset - clock.now())
  const share = remaining <= 0 ? 1 : (needed - remaining) / (limit - remaining)
  const waitMs = Math.round(untilReset * Math.min(1, share))
  return waitMs > 0 ? waitMs : 0
}
