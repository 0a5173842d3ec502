import { isObject } from '@mcp-toolkits/core/base'
import { Message } from '@mcp-toolkits/core/errors'
import { type Effect, type JsonSchema, messageKeyword, toJsonSchema, type Tool } from '@mcp-toolkits/core/tool'
import type { ListedTool } from '../definition.ts'

interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
}

const hints: Record<Effect, Hints> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  update: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
}

/** What the build records about a tool. Texts that mention tools stay data, because only a started server knows how to spell them. */
export function describeTool(tool: Tool<never>): ListedTool {
  return {
    name: tool.name,
    title: tool.title,
    description: typeof tool.description === 'string' ? tool.description : tool.description.toJSON(),
    effect: tool.effect,
    canRead: tool.canRead,
    scopes: tool.scopes,
    inputSchema: restoreMessages(portable(toJsonSchema(tool.input))),
    outputSchema: restoreMessages(portable(pruneSchema(toJsonSchema(tool.output)))),
    annotations: { ...hints[tool.effect], destructiveHint: tool.destructive, openWorldHint: true },
  }
}

/** A record with more fields shows only their names. */
const maxTypedFields = 5

/** Published results may have other fields, and lack some. */
const droppedKeywords = ['additionalProperties', 'required']

/**
 * Shortens an output schema, because every client reads all of it at start: keeps the fields of the result in full, of the records in it
 * only the names and types of their fields, of large records only the names. The reference pages have the full schemas.
 */
function pruneSchema(schema: JsonSchema): JsonSchema {
  const { properties, ...kept } = without(schema, droppedKeywords)
  if (!isObject(properties)) return kept
  // Every result may have notices, also of tools that declare none.
  const fields = Object.entries(without(properties, ['notices'])).map(([name, field]) => [
    name,
    isObject(field) ? pruneField(field) : field,
  ])
  return { ...kept, properties: Object.fromEntries(fields) }
}

/** A field of the result. The records in it, alone, in a list or as alternatives, are shortened. */
function pruneField(schema: JsonSchema): JsonSchema {
  const { type, properties, items, anyOf, ...kept } = without(schema, droppedKeywords)
  return {
    ...kept,
    // An array that does not say of what is refused by providers.
    ...(type !== undefined && (type !== 'array' || isObject(items)) && typeOf({ type })),
    ...(isObject(properties) && shortRecord(properties, kept['description'])),
    ...(isObject(items) && { items: pruneField(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((each: unknown) => (isObject(each) ? pruneField(each) : each)) }),
  }
}

function without(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

function shortRecord(fields: JsonSchema, description: unknown): JsonSchema {
  const names = Object.keys(fields)
  if (names.length > maxTypedFields) {
    // That a list in a record is cut is plain where it is.
    const list = `Fields: ${names.filter((name) => !name.startsWith('has_more_')).join(', ')}.`
    return { description: typeof description === 'string' ? `${description} ${list}` : list }
  }
  // A field that may hold anything is left out: any record may have further fields.
  const typed = names.map((name) => [name, isObject(fields[name]) ? typeOf(fields[name]) : undefined] as const)
  return { properties: Object.fromEntries(typed.filter(([, type]) => type !== undefined)) }
}

/** The part of a schema that says of which type a value is; undefined for any type. A list of types is less portable than alternatives. */
function typeOf({ type, anyOf, items, const: value }: JsonSchema): JsonSchema | undefined {
  if (type === 'array' && isObject(items)) return { type, items: typeOf(items) ?? {} }
  if (typeof type === 'string') return { type }
  if (value !== undefined) return { const: value }
  const alternatives: readonly unknown[] = Array.isArray(type)
    ? type.map((each: unknown) => ({ type: each }))
    : Array.isArray(anyOf)
      ? anyOf
      : []
  const types = alternatives.map((each) => (isObject(each) ? typeOf(each) : undefined))
  if (types.length === 0 || types.includes(undefined)) return undefined
  return { anyOf: types }
}

/** More characters than any text that means a day. */
const maxDateLength = 60

/**
 * A schema in the subset of JSON Schema that the function declarations of all providers take: no format, and alternatives alone. One that
 * a provider does not take costs it the whole list. `docs/providers.md` has the rules.
 */
function portable({ format, anyOf, ...rest }: JsonSchema): JsonSchema {
  if (Array.isArray(anyOf)) {
    const alternatives: readonly unknown[] = anyOf
    const [first, ...others] = alternatives.filter(isObject)
    return { anyOf: [{ ...rest, ...first }, ...others].map(portable) }
  }
  const nested = Object.entries(rest).map(([keyword, value]) => [keyword, portableWithin(keyword, value)] as const)
  return { ...Object.fromEntries(nested), ...(format === 'date' && { maxLength: maxDateLength }) }
}

function portableWithin(keyword: string, value: unknown): unknown {
  if (!isObject(value)) return value
  if (keyword !== 'properties') return keyword === 'items' ? portable(value) : value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, isObject(field) ? portable(field) : field]))
}

/** Puts the messages that descriptions were made from back into the schema. */
function restoreMessages(schema: JsonSchema): JsonSchema {
  const { [messageKeyword]: message, ...rest } = schema
  // `describe` on a schema with a message keeps the old message.
  const isCurrent = message !== undefined && Message.fromJson(message)?.render() === schema['description']
  const convert = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(convert) : isObject(value) ? restoreMessages(value) : value
  const converted = Object.entries(rest).map(([keyword, value]) => [keyword, convert(value)] as const)
  return { ...Object.fromEntries(converted), ...(isCurrent && { description: message }) }
}
