import type { JsonObject } from '@mcp-toolkits/core/base'
import { shellQuote } from '../../account/account.ts'
import type { ListedTool, ServerDefinition } from '../../mcp/definition.ts'
import { typesOf, wordsOf } from './call-line.ts'

/** Words to type behind the command of the server to call a tool: with flags, and the same call with JSON. */
export async function exampleCalls<Context>(definition: ServerDefinition<Context>, tool: ListedTool): Promise<string[]> {
  const { name } = tool
  const args = (await definition.load.tools()).find((each) => each.name === name)?.example ?? {}
  if (Object.keys(args).length === 0) return [`call ${name}`]
  return [`call ${name} ${wordsOf(args, tool, definition).map(shellQuote).join(' ')}`, `call ${name} ${shellQuote(JSON.stringify(args))}`]
}

/**
 * `TITLE` for attachment_title, `LABELS` for labels_to_add, `FILE` for file_path_or_id, `N` for a number, `VALUE` for a name of something
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
