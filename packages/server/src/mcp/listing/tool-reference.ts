import { isObject } from '@mcp-toolkits/core/base'
import { Message } from '@mcp-toolkits/core/errors'
import { type JsonSchema, toJsonSchema, type Tool } from '@mcp-toolkits/core/tool'
import type { ServerDefinition } from '../definition.ts'
import type { Distribution } from '../distribution.ts'
import { ResultShapes } from './result-shapes.ts'

type DocumentedServer = Pick<ServerDefinition<never>, 'title' | 'prefix' | 'name'>

/** The tools of a README, one line for each effect. */
export function toolList(definition: DocumentedServer, tools: readonly Tool<never>[]): string {
  return [...Map.groupBy(tools, effectOf)]
    .map(([effect, those]) => `- **${effect}**: ${those.map((tool) => link(definition, tool)).join(', ')}`)
    .join('\n')
}

/** The tools of a toolset, for a README. */
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
  return destructive && effect !== 'delete' ? `${effect}, may destroy` : effect
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
  /** The toolsets of tools, by the name of the tool; absent for one that the server has by default. */
  readonly toolsets?: ReadonlyMap<string, string>
}

/** The reference page of a server: every tool with its parameters and its full result, and the shapes that results share. */
export function referencePage(
  definition: Pick<ServerDefinition<never>, 'title' | 'prefix'>,
  tools: readonly Tool<never>[],
  { recordNames, toolsets }: ReferenceOptions = {},
): string {
  const outputs = tools.map((tool) => withoutNotices(toJsonSchema(tool.output)))
  const shapes = new ResultShapes(outputs, recordNames)
  const shared = shapes.sections()
  const common = commonParameters(tools)
  return [
    `# ${definition.title}: tools`,
    'A server lists each tool with an underscore instead of the dot, and accepts both. Parameters are optional unless marked, and parameters and fields are text unless a type is given. A field with a question mark can be absent. The last block of a tool is its result, which can also have `notices`, a list of texts.',
    ...tools.map((tool, index) =>
      toolSection(definition.prefix, tool, { common, toolset: toolsets?.get(tool.name), result: shapes.result(outputs[index] ?? {}) }),
    ),
    ...(common.size > 0 ? ['## Parameters of several tools', [...common.values()].join('\n')] : []),
    ...(shared.length > 0 ? ['## Shapes', ...shared] : []),
    '',
  ].join('\n\n')
}

/** Every result can have notices, so no tool lists them. */
function withoutNotices({ properties, ...schema }: JsonSchema): JsonSchema {
  if (!isObject(properties)) return schema
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== 'notices')) }
}

interface SectionParts {
  readonly common: ReadonlyMap<string, string>
  readonly result: string
  /** Absent for a tool that the server has by default. */
  readonly toolset?: string | undefined
}

function toolSection(prefix: string, tool: Tool<never>, { common, toolset, result }: SectionParts): string {
  const parameters = parameterLines(toJsonSchema(tool.input))
  const own = parameters.flatMap(([name, line]) => (common.get(name) === line ? [] : [line]))
  const others = parameters.flatMap(([name, line]) => (common.get(name) === line ? [code(name)] : []))
  const lines = others.length > 0 ? [...own, `- [also](#parameters-of-several-tools): ${others.join(', ')}`] : own
  return [
    `## ${prefix}.${tool.name}`,
    Message.of(tool.description).render(),
    `**${effectOf(tool)}**.${toolset === undefined ? '' : ` With \`--toolsets ${toolset}\`.`}${tool.scopes.length > 0 ? ` Scopes: ${tool.scopes.join(', ')}.` : ''}`,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(result === '' ? [] : [result]),
  ].join('\n\n')
}

/** Parameters that more than two tools describe alike, by name: each with the line that most of them have. */
function commonParameters(tools: readonly Tool<never>[]): ReadonlyMap<string, string> {
  const all = tools.flatMap((tool) => parameterLines(toJsonSchema(tool.input)))
  const byLine = [...Map.groupBy(all, ([, line]) => line)].filter(([, uses]) => uses.length > 2)
  const rarestFirst = byLine.sort(([, a], [, b]) => a.length - b.length)
  return new Map(rarestFirst.flatMap(([line, uses]) => uses.slice(0, 1).map(([name]) => [name, line] as const)))
}

/** Each parameter's name and line. The contract tests see to it that each has a description. */
function parameterLines({ properties, required }: JsonSchema): (readonly [name: string, line: string])[] {
  if (!isObject(properties)) return []
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, schema]) => {
    const description = isObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : ''
    const traits = [code(name), ...parameterType(schema), ...(needed.includes(name) ? ['required'] : [])]
    return [name, `- ${traits.join(', ')}: ${onOneLine(description)}`] as const
  })
}

/** The type in one line; none for a text. */
function parameterType(schema: unknown): string[] {
  if (isObject(schema) && Array.isArray(schema['enum'])) return [code(schema['enum'].join('|'))]
  const type = new ResultShapes([]).type(schema).replace(/\s+/g, ' ')
  return type === 'string' ? [] : [code(type)]
}
