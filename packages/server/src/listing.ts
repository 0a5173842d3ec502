import type { Effect, JsonSchema } from '@mcp-toolkits/core'
import type { ServerDefinition, Settings } from './definition.ts'

/** A tool as the build wrote it down: all that `tools/list` and the filters need, without the tool's code. */
export interface ListedTool {
  /** Canonical name without the prefix. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: Effect
  readonly canRead: boolean
  readonly scopes: readonly string[]
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  readonly annotations: Readonly<Record<string, boolean>>
}

/** An entry of `tools/list`. */
export interface AdvertisedTool {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [keyword: string]: unknown }
  outputSchema: { type: 'object'; [keyword: string]: unknown }
  annotations: Record<string, boolean | string>
  _meta: Record<string, unknown>
}

/** Which tools a server shows, under which names, and what a name in a call means. */
export interface Listing {
  readonly tools: readonly AdvertisedTool[]
  /** The tool behind either spelling or an alias; undefined when there is none or it is hidden. */
  readonly find: (name: string) => ListedTool | undefined
  /** The advertised spelling of a canonical name; undefined when the tool is hidden or unknown. */
  readonly spell: (canonical: string) => string | undefined
  /** Rewrites canonical names in a text as advertised and leaves out sentences about hidden tools. */
  readonly reword: (text: string) => string
}

type Named = Pick<ServerDefinition<never>, 'prefix' | 'listed' | 'aliases'>

/** Builds the listing for how the server was started. */
export function listing({ prefix, listed, aliases = {} }: Named, settings: Pick<Settings, 'readOnly' | 'tools' | 'toolNames'>): Listing {
  const canonical = (tool: ListedTool) => `${prefix}.${tool.name}`
  const advertised = (name: string) => (settings.toolNames === 'canonical' ? name : name.replaceAll('.', '_'))
  const chosen = settings.tools?.map((name) => bare(name, prefix))
  const shown = listed.filter((tool) => (!settings.readOnly || tool.canRead) && (!chosen || chosen.includes(tool.name)))
  const byName = new Map(shown.map((tool) => [tool.name, tool]))
  const mention = new RegExp(`\\b${prefix}\\.([A-Za-z0-9]+)`, 'g')

  const find = (name: string) => {
    const real = aliases[name.replace(`${prefix}_`, `${prefix}.`)] ?? name
    return real.startsWith(`${prefix}.`) || real.startsWith(`${prefix}_`) ? byName.get(bare(real, prefix)) : undefined
  }
  const spell = (name: string) => {
    const tool = find(name)
    return tool && advertised(canonical(tool))
  }
  const reword = (text: string) =>
    text
      .split(/(?<=[.!?])\s+/)
      .filter((sentence) => [...sentence.matchAll(mention)].every(([name]) => spell(name) !== undefined))
      .join(' ')
      .replace(mention, (name) => spell(name) ?? name)

  return {
    tools: shown.map((tool) => ({
      name: advertised(canonical(tool)),
      title: tool.title,
      description: reword(tool.description),
      inputSchema: { type: 'object', ...tool.inputSchema },
      outputSchema: { type: 'object', ...tool.outputSchema },
      annotations: { title: tool.title, ...tool.annotations },
      _meta: { 'mcp-toolkits/name': canonical(tool) },
    })),
    find,
    spell,
    reword,
  }
}

/** A tool's name without its prefix, from any spelling. */
export function bare(name: string, prefix: string): string {
  return name.startsWith(`${prefix}.`) || name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : name
}
