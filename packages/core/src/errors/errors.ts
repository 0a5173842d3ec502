import { inspect } from 'node:util'
import { isObject, mapTexts, member } from '../base/json.ts'
import { truncate } from './text.ts'
import { canonicalSpelling, Message, spellCommand, type Spelling } from './message.ts'
import { redact } from './redaction.ts'

/** The error codes that every server uses. Agents branch on them; do not add one lightly. */
export type ErrorCode =
  | 'invalid_input'
  | 'not_found'
  | 'ambiguous'
  | 'forbidden'
  | 'unauthenticated'
  | 'conflict'
  | 'rate_limited'
  | 'too_large'
  | 'unavailable'
  | 'internal'

/** A value that the caller may have meant; `confidence` is in [0, 1]. */
export interface Suggestion {
  readonly value: string
  readonly id?: string
  readonly confidence: number
  /** The parameter that the value is for. */
  readonly parameter?: string
}

/**
 * Next step for the caller: call a tool (canonical name), change the last call's arguments (null removes one), or have the person run
 * a command or open a page.
 */
export type NextStep = { readonly command?: string; readonly url?: string } & (
  | { readonly tool?: string; readonly arguments?: Readonly<Record<string, unknown>>; readonly change?: never }
  | { readonly change: Readonly<Record<string, unknown>>; readonly tool?: never; readonly arguments?: never }
)

/** A reference that matches several candidates equally, with the candidates for a person to choose from. */
export interface Choice {
  /** The parameter that holds the reference. */
  readonly parameter: string
  /** The caller's exact text; for a list, the element's text. */
  readonly reference: string
  /** Noun for the referenced thing, in the singular: `team`. */
  readonly kind: string
  /** Describes a change that needs the person's consent; consent is then the only option. */
  readonly consequence?: string
  readonly options: readonly ChoiceOption[]
}

/** A candidate: its id, which replaces the reference in the arguments, and its text for a person. */
export interface ChoiceOption {
  readonly id: string
  readonly label: string
}

/** A step that a person takes on a multi-user server's page: its purpose, and the scopes to grant. */
export interface ConnectStep {
  readonly purpose:
    /** Give the server access to a vendor account. */
    | 'account'
    /** Enter an API key. */
    | 'key'
    /** Choose files. */
    | 'picker'
  /** Vendor scopes that the step needs; the provider's defaults if absent. */
  readonly scopes?: readonly string[]
}

export interface ErrorDetails {
  readonly suggestions?: readonly Suggestion[]
  /** Questions for a person; answering all of them fixes the call. Not part of the JSON: callers read `suggestions`. */
  readonly choices?: readonly Choice[]
  readonly next?: NextStep
  /**
   * A refused call's arguments, corrected where their meaning is clear, and the names of the missing required ones. Not part of the JSON.
   */
  readonly rest?: { readonly args: Readonly<Record<string, unknown>>; readonly missing: readonly string[] }
  /** Step that the person must take first. Not part of the JSON: the server makes a page for the step and puts its address into `next`. */
  readonly connect?: ConnectStep
  /** Overrides the error class's default. */
  readonly retryable?: boolean
  /** Seconds until a retry makes sense. */
  readonly retryAfterSeconds?: number
  /**
   * `no`: nothing was sent to the vendor, so nothing can have taken effect there; `maybe`: a write was sent, and its outcome is unknown.
   * Absent if the vendor accepted or refused each attempt, or if the request only reads. Not part of the JSON: the message says so.
   */
  readonly sent?: 'no' | 'maybe'
  /** The vendor's HTTP status, if the caller needs it. */
  readonly httpStatus?: number
  /** The vendor's messages, if the caller needs them. */
  readonly errors?: readonly string[]
}

/** Limits on an error's text, in code units or items: they leave enough to act on, however much of the input the text quotes. */
const maxMessage = 16_000
const maxSuggestions = 30
const maxSuggestionLength = 1_000
const maxVendorErrors = 20
const maxVendorErrorLength = 1_000
const maxNextStepLength = 64_000

/** A failed call's JSON, as the caller sees it. */
export interface ErrorBody {
  readonly code: ErrorCode
  readonly message: string
  readonly retryable: boolean
  readonly retry_after_seconds?: number
  readonly http_status?: number
  readonly errors?: readonly string[]
  readonly suggestions?: readonly Suggestion[]
  readonly next?: NextStep
}

/**
 * An error that a caller can read and act on. Any other thrown error becomes `internal`, without its text. A `ToolError` has no cause:
 * upstream errors hold requests, and requests hold credentials.
 */
export abstract class ToolError extends Error {
  abstract readonly code: ErrorCode
  /** The message as data; `message` is its canonical text. */
  readonly text: Message
  readonly details: ErrorDetails

  constructor(text: string | Message, details: ErrorDetails = {}) {
    const message = Message.of(text)
    super(message.render())
    this.text = message
    this.details = details
  }

  override get name(): string {
    return this.constructor.name
  }

  /** A copy of the error with different details. The error itself stays as it is, because several calls can share it. */
  with(details: ErrorDetails): ToolError {
    const copy: unknown = Object.create(this, { details: { value: details } })
    return copy instanceof ToolError ? copy : this
  }

  /** True if the same call may succeed when retried. */
  get retryable(): boolean {
    return this.details.retryable ?? isOutage(this)
  }

