import type { Effect, JsonSchema, Tool } from '@mcp-toolkits/core'
import { toJsonSchema } from '@mcp-toolkits/core/json-schema'
import type { ListedTool } from './listing.ts'

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

/** What the build writes down about a tool. */
export function describeTool(tool: Tool<never>): ListedTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    effect: tool.effect,
    canRead: tool.canRead,
    scopes: tool.scopes,
    inputSchema: toJsonSchema(tool.input),
    outputSchema: pruned(toJsonSchema(tool.output), 0),
    annotations: { ...hints[tool.effect], destructiveHint: tool.destructive, openWorldHint: true },
  }
}

/**
 * Drops detail from an output schema without making it untrue, for every client reads all of it at start: the result's own fields in
 * full, the records in it by the names of their fields, and all objects open. The reference pages have the rest.
 */
function pruned(schema: JsonSchema, depth: number): JsonSchema {
  const { required, properties, items, anyOf, ...kept } = schema
  const rest = Object.fromEntries(Object.entries(kept).filter(([keyword]) => keyword !== 'additionalProperties'))
  const field = (part: unknown) => (depth === 0 && isSchema(part) ? pruned(part, 1) : {})
  return {
    ...rest,
    ...(isSchema(properties) && { properties: Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, field(part)])) }),
    ...(depth === 0 && required !== undefined && { required }),
    ...(items !== undefined && { items: isSchema(items) ? pruned(items, depth) : items }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((part: unknown) => (isSchema(part) ? pruned(part, depth) : part)) }),
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
