import { InvalidInput } from '@mcp-toolkits/core'
import { parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import { isObject, type JsonObject } from './call.ts'

/** Objects and arrays inside one another; no event needs as many, and parsers along the way give up at some depth. */
const deepest = 100

/** A place in a body's text, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A request body: the exact text, what it says, and where its parts stand, so that text can be added without touching the rest. */
export interface Body {
  readonly text: string
  readonly json: JsonObject
  /** Where each element of `batch` stands; empty for other calls. */
  readonly items: readonly Span[]
  /** Where each top-level member stands, name and value. */
  readonly members: ReadonlyMap<string, Span>
  readonly notices: readonly string[]
}

/** Reads `request_body`. Throws `InvalidInput` for what is not the text of one JSON object, naming the place. */
export function readBody(given: unknown): Body {
  if (typeof given === 'string') return parseBody(given, [])
  if (!isObject(given)) throw notAnObject(given)
  return parseBody(JSON.stringify(given), roundedNumbers(given))
}

function parseBody(text: string, notices: readonly string[]): Body {
  if (!text.isWellFormed()) throw new InvalidInput('request_body holds half of a surrogate pair, which has no bytes. Repair the text.')
  const json = parse(text)
  if (!isObject(json)) throw notAnObject(json)
  if (depthBeyond(json, deepest)) {
    throw new InvalidInput(`request_body nests objects and arrays more than ${deepest} deep; nothing was sent. Flatten it.`)
  }
  const root = parseTree(text)
  const properties = root?.children ?? []
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
    typeof value === 'string' && value.trimStart().startsWith('{') ? ' It is JSON inside a JSON string: stringify it once only.' : ''
  const kind = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
  return new InvalidInput(`request_body must be the text of one JSON object; it is ${kind}. Nothing was sent.${hint}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidInput(`request_body is not JSON${placeOfError(text)}. Nothing was sent.`)
  }
}

function placeOfError(text: string): string {
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

/** Looks level by level, so that depth cannot exhaust the stack that it is meant to protect. */
function depthBeyond(value: unknown, limit: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.flatMap(valuesOf)
    if (level.length === 0) return false
  }
  return true
}

/** A body that came as an object has been through somebody's JSON parser already. */
function roundedNumbers(value: JsonObject): string[] {
  const rounded = Object.values(value).some((each) => hasUnsafeInteger(each, deepest))
  if (!rounded) return []
  return [
    'request_body came as an object and holds an integer beyond 2^53, which may have been rounded on the way. Send it as a string to keep it exact.',
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
