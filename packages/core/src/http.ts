import ky, { isHTTPError, isNetworkError, isTimeoutError, type AfterResponseHook } from 'ky'
import { Unavailable } from './errors.ts'

/** The one seam to a vendor: what `globalThis.fetch` is, and what every emulator is. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface HttpOptions {
  readonly fetch: Fetch
  /** Who answers, for messages: "Customer.io". */
  readonly vendor: string
  /** Methods that may be sent again: those whose repeat changes nothing, because the request carries an identity or only reads. */
  readonly repeatable: readonly string[]
  /** Statuses worth another attempt. */
  readonly retryStatuses?: readonly number[]
  /** How long one attempt may take, in milliseconds. */
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
 * status, and throws `Unavailable` when there was none. Each repeat sends the same bytes and says so in `X-Retry-Count`.
 */
export function http(options: HttpOptions): Fetch {
  const { fetch, vendor, repeatable, retryStatuses = transient, attemptMs = 8_000, budgetMs = 25_000 } = options
  const { retries = 4, longestWaitMs = 5_000 } = options
  return async (input, init) => {
    const deadline = Date.now() + budgetMs
    let lastStatus: number | undefined
    const remember: AfterResponseHook = ({ response }) => {
      lastStatus = response.status
    }
    const retry = {
      limit: retries,
      methods: repeatable.map((method) => method.toLowerCase()),
      statusCodes: [...retryStatuses],
      afterStatusCodes: [...retryStatuses],
      backoffLimit: longestWaitMs,
      jitter: true,
      retryOnTimeout: true,
      shouldRetry: ({ error }: { error: Error }) =>
        isHTTPError(error) && waitOf(error.response) > deadline - Date.now() ? false : undefined,
    }
    try {
      return await ky(input, {
        ...init,
        fetch: (request, rest) => fetch(request, rest),
        redirect: 'manual',
        timeout: attemptMs,
        totalTimeout: budgetMs,
        retry,
        throwHttpErrors: (status) => retryStatuses.includes(status),
        hooks: {
          afterResponse: [remember],
          beforeRetry: [
            ({ request, retryCount }) => {
              request.headers.set('X-Retry-Count', String(retryCount))
            },
          ],
        },
      })
    } catch (error) {
      if (isHTTPError(error)) return answered(error.response, error.data)
      if (init?.signal?.aborted) throw init.signal.reason
      throw unreachable({ error, vendor, lastStatus, budgetMs })
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

/** ky has read the body of a response it gave up on; this is the same response, readable again. */
function answered(response: Response, data: unknown): Response {
  const body = data === undefined ? null : typeof data === 'string' ? data : JSON.stringify(data)
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
}

interface Failure {
  readonly error: unknown
  readonly vendor: string
  readonly lastStatus: number | undefined
  readonly budgetMs: number
}

function unreachable({ error, vendor, lastStatus, budgetMs }: Failure): Unavailable {
  const seconds = Math.round(budgetMs / 1000)
  const last = lastStatus === undefined ? '' : ` Its last answer was HTTP ${lastStatus}.`
  if (isTimeoutError(error)) return new Unavailable(`${vendor} did not answer within ${seconds} seconds.${last}`)
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
