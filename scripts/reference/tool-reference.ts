import { isObject } from '../../packages/core/src/base/index.ts'
import { Message } from '../../packages/core/src/errors/index.ts'
import { type JsonSchema, toJsonSchema, type Tool } from '../../packages/core/src/tool/index.ts'
import type { ServerDefinition } from '../../packages/server/src/index.ts'
import type { Distribution } from '../distribution/types.ts'
import { ResultShapes } from './result-shapes.ts'

type DocumentedServer = Pick<ServerDefinition<never>, 'title' | 'prefix' | 'name'>

/** The list of tools for a README, one line for each effect. */
export function toolList(definition: DocumentedServer, tools: readonly Tool<never>[]): string {
  return [...Map.groupBy(tools, effectOf)]
    .map(([effect, those]) => `- **${effect}**: ${those.map((tool) => link(definition, tool)).join(', ')}`)
    .join('\n')
}

/** The list of a toolset's tools for a README. */
export function toolsetList(definition: DocumentedServer, name: string, tools: readonly Tool<never>[]): string {
  return `- with \`--toolsets ${name}\`: ${tools.map((tool) => link(definition, tool)).join(', ')}`
}

/** A table; a cell may hold any text. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

export function code(text: string): string {
  return `\`${text}\``
}

/** A tool's effect in words. */
function effectOf({ effect, destructive }: Pick<Tool<never>, 'effect' | 'destructive'>): string {
  return destructive && effect !== 'delete' ? `${effect}, may destroy data` : effect
}

function link({ prefix, name }: DocumentedServer, tool: Tool<never>): string {
  return `[\`${tool.name}\`](../../docs/tools/${name}.md#${`${prefix}${tool.name}`.toLowerCase()})`
}

/** The text on one line, with pipes escaped. */
function cell(text: string): string {
  return onOneLine(text).replaceAll('|', '\\|')
}

function onOneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

interface ReferenceOptions extends Pick<Distribution, 'recordNames'> {
  /** Toolsets by tool name, except for tools that the server lists by default. */
  readonly toolsets?: ReadonlyMap<string, string>
  /** Names of the tools that apps may call even if models do not see them. */
  readonly forApps?: ReadonlySet<string>
}

/** The reference page of a server: every tool with its parameters and its full result, and the shapes that results share. */
export function referencePage(
  definition: Pick<ServerDefinition<never>, 'title' | 'prefix'>,
  tools: readonly Tool<never>[],
  { recordNames, toolsets, forApps }: ReferenceOptions = {},
): string {
  const isForModels = ({ name }: Tool<never>) => forApps?.has(name) !== true || toolsets?.has(name) === true
  // Only our own apps read the other tools' results.
  const outputs = tools.map((tool) => (isForModels(tool) ? withoutNotices(toJsonSchema(tool.output)) : { type: 'object', properties: {} }))
  const shapes = new ResultShapes(outputs, recordNames)
  const shared = shapes.sections()
  const common = commonParameters(tools)
  const usual = usualScopes(tools)
  return [
    `# ${definition.title}: tools`,
    'A server lists each tool with an underscore instead of the dot, and accepts both. Parameters are optional unless marked, and are text unless a type is given. Fields with a question mark can be absent. The last block is the result, which can also contain `notices`, a list of sentences.',
    ...scopeRule(usual),
    ...tools.map((tool, index) =>
      toolSection(definition.prefix, tool, {
        common,
        usual,
        place: placeOf(toolsets?.get(tool.name), forApps?.has(tool.name) ?? false),
        result: shapes.result(outputs[index] ?? {}),
      }),
    ),
    ...(common.size > 0 ? ['## Parameters of several tools', [...common.values()].join('\n')] : []),
    ...(shared.length > 0 ? ['## Shapes', ...shared] : []),
    '',
  ].join('\n\n')
}

/** A schema without notices: every result can have them, so no tool lists them. */
function withoutNotices({ properties, ...schema }: JsonSchema): JsonSchema {
  if (!isObject(properties)) return schema
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== 'notices')) }
}

