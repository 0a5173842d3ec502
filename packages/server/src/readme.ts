import type { Tool } from '@mcp-toolkits/core'
import { usageLines } from './cli/commands.ts'
import { optionUsage } from './cli/help.ts'
import type { ServerDefinition } from './definition.ts'
import type { Distribution } from './distribution.ts'
import { generalOptions, sharedVariables, type Variable } from './options.ts'
type DocumentedServer = Pick<ServerDefinition<never>, 'title' | 'prefix' | 'name'>

/** The table of tools for a README. */
export function toolTable(definition: DocumentedServer, tools: readonly Tool<never>[]): string {
  const rows = tools.map((tool) => [link(definition, tool), tool.title, effectOf(tool)])
  return markdownTable(['Tool', 'What it does', 'Effect'], rows)
}

/** The usage of a server: its commands, the options of every command, and the other variables. */
export function usageSection<Context>(definition: ServerDefinition<Context>, { variables }: Pick<Distribution, 'variables'>): string {
  const general = generalOptions(definition)
  const others = [...variables, ...sharedVariables].filter(({ name }) => general.every(({ variable }) => variable !== name))
  return [
    markdownTable(
      ['Command', 'What it does'],
      usageLines(definition).map(({ usage, description }) => [code(usage), description]),
    ),
    'These options work with every command. Each has a variable, which the option overrides:',
    markdownTable(
      ['Option', 'Variable', 'Meaning'],
      general.map(({ help, variable = '', ...option }) => [code(optionUsage(option)), code(variable), help]),
    ),
    'To serve other machines over HTTP, or to run in a container, see [Hosting](../../docs/hosting.md).',
    'These variables have no option:',
    markdownTable(
      ['Variable', 'Meaning'],
      others.map((variable) => [code(variable.name), variableDescription(variable)]),
    ),
  ].join('\n\n')
}

/** A table; a cell may hold any text. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

export function code(text: string): string {
  return `\`${text}\``
}

function variableDescription({ description, choices, defaultValue }: Variable): string {
  const values = choices && !choices.every((choice) => description.includes(choice)) ? ` One of ${choices.join(', ')}.` : ''
  return `${description}${values}${defaultValue === undefined ? '' : ` Default: ${defaultValue}.`}`
}

/** A tool's effect in words. */
export function effectOf({ effect, destructive }: Pick<Tool<never>, 'effect' | 'destructive'>): string {
  return destructive && effect !== 'delete' ? `${effect}, may destroy` : effect
}

function link({ prefix, name }: DocumentedServer, tool: Tool<never>): string {
  const full = `${prefix}.${tool.name}`
  return `[\`${full}\`](../../docs/tools/${name}.md#${full.toLowerCase().replaceAll('.', '')})`
}

/** The text on one line, with pipes escaped. */
function cell(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '')
    .join(' ')
    .replaceAll('|', '\\|')
}
