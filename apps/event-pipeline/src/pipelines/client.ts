import { type Clock, isObject, member, parseJson, stringMember } from '@mcp-toolkits/core/base'
import {
  type ErrorDetails,
  InvalidInput,
  RateLimited,
  redact,
  TooLarge,
  ToolError,
  truncate,
  Unauthenticated,
  Unavailable,
  withDetails,
} from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import {
  basicAuthorization,
  boundedFetch,
  type ClientOptions,
  type CompleteResponse,
  createTransport,
  jsonOf,
  memoryLimits,
  OversizedResponse,
  retryAfterMs,
  type Secret,
  withAuthorization,
} from '@mcp-toolkits/core/upstream'
import ky from 'ky'
import type { CallName } from './calls.ts'
import type { ClockSkew } from './clock-skew.ts'
import { groupFindings } from './findings/findings.ts'

const vendor = 'Customer.io'

/** Maximum number of requests per `post`. */
export const maxAttempts = 5

/** Maximum number of bytes of a response to read: the vendor returns an empty object or a few messages. */
const maxBytes = 1024 ** 2

/** Maximum length of a vendor message, in characters; longer ones are cut. */
const maxMessageLength = 500

export interface PipelinesOptions extends Pick<ClientOptions, 'fetch' | 'limits' | 'telemetry'> {
  /** The base URL, which ends in `/v1`, without a slash. */
  readonly baseUrl: string
  readonly key: Secret
  readonly clock: Clock
  /** Learns the vendor's time from each response. */
  readonly skew?: ClockSkew | undefined
}

export interface PostRequest {
  readonly name: CallName
  /** The exact request body, as text or UTF-8 bytes; every attempt sends the same bytes. */
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly strict: boolean
  /** True if every call carries a `messageId`, so that the vendor ignores a repeat. */
  readonly isRepeatable: boolean
  /** `ignore` sends the request even while the vendor accepts none, for an operator who asked for it. */
  readonly holds: 'refuse' | 'ignore'
  /** The scope for all attempts together. */
  readonly scope: CallScope
}

export interface PipelinesClient {
  /**
   * Posts a body and resolves with the HTTP status once it is accepted. Throws typed errors; the vendor's messages are only in
   * `details.errors`. A rate limit is thrown at once, because it applies to all requests.
   */
  readonly post: (request: PostRequest) => Promise<number>
}

/**
 * A client for the Pipelines API. It retries a repeatable request with the same bytes, and sends any other request once. All its requests
 * share the account's limits.
 */
export function pipelinesClient({
  fetch,
  baseUrl,
  key,
  clock,
  limits = memoryLimits(clock),
  telemetry,
  skew,
}: PipelinesOptions): PipelinesClient {
  const transport = createTransport({
    fetch: withAuthorization(fetch, baseUrl, () => basicAuthorization(key)),
    vendor,
    limits,
    telemetry,
  })
  const api = ky.create({ prefix: baseUrl, headers: { 'content-type': 'application/json' }, retry: 0, timeout: false })
  return {
    async post({ name, body, strict, isRepeatable, holds, scope }) {
      const isText = typeof body === 'string'
      const options = { ...(!isText && { bytes: body }), repeat: isRepeatable ? 'always' : 'never', holds, maxAttempts, maxBytes } as const
      const check = (response: CompleteResponse) => {
        skew?.observe(response)
        checkAccepted(response, clock)
      }
      const fetch = boundedFetch(transport, options, check, scope)
      const request = api.post(name, { ...(isText && { body }), headers: { 'x-strict-mode': strict ? '1' : undefined }, fetch })
      return (await request.catch(throwOversizedAsUnavailable)).status
    },
  }
}

/** Throws `Unavailable` for an oversized response, which says nothing about the request. */
function throwOversizedAsUnavailable(error: unknown): never {
  if (error instanceof OversizedResponse)
    throw new Unavailable(`The response was larger than 1 MiB, so it may not be from ${vendor}, but from a proxy.`)
  throw error
}

