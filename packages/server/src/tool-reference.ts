import { Message } from '@mcp-toolkits/core/message'
import type { ServerDefinition } from './definition.ts'
import type { ListedTool } from './listing.ts'
import { effectOf } from './readme.ts'

type Documented = Pick<ServerDefinition<never>, 'title' | 'prefix' | 'name'>

/** The reference page of a server: every tool with its parameters and its full result. */
export function referencePage(definition: Documented, tools: readonly ListedTool[]): string {
  const sections = tools.map((tool) => toolSection(definition, tool))
  const told = `Tool names are shown as the specification has them; by default a server advertises them with an underscore in place of the dot, and takes both.`
  return [`# ${definition.title}: tools`, '', 'Generated from the tool definitions by `npm run generate`.', told, '', ...sections].join(
    '\n',
  )
}

function toolSection({ prefix }: Documented, tool: ListedTool): string {
  return [
    `## ${prefix}.${tool.name}`,
    '',
    textOf(tool.description),
    '',
    `Effect: ${effectOf(tool)}.${tool.scopes.length > 0 ? ` Scopes: ${tool.scopes.join(', ')}.` : ''}`,
    '',
    ...fieldTable('Parameter', tool.inputSchema),
    ...fieldTable('Result', tool.outputSchema),
  ].join('\n')
}

function fieldTable(heading: string, schema: Readonly<Record<string, unknown>>): string[] {
  const rows = fieldRows(schema, '')
  if (rows.length === 0) return []
  return [`| ${heading} | Type | ${heading === 'Result' ? 'Always' : 'Required'} | Meaning |`, '|---|---|---|---|', ...rows, '']
}

/** One row per field, those of records in lists below the list: `added[].at`. */
function fieldRows(schema: Readonly<Record<string, unknown>>, within: string): string[] {
  const { properties, required } = schema
  if (!isRecord(properties)) return []
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(properties).flatMap(([name, field]) => {
    if (!isRecord(field)) return []
    const described = textOf(field['description'])
    const row = `| \`${within}${name}\` | ${typeOf(field)} | ${needed.includes(name) ? 'yes' : 'no'} | ${described.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')} |`
    const items = isRecord(field['items']) ? fieldRows(field['items'], `${within}${name}[].`) : []
    return [row, ...fieldRows(field, `${within}${name}.`), ...items]
  })
}

function typeOf(field: unknown): string {
  if (!isRecord(field)) return 'any'
  const { type, items, anyOf } = field
  if ('const' in field) return `\`${String(field['const'])}\``
  if (Array.isArray(field['enum'])) return field['enum'].map((value) => `\`${String(value)}\``).join(' or ')
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' or ')
  if (type === 'array') return `list of ${typeOf(items)}`
  return typeof type === 'string' ? type : 'any'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(description: unknown): string {
  return typeof description === 'string' ? description : (Message.fromJson(description)?.render() ?? '')
}
