import type { ServerDefinition } from './definition.ts'
import type { ListedTool } from './listing.ts'
import { commandsOf, optionsOf } from './cli/manual.ts'
import { sharedVariables, type Distribution, type Variable } from './distribution.ts'

type Documented = Pick<ServerDefinition<never>, 'title' | 'prefix' | 'name'>

/** The table of tools for a README. */
export function toolTable(definition: Documented, tools: readonly ListedTool[]): string {
  const rows = tools.map((tool) => `| ${link(definition, tool)} | ${tool.title} | ${kind(tool)} |`)
  return ['| Tool | What it does | Effect |', '|---|---|---|', ...rows].join('\n')
}

/** The reference page of a server: every tool with its parameters and its full result. */
export function referencePage(definition: Documented, tools: readonly ListedTool[]): string {
  const sections = tools.map((tool) => toolSection(definition, tool))
  const told = `Tool names are shown as the specification has them; by default a server advertises them with an underscore in place of the dot, and takes both.`
  return [`# ${definition.title}: tools`, '', 'Generated from the tool definitions by `npm run generate`.', told, '', ...sections].join(
    '\n',
  )
}

/** How a server is run, for a README: its commands, the options of all of them, and what else the environment says. */
export function usageSection<Context>(definition: ServerDefinition<Context>, offer: Pick<Distribution, 'variables'>): string {
  const options = optionsOf(definition)
  const told = options.map(({ variable }) => variable)
  const shared = sharedVariables.filter(({ forSignIn }) => forSignIn !== true || definition.signIn)
  const others = [...offer.variables, ...shared].filter(({ name }) => !told.includes(name))
  return [
    table(
      ['Command', 'What it does'],
      commandsOf(definition).map(({ usage, about }) => [code(usage), about]),
    ),
    'These options go with every command. Each has a variable too, which an option wins over:',
    table(
      ['Option', 'Variable', 'Meaning'],
      options.map(({ usage, variable = '', about }) => [code(usage), code(variable), about]),
    ),
    'To serve other machines, over HTTP or in a container: [Hosting](../../docs/hosting.md).',
    'The rest stands in the environment alone:',
    table(
      ['Variable', 'Meaning'],
      others.map((variable) => [code(variable.name), meaningOf(variable)]),
    ),
  ].join('\n\n')
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}

function meaningOf({ about, choices, standard }: Variable): string {
  const named = choices && !choices.every((choice) => about.includes(choice)) ? ` One of ${choices.join(', ')}.` : ''
  return `${about}${named}${standard === undefined ? '' : ` Without it: ${standard}.`}`
}

function toolSection({ prefix }: Documented, tool: ListedTool): string {
  return [
    `## ${prefix}.${tool.name}`,
    '',
    tool.description,
    '',
    `Effect: ${kind(tool)}.${tool.scopes.length > 0 ? ` Scopes: ${tool.scopes.join(', ')}.` : ''}`,
    '',
    ...fieldTable('Parameter', tool.inputSchema),
    ...fieldTable('Result', tool.outputSchema),
  ].join('\n')
}

function kind({ effect, annotations }: ListedTool): string {
  return annotations['destructiveHint'] === true && effect !== 'delete' ? `${effect}, may destroy` : effect
}

function link({ prefix, name }: Documented, tool: ListedTool): string {
  const full = `${prefix}.${tool.name}`
  return `[\`${full}\`](../../docs/tools/${name}.md#${full.toLowerCase().replaceAll('.', '')})`
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
    const described = typeof field['description'] === 'string' ? field['description'] : ''
    const row = `| \`${within}${name}\` | ${typeOf(field)} | ${needed.includes(name) ? 'yes' : 'no'} | ${cell(described)} |`
    const items = isRecord(field['items']) ? fieldRows(field['items'], `${within}${name}[].`) : []
    return [row, ...fieldRows(field, `${within}${name}.`), ...items]
  })
}

/** A text that stays within its cell. */
function cell(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')
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