interface SectionParts {
  readonly common: ReadonlyMap<string, string>
  readonly usual: ReadonlyMap<Effect, string>
  readonly result: string
  /** Sentence that says where the tool is listed; empty for a tool that the server lists by default. */
  readonly place: string
}

function placeOf(toolset: string | undefined, isForApps: boolean): string {
  const listed = toolset === undefined ? '' : ` \`--toolsets ${toolset}\`.`
  if (!isForApps) return listed
  return toolset === undefined ? ' Only apps call it.' : `${listed} Apps can call it without that option.`
}

function toolSection(prefix: string, tool: Tool<never>, { common, usual, place, result }: SectionParts): string {
  const parameters = parameterLines(toJsonSchema(tool.input))
  const own = parameters.flatMap(([name, line]) => (common.get(name) === line ? [] : [line]))
  const others = parameters.flatMap(([name, line]) => (common.get(name) === line ? [code(name)] : []))
  const lines = others.length > 0 ? [...own, `- [${others.join(', ')}](#parameters-of-several-tools)`] : own
  return [
    `## ${prefix}.${tool.name}`,
    Message.of(tool.description).render(),
    `**${effectOf(tool)}**.${place}${scopesOf(tool) === usual.get(tool.effect) ? '' : ` Scopes: ${scopesOf(tool)}.`}`,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(result === '' ? [] : [result]),
  ].join('\n\n')
}

type Effect = Tool<never>['effect']

function scopesOf({ scopes }: Pick<Tool<never>, 'scopes'>): string {
  return scopes.length > 0 ? scopes.join(', ') : 'none'
}

/** The most frequent scopes among the tools with each effect; a tool's entry names its scopes only if they differ. */
function usualScopes(tools: readonly Tool<never>[]): ReadonlyMap<Effect, string> {
  const frequent = [...Map.groupBy(tools, ({ effect }) => effect)].map(([effect, those]) => {
    const [first] = [...Map.groupBy(those, scopesOf)].sort(([, a], [, b]) => b.length - a.length)
    return [effect, first?.[0] ?? 'none'] as const
  })
  return new Map(frequent)
}

/** A sentence about the usual scopes; empty if there are none. */
function scopeRule(usual: ReadonlyMap<Effect, string>): string[] {
  if ([...usual.values()].every((scopes) => scopes === 'none')) return []
  const rules = [...Map.groupBy(usual, ([, scopes]) => scopes)].map(
    ([scopes, uses]) => `${scopes === 'none' ? 'none' : code(scopes)} to ${uses.map(([effect]) => effect).join(', ')}`,
  )
  return [`Scopes, unless a tool names others: ${rules.join('; ')}.`]
}

/** Parameters that more than two tools describe alike, by name, each with the most frequent line. */
function commonParameters(tools: readonly Tool<never>[]): ReadonlyMap<string, string> {
  const all = tools.flatMap((tool) => parameterLines(toJsonSchema(tool.input)))
  const byLine = [...Map.groupBy(all, ([, line]) => line)].filter(([, uses]) => uses.length > 2)
  const rarestFirst = byLine.sort(([, a], [, b]) => a.length - b.length)
  return new Map(rarestFirst.flatMap(([line, uses]) => uses.slice(0, 1).map(([name]) => [name, line] as const)))
}

/** The name and the line of each parameter. Contract tests ensure that every parameter has a description. */
function parameterLines({ properties, required }: JsonSchema): (readonly [name: string, line: string])[] {
  if (!isObject(properties)) return []
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, schema]) => {
    const description = isObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : ''
    const traits = [code(name), ...parameterType(schema), ...(needed.includes(name) ? ['required'] : [])]
    return [name, `- ${traits.join(', ')}: ${onOneLine(description)}`] as const
  })
}

/** The type on one line; empty for text. */
function parameterType(schema: unknown): string[] {
  if (isObject(schema) && Array.isArray(schema['enum'])) return [code(schema['enum'].join('|'))]
  const type = new ResultShapes([]).type(schema).replace(/\s+/g, ' ')
  return type === 'string' ? [] : [code(type)]
}
