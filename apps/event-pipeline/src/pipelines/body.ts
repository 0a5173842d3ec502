import { InvalidInput } from '@mcp-toolkits/core'
import { nextTurn } from '@mcp-toolkits/core/async'
import { excessOf, isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/json'
import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { layoutOf, type Span } from './json-text.ts'

/** Deeper bodies are rejected, because parsers between here and the vendor have limits. */
const maxDepth = 100

/** No call within the vendor's limit has an object with so many members. */
const maxMembers = 10_000

/** Up to this length the mistake in a text that is not JSON is explained in our own words. */
const maxExplained = 100_000

/** The exact text of a body and the spans of its parts, so that text can be added without touching the rest. */
export interface BodyText {
  readonly text: string
  /** The elements of `batch`; empty for other calls. */
  readonly items: readonly Span[]
  /** The top-level members, name and value. */
  readonly members: ReadonlyMap<string, Span>
}

/** A request body with its value. */
export interface ParsedBody extends BodyText {
  readonly json: JsonObject
  readonly notices: readonly string[]
}

/** A longer text is read in several turns of the event loop, in UTF-16 units. */
const maxLengthAtOnce = 100_000

/** Reads `request_body`. Throws `InvalidInput`, with the position of the mistake, unless it is the text of one JSON object. */
export async function readBody(requestBody: unknown): Promise<ParsedBody> {
  if (typeof requestBody === 'string') return parseBody(requestBody, [])
  if (!isObject(requestBody)) throw notAnObject(requestBody)
  // Only its text says how large it is.
  await nextTurn()
  const text = JSON.stringify(requestBody)
  await nextTurnFor(text)
  return parseBody(text, roundingNotices(requestBody))
}

async function nextTurnFor(text: string): Promise<void> {
  if (text.length > maxLengthAtOnce) await nextTurn()
}

async function parseBody(text: string, notices: readonly string[]): Promise<ParsedBody> {
  await nextTurnFor(text)
  if (!text.isWellFormed())
    throw new InvalidInput('request_body contains half of a surrogate pair, which cannot be encoded. Correct the text.')
  refuseExcess(text)
  await nextTurnFor(text)
  const json = parseJson(text)
  if (json === undefined) throw new InvalidInput(`request_body is not JSON${syntaxError(text)}. Nothing was sent.`)
  if (!isObject(json)) throw notAnObject(json)
  await nextTurnFor(text)
  const members = layoutOf(text)
  return {
    text,
    json,
    items: members.findLast(({ name }) => name === 'batch')?.elements ?? [],
    members: new Map(members.map(({ name, span }) => [name, span])),
    notices,
  }
}

/** Before anything is parsed: a small text of this kind takes long to parse. */
function refuseExcess(text: string): void {
  const excess = excessOf(text, { maxDepth, maxMembers, maxContainers: Infinity })
  if (excess === 'maxDepth')
    throw new InvalidInput(`request_body nests objects and arrays more than ${maxDepth} deep; nothing was sent. Flatten it.`)
  if (excess === 'maxMembers')
    throw new InvalidInput(`An object in request_body has more than ${maxMembers} members; nothing was sent. Send fewer of them.`)
}

/** Text to add to a body, and where. */
export interface Insertion {
  readonly at: number
  readonly text: string
}

/** A body with text added, in the order of the positions. */
export function withInsertions({ text, items, members }: BodyText, insertions: readonly Insertion[]): BodyText {
  if (insertions.length === 0) return { text, items, members }
  const parts = insertions.map(({ at, text: added }, index) => `${text.slice(insertions[index - 1]?.at ?? 0, at)}${added}`)
  let next = 0
  let shift = 0
  /** Positions are asked for in ascending order. */
  const moved = (position: number) => {
    for (let insertion = insertions[next]; insertion && insertion.at < position; insertion = insertions[next]) {
      shift += insertion.text.length
      next += 1
    }
    return position + shift
  }
  const move = ({ start, end }: Span) => ({ start: moved(start), end: moved(end) })
  const rewind = () => {
    next = 0
    shift = 0
  }
  const movedItems = items.map(move)
  rewind()
  return {
    text: parts.join('') + text.slice(insertions.at(-1)?.at),
    items: movedItems,
    members: new Map([...members].map(([name, span]) => [name, move(span)])),
  }
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
function roundingNotices(value: JsonObject): string[] {
  if (!Object.values(value).some((each) => hasUnsafeInteger(each, maxDepth))) return []
  return [
    'request_body was an object with an integer beyond 2^53, which may have been rounded before it arrived. Send request_body as a string to keep the integer exact.',
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
