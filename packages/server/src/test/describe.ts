import { isObject } from '@mcp-toolkits/core/base'
import { Message } from '@mcp-toolkits/core/errors'
import { type Effect, type JsonSchema, messageKeyword, toJsonSchema, type Tool } from '@mcp-toolkits/core/tool'
import type { ListedTool } from '../mcp/definition.ts'

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

/**
 * Description of a tool, as the build records it. Texts that mention tools stay data, because only a started server knows how to spell
 * them.
 */
export function describeTool(tool: Tool<never>): ListedTool {
  return {
    name: tool.name,
    ...(tool.aliases && { aliases: tool.aliases }),
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

/** Published results may have other fields, and lack some. */
const droppedKeywords = ['additionalProperties', 'required']

/**
 * Shortens an output schema, because every client reads all of it at start: keeps the fields of the result in full, and of the rows of a
 * list the names of their fields, by which a caller chooses. The reference pages have the full schemas.
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
function pruneField(schema: JsonSchema, isRow = false): JsonSchema {
  const { type, properties, items, anyOf, ...kept } = without(schema, droppedKeywords)
  return {
    ...kept,
    // Providers refuse an array without the type of its items.
    ...(type !== undefined && (type !== 'array' || isObject(items)) && typeOf(type)),
    ...(isRow && isObject(properties) && nameFields(properties, kept['description'])),
    ...(isObject(items) && { items: pruneField(items, true) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((each: unknown) => (isObject(each) ? pruneField(each, isRow) : each)) }),
  }
}

function without(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

/** The names of the fields of a record, as its description. A cut list in a record is plain to see in its place. */
function nameFields(fields: JsonSchema, description: unknown): JsonSchema {
  const names = Object.keys(fields).filter((name) => !name.startsWith('has_more_'))
  const list = `{${names.join(', ')}}`
  return { description: typeof description === 'string' ? `${description} ${list}` : list }
}

/** A list of types is less portable than alternatives. */
function typeOf(type: unknown): JsonSchema {
  return Array.isArray(type) ? { anyOf: type.map((each: unknown) => ({ type: each })) } : { type }
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
