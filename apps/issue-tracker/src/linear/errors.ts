import { type Clock, isObject, member, stringMember } from '@mcp-toolkits/core/base'
import {
  Conflict,
  type ErrorDetails,
  Forbidden,
  InvalidInput,
  Message,
  type NextStep,
  NotFound,
  quoteVendor,
  RateLimited,
  sentence,
  TooLarge,
  type ToolError,
  Unauthenticated,
  Unavailable,
} from '@mcp-toolkits/core/errors'
import { type CompleteResponse, type Hold, retryAfterMs } from '@mcp-toolkits/core/upstream'

type Head = Pick<Response, 'headers'>

/** Holds requested by a Linear response: on this account, or on one document if only its endpoint is limited. */
export function holdsIn(response: Head, error: ToolError | undefined, clock: Clock): readonly Hold[] {
  const isRefused = error instanceof RateLimited
  const endpointMs = quotaMs(response, 'Endpoint-Requests', 1, clock)
  const accountMs = accountQuotaMs(response, isRefused, clock)
  const askedMs = isRefused ? retryAfterMs(response, clock) : undefined
  if (endpointMs > 0) return [{ covers: 'operation', ms: askedMs ?? endpointMs }]
  if (isRefused) return [{ covers: 'account', ms: askedMs ?? (accountMs > 0 ? accountMs : undefined) }]
  return accountMs > 0 ? [{ covers: 'account', ms: accountMs }] : []
}

/** Wait, in milliseconds, after Linear refused a request; undefined if Linear does not give one. */
export function waitBeforeNext(response: Head, clock: Clock): number | undefined {
  const quotaWaitMs = Math.max(quotaMs(response, 'Endpoint-Requests', 1, clock), accountQuotaMs(response, true, clock))
  return retryAfterMs(response, clock) ?? (quotaWaitMs > 0 ? quotaWaitMs : undefined)
}

function accountQuotaMs(response: Head, isRefused: boolean, clock: Clock): number {
  const points = isRefused ? Number(response.headers.get('X-Complexity') ?? 1) : 1
  return Math.max(quotaMs(response, 'Requests', 1, clock), quotaMs(response, 'Complexity', points, clock))
}

/** Maximum time, in milliseconds, until a reset: Linear counts by the hour, so a later reset means that a clock is wrong. */
const maxResetMs = 3_600_000

/**
 * Time until a quota covers a request, in milliseconds; 0 if it already does or if Linear does not say. An exhausted quota is left
 * alone until it resets; any other quota refills evenly. https://linear.app/developers/rate-limiting
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

/** One error in a response. */
export interface VendorError {
  /** The message; empty if Linear gives none. */
  readonly message: string
  readonly path: readonly unknown[]
  readonly extensions: unknown
}

/** Reads a response's errors, whatever their form. */
export function errorsIn(errors: unknown): readonly VendorError[] {
  const list: readonly unknown[] = Array.isArray(errors) ? errors : [errors]
  const isNone =
    errors === undefined || errors === null || errors === '' || errors === false || (isObject(errors) && Object.keys(errors).length === 0)
  if (isNone) return []
  return list.map((each) => {
    const path = member(each, 'path')
    return { message: textOf(each), path: Array.isArray(path) ? path : [], extensions: member(each, 'extensions') }
  })
}

function textOf(error: unknown): string {
  if (error === null || error === undefined) return ''
  const message = isObject(error) ? error['message'] : error
  return typeof message === 'string' ? message : JSON.stringify(error)
}

/** A field that Linear does not know, with its type. */
export interface UnknownField {
  readonly field: string
  readonly type: string
}

/**
 * Error for a field or argument unknown to Linear: its schema has changed, or the workspace does not have the feature yet. Linear did
 * nothing.
 */
export class SchemaMismatch extends Unavailable {
  /** The fields; empty if something else is unknown. */
  readonly unknown: readonly UnknownField[]

  constructor(errors: readonly VendorError[]) {
    const words = quoteVendor('Linear', ...new Set(errors.map(vendorText)))
    super(sentences('Linear does not know what this version asks for.', words, 'Update the server.'), { retryable: false })
    // Linear reports a field once for each place that selects it.
    const found = [...new Set(errors.map(({ message }) => message))].map((message) =>
      /^Cannot query field "(\w+)" on type "(\w+)"/.exec(message),
    )
    this.unknown = found.every((each) => each !== null) ? found.map(([, field = '', type = '']) => ({ field, type })) : []
  }
}

