import type { Effect, JsonSchema, Tool } from '@mcp-toolkits/core'
import { isObject } from '@mcp-toolkits/core/json'
import { messageKeyword, toJsonSchema } from '@mcp-toolkits/core/json-schema'
import { Message } from '@mcp-toolkits/core/message'
import type { ListedTool } from './definition.ts'

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
    inputSchema: restoreMessages(toJsonSchema(tool.input)),
    outputSchema: restoreMessages(pruneSchema(toJsonSchema(tool.output), 0)),
    annotations: { ...hints[tool.effect], destructiveHint: tool.destructive, openWorldHint: true },
  }
}

/**
 * Shortens an output schema, because every client reads all of it at start: keeps the fields of the result in full, of nested records
 * only the names of their fields, and allows further fields everywhere. The reference pages have the full schemas.
 */
function pruneSchema(schema: JsonSchema, depth: number): JsonSchema {
  const { required, properties, items, anyOf, ...kept } = schema
  const rest = Object.fromEntries(Object.entries(kept).filter(([keyword]) => keyword !== 'additionalProperties'))
  const field = (part: unknown) => (depth === 0 && isObject(part) ? pruneSchema(part, 1) : {})
  return {
    ...rest,
    ...(isObject(properties) && { properties: Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, field(part)])) }),
    ...(depth === 0 && required !== undefined && { required }),
    ...(items !== undefined && { items: isObject(items) ? pruneSchema(items, depth) : items }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((part: unknown) => (isObject(part) ? pruneSchema(part, depth) : part)) }),
  }
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
