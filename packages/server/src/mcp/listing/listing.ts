import { isObject } from '@mcp-toolkits/core/base'
import { canonicalSpelling, Message, type Spelling } from '@mcp-toolkits/core/errors'
import type { JsonSchema } from '@mcp-toolkits/core/tool'
import type { CallKind } from '../calls/call-limiter.ts'
import type { ListedTool, ServerDefinition, Settings } from '../definition.ts'
import { contentWaysOf, type Extended } from '../extension.ts'
import { toolsForModels } from './listed-tool.ts'

/** An entry of `tools/list`. */
export interface AdvertisedTool {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [keyword: string]: unknown }
  outputSchema: { type: 'object'; [keyword: string]: unknown }
  annotations: Record<string, boolean>
  _meta: Record<string, unknown>
}

/** The tools that a server shows, and the tool that each name means. */
export interface Listing {
  readonly tools: readonly AdvertisedTool[]
  /** Tools that only apps call. */
  readonly toolsForApps: readonly AdvertisedTool[]
  /** True if no tool's calls can write. */
  readonly isReadOnly: boolean
  /** The tool behind either spelling or an alias; undefined if it is unknown or hidden. */
  readonly find: (name: string) => ListedTool | undefined
  /** The option that hides a tool; undefined for a visible tool or an unknown name. */
  readonly hiddenBy: (name: string) => '--read-only' | '--tools' | undefined
  /** The advertised spelling of a canonical name; undefined if the tool is unknown or hidden. */
  readonly spell: (canonical: string) => string | undefined
}

type ToolSource = Pick<ServerDefinition<never>, 'prefix' | 'listedTools'> & Extended

/** Maps any spelling of a tool's name, former names included, to its current name without the prefix. */
function nameResolver({ prefix, listedTools }: ToolSource): (name: string) => string {
  const current = new Map(listedTools.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name])))
  return (name) => {
    const written = withoutPrefix(name, prefix)
    return current.get(written) ?? written
  }
}

/**
 * The problem with a `--tools` list, to complete a sentence that begins with the option; undefined if there is none. A misspelt name
 * would otherwise silently hide its tool.
 */
export function toolListProblem(source: ToolSource, names: readonly string[]): string | undefined {
  const resolve = nameResolver(source)
  const toolNames = source.listedTools.map(({ name }) => name)
  const hint = `Tools: ${toolNames.join(', ')}.`
  if (names.some((name) => name.trim() === '')) return `has an empty name. ${hint}`
  const unknown = names.filter((name) => !toolNames.includes(resolve(name)))
  return unknown.length > 0 ? `names unknown tools: ${unknown.join(', ')}. ${hint}` : undefined
}

/** The listing for a server's settings. */
export function listing(
  source: ToolSource,
  settings: Pick<Settings, 'readOnly' | 'tools' | 'toolNames'> & Partial<Pick<Settings, 'environment'>>,
): Listing {
  const { prefix, listedTools } = source
  const canonical = (tool: ListedTool) => `${prefix}.${tool.name}`
  const advertised = (name: string) => (settings.toolNames === 'canonical' ? name : name.replaceAll('.', '_'))
  const resolve = nameResolver(source)
  const chosen = settings.tools?.map(resolve)
  const shown = listedTools.filter((tool) => (!settings.readOnly || tool.canRead) && (!chosen || chosen.includes(tool.name)))
  const byName = new Map(shown.map((tool) => [tool.name, tool]))

  const find = (name: string) => (withoutPrefix(name, prefix) === name ? undefined : byName.get(resolve(name)))
  const spell = (name: string) => {
    const tool = find(name)
    return tool && advertised(canonical(tool))
  }
  const hiddenBy = (name: string) => {
    const tool = listedTools.find((each) => each.name === resolve(name))
    if (!tool || byName.has(tool.name)) return undefined
    return settings.readOnly && !tool.canRead ? '--read-only' : '--tools'
  }
  const spelling: Spelling = { ...canonicalSpelling, tool: spell }

  const advertise = (tool: ListedTool): AdvertisedTool => ({
    name: advertised(canonical(tool)),
    title: tool.title,
    description: renderDescription(tool.description, spelling),
    inputSchema: { type: 'object', ...renderSchema(tool.inputSchema, spelling) },
    outputSchema: { type: 'object', ...renderSchema(withContentFields(tool, source, settings), spelling) },
    annotations: tool.annotations,
    _meta: { 'mcp-toolkits/name': canonical(tool) },
  })

  return {
    tools: toolsForModels(shown).map(advertise),
    toolsForApps: shown.filter(({ isForApps }) => isForApps).map(advertise),
    isReadOnly: settings.readOnly,
    find,
    hiddenBy,
    spell,
  }
}

/** A tool's output schema, plus the fields for the operator's way of returning content. */
function withContentFields(
  { name, outputSchema }: ListedTool,
  source: Extended,
  { environment = {} }: Partial<Pick<Settings, 'environment'>>,
) {
  const fields = contentWaysOf(source, name)?.fields({ environment })
  const { properties } = outputSchema
  return fields && isObject(properties) ? { ...outputSchema, properties: { ...properties, ...fields } } : outputSchema
}

function renderDescription(description: unknown, spelling: Spelling): string {
  return typeof description === 'string' ? description : (Message.fromJson(description)?.render(spelling) ?? '')
}

/** The schema with all its descriptions as text. */
function renderSchema(schema: JsonSchema, spelling: Spelling): JsonSchema {
  // Most schemas mention no tool, so startup skips them.
  return JSON.stringify(schema).includes('"description":[[') ? renderDescriptions(schema, spelling) : schema
}

function renderDescriptions(schema: JsonSchema, spelling: Spelling): JsonSchema {
  const convert = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(convert) : isObject(value) ? renderDescriptions(value, spelling) : value
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      keyword === 'description' && Array.isArray(value) ? renderDescription(value, spelling) : convert(value),
    ]),
  )
}

/** A tool's call kind, given any of its names; undefined for ordinary calls. */
export function callKindOf({ extensions = [] }: Extended, listing: Pick<Listing, 'find'>, name: unknown): CallKind | undefined {
  const tool = typeof name === 'string' ? listing.find(name)?.name : undefined
  return tool === undefined ? undefined : extensions.find(({ callKinds = {} }) => Object.hasOwn(callKinds, tool))?.callKinds?.[tool]
}

/** A tool's name without its prefix, from any spelling. */
export function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(`${prefix}.`) || name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : name
}
