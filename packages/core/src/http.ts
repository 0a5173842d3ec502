import ky, { isHTTPError, isNetworkError, isTimeoutError } from 'ky'
import { ToolError, Unavailable } from './errors.ts'

/** The one seam to a vendor: what `globalThis.fetch` is, and what every emulator is. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface HttpOptions {
  readonly fetch: Fetch
  /** Who answers, for messages: "Customer.io". */
  readonly vendor: string
  /** Methods that may be sent again: those whose repeat changes nothing, because the request carries an identity or only reads. */
  readonly repeatable: readonly string[]
  /** Whether a request that got no answer may be sent again too; otherwise only what `retryStatuses` says was not begun. */
  readonly repeatUnanswered?: boolean
  /** Statuses worth another attempt. */
  readonly retryStatuses?: readonly number[]
  /** How long one attempt may take until the last byte of its answer, in milliseconds. */
  readonly attemptMs?: number
  /** How long all attempts and the waits between them may take, in milliseconds; below a client's patience. */
  readonly budgetMs?: number
  /** How many attempts may follow the first. */
  readonly retries?: number
  /** Longest wait that we choose ourselves, in milliseconds; a vendor's Retry-After may be longer. */
  readonly longestWaitMs?: number
}

const transient = [408, 429, 500, 502, 503, 504, 522, 524]

/**
 * A fetch out of a fetch: it times out, retries what may be repeated with full jitter, honours Retry-After within its budget,
 * follows no redirect and stops at once when the caller's signal is aborted. It resolves with the last response, whatever its
 * status, once its body has arrived, and throws `Unavailable` when there was none or the budget ran out. Each repeat sends the
 * same bytes and says so in `X-Retry-Count`.
 */
export function http(options: HttpOptions): Fetch {
  const { fetch, vendor, repeatable, retryStatuses = transient, attemptMs = 8_000, budgetMs = 25_000 } = options
  const { retries = 4, longestWaitMs = 5_000, repeatUnanswered = true } = options
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    signal?.throwIfAborted()
    const deadline = Date.now() + budgetMs
    let last: Response | undefined
    // Within the attempt, so that an answer that stalls or breaks off half way is repeated like a connection that does.
    const whole: Fetch = async (request, rest) => {
      const response = await fetch(request, rest)
      await response.clone().arrayBuffer()
      if (retryStatuses.includes(response.status)) last = response.clone()
      return response
    }
    const retry = {
      limit: retries,
      methods: repeatable.map((method) => method.toLowerCase()),
      statusCodes: [...retryStatuses],
      afterStatusCodes: [...retryStatuses],
      backoffLimit: longestWaitMs,
      jitter: true,
      retryOnTimeout: repeatUnanswered,
      shouldRetry({ error }: { error: Error }) {
        if (!isHTTPError(error)) return repeatUnanswered ? undefined : false
        // Without this, ky would wait for the end of a quota (X-RateLimit-Reset), which vendors tell with every answer.
        if (!error.response.headers.has('retry-after')) return true
        return waitOf(error.response) > deadline - Date.now() ? false : undefined
      },
    }
    try {
      return await ky(input, {
        ...init,
        fetch: whole,
        redirect: 'manual',
        timeout: attemptMs,
        totalTimeout: budgetMs,
        retry,
        throwHttpErrors: (status) => retryStatuses.includes(status),
        hooks: {
          beforeRetry: [
            ({ request, retryCount }) => {
              request.headers.set('X-Retry-Count', String(retryCount))
            },
          ],
        },
      })
    } catch (error) {
      // ky has read the body of the response that it gave up on; this is the same response, unread.
      if (isHTTPError(error) && last) return last
      if (signal?.aborted) throw signal.reason
      if (error instanceof ToolError) throw error
      throw unreachable({ error, vendor, lastStatus: last?.status, budgetMs })
    }
  }
}

/** How long a vendor asks to wait, in milliseconds; 0 when it does not say. https://www.rfc-editor.org/rfc/rfc9110#name-retry-after */
export function waitOf(response: Response): number {
  const value = response.headers.get('retry-after')
  if (value === null || value.trim() === '') return 0
  const seconds = Number(value)
  const wait = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000
  return Number.isFinite(wait) ? Math.max(0, wait) : 0
}

interface Failure {
  readonly error: unknown
  readonly vendor: string
  readonly lastStatus: number | undefined
  readonly budgetMs: number
}

function unreachable({ error, vendor, lastStatus, budgetMs }: Failure): Unavailable {
  const seconds = Math.round(budgetMs / 1000)
  const within = seconds > 1 ? `within ${seconds} seconds` : 'in the time that was left'
  const last = lastStatus === undefined ? '' : ` Its last answer was HTTP ${lastStatus}.`
  if (isTimeoutError(error)) return new Unavailable(`${vendor} did not answer ${within}.${last}`)
  if (isNetworkError(error)) return new Unavailable(`${vendor} could not be reached (${reason(error)}).${last}`)
  return new Unavailable(`The request to ${vendor} failed before it was answered.${last}`)
}

/** The system's own word for a broken connection (ECONNREFUSED); never a message, which could repeat the request. */
function reason(error: unknown): string {
  let current = error
  while (current instanceof Error) {
    if ('code' in current && typeof current.code === 'string') return current.code
    current = current.cause
  }
  return 'the connection broke'
}