/** Throws unless the response accepts the request, as a JSON object without errors. https://docs.customer.io/api/cdp/ */
function checkAccepted(response: CompleteResponse, clock: Clock): void {
  const { status, ok } = response
  if (!ok) throw errorOf(response, clock)
  try {
    const answer = jsonOf(response, vendor)
    if (!isObject(answer))
      throw new Unavailable(`The HTTP ${status} response is not a JSON object, so it may not be from ${vendor}, but from a proxy.`)
    const errors = messagesIn(answer)
    if (errors.length === 0 && answer['success'] !== false) return
    const text = `${vendor} answered HTTP ${status}, but with an error, so the event was not accepted.`
    throw new Unavailable(text, { ...(errors.length > 0 && { errors }), retryable: false })
  } catch (error) {
    throw error instanceof ToolError ? withDetails(error, error.text, { ...error.details, httpStatus: status }) : error
  }
}

/** The only statuses that name a new URL. https://www.rfc-editor.org/rfc/rfc9110#name-redirection-3xx */
export const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]

function errorOf(response: CompleteResponse, clock: Clock): ToolError {
  const { status } = response
  const errors = messagesIn(parseJson(response.text) ?? textOfPage(response.text))
  const details: ErrorDetails = { httpStatus: status, ...(errors.length > 0 && { errors }) }
  if (redirectStatuses.includes(status)) return redirectError(response, details)
  switch (status) {
    case 400:
      return new InvalidInput(`${vendor} refused the request (HTTP 400).`, details)
    case 401:
    case 403:
      return new Unauthenticated(`${vendor} refused the API key (HTTP ${status}). A key works only in its region.`, details)
    case 413:
      return new TooLarge(`${vendor} rejected the request as too large (HTTP 413).`, details)
    case 429:
      return new RateLimited(`${vendor} asked us to slow down (HTTP 429).`, { ...details, ...retryAfter(response, clock) })
    default:
      return new Unavailable(`${vendor} answered HTTP ${status}.`, {
        ...details,
        ...retryAfter(response, clock),
        retryable: status >= 500 || status === 408 || status < 400,
      })
  }
}

/** The vendor's messages. Its clients read `meta.errors` and `meta.error`; gateways in front of it use other forms. */
function messagesIn(answer: unknown): string[] {
  const meta = member(answer, 'meta')
  const given = typeof answer === 'string' ? [answer] : [meta, answer].flatMap((from) => [member(from, 'errors'), member(from, 'error')])
  const messages = given.flatMap(textsIn)
  // Like our findings, a message about an item begins with the item's name.
  const findings = messages.map((message) => ({ at: truncate(redact(message), maxMessageLength), problem: '', isFault: true }))
  return groupFindings(findings).map(({ at, problem }) => `${at}${problem}`)
}

/** Texts of errors in any form. */
function textsIn(errors: unknown): string[] {
  if (Array.isArray(errors)) return errors.flatMap(textsIn)
  if (errors === undefined || errors === null || errors === false || errors === '') return []
  if (typeof errors === 'string') return [errors]
  if (isObject(errors) && Object.keys(errors).length === 0) return []
  return [stringMember(errors, 'message') ?? JSON.stringify(errors)]
}

/** Maximum number of characters to read of a page that is not JSON. */
const maxPageLength = 4_000

/** The text that a person would see on a page instead of JSON. */
function textOfPage(page: string): string {
  const visible = page.slice(0, maxPageLength).replaceAll(/<(script|style)\b[^]*?<\/\1\s*>|<[^<>]*>/gi, ' ')
  return visible.replaceAll(/\s+/g, ' ').trim()
}

/** The error for a redirect. Redirects are not followed: a POST would lose its body or send it to a different host. */
function redirectError(response: CompleteResponse, details: ErrorDetails): Unavailable {
  const host = URL.parse(response.headers.get('location') ?? '', response.url || undefined)?.host ?? 'another address'
  const text = `${vendor} redirected to ${host} (HTTP ${response.status}), which was not followed, so the event was not accepted.`
  return new Unavailable(text, { ...details, retryable: false })
}

function retryAfter(response: CompleteResponse, clock: Clock): ErrorDetails {
  const waitMs = retryAfterMs(response, clock) ?? 0
  return waitMs > 0 ? { retryAfterSeconds: Math.ceil(waitMs / 1000) } : {}
}
