import {
  Conflict,
  Forbidden,
  InvalidInput,
  NotFound,
  RateLimited,
  TooLarge,
  type ToolError,
  Unauthenticated,
  Unavailable,
} from '@mcp-toolkits/core'
import type { Clock } from '@mcp-toolkits/core/clock'
import { Message, sentence } from '@mcp-toolkits/core/message'
import { retryAfterMs } from '@mcp-toolkits/core/retry'
import { quoteVendor } from '@mcp-toolkits/core/text'
import type { Hold } from '@mcp-toolkits/core/upstream-limits'

type Head = Pick<Response, 'headers'>

/** How long Linear wants no requests after a response: of this account, or of one document where only its endpoint is limited. */
export function holdsIn(response: Head, error: ToolError | undefined, clock: Clock): readonly Hold[] {
  const isRefused = error instanceof RateLimited
  const endpointMs = quotaMs(response, 'Endpoint-Requests', 1, clock)
  const accountMs = accountQuotaMs(response, isRefused, clock)
  const askedMs = isRefused ? retryAfterMs(response, clock) : undefined
  if (endpointMs > 0) return [{ covers: 'operation', ms: askedMs ?? endpointMs }]
  if (isRefused) return [{ covers: 'account', ms: askedMs ?? (accountMs > 0 ? accountMs : undefined) }]
  return accountMs > 0 ? [{ covers: 'account', ms: accountMs }] : []
}

/** How long to wait after Linear refused a request, in milliseconds; undefined when it does not say. */
export function waitBeforeNext(response: Head, clock: Clock): number | undefined {
  const quotaWaitMs = Math.max(quotaMs(response, 'Endpoint-Requests', 1, clock), accountQuotaMs(response, true, clock))
  return retryAfterMs(response, clock) ?? (quotaWaitMs > 0 ? quotaWaitMs : undefined)
}

function accountQuotaMs(response: Head, isRefused: boolean, clock: Clock): number {
  const points = isRefused ? Number(response.headers.get('X-Complexity') ?? 1) : 1
  return Math.max(quotaMs(response, 'Requests', 1, clock), quotaMs(response, 'Complexity', points, clock))
}

/** Linear counts in hours, so a quota that seems to reset later shows that a clock is wrong. In milliseconds. */
const maxResetMs = 3_600_000

/**
 * How long until a quota holds what a request needs, in milliseconds; 0 when it does, or does not say. One that is used up is left alone
 * until it resets. One that still holds something refills evenly. https://linear.app/developers/rate-limiting
 */
function quotaMs({ headers }: Head, kind: string, needed: number, clock: Clock): number {
  const [limit = NaN, remaining = NaN, reset = NaN] = ['Limit', 'Remaining', 'Reset'].map((part) =>
    Number(headers.get(`X-RateLimit-${kind}-${part}`) ?? NaN),
  )
  if (!(remaining < needed)) return 0
  const untilReset = Math.min(maxResetMs, reset - clock.now())
  const share = remaining <= 0 ? 1 : (needed - remaining) / (limit - remaining)
  const waitMs = Math.round(untilReset * Math.min(1, share))
  return waitMs > 0 ? waitMs : 0
}

