import { raceAbort, withTimeout } from './async.ts'
import type { Clock } from './clock.ts'
import { ToolError, Unavailable } from './errors.ts'
import { retryAfterMs, Attempts } from './retry.ts'
import type { Fetch } from './transport/response.ts'

export interface HttpClientOptions {
  readonly fetch: Fetch
  /** The vendor's name in messages: "Customer.io". */
  readonly vendor: string
  /** Methods that may be sent again: those whose repeat changes nothing, because the request carries an identity or only reads. */
  readonly retryMethods: readonly string[]
  /** Whether a request without an answer may be sent again too; otherwise only one whose status is listed. True when absent. */
  readonly retryUnanswered?: boolean | undefined
  /** Statuses worth another attempt. */
  readonly retryStatuses?: readonly number[] | undefined
  /** How long one attempt may take until the last byte of its response, in milliseconds. */
  readonly attemptMs?: number | undefined
  /** How long all attempts and the waits between them may take, in milliseconds. */
  readonly budgetMs?: number | undefined
  readonly maxAttempts?: number | undefined
  /** Longest wait that we choose ourselves, in milliseconds; a vendor's Retry-After may be longer. */
  readonly maxDelayMs?: number | undefined
  readonly clock?: Clock | undefined
}

/** Statuses that a retry may fix. */
export const transientStatuses: readonly number[] = [408, 429, 500, 502, 503, 504, 522, 524]

/**
 * Wraps a fetch: the new one times out, retries with full jitter, honours Retry-After within its budget, follows no redirect and
 * stops at once when the caller's signal is aborted. It resolves with the last response, whatever its status, once its body has
 * arrived, and throws `Unavailable` when there is none. Each retry sends the same bytes and counts itself in `X-Retry-Count`.
 */
export function createHttpFetch(options: HttpClientOptions): Fetch {
  const { retryMethods, retryUnanswered = true, retryStatuses = transientStatuses } = options
  const { budgetMs = 25_000, maxAttempts = 5, maxDelayMs = 5_000, clock } = options
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    signal?.throwIfAborted()
    // The signal goes beside the request: one made from another request loses its signal to garbage collection (nodejs/undici#3644).
    const request = new Request(input, { ...init, redirect: 'manual', signal: null })
    const attempts = retryMethods.includes(request.method) ? maxAttempts : 1
    const budget = new Attempts({ maxAttempts: attempts, budgetMs, baseDelayMs: 300, maxDelayMs }, { signal, clock })
    let lastStatus: number | undefined
    for (let retries = 0; ; retries += 1) {
      if (retries > 0) request.headers.set('X-Retry-Count', String(retries))
      const outcome = await send(request, options, budget)
      if (outcome instanceof Response) {
        if (!retryStatuses.includes(outcome.status)) return outcome
        if (!(await budget.waitForNext(retryAfterMs(outcome, budget.clock) ?? 0))) return outcome
        lastStatus = outcome.status
      } else if (!retryUnanswered || !(outcome instanceof AttemptTimeout || isNetworkError(outcome)) || !(await budget.waitForNext())) {
        throw unanswered(outcome, options.vendor, budgetMs, lastStatus)
      }
    }
  }
}

class AttemptTimeout extends Error {}

/** The complete response, or the error of the attempt. Throws errors that the caller must see. */
async function send(request: Request, { fetch, attemptMs = 8_000 }: HttpClientOptions, budget: Attempts): Promise<Response | Error> {
  const { signal, clock, remainingMs } = budget
  try {
    const ms = Math.min(attemptMs, remainingMs)
    return await withTimeout({ ms, reason: () => new AttemptTimeout(), signal, clock }, (timeout) =>
      raceAbort(wholeResponse(fetch, request.clone(), timeout.signal), timeout.signal),
    )
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ToolError) throw error
    return error instanceof Error ? error : new Error('Something other than an error was thrown.')
  }
}

/** Reads the body as part of the attempt, so that a response that stalls or breaks off is retried like a connection that does. */
async function wholeResponse(fetch: Fetch, request: Request, signal: AbortSignal): Promise<Response> {
  const response = await fetch(request, { signal })
  await response.clone().arrayBuffer()
  return response
}

/** Node's fetch fails with these messages when the connection fails before and after the headers of the response. */
function isNetworkError(error: Error): boolean {
  return error instanceof TypeError && (error.message === 'fetch failed' || error.message === 'terminated')
}

function unanswered(error: Error, vendor: string, budgetMs: number, lastStatus: number | undefined): Unavailable {
  const seconds = Math.round(budgetMs / 1000)
  const within = seconds > 1 ? `within ${seconds} seconds` : 'in the time that was left'
  const last = lastStatus === undefined ? '' : ` Its last answer was HTTP ${lastStatus}.`
  if (error instanceof AttemptTimeout) return new Unavailable(`${vendor} did not answer ${within}.${last}`)
  if (isNetworkError(error)) return new Unavailable(`${vendor} could not be reached (${systemCode(error)}).${last}`)
  return new Unavailable(`The request to ${vendor} failed before it was answered.${last}`)
}

/** The system's code for a broken connection (ECONNREFUSED); never a message, which could repeat the request. */
function systemCode(error: unknown): string {
  let current = error
  while (current instanceof Error) {
    if ('code' in current && typeof current.code === 'string') return current.code
    current = current.cause
  }
  return 'the connection broke'
}
