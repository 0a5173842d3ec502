import { ToolError } from '@mcp-toolkits/core/errors'
import { redirectStatuses } from '../pipelines/client.ts'
import { KeyEnded } from '@mcp-toolkits/server/account'
import type { DeliveryDecision, Entry, OutboxStore } from './outbox-store.ts'

/** The backoff, in milliseconds, which doubles with every attempt. A vendor's Retry-After is respected for up to a day. */
export const backoff = { baseMs: 1_000, maxMs: 5 * 60 * 1000, maxRetryAfterMs: 24 * 60 * 60 * 1000 } as const

const hourMs = 60 * 60 * 1000

/** Minimum age, in milliseconds, and minimum number of attempts for an event to be parked because only it gets a 5xx. */
const maxFailingMs = 6 * hourMs
const minFailures = maxFailingMs / backoff.maxMs

/**
 * True if the vendor fails on this event but accepts others at the same endpoint. Others must have been accepted for more than an hour,
 * because an outage begins and ends with mixed responses. Queries the store only if the event is old.
 */
export async function isFailingAlone(store: OutboxStore, entry: Entry, { details }: ToolError, now: number): Promise<boolean> {
  const isServerError = (status = 0) => status >= 500
  if (!isServerError(details.httpStatus) || !isServerError(entry.httpStatus)) return false
  if (entry.attempts < minFailures || now - entry.createdAt < maxFailingMs) return false
  return store.hasAccepted(entry, { fromMs: 3 * hourMs, toMs: hourMs })
}

/** True for an entry parked because it fails alone. */
export const hasFailedAlone = ({ reason, httpStatus = 0 }: Pick<Entry, 'reason' | 'httpStatus'>): boolean =>
  reason === 'not_accepted' && httpStatus >= 500

export const failedAlone =
  'Customer.io keeps answering this event with an error while it accepts others, so something in this event may cause it.'

/** The reason an attempt was interrupted: the process is closing, or the caller gave up. */
export type Interruption = 'closing' | 'cancelled' | undefined

/** Decides the state of an entry after a failed attempt. */
export function decideDelivery(
  error: unknown,
  entry: Pick<Entry, 'isIdentified' | 'isAnswered' | 'attempts'> & { readonly isFailingAlone?: boolean },
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
      if (retryable === false || entry.isFailingAlone === true) return { state: 'parked', reason: 'not_accepted' }
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

/** The decision, unless the entry's person was forgotten during the attempt: then the entry is not sent again. */
export function unlessForgotten({ reason }: Pick<Entry, 'reason'>, decision: DeliveryDecision): DeliveryDecision {
  return decision.state === 'open' && reason === 'person_forgotten' ? { state: 'parked', reason } : decision
}

/** Backoff with jitter, which shortens the wait by at most half. */
function backoffMs(attempts: number): number {
  return Math.round(Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(attempts, 20)) * (0.5 + Math.random() / 2))
}
