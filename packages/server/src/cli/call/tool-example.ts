import type { JsonObject } from '@mcp-toolkits/core/base'
import { shellQuote } from '../../account/account.ts'
import type { ListedTool, ServerDefinition } from '../../mcp/definition.ts'
import { parametersOf, typesOf, valuesOf, wordsOf } from './call-line.ts'

/** What is typed behind the command of the server to call a tool: with flags, and the same call with JSON. */
export async function exampleCalls<Context>(definition: ServerDefinition<Context>, tool: ListedTool): Promise<string[]> {
  const { name } = tool
  const args = (await definition.loadExamples?.())?.[name] ?? requiredArguments(tool)
  if (Object.keys(args).length === 0) return [`call ${name}`]
  return [`call ${name} ${wordsOf(args, tool, definition).map(shellQuote).join(' ')}`, `call ${name} ${shellQuote(JSON.stringify(args))}`]
}

function requiredArguments(tool: ListedTool): JsonObject {
  const parameters = [...parametersOf(tool)]
  const { required } = tool.inputSchema
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  const needed = parameters.filter(([parameter]) => names.includes(parameter))
  const some = needed.length > 0 ? needed : parameters.slice(0, 1)
  return Object.fromEntries(some.map(([parameter, schema]) => [parameter, exampleValue(parameter, schema)]))
}

function exampleValue(parameter: string, schema: JsonObject): unknown {
  const [value] = valuesOf(schema)
  const types = typesOf(schema)
  if (types.includes('boolean')) return true
  if (types.includes('integer') || types.includes('number')) return schema['default'] ?? schema['minimum'] ?? 1
  const text = value ?? placeholder(parameter, schema)
  return types.includes('array') && !types.includes('string') ? [text] : text
}

/** `TITLE` for attachment_title, `LABELS` for labels_to_add, `FILE` for file_path_or_id, `N` for a number, `VALUE` where a name says what is on or off. */
export function placeholder(parameter: string, schema: JsonObject): string {
  const types = typesOf(schema)
  if (types.includes('integer') || types.includes('number')) return 'N'
  if (parameter.startsWith('enable_')) return 'VALUE'
  if (parameter.endsWith('_path_or_id')) return placeholder(parameter.replace(/_path_or_id$/, ''), schema)
  const words = parameter.toUpperCase().split('_')
  return (types.includes('array') ? words[0] : words.at(-1)) ?? parameter
}