  /**
   * The error as shown on one surface, most important members first. A long message is cut; an overlong suggestion or next step is
   * omitted, because half of one would mean something else.
   */
  render(spelling: Spelling): ErrorBody {
    const { retryAfterSeconds, httpStatus } = this.details
    const suggestions = this.details.suggestions
      ?.filter(({ value, id = '' }) => value.length + id.length <= maxSuggestionLength)
      .slice(0, maxSuggestions)
    const errors = this.details.errors?.slice(0, maxVendorErrors).map((error) => truncate(redact(error), maxVendorErrorLength))
    const step = this.details.next && spellNextStep(this.details.next, spelling)
    const next = step && JSON.stringify(step).length <= maxNextStepLength ? step : undefined
    return {
      code: this.code,
      message: truncate(redact(this.text.render(spelling)), maxMessage),
      retryable: this.retryable,
      ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
      ...(httpStatus !== undefined && { http_status: httpStatus }),
      ...(errors && { errors }),
      ...(suggestions && suggestions.length > 0 && { suggestions }),
      ...(next && { next }),
    }
  }

  toJSON(): ErrorBody {
    return this.render(canonicalSpelling)
  }

  [inspect.custom](): string {
    return `${this.name} ${JSON.stringify(this.toJSON())}`
  }
}

/** Omits a tool that is not offered and a command that the reader cannot run; undefined if nothing remains. */
function spellNextStep({ tool, arguments: args, change, command, url }: NextStep, spelling: Spelling): NextStep | undefined {
  const name = tool === undefined ? undefined : spelling.tool(tool)
  const typed = command === undefined ? undefined : spellCommand(command, spelling)
  if (name === undefined && !change && typed === undefined && url === undefined) return undefined
  const named = name !== undefined && { tool: name, ...(args && { arguments: args }) }
  return { ...(change ? { change } : named), ...(url !== undefined && { url }), ...(typed !== undefined && { command: typed }) }
}

/** The arguments cannot be used as they are. */
export class InvalidInput extends ToolError {
  override readonly code = 'invalid_input'
}

/** A name or id does not exist. */
export class NotFound extends ToolError {
  override readonly code = 'not_found'
}

/** A reference matches several candidates; `suggestions` lists them. */
export class Ambiguous extends ToolError {
  override readonly code = 'ambiguous'
}

/** The credentials are valid, but do not permit this. */
export class Forbidden extends ToolError {
  override readonly code = 'forbidden'
}

/** The credentials are missing, or the vendor rejects them. */
export class Unauthenticated extends ToolError {
  override readonly code = 'unauthenticated'
}

/** The vendor's state conflicts with the request. */
export class Conflict extends ToolError {
  override readonly code = 'conflict'
}

/** The vendor asks us to wait, for `retryAfterSeconds` if known. */
export class RateLimited extends ToolError {
  override readonly code = 'rate_limited'
}

/** The request or its result exceeds a limit. */
export class TooLarge extends ToolError {
  override readonly code = 'too_large'
}

/** The vendor cannot be reached or does not answer in time. */
export class Unavailable extends ToolError {
  override readonly code = 'unavailable'
}

/** True for an error caused by the vendor or a store, not by the call or its credentials. Most are temporary. */
export function isOutage(error: unknown): error is Unavailable | RateLimited {
  return error instanceof Unavailable || error instanceof RateLimited
}

/** A defect in the server; the message never quotes the original error. */
export class Internal extends ToolError {
  override readonly code = 'internal'
}

const kinds: Readonly<Record<ErrorCode, new (text: string | Message, details: ErrorDetails) => ToolError>> = {
  invalid_input: InvalidInput,
  not_found: NotFound,
  ambiguous: Ambiguous,
  forbidden: Forbidden,
  unauthenticated: Unauthenticated,
  conflict: Conflict,
  rate_limited: RateLimited,
  too_large: TooLarge,
  unavailable: Unavailable,
  internal: Internal,
}

/** An error of the same class with different text and details. */
export function withDetails(error: ToolError, text: string | Message, details: ErrorDetails): ToolError {
  return new kinds[error.code](text, details)
}

/** An error as stored: its canonical JSON, plus the text as data. */
export type StoredError = ErrorBody & { readonly text: Message }

/** The error as JSON, without known secrets; `errorFromJson` restores it. */
export function errorToJson(error: ToolError): StoredError {
  return { ...mapErrorTexts(error.toJSON(), redact), text: error.text.map(redact) }
}

/** An error with `change` applied to all its strings, except the code. */
export function mapErrorTexts(body: ErrorBody, change: (text: string) => string): ErrorBody {
  const { message, errors, suggestions, next } = body
  const { tool, arguments: args, command, url } = next ?? {}
  return {
    ...body,
    message: change(message),
    ...(errors && { errors: errors.map(change) }),
    ...(suggestions && {
      suggestions: suggestions.map(({ value, id, ...suggestion }) => ({
        value: change(value),
        ...(id !== undefined && { id: change(id) }),
        ...suggestion,
      })),
    }),
    ...(next && {
      next: {
        ...(next.change
          ? { change: mapTexts(next.change, change) }
          : { ...(tool !== undefined && { tool: change(tool) }), ...(args && { arguments: mapTexts(args, change) }) }),
        ...(command !== undefined && { command: change(command) }),
        ...(url !== undefined && { url }),
      },
    }),
  }
}

/** The error that `errorToJson` or `toJSON` wrote; undefined for anything else. */
export function errorFromJson(body: unknown): ToolError | undefined {
  if (!isErrorBody(body)) return undefined
  const { code, message, retryable, retry_after_seconds: retryAfterSeconds, http_status: httpStatus, errors, suggestions, next } = body
  return new kinds[code](Message.fromJson(member(body, 'text')) ?? message, {
    retryable,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(errors && { errors }),
    ...(suggestions && { suggestions }),
    ...(next && { next }),
  })
}

function isErrorBody(value: unknown): value is ErrorBody {
  return isObject(value) && typeof value['code'] === 'string' && Object.hasOwn(kinds, value['code']) && typeof value['message'] === 'string'
}
