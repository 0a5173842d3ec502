import { RateLimited, type ToolError } from '../../errors/errors.ts'
import type { CallScope } from '../../tool/call/call-deadline.ts'
import { backoffMs, isTransient } from '../attempts.ts'
import { noTelemetry, type Telemetry } from '../telemetry.ts'
import { OversizedResponse } from './response.ts'

const backoff = { baseDelayMs: 300, maxDelayMs: 5_000 }
/** Maximum time, in milliseconds, to wait before a retry that the vendor allows at once. */
const allowedDelayMs = 100
/** Minimum time, in milliseconds, that a wait must leave for a request: with less, the request could hardly succeed. */
export const minAttemptMs = 500

export type Repeat = 'always' | 'refused' | 'never'

export interface Failure {
  readonly error: ToolError
  readonly isFinal: boolean
  /** Time, in milliseconds, during which the vendor does not accept similar requests. */
  readonly heldMs: number
}

/** True if a failed request may be sent again. */
export function canRepeat(
  { error, isFinal }: Failure,
  { repeat, holds, attempt }: { readonly repeat: Repeat; readonly holds: 'wait' | 'refuse' | 'ignore'; readonly attempt: number },
): boolean {
  if (isFinal || (error instanceof RateLimited && holds !== 'wait')) return false
  if (error instanceof OversizedResponse) return repeat === 'always' && attempt === 1
  return isTransient(error) && (repeat === 'always' || error instanceof RateLimited)
}

interface RetryWait {
  readonly request: { readonly url: string }
  readonly failures: number
  /** Returns a number in [0, 1), like `Math.random`. */
  readonly random: (() => number) | undefined
  readonly telemetry: Telemetry | undefined
  readonly scope: CallScope
}

/** Waits before the next attempt. Throws the error if the wait, including jitter, would leave no time for that attempt. */
export async function waitToRetry(
  { error, heldMs }: Failure,
  { request: { url }, failures, random = Math.random, telemetry = noTelemetry, scope }: RetryWait,
): Promise<void> {
  // The rate limiter queues requests until a hold ends.
  if (heldMs > 0) return
  const { retryAfterSeconds } = error.details
  const backoffDelay = retryAfterSeconds === 0 ? random() * allowedDelayMs : backoffMs(failures, backoff, random)
  const waitMs = Math.max(backoffDelay, (retryAfterSeconds ?? 0) * 1000)
  if (waitMs + minAttemptMs > scope.remainingMs()) throw error
  await scope.clock.sleep(waitMs, scope.signal)
  telemetry.waited({ url, reason: 'backoff', ms: waitMs })
}
