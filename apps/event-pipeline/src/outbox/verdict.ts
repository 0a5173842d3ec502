import { ToolError } from '@mcp-toolkits/core'
import type { Entry, ParkReason } from './entry.ts'

/** What becomes of an entry that an attempt did not deliver. */
export type Verdict =
  | { readonly state: 'open'; readonly restMs: number }
  | { readonly state: 'refused' }
  | { readonly state: 'parked'; readonly reason: ParkReason }

/** How long an entry rests after its first failure, in milliseconds; doubled with every further one, and a day at most if the vendor asks. */
const firstRest = 1_000
const longestRest = 5 * 60 * 1000
const longestAsked = 24 * 60 * 60 * 1000

/** Whoever ended an attempt from outside: the process that closes, or the caller who gave up. */
export type Interruption = 'closing' | 'cancelled' | undefined

/** The one place that says which error leads where. */
export function verdictOn(error: unknown, entry: Entry, interruption: Interruption): Verdict {
  const again: Verdict = { state: 'open', restMs: 0 }
  const unknown: Verdict = { state: 'parked', reason: 'unknown_outcome' }
  if (interruption === 'closing') return entry.identified === 1 ? again : unknown
  if (interruption === 'cancelled') return entry.answered === 1 ? again : { state: 'parked', reason: 'cancelled' }
  if (!(error instanceof ToolError) && entry.identified === 0) return unknown
  if (!(error instanceof ToolError)) return { state: 'open', restMs: restAfter(entry.attempts) }
  const { httpStatus, retryAfterSeconds, retryable } = error.details
  switch (error.code) {
    case 'unauthenticated':
      return { state: 'parked', reason: 'unauthenticated' }
    case 'rate_limited':
    case 'unavailable':
      if (httpStatus !== undefined && httpStatus >= 300 && httpStatus < 400) return { state: 'parked', reason: 'redirected' }
      if (retryable === false) return { state: 'parked', reason: 'not_accepted' }
      if (entry.identified === 0 && error.code === 'unavailable') return unknown
      return {
        state: 'open',
        restMs: retryAfterSeconds === undefined ? restAfter(entry.attempts) : Math.min(retryAfterSeconds * 1000, longestAsked),
      }
    case 'invalid_input':
    case 'not_found':
    case 'ambiguous':
    case 'forbidden':
    case 'conflict':
    case 'too_large':
    case 'internal':
      return { state: 'refused' }
  }
}

function restAfter(attempts: number): number {
  return Math.round(Math.min(longestRest, firstRest * 2 ** Math.min(attempts, 20)) * (0.5 + Math.random() / 2))
}
