import { ToolError } from '@mcp-toolkits/core'
import { redirectStatuses } from '../pipelines/client.ts'
import { KeyEnded } from '../pipelines/key-check.ts'
import type { DeliveryDecision, Entry } from './outbox-store.ts'

/** The backoff doubles with every attempt. A vendor's Retry-After counts up to a day. In milliseconds. */
export const backoff = { baseMs: 1_000, maxMs: 5 * 60 * 1000, maxRetryAfterMs: 24 * 60 * 60 * 1000 } as const

/** Why an attempt was interrupted: the process is closing, or the caller gave up. */
export type Interruption = 'closing' | 'cancelled' | undefined

/** Decides what happens to an entry after a failed attempt. */
export function decideDelivery(
  error: unknown,
  entry: Pick<Entry, 'isIdentified' | 'isAnswered' | 'attempts'>,
  interruption: Interruption,
): DeliveryDecision {
  const retryNow: DeliveryDecision = { state: 'open', backoffMs: 0 }
  const unknownOutcome: DeliveryDecision = { state: 'parked', reason: 'unknown_outcome' }
  if (interruption === 'closing') return entry.isIdentified ? retryNow : unknownOutcome
  if (interruption === 'cancelled') return entry.isAnswered ? retryNow : { state: 'parked', reason: 'cancelled' }
  if (error instanceof KeyEnded) return { state: 'parked', reason: 'key_ended' }
  if (!(error instanceof ToolError)) return entry.isIdentified ? { state: 'open', backoffMs: backoffMs(entry.attempts) } : unknownOutcome
  const { httpStatus, retryAfterSeconds, retryable, sent } = error.details
  switch (error.code) {
    case 'unauthenticated':
      return { state: 'parked', reason: 'unauthenticated' }
    case 'rate_limited':
    case 'unavailable':
      if (httpStatus !== undefined && redirectStatuses.includes(httpStatus)) return { state: 'parked', reason: 'redirected' }
      if (retryable === false) return { state: 'parked', reason: 'not_accepted' }
      if (!entry.isIdentified && error.code === 'unavailable' && sent !== 'no') return unknownOutcome
      return {
        state: 'open',
        backoffMs:
          retryAfterSeconds === undefined ? backoffMs(entry.attempts) : Math.min(retryAfterSeconds * 1000, backoff.maxRetryAfterMs),
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

/** Jitter reduces the wait by at most half. */
function backoffMs(attempts: number): number {
  return Math.round(Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(attempts, 20)) * (0.5 + Math.random() / 2))
}
