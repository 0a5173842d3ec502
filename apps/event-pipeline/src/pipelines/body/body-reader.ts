import { isObject, type JsonObject, mapInSlices, nextTurn, parseJson, runInSlices } from '@mcp-toolkits/core/base'
import { InvalidInput } from '@mcp-toolkits/core/errors'
import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { BodyText, CallName, ParsedBody } from '../calls.ts'
import { type LayoutLimits, readLayout } from './json-text.ts'
import { checkCallCount, checkSizes, maxBatchBytes, maxCalls } from './limits.ts'

/** Maximum nesting depth of a body: parsers between here and the vendor have limits. */
const maxDepth = 100

/** Maximum number of members of an object: no call within the vendor's size limit has this many. */
const maxMembers = 10_000

/** Maximum length of invalid JSON for which we explain the mistake in our own words. */
const maxExplained = 100_000

/** Maximum length, in UTF-16 code units, of text read in one event loop turn. */
const maxLengthAtOnce = 100_000

/**
 * Reads a call's `request_body`. Throws `InvalidInput`, with the mistake's position, unless it is the text of one JSON object, and
 * `TooLarge` for a body too large for any request. Other work may run meanwhile.
 */
export async function readBody(requestBody: unknown, call: CallName = 'batch'): Promise<ParsedBody> {
  if (typeof requestBody === 'string') return parseBody(requestBody, call)
  if (!isObject(requestBody)) throw notAnObject(requestBody)
  const { batch } = requestBody
  if (call === 'batch' && Array.isArray(batch)) checkCallCount(batch.length)
  await nextTurn()
  const body = await parseBody(await textOf(requestBody), call)
  return { ...body, notices: await roundingNotices(requestBody) }
}

async function nextTurnFor(text: string): Promise<void> {
  if (text.length > maxLengthAtOnce) await nextTurn()
}

/** An object's JSON. A list's items are written one at a time, so that other work can run in between. */
async function textOf(object: JsonObject): Promise<string> {
  const members: string[] = []
  for (const [name, value] of Object.entries(object)) {
    const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined
    const text = items ? `[${(await mapInSlices(items, toJson)).map((item) => item ?? 'null').join(',')}]` : toJson(value)
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${members.join(',')}}`
}

/** Typed here, because `JSON.stringify` returns undefined for undefined, which its own type denies. */
const toJson: (value: unknown) => string | undefined = (value) => JSON.stringify(value)

async function parseBody(text: string, call: CallName): Promise<ParsedBody> {
  await nextTurnFor(text)
  if (!text.isWellFormed())
    throw new InvalidInput('request_body contains half of a surrogate pair, which cannot be encoded. Correct the text.')
  const layout = await runInSlices(readLayout(text, { maxDepth, maxMembers, maxElements: maxCalls }))
  const members = typeof layout === 'string' ? throwExcess(layout) : layout
  const batch = members.findLast(({ name }) => name === 'batch')
  const body = { text, items: batch?.elements ?? [], members: new Map(members.map(({ name, span }) => [name, span])) }
  if (call === 'batch') checkCallCount(batch?.elementCount ?? 0)
  // Parsing text that will be refused anyway would waste time.
  if (text.length > maxBatchBytes && !/^\s*"/.test(text)) checkSizes(call, body)
  const json = await parseInSlices(body)
  if (json === undefined) throw new InvalidInput(`request_body is not JSON${syntaxError(text)}. Nothing was sent.`)
  if (!isObject(json)) throw notAnObject(json)
  return { ...body, json, notices: [] }
}

/**
 * A body's value; undefined if the body is not JSON. A batch's calls are parsed one at a time, and the rest with zeros in their place.
 */
async function parseInSlices({ text, items }: BodyText): Promise<unknown> {
  const calls = await mapInSlices(items, ({ start, end }) => parseJson(text.slice(start, end)))
  const gaps = items.map(({ start }, index) => text.slice(items[index - 1]?.end ?? 0, start))
  const json = parseJson([...gaps, text.slice(items.at(-1)?.end ?? 0)].join('0'))
  if (items.length === 0) return json
  return isObject(json) && !calls.includes(undefined) ? { ...json, batch: calls } : undefined
}

/** Throws before anything is parsed: even short text of this kind takes a long time to parse. */
function throwExcess(excess: keyof LayoutLimits): never {
  if (excess === 'maxDepth')
    throw new InvalidInput(`request_body nests objects and arrays more than ${maxDepth} deep. Nothing was sent. Flatten it.`)
  throw new InvalidInput(`An object in request_body has more than ${maxMembers} members. Nothing was sent. Send fewer.`)
}

function notAnObject(value: unknown): InvalidInput {
  const hint =
    typeof value === 'string' && value.trimStart().startsWith('{') ? ' It is JSON inside a JSON string: stringify it only once.' : ''
  const kind = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
  return new InvalidInput(`request_body must be the text of one JSON object; it is ${kind}. Nothing was sent.${hint}`)
}

function syntaxError(text: string): string {
  if (text.length > maxExplained) return ''
  const errors: ParseError[] = []
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  } catch {
    return ': it nests too deep'
  }
  const [first] = errors
  if (!first) return ''
  const before = text.slice(0, first.offset).split('\n')
  const problem = printParseErrorCode(first.error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
  return `: ${problem} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

/** A body that arrives as an object has already been parsed, which rounds large integers. */
async function roundingNotices(value: JsonObject): Promise<string[]> {
  const parts = Object.values(value).flatMap((each): unknown[] => (Array.isArray(each) ? each : [each]))
  const areUnsafe = await mapInSlices(parts, (each) => hasUnsafeInteger(each, maxDepth))
  if (!areUnsafe.includes(true)) return []
  return [
    'request_body came as an object with an integer beyond 2^53, which may have been rounded. Send request_body as text to keep it exact.',
  ]
}

function hasUnsafeInteger(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  if (depth === 0) return false
  return valuesOf(value).some((each) => hasUnsafeInteger(each, depth - 1))
}

function valuesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : []
}