/** Meaning of a Linear refusal: the class of error, the rule, the remedy, and whether a retry may succeed. */
interface Reason {
  readonly error: new (text: Message, details: ErrorDetails) => ToolError
  readonly rule: string
  readonly helps?: string | Message
  readonly next?: NextStep
  readonly retryable?: boolean
}

/** The command that shows the account and its permissions, or why Linear refuses the credentials. */
const next = { command: 'issue-tracker-mcp status' }
const credentials: Reason = {
  error: Unauthenticated,
  rule: 'Linear refused the credentials.',
  helps: sentence`The person who runs this server has to replace the key in ${{ variable: 'ISSUE_TRACKER_API_KEY' }}, or the token in ${{ variable: 'ISSUE_TRACKER_ACCESS_TOKEN' }}.`,
  next,
}
const permission: Reason = {
  error: Forbidden,
  rule: 'Linear does not allow this account to do that.',
  helps: 'Another account may be allowed to; the command says which account this is.',
  next,
}
const plan: Reason = {
  error: Forbidden,
  rule: "Linear's plan does not allow this.",
  helps: 'An admin of the workspace can change the plan.',
}
const rateLimit: Reason = { error: RateLimited, rule: 'Linear asked us to slow down.' }
const refusal: Reason = { error: InvalidInput, rule: 'Linear refused the request.' }
const failure: Reason = { error: Unavailable, rule: 'Linear failed to respond.' }
const unexplained: Reason = { error: Unavailable, rule: 'Linear does not say why it refused.', retryable: false }

/**
 * Reasons by Linear's error types and codes, in lower case and without separators. An entry says no more than the error type does; types
 * without an entry get no hint. https://linear.app/developers/graphql#errors
 */
export const reasons: Readonly<Record<string, Reason>> = {
  'authentication error': credentials,
  forbidden: permission,
  'feature not accessible': plan,
  'usage limit exceeded': plan,
  ratelimited: rateLimit,
  'invalid input': refusal,
  'input error': refusal,
  'user error': refusal,
  'graphql error': refusal,
  'internal error': failure,
  'internal server error': failure,
  'bootstrap error': failure,
  'lock timeout': failure,
  'network error': failure,
  unknown: unexplained,
  other: unexplained,
}

/** Reasons by Linear's wording, which can say more than the type. */
const reasonsByText: readonly (readonly [text: RegExp, reason: Reason])[] = [
  [
    /invalid scope/i,
    { ...permission, helps: 'Sign in again with that scope, or use a key that has it; the command shows the scopes of the current one.' },
  ],
  [/too complex/i, { error: TooLarge, rule: 'Linear finds the query too complex.', helps: 'Ask for less at once.' }],
  [/conflict on insert|duplicate attachment/i, { error: Conflict, rule: '' }],
  [/not found/i, { error: NotFound, rule: '' }],
]

type Answer = Pick<CompleteResponse, 'status' | 'headers' | 'text'>

/**
 * The typed error for a response with errors. Type and wording take precedence over the HTTP status: a rate limit is HTTP 400, and so is a
 * query that is too complex.
 */
export function errorOf(response: Answer, errors: readonly VendorError[], clock: Clock): ToolError {
  const { status } = response
  const first = errors.find(({ message }) => message !== '') ?? errors[0]
  const byStatus = { 401: credentials, 403: permission, 429: rateLimit }[status]
  const byType = ['code', 'type'].map(
    (key) =>
      reasons[
        extensionOf(first, key)
          .toLowerCase()
          .replace(/[^a-z]+/g, ' ')
      ],
  )
  const known = [byStatus === credentials ? byStatus : undefined, ...byType, byStatus].find((reason) => reason !== undefined)
  const byText = reasonsByText.find(([text]) => text.test(first?.message ?? ''))?.[1]
  const isOfAccount = known !== undefined && [credentials, permission, plan, rateLimit].includes(known)
  if (!isOfAccount && first && isSchemaMismatch(first)) return new SchemaMismatch(errors)
  const reason = isOfAccount && byText?.error !== known.error ? known : (byText ?? known)
  if (reason === rateLimit) return rateLimited(response, clock)
  const detail = quoteVendor('Linear', ...new Set(errors.map(vendorText)))
  if (reason) {
    const { error: Kind, rule, helps = '', next: step, retryable } = reason
    return new Kind(sentences(rule, detail, helps), { ...(step && { next: step }), ...(retryable !== undefined && { retryable }) })
  }
  if (first)
    return new (first.message === '' ? Unavailable : InvalidInput)(sentences('Linear refused the request.', detail), { retryable: false })
  return unexpectedStatus(response)
}

