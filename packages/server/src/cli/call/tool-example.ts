import type { JsonObject } from '@mcp-toolkits/core/base'
import { shellQuote } from '../../account/account.ts'
import type { ListedTool, ServerDefinition } from '../../mcp/definition.ts'
import { toolsetOf } from '../../mcp/listing/toolsets.ts'
import { typesOf, wordsOf } from './call-line.ts'

/** Words to type after the server's command to call a tool: with flags and, if that differs, with JSON. */
export async function exampleCalls<Context>(definition: ServerDefinition<Context>, tool: ListedTool): Promise<string[]> {
  const { name } = tool
  const args = (await definition.load.tools()).find((each) => each.name === name)?.example ?? {}
  const toolset = await toolsetOf(definition, name)
  const options = toolset === undefined ? [] : ['--toolsets', toolset]
  const ways = Object.keys(args).length === 0 ? [[]] : [wordsOf(args, tool, definition), [JSON.stringify(args)]]
  return [...new Set(ways.map((words) => ['call', name, ...words, ...options].map(shellQuote).join(' ')))]
}

/**
 * `TITLE` for attachment_title, `LABELS` for labels_to_add, `FILE` for file_path_or_id, `N` for a number, `VALUE` for the name of something
 * that is on or off.
 */
export function placeholder(parameter: string, schema: JsonObject): string {
  const types = typesOf(schema)
  if (types.includes('integer') || types.includes('number')) return 'N'
  if (parameter.startsWith('enable_')) return 'VALUE'
  if (parameter.endsWith('_path_or_id')) return placeholder(parameter.replace(/_path_or_id$/, ''), schema)
  const words = parameter.toUpperCase().split('_')
  return (types.includes('array') ? words[0] : words.at(-1)) ?? parameter
}
