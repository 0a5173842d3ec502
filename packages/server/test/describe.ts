import { isObject } from '@mcp-toolkits/core/base'
import { Message } from '@mcp-toolkits/core/errors'
import { type Effect, type JsonSchema, messageKeyword, toJsonSchema, type Tool } from '@mcp-toolkits/core/tool'
import type { ListedTool } from '../src/mcp/definition.ts'

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
 * A tool's description, as the build records it. Text that mentions tools stays data, because only a running server knows how to spell
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

/** Keywords to drop: published results may have other fields, and lack some. */
const droppedKeywords = ['additionalProperties', 'required']

/**
 * Shortens an output schema, because every client reads all of it at startup: keeps the result's fields in full, but only the names of the
 * fields in a list's rows, by which a caller chooses. The reference pages have the full schemas.
 */
function pruneSchema(schema: JsonSchema): JsonSchema {
  const { properties, ...kept } = without(schema, droppedKeywords)
  if (!isObject(properties)) return kept
  // Every result may have notices, even if its tool declares none.
  const fields = Object.entries(without(properties, ['notices'])).map(([name, field]) => [
    name,
    isObject(field) ? pruneField(field) : field,
  ])
  return { ...kept, properties: Object.fromEntries(fields) }
}

/** A field of the result. Its records, alone, in a list or as alternatives, are shortened. */
function pruneField(schema: JsonSchema, isRow = false): JsonSchema {
  const { type, properties, items, anyOf, ...kept } = without(schema, droppedKeywords)
  return {
    ...kept,
    // Providers refuse an array without an item type.
    ...(type !== undefined && (type !== 'array' || isObject(items)) && typeOf(type)),
    ...(isRow && isObject(properties) && nameFields(properties, kept['description'])),
    ...(isObject(items) && { items: pruneField(items, true) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((each: unknown) => (isObject(each) ? pruneField(each, isRow) : each)) }),
  }
}

function without(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))
}

/** A record's field names, as its description. The `has_more_` fields of its lists need no mention. */
function nameFields(fields: JsonSchema, description: unknown): JsonSchema {
  const names = Object.keys(fields).filter((name) => !name.startsWith('has_more_'))
  const list = `{${names.join(', ')}}`
  return { description: typeof description === 'string' ? `${description} ${list}` : list }
}

/** The type as alternatives, which are more portable than a list of types. */
function typeOf(type: unknown): JsonSchema {
  return Array.isArray(type) ? { anyOf: type.map((each: unknown) => ({ type: each })) } : { type }
}

/** Maximum length of a day, in characters; more than any text that means one. */
const maxDateLength = 60

/**
 * A schema in the JSON Schema subset that all providers' function declarations accept: no format, and nothing next to alternatives. A
 * provider refuses the whole list because of one schema that it does not accept. `docs/providers.md` has the rules.
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

/** Puts the messages from which descriptions were made back into the schema. */
function restoreMessages(schema: JsonSchema): JsonSchema {
  const { [messageKeyword]: message, ...rest } = schema
  // `describe` on a schema with a message keeps the old message.
  const isCurrent = message !== undefined && Message.fromJson(message)?.render() === schema['description']
  const convert = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(convert) : isObject(value) ? restoreMessages(value) : value
  const converted = Object.entries(rest).map(([keyword, value]) => [keyword, convert(value)] as const)
  return { ...Object.fromEntries(converted), ...(isCurrent && { description: message }) }
}
