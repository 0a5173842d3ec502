import {
  basicAuthorization,
  type ErrorDetails,
  type Fetch,
  InvalidInput,
  RateLimited,
  type Secret,
  type ToolError,
  TooLarge,
  Unauthenticated,
  Unavailable,
  withAuthorization,
} from '@mcp-toolkits/core'
import { type Clock, systemClock } from '@mcp-toolkits/core/clock'
import { createHttpFetch, transientStatuses } from '@mcp-toolkits/core/http'
import { isObject, member, parseJson } from '@mcp-toolkits/core/json'
import { sentence } from '@mcp-toolkits/core/message'
import { redact } from '@mcp-toolkits/core/redaction'
import { retryAfterMs } from '@mcp-toolkits/core/retry'
import { truncate } from '@mcp-toolkits/core/text'
import type { CallName } from './calls.ts'

const vendor = 'Customer.io'

/** Not 429: it is about all requests, so the outbox writes it down and waits. */
const retryStatuses = transientStatuses.filter((status) => status !== 429)

/** How many requests one `post` sends at most. */
export const maxAttempts = 5

/** Longer messages of the vendor are cut, in characters. */
const maxMessageLength = 500

export interface PipelinesOptions {
  readonly fetch: Fetch
  /** Ends in `/v1`, without a slash. */
  readonly baseUrl: string
  readonly key: Secret
  readonly clock?: Clock | undefined
}

export interface PostRequest {
  readonly name: CallName
  /** The exact text of the request body; every attempt sends these bytes. */
  readonly body: string
  readonly strict: boolean
  readonly signal: AbortSignal
  /** Whether every call carries a `messageId`, so that a repeat counts once. */
  readonly isRepeatable: boolean
  /** How long all attempts may take together, in milliseconds. */
  readonly budgetMs: number
}

export interface PipelinesClient {
  /**
   * Posts a body and resolves with the HTTP status when it is accepted. Throws typed errors; the vendor's messages are only in
   * `details.errors`.
   */
  readonly post: (request: PostRequest) => Promise<number>
}

/** A client of the Pipelines API. It retries a repeatable request with the same bytes, and sends any other request once. */
export function pipelinesClient({ fetch, baseUrl, key, clock = systemClock }: PipelinesOptions): PipelinesClient {
  const authorizedFetch = withAuthorization(fetch, baseUrl, () => basicAuthorization(key))
  return {
    async post({ name, body, strict, signal, isRepeatable, budgetMs }) {
      const retryMethods = isRepeatable ? ['POST'] : []
      const send = createHttpFetch({ fetch: authorizedFetch, vendor, retryMethods, retryStatuses, budgetMs, maxAttempts, clock })
      const response = await send(`${baseUrl}/${name}`, {
        method: 'POST',
        body,
        signal,
        headers: { 'content-type': 'application/json', ...(strict && { 'x-strict-mode': '1' }) },
      })
      const answer = parseJson(await response.text())
      if (response.ok && isObject(answer)) return response.status
      throw errorOf(response, answer, clock)
    },
  }
}

function errorOf(response: Response, answer: unknown, clock: Clock): ToolError {
  const { status, ok } = response
  const errors = messagesIn(answer)
  const details: ErrorDetails = { httpStatus: status, ...(errors.length > 0 && { errors }) }
  if (ok)
    return new Unavailable(
      `HTTP ${status} came with something other than JSON, so it was not ${vendor} that answered (a proxy or sign-in page?).`,
      details,
    )
  if (status >= 300 && status < 400) return redirectError(response, details)
  switch (status) {
    case 400:
      return new InvalidInput(`${vendor} refused the request (HTTP 400).`, details)
    case 401:
    case 403:
      return new Unauthenticated(`${vendor} refused the API key (HTTP ${status}). Keys do not work across regions.`, details)
    case 413:
      return new TooLarge(`${vendor} found the request too large (HTTP 413).`, details)
    case 429:
      return new RateLimited(`${vendor} asks to slow down (HTTP 429).`, { ...details, ...retryAfter(response, clock) })
    default:
      return new Unavailable(`${vendor} answered HTTP ${status}.`, {
        ...details,
        ...retryAfter(response, clock),
        retryable: status >= 500 || status === 408,
      })
  }
}

/** The vendor's messages, from either of the two forms that its clients read: `meta.errors` and `meta.error`. */
function messagesIn(answer: unknown): string[] {
  const meta = member(answer, 'meta')
  const errors = member(meta, 'errors')
  const list: unknown[] = Array.isArray(errors) ? errors : []
  return [...list, member(meta, 'error')]
    .filter((message) => typeof message === 'string')
    .map((message) => truncate(redact(message), maxMessageLength))
}

/** Redirects are not followed: a POST would lose its body or send it to another host. */
function redirectError(response: Response, details: ErrorDetails): Unavailable {
  const host = URL.parse(response.headers.get('location') ?? '', response.url || undefined)?.host ?? 'another address'
  const text = sentence`${vendor} redirected to ${host} (HTTP ${response.status}), which was not followed; the event was not accepted. Is ${{ variable: 'EVENT_PIPELINE_REGION' }} right?`
  return new Unavailable(text, { ...details, retryable: false })
}

function retryAfter(response: Response, clock: Clock): ErrorDetails {
  const waitMs = retryAfterMs(response, clock) ?? 0
  return waitMs > 0 ? { retryAfterSeconds: Math.ceil(waitMs / 1000) } : {}
}
