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
 * Drops detail from an output schema without making it untrue, because every client reads all of it at start: the result's own fields in
 * full, the records in it by the names of their fields, and all objects open. The reference pages have the rest.
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

/** The schema in which every description that was given as a message is that message. */
function restoreMessages(schema: JsonSchema): JsonSchema {
  const { [messageKeyword]: message, ...rest } = schema
  // A schema that was described again inherits the message of the schema that it came from.
  const isCurrent = message !== undefined && Message.fromJson(message)?.render() === schema['description']
  const convert = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(convert) : isObject(value) ? restoreMessages(value) : value
  const converted = Object.entries(rest).map(([keyword, value]) => [keyword, convert(value)] as const)
  return { ...Object.fromEntries(converted), ...(isCurrent && { description: message }) }
}
