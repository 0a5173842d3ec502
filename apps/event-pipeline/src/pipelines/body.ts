import { InvalidInput } from '@mcp-toolkits/core'
import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/json'
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/** Deeper bodies are rejected, because parsers between here and the vendor have limits. */
const maxDepth = 100

/** A part of a body's text, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A request body: its exact text, its value, and the spans of its parts, so that text can be added without touching the rest. */
export interface ParsedBody {
  readonly text: string
  readonly json: JsonObject
  /** The elements of `batch`; empty for other calls. */
  readonly items: readonly Span[]
  /** The top-level members, name and value. */
  readonly members: ReadonlyMap<string, Span>
  readonly notices: readonly string[]
}

/** Reads `request_body`. Throws `InvalidInput`, with the position of the mistake, unless it is the text of one JSON object. */
export function readBody(requestBody: unknown): ParsedBody {
  if (typeof requestBody === 'string') return parseBody(requestBody, [])
  if (!isObject(requestBody)) throw notAnObject(requestBody)
  return parseBody(JSON.stringify(requestBody), roundingNotices(requestBody))
}

function parseBody(text: string, notices: readonly string[]): ParsedBody {
  if (!text.isWellFormed())
    throw new InvalidInput('request_body contains half of a surrogate pair, which cannot be encoded. Correct the text.')
  const json = parseJson(text)
  if (json === undefined) throw new InvalidInput(`request_body is not JSON${syntaxError(text)}. Nothing was sent.`)
  if (!isObject(json)) throw notAnObject(json)
  if (isDeeperThan(maxDepth, json)) {
    throw new InvalidInput(`request_body nests objects and arrays more than ${maxDepth} deep; nothing was sent. Flatten it.`)
  }
  const properties = parseTree(text)?.children ?? []
  const batch = properties.find((property) => nameOf(property) === 'batch')?.children?.[1]
  return {
    text,
    json,
    items: batch?.type === 'array' ? (batch.children ?? []).map(spanOf) : [],
    members: new Map(properties.map((property) => [nameOf(property), spanOf(property)])),
    notices,
  }
}

function nameOf(property: Node): string {
  return String(property.children?.[0]?.value)
}

function spanOf({ offset, length }: Node): Span {
  return { start: offset, end: offset + length }
}

function notAnObject(value: unknown): InvalidInput {
  const hint =
    typeof value === 'string' && value.trimStart().startsWith('{') ? ' It is JSON inside a JSON string: stringify it only once.' : ''
  const kind = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
  return new InvalidInput(`request_body must be the text of one JSON object; it is ${kind}. Nothing was sent.${hint}`)
}

function syntaxError(text: string): string {
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

/** Level by level, so that a deep value cannot exhaust the stack. */
function isDeeperThan(limit: number, value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.flatMap(valuesOf)
    if (level.length === 0) return false
  }
  return true
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
