import type { Fetch } from '@mcp-toolkits/core'
import { http } from '@mcp-toolkits/core/http'
import { isRateLimit, parsed, reasonsIn } from './reasons.ts'

/** How a request may be sent again. */
export interface Repeating {
  /** It would happen a second time, so that it is repeated only where Drive says that it did not begin. */
  readonly onlyOnce?: boolean
  /** How long all attempts may take together, in milliseconds; 25 seconds when absent. */
  readonly budgetMs?: number
}

/** A list of 1,000 items with all their fields takes Drive some seconds. */
const attemptMs = 12_000

/**
 * Adds to a fetch what Google's client lacks: time limits, jittered repeats within one budget, Retry-After, and the rate limits that
 * come as 403. https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
export function sender(fetch: Fetch): (repeating: Repeating) => Fetch {
  const plain = tellingRateLimits(fetch)
  return ({ onlyOnce = false, budgetMs }) =>
    http({
      fetch: plain,
      vendor: 'Google Drive',
      attemptMs,
      retryMethods: ['GET', 'PATCH', 'POST'],
      ...(onlyOnce && { retryStatuses: [429], retryUnanswered: false }),
      ...(budgetMs !== undefined && { budgetMs }),
    })
}

/** Gives a 403 that only asks to slow down the status that says so. */
export function tellingRateLimits(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.status !== 403) return response
    const body = await response.text()
    const status = reasonsIn(parsed(body)).some(isRateLimit) ? 429 : 403
    return new Response(body, { status, headers: withoutLength(response.headers) })
  }
}

/** The body was read, and with it whatever it was packed in. */
function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers)
  kept.delete('content-length')
  kept.delete('content-encoding')
  return kept
}