/** Error for a response that has an error status but reports no errors; it may come from something in front of Linear. */
function unexpectedStatus({ status, text }: Answer): Unavailable {
  if (status >= 300 && status < 400) {
    const refused = `Linear answered with a redirect (HTTP ${status}), which was not followed.`
    const hint = sentence`If ${{ variable: 'ISSUE_TRACKER_API_URL' }} is set, check it; otherwise a proxy or a sign-in page may have answered.`
    return new Unavailable(sentences(refused, hint), { httpStatus: status, retryable: false, next })
  }
  const endpointHint =
    status === 404
      ? sentence`If ${{ variable: 'ISSUE_TRACKER_API_URL' }} is set, it has to be the whole endpoint, which ends in /graphql.`
      : ''
  const isPage = /<[a-z!]/i.test(text)
  const said = isPage ? 'The answer is a web page, so it may not be from Linear.' : quoteVendor('Linear', withoutSecrets(text))
  return new Unavailable(sentences(`Linear answered HTTP ${status}.`, said, endpointHint), { httpStatus: status, retryable: false })
}

/** Error for a status sent by Linear, or by something in front of it, while Linear cannot respond. */
export function gatewayError(response: Pick<Response, 'status' | 'headers'>, clock: Clock): Unavailable {
  const { status } = response
  const waitMs = retryAfterMs(response, clock)
  const hint = waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1000) }
  return new Unavailable(`Linear answered HTTP ${status}.`, { httpStatus: status, ...hint })
}

/** Error for valid JSON with neither data nor errors. */
export function noData(): Unavailable {
  return new Unavailable('The answer contains neither data nor an error: it may not be from Linear, but from a proxy or a sign-in page.')
}

/** Notice for a response with both data and errors from Linear. */
export function partialNotice(errors: readonly VendorError[]): string {
  const [first] = errors.filter(({ message }) => message !== '')
  const where = first?.path.filter((part) => typeof part === 'string').join('.') ?? ''
  return `Linear reported an error along with its response, part of which${where === '' ? '' : ` (${where})`} may be missing. ${quoteVendor('Linear', ...new Set(errors.map(vendorText)))}`.trim()
}

function extensionOf(error: VendorError | undefined, key: string): string {
  return stringMember(error?.extensions, key) ?? ''
}

/** Linear's own text, preferably the text meant for people, without anything that may be a credential. */
function vendorText(error: VendorError): string {
  const presentable = extensionOf(error, 'userPresentableMessage')
  return withoutSecrets(presentable === '' ? error.message : presentable)
}

function withoutSecrets(text: string): string {
  return text.replace(/\bBearer\s+\S+|\blin_\w+/gi, '[secret]')
}

/** Joins our sentences with Linear's, which may lack a full stop. */
function sentences(...texts: readonly (string | Message)[]): Message {
  const complete = texts.map((text) => (typeof text !== 'string' || text === '' || /[.!?]"?$/.test(text) ? text : `${text}.`))
  return Message.of(...complete)
}

/** True if a document does not match Linear's schema, which is not the caller's fault. */
function isSchemaMismatch(error: VendorError): boolean {
  if (['GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_PARSE_FAILED'].includes(extensionOf(error, 'code'))) return true
  return /^(?:Cannot query field|Unknown (?:argument|type|fragment|directive)|Syntax Error)\b/.test(error.message)
}

/** Error for a rate limit. Without a hint, the transport decides how long to wait. */
function rateLimited(response: Pick<Response, 'headers'>, clock: Clock): RateLimited {
  const waitMs = waitBeforeNext(response, clock)
  return new RateLimited('Linear asked us to slow down.', waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1000) })
}