/** One error of a GraphQL answer. */
interface GraphQLError {
  readonly message: string
  readonly path?: readonly unknown[] | undefined
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

/** Linear does not know a field or an argument: its schema has changed, or the workspace does not have the feature yet. */
export class SchemaMismatch extends Unavailable {
  constructor() {
    super('Linear does not know what this version asks for. Update the server.', { retryable: false })
  }
}

const replaceKey = sentence`The person who runs this server has to replace the key in ${{ variable: 'ISSUE_TRACKER_API_KEY' }}, or the token in ${{ variable: 'ISSUE_TRACKER_ACCESS_TOKEN' }}.`
/** Shows which account the credentials are for, or why they are refused. */
const next = { command: 'issue-tracker-mcp status' }

/**
 * The typed error for a response with errors. `extensions.code` and `extensions.type` decide, not the HTTP status: a rate limit is
 * HTTP 400, and so is a query that is too complex. https://linear.app/developers/graphql#errors
 */
export function errorOf(response: Pick<Response, 'status' | 'headers'>, errors: readonly GraphQLError[], clock: Clock): ToolError {
  const [first] = errors
  const code = extensionOf(first, 'code')
  const type = extensionOf(first, 'type').toLowerCase()
  const text = first?.message ?? ''
  const detail = vendorSentence(first)
  if (response.status === 401 || code === 'AUTHENTICATION_ERROR')
    return new Unauthenticated(sentences('Linear refused the credentials.', detail, replaceKey), { next })
  if (code === 'RATELIMITED' || type === 'ratelimited' || response.status === 429) return rateLimited(response, clock)
  if (code === 'FORBIDDEN' || type === 'forbidden' || response.status === 403) {
    const other = 'Another account may be allowed to; the command says which one this is.'
    return new Forbidden(sentences('Linear does not allow this account to do that.', detail, other), { next })
  }
  if (type === 'feature not accessible' || code === 'USAGE_LIMIT_EXCEEDED')
    return new Forbidden(sentences("Linear's plan does not allow this.", detail))
  if (isSchemaMismatch(text, code)) return new SchemaMismatch()
  if (/too complex/i.test(text)) return new TooLarge('Linear finds the query too complex. Ask for less at once.')
  if (/conflict on insert|duplicate attachment/i.test(text)) return new Conflict(detail)
  if (/not found/i.test(text)) return new NotFound(detail)
  if (code === 'INTERNAL_SERVER_ERROR' || ['internal error', 'lock timeout', 'network error'].includes(type))
    return new Unavailable(sentences('Linear failed to answer.', detail))
  if (first) return new InvalidInput(sentences('Linear refused the request.', detail))
  const { status } = response
  if (status >= 300 && status < 400) {
    const refused = `Linear answered with a redirect (HTTP ${status}), which was not followed.`
    const hint = sentence`If ${{ variable: 'ISSUE_TRACKER_API_URL' }} is set, check it; otherwise a proxy or a sign-in page may have answered.`
    return new Unavailable(sentences(refused, hint), { httpStatus: status, retryable: false, next })
  }
  const endpointHint =
    status === 404
      ? sentence`If ${{ variable: 'ISSUE_TRACKER_API_URL' }} is set, it has to be the whole endpoint, which ends in /graphql.`
      : ''
  return new Unavailable(sentences(`Linear answered HTTP ${status}.`, endpointHint), {
    httpStatus: status,
    retryable: false,
  })
}

/** The error for a status that Linear itself or something in front of it sends when it cannot answer at the moment. */
export function gatewayError(response: Pick<Response, 'status' | 'headers'>, clock: Clock): Unavailable {
  const { status } = response
  const waitMs = retryAfterMs(response, clock)
  const hint = waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1000) }
  return new Unavailable(`Linear answered HTTP ${status}.`, { httpStatus: status, ...hint })
}

/** The error for valid JSON without data and errors. */
export function noData(): Unavailable {
  return new Unavailable('The answer holds no data and no error: it may not be from Linear (a proxy or a sign-in page?).')
}

function extensionOf(error: GraphQLError | undefined, key: string): string {
  const value = error?.extensions?.[key]
  return typeof value === 'string' ? value : ''
}

/** What Linear says, preferably to people, as a quotation without anything that may be a credential. */
function vendorSentence(error: GraphQLError | undefined): string {
  const presentable = extensionOf(error, 'userPresentableMessage')
  const text = presentable === '' ? (error?.message ?? '') : presentable
  return quoteVendor('Linear', text.replace(/\bBearer\s+\S+|\blin_\w+/gi, '[secret]'))
}

/** Joins our sentences and those of Linear, which may lack a full stop. */
function sentences(...texts: readonly (string | Message)[]): Message {
  const complete = texts.map((text) => (typeof text !== 'string' || text === '' || /[.!?]"?$/.test(text) ? text : `${text}.`))
  return Message.of(...complete)
}

/** Whether a document does not match Linear's schema, which is not the caller's fault. */
function isSchemaMismatch(text: string, code: string): boolean {
  if (['GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_PARSE_FAILED'].includes(code)) return true
  return /^(?:Cannot query field|Unknown (?:argument|type|fragment|directive)|Syntax Error)\b/.test(text)
}

/** Without a hint, the transport decides how long to wait. */
function rateLimited(response: Pick<Response, 'headers'>, clock: Clock): RateLimited {
  const waitMs = waitBeforeNext(response, clock)
  return new RateLimited('Linear asks to slow down.', waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1000) })
}
