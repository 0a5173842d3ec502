import type { JsonObject } from '@mcp-toolkits/core/json'
import { shellQuote } from '@mcp-toolkits/auth/account'
import type { ListedTool } from '../definition.ts'
import { flagsOf, parametersOf, typesOf, valuesOf } from './call-line.ts'

/** What is typed behind the command of the server to call a tool: with flags, and the same call with JSON. */
export function exampleCalls({ name, inputSchema }: Pick<ListedTool, 'name' | 'inputSchema'>): string[] {
  const parameters = [...parametersOf({ inputSchema })]
  const { required } = inputSchema
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  const needed = parameters.filter(([parameter]) => names.includes(parameter))
  const some = needed.length > 0 ? needed : parameters.slice(0, 1)
  if (some.length === 0) return [`call ${name}`]
  const args = Object.fromEntries(some.map(([parameter, schema]) => [parameter, exampleValue(parameter, schema)]))
  return [`call ${name} ${flagsOf(args).join(' ')}`, `call ${name} ${shellQuote(JSON.stringify(args))}`]
}

function exampleValue(parameter: string, schema: JsonObject): unknown {
  const [value] = valuesOf(schema)
  const types = typesOf(schema)
  if (types.includes('boolean')) return true
  if (types.includes('integer') || types.includes('number')) return schema['default'] ?? schema['minimum'] ?? 1
  const text = value ?? placeholder(parameter, schema)
  return types.includes('array') && !types.includes('string') ? [text] : text
}

/** `TITLE` for attachment_title, `LABELS` for labels_to_add, `N` for a number. */
export function placeholder(parameter: string, schema: JsonObject): string {
  const types = typesOf(schema)
  if (types.includes('integer') || types.includes('number')) return 'N'
  const words = parameter.toUpperCase().split('_')
  return (types.includes('array') ? words[0] : words.at(-1)) ?? parameter
}
