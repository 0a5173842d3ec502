import {
  withAuthorization,
  basicAuthorization,
  InvalidInput,
  RateLimited,
  TooLarge,
  Unauthenticated,
  Unavailable,
  type ErrorDetails,
  type Fetch,
  type Secret,
  type ToolError,
} from '@mcp-toolkits/core'
import { http } from '@mcp-toolkits/core/http'
import { retryAfterMs } from '@mcp-toolkits/core/retry'
import * as z from 'zod'
import type { CallName } from './call.ts'

const vendor = 'Customer.io'

/** How often one posting is tried at most, where it may be repeated. */
export const mostTries = 5

export interface PipelinesOptions {
  readonly fetch: Fetch
  /** Ends in `/v1`, without a slash. */
  readonly baseUrl: string
  readonly key: Secret
}

export interface Posting {
  readonly name: CallName
  /** The exact text of the request body; every attempt sends these bytes. */
  readonly text: string
  readonly strict: boolean
  readonly signal: AbortSignal
  /** Whether every call in it carries a `messageId`, so that sending it twice counts once. */
  readonly repeatable: boolean
  /** How long all attempts may take together, in milliseconds. */
  readonly budgetMs: number
}

export interface PipelinesClient {
  /** Posts a body and resolves with the HTTP status of its acceptance. Throws typed errors for everything else. */
  readonly post: (posting: Posting) => Promise<number>
}

/** A client of the Pipelines API. What may be repeated is, with the same bytes; what carries no `messageId` is sent once. */
export function pipelinesClient({ fetch, baseUrl, key }: PipelinesOptions): PipelinesClient {
  const authorizedFetch = withAuthorization(fetch, baseUrl, basicAuthorization(key))
  return {
    async post({ name, text, strict, signal, repeatable, budgetMs }) {
      const send = http({ fetch: authorizedFetch, vendor, retryMethods: repeatable ? ['POST'] : [], budgetMs, maxAttempts: mostTries })
      const response = await send(`${baseUrl}/${name}`, {
        method: 'POST',
        body: text,
        signal,
        headers: { 'content-type': 'application/json', ...(strict && { 'x-strict-mode': '1' }) },
      })
      const answer = await response.text()
      if (response.ok && isJsonObject(answer)) return response.status
      throw refusal(response, answer)
    },
  }
}

function isJsonObject(text: string): boolean {
  return z.record(z.string(), z.unknown()).safeParse(parse(text)).success
}

const Refusal = z.object({ meta: z.object({ errors: z.array(z.string()).optional(), error: z.string().optional() }) })

/** The vendor's own words, from either of the two forms in which its clients read them. */
function messagesOf(answer: string): string[] {
  const parsed = Refusal.safeParse(parse(answer))
  if (!parsed.success) return []
  const { errors = [], error } = parsed.data.meta
  return [...errors, ...(error === undefined ? [] : [error])].map((message) => message.slice(0, 500))
}

/** What went wrong, in our own words alone: an error of this client without what the vendor said. */
export function withoutVendorsWords({ message, details }: ToolError): string {
  return message.replace(quoted(details.errors ?? []), '')
}

function quoted(errors: readonly string[]): string {
  return errors.length > 0 ? `: ${errors.join('; ')}` : ''
}

function refusal(response: Response, answer: string): ToolError {
  const { status } = response
  const errors = messagesOf(answer)
  const details: ErrorDetails = { httpStatus: status, ...(errors.length > 0 && { errors }) }
  const said = quoted(errors)
  if (response.ok)
    return new Unavailable(
      `HTTP ${status} came with something other than JSON, so it was not ${vendor} that answered (a proxy or sign-in page?).`,
      details,
    )
  if (status >= 300 && status < 400) return redirected(response, details)
  switch (status) {
    case 400:
      return new InvalidInput(`${vendor} refused the request (HTTP 400)${said}.`, details)
    case 401:
    case 403:
      return new Unauthenticated(`${vendor} refused the API key (HTTP ${status})${said}. Keys do not work across regions.`, details)
    case 413:
      return new TooLarge(`${vendor} found the request too large (HTTP 413)${said}.`, details)
    case 429:
      return new RateLimited(`${vendor} asks to slow down (HTTP 429).`, { ...details, ...retryAfter(response) })
    default:
      return new Unavailable(`${vendor} answered HTTP ${status}${said}.`, {
        ...details,
        ...retryAfter(response),
        retryable: status >= 500 || status === 408,
      })
  }
}

/** A POST that follows a redirect loses its body or hands it to another host, so none is followed. */
function redirected(response: Response, details: ErrorDetails): Unavailable {
  const host = URL.parse(response.headers.get('location') ?? '', response.url || undefined)?.host ?? 'another address'
  const text = `${vendor} redirected to ${host} (HTTP ${response.status}), which was not followed; the event was not accepted. Is EVENT_PIPELINE_REGION right?`
  return new Unavailable(text, { ...details, retryable: false })
}

function retryAfter(response: Response): ErrorDetails {
  const wait = retryAfterMs(response)
  return wait > 0 ? { retryAfterSeconds: Math.ceil(wait / 1000) } : {}
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
