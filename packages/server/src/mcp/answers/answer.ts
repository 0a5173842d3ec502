import { mapTexts, type JsonObject } from '@mcp-toolkits/core/base'
import {
  canonicalSpelling,
  type Choice,
  type ErrorBody,
  Internal,
  mapErrorTexts,
  Message,
  type NextStep,
  redact,
  type Spelling,
  TooLarge,
  ToolError,
} from '@mcp-toolkits/core/errors'
import type { UrlElicitation, UserContent, Page, CallResult } from '@mcp-toolkits/core/tool'
import type { ContentBlock } from '@modelcontextprotocol/server'
import type { ConnectLink } from '../connect-links.ts'
import { type ExitFilter, filterText } from './exit-filter.ts'
import type { CursorList } from './fit-result.ts'

/** Maximum size of a result, in bytes. Official clients drop the connection on a stdio line over 10 MiB. */
const maxResultBytes = 8 * 1024 * 1024

const embeddedNotice = 'embedded: nothing left this machine'

/** The answer to a successful call. */
export interface Success extends UserContent {
  readonly ok: true
  readonly data: CallResult['data']
  /** Fields for programs only, omitted from the text for a model. */
  readonly programFields?: JsonObject
  /** Sentence on how to read the rest or ask for less, if the tool provides one. */
  readonly narrowing?: string
  /** The list in `data` that can be continued after any of its rows. */
  readonly list?: CursorList
  /** The JSON of `data`, if its size has been measured. */
  readonly json?: string
  /** Links to the items that the answer is about. */
  readonly links?: readonly ContentBlock[]
  /** True for the stored result of an earlier call with the same idempotency key. */
  readonly isReplay?: true
}

/** The answer to a failed call. */
export interface Failure {
  readonly ok: false
  readonly error: ErrorBody
  /** Choices by which a person can make the call succeed; never shown to the caller. */
  readonly choices?: readonly Choice[]
  /** The page where the person makes the call possible; its address is also in the error. */
  readonly connectLink?: PersonLink
}

/** A connect link, with the message that the person reads before opening it. */
export interface PersonLink extends Pick<ConnectLink, 'id'>, UrlElicitation {}

/** A call's outcome, before conversion to the protocol's form. */
export type Answer = Success | Failure

/** A result within the limits, marked if it is from a write to the embedded default. Throws `TooLarge`. */
export function toAnswer(
  { data, isWrite, notices = [], narrowing, page, ...userContent }: CallResult,
  embedded: boolean,
  filter: ExitFilter = filterText,
  spelling: Spelling = canonicalSpelling,
): Success {
  const render = (text: string | Message) => Message.of(text).render(spelling)
  const noticed = withNotices(data, notices.map(render))
  const filtered = mapTexts(isWrite && embedded ? { ...noticed, upstream: embeddedNotice } : noticed, filterWithin(filter, maxResultBytes))
  const { data: marked, list } = page ? continueList(filtered, page) : { data: filtered }
  const json = JSON.stringify(marked)
  const bytes = Buffer.byteLength(json) + Math.ceil((userContent.content?.bytes.byteLength ?? 0) / 3) * 4
  if (bytes > maxResultBytes) throw tooLarge()
  const { content } = userContent
  // The bytes belong to the person; the name is filtered like any other text.
  const named = content && { content: { ...content, uri: filter(content.uri), mimeType: filter(content.mimeType) } }
  const shortened = { ...(list && { list }), ...(narrowing !== undefined && { narrowing: render(narrowing) }) }
  return { ok: true, data: marked, json, ...userContent, ...named, ...shortened }
}

/** The data without the rows already shown by an earlier, shortened result. */
function continueList(data: JsonObject, page: Page): { readonly data: JsonObject; readonly list?: CursorList } {
  const [name, read] = Object.entries(data).find(([each, value]) => each !== 'notices' && Array.isArray(value)) ?? []
  if (name === undefined || !Array.isArray(read)) return { data }
  const { rows, cursorAt } = page(read)
  return { data: { ...data, [name]: rows }, list: { name, cursorAt } }
}

/** Adds notices at the start of a result, before the result's own; each appears once. */
export function withNotices(data: JsonObject, texts: readonly string[]): JsonObject {
  const given = texts.filter((text) => text !== '')
  if (given.length === 0) return data
  const { notices: own, ...rest } = data
  const all: readonly unknown[] = Array.isArray(own) ? [...given, ...own.map(String)] : given
  return { notices: [...new Set(all)], ...rest }
}

/**
 * A filter that throws `TooLarge` once it has returned more than `maxLength` characters in total: filtering can make text eight times as
 * long.
 */
function filterWithin(filter: ExitFilter, maxLength: number): ExitFilter {
  let length = 0
  return (text) => {
    const filtered = filter(text, maxLength)
    length += filtered.length
    if (length > maxLength) throw tooLarge()
    return filtered
  }
}

/** Error for a result with more bytes than can be returned. */
export function tooLarge(maxBytes = maxResultBytes, advice = 'Ask for less at once.'): TooLarge {
  return new TooLarge(`The result is larger than the limit of ${maxBytes} bytes. ${advice}`)
}

/** An error as shown to the caller: a typed error in full, any other without its text. */
export function toFailure(error: unknown, spelling: Spelling, filter: ExitFilter = filterText): Failure {
  const known = error instanceof ToolError ? error : new Internal('The server failed unexpectedly. The details are in its log.')
  const { next, ...rest } = known.render(spelling)
  const step = next && keepMeaning(next, filter)
  const body = { ...mapErrorTexts(rest, filter), ...(step && { next: step }) }
  // References and ids are compared with arguments, so they are not filtered here; the form filters those references that it shows.
  const choices = known.details.choices?.map((choice) => ({
    ...choice,
    ...(choice.consequence !== undefined && { consequence: filter(choice.consequence) }),
    options: choice.options.map(({ id, label }) => ({ id, label: filter(label) })),
  }))
  const isAnswerable = body.code === 'ambiguous' || choices?.every(({ consequence }) => consequence !== undefined)
  return { ok: false, error: body, ...(isAnswerable === true && choices && { choices }) }
}

/**
 * The next step, with the values that callers pass back left unchanged: if their invisible characters were made visible, they would mean
 * something else. Invisible characters become JSON escapes in the output. An argument that contains a secret is left out; undefined if
 * nothing is left.
 */
function keepMeaning({ tool, arguments: args, change, command, url }: NextStep, filter: ExitFilter): NextStep | undefined {
  const kept = Object.entries(change ?? {}).filter(([name, value]) => !holdsSecret({ [name]: value }))
  const call = { ...(tool !== undefined && { tool: filter(tool) }), ...(args && !holdsSecret(args) && { arguments: args }) }
  const step = {
    ...(kept.length > 0 ? { change: Object.fromEntries(kept) } : call),
    ...(command !== undefined && { command: filter(command) }),
    ...(url !== undefined && { url }),
  }
  return Object.keys(step).length > 0 ? step : undefined
}

const holdsSecret = (value: JsonObject) => mapTexts(value, redact) !== value
