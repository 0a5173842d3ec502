import { quote } from '@mcp-toolkits/core/text'
import type { ListedTool, ServerDefinition } from '../definition.ts'
import type { Listing } from '../listing.ts'
import { UsageError } from './command.ts'

/** The tool of a name that a person typed, with or without the prefix. Throws `UsageError` with the tools that may be meant. */
export async function findTool<Context>(definition: ServerDefinition<Context>, listing: Listing, name: string): Promise<ListedTool> {
  const { prefix, loadToolVocabulary } = definition
  const tool = listing.find(name) ?? listing.find(`${prefix}.${name}`)
  if (tool) return tool
  const [{ explainUnknownTool }, vocabulary] = await Promise.all([import('../unknown-tool.ts'), loadToolVocabulary?.()])
  const { text: why, ...data } = explainUnknownTool({ name }, { prefix, vocabulary }, listing)
  const names = listing.tools.map((each) => each.name)
  const sentences = [`There is no tool ${quote(name)}.`, why, `Tools: ${names.join(', ')}.`]
  throw new UsageError(sentences.filter((sentence) => sentence !== undefined).join(' '), data.suggestions.length > 0 ? data : undefined)
}
