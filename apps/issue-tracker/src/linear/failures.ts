import {
  Conflict,
  Forbidden,
  InvalidInput,
  NotFound,
  RateLimited,
  TooLarge,
  Unauthenticated,
  Unavailable,
  type ErrorDetails,
  type ToolError,
} from '@mcp-toolkits/core'
import { retryAfterMs } from '@mcp-toolkits/core/retry'

/** One error of a GraphQL answer. */
export interface GraphQLError {
  readonly message: string
  readonly path?: readonly unknown[] | undefined
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

/** An error, and whether it passes by itself. */
export interface Failure {
  readonly error: ToolError
  readonly passing: boolean
  /** How long to wait at least before another attempt, in milliseconds. */
  readonly waitMs: number
}

/** Linear does not know what was asked for: its schema has changed, or this workspace does not have it yet. */
export class UnknownToLinear extends Unavailable {
  constructor() {
    super('Linear does not know what this version asks for. Update the server.', { retryable: false })
  }
}

const mend =
  'The person who runs this server sets ISSUE_TRACKER_API_KEY to a valid key (or ISSUE_TRACKER_ACCESS_TOKEN to a valid token) and starts it again.'
/** Tells the person which account the credentials are for, or why they are refused. */
const next = { command: 'issue-tracker-mcp status' }

/**
 * What an answer of Linear without data means. Linear says so by `extensions.code` or `extensions.type`, not by HTTP status: a rate
 * limit is HTTP 400, and so is a query that is too complex. https://linear.app/developers/graphql#errors
 */
export function failureOf(response: Response, errors: readonly GraphQLError[]): Failure {
  const [first] = errors
  const code = wordOf(first, 'code')
  const type = wordOf(first, 'type').toLowerCase()
  const said = sayable(first)
  if (response.status === 401 || code === 'AUTHENTICATION_ERROR')
    return final(new Unauthenticated(sentences('Linear refused the credentials.', said, mend), { next }))
  if (code === 'RATELIMITED' || type === 'ratelimited' || response.status === 429) return rateLimited(response)
  if (code === 'FORBIDDEN' || type === 'forbidden' || response.status === 403)
    return final(
      new Forbidden(
        sentences(
          'Linear does not allow this account to do that.',
          said,
          'Another account may be allowed to; the command says which one this is.',
        ),
        { next },
      ),
    )
  if (type === 'feature not accessible' || code === 'USAGE_LIMIT_EXCEEDED')
    return final(new Forbidden(sentences("Linear's plan does not allow this.", said)))
  if (isUnknownToLinear(first, code)) return final(new UnknownToLinear())
  if (/too complex/i.test(first?.message ?? '')) return final(new TooLarge('Linear finds the query too complex. Ask for less at once.'))
  if (/conflict on insert|duplicate attachment/i.test(first?.message ?? '')) return final(new Conflict(said))
  if (/not found/i.test(first?.message ?? '')) return final(new NotFound(said))
  if (code === 'INTERNAL_SERVER_ERROR' || ['internal error', 'lock timeout', 'network error'].includes(type))
    return passing(new Unavailable(sentences('Linear failed to answer.', said)))
  if (first) return final(new InvalidInput(sentences('Linear refused the request.', said)))
  if (response.ok)
    return passing(new Unavailable('The answer holds no data and no error: it may not be from Linear (a proxy or a sign-in page?).'))
  const notThere =
    response.status === 404 ? 'If ISSUE_TRACKER_API_URL is set, it has to be the whole endpoint, which ends in /graphql.' : ''
  return final(
    new Unavailable(sentences(`Linear answered HTTP ${response.status}.`, notThere), {
      httpStatus: response.status,
      retryable: response.status >= 500,
    }),
  )
}

function wordOf(error: GraphQLError | undefined, key: string): string {
  const value = error?.extensions?.[key]
  return typeof value === 'string' ? value : ''
}

/** Linear's sentence for people where it has one, without what may be a credential; its messages can be internal. */
function sayable(error: GraphQLError | undefined): string {
  const presentable = wordOf(error, 'userPresentableMessage')
  const text = presentable === '' ? (error?.message ?? '') : presentable
  return text.replace(/\bBearer\s+\S+|\blin_\w+/gi, '[secret]').slice(0, 300)
}

/** A sentence of somebody else's among ours, where there is one. */
function sentences(...all: readonly string[]): string {
  return all
    .filter((text) => text !== '')
    .map((text) => (/[.!?]$/.test(text) ? text : `${text}.`))
    .join(' ')
}

/** A document that does not fit Linear's schema: no fault of the caller's. */
function isUnknownToLinear(error: GraphQLError | undefined, code: string): boolean {
  if (['GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_PARSE_FAILED'].includes(code)) return true
  return /^(?:Cannot query field|Unknown (?:argument|type|fragment|directive)|Syntax Error)\b/.test(error?.message ?? '')
}

function final(error: ToolError): Failure {
  return { error, passing: false, waitMs: 0 }
}

function passing(error: ToolError): Failure {
  return { error, passing: true, waitMs: 0 }
}

/**
 * Buckets leak: a reset says when one is full again, in milliseconds since 1970, so what a call needs is there sooner. One that does
 * not say how much it holds is waited for a second. https://linear.app/developers/rate-limiting
 */
function rateLimited(response: Response): Failure {
  const asked = retryAfterMs(response)
  const waits = [
    bucketWait(response.headers, 'Requests', 1),
    bucketWait(response.headers, 'Complexity', Number(response.headers.get('X-Complexity') ?? 0)),
  ]
  const known = waits.filter((wait) => wait > 0)
  const waitMs = asked > 0 ? asked : known.length > 0 ? Math.max(...known) : 1_000
  const details: ErrorDetails = { retryAfterSeconds: Math.ceil(waitMs / 1000) }
  return { error: new RateLimited('Linear asks to slow down.', details), passing: true, waitMs }
}

/** How long until a bucket holds what a call needs; 0 when it does, or does not say. */
function bucketWait(headers: Headers, kind: string, needed: number): number {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((part) => Number(headers.get(`X-RateLimit-${kind}-${part}`) ?? NaN))
  if (limit === undefined || remaining === undefined || reset === undefined || !(needed > remaining) || limit <= remaining) return 0
  return Math.max(0, Math.round(((reset - Date.now()) * (needed - remaining)) / (limit - remaining)))
}
