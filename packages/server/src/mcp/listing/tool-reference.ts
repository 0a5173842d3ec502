import { isObject } from '@mcp-toolkits/core/base'
import { Message } from '@mcp-toolkits/core/errors'
import { type JsonSchema, toJsonSchema, type Tool } from '@mcp-toolkits/core/tool'
import { optionUsage, usageLines } from '../../cli/options/usages.ts'
import type { ServerDefinition } from '../definition.ts'
import type { Distribution } from '../distribution.ts'
import { commandOptions, generalOptions, sharedVariables, type Variable } from '../../cli/options/option-texts.ts'
import { ResultShapes } from './result-shapes.ts'

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
    'These belong to single commands:',
    markdownTable(
      ['Option', 'Variable', 'Meaning'],
      commandOptions().map(({ help, variable, ...option }) => [
        code(optionUsage(option)),
        variable === undefined ? '' : code(variable),
        help,
      ]),
    ),
    'At a terminal, results are tables, `call` takes the parameters of a tool as flags, `completion` completes them in your shell, and `doctor` finds what keeps a server from working: see [The command line](../../docs/command-line.md).',
    'To serve other machines over HTTP, with several replicas on one database, or to run in a container, see [Hosting](../../docs/hosting.md); with the identity provider of a company, see [Each person as themselves](../../docs/people.md).',
    'These variables have no option:',
    markdownTable(
      ['Variable', 'Meaning'],
      others.map((variable) => [code(variable.name), variableDescription(variable)]),
    ),
    'Every variable can also come from a file: the variable with `_FILE` at the end of its name holds the path.',
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

/** The reference page of a server: every tool with its parameters and its full result, and the shapes that results share. */
export function referencePage(
  definition: Pick<ServerDefinition<never>, 'title' | 'prefix'>,
  tools: readonly Tool<never>[],
  { recordNames }: Pick<Distribution, 'recordNames'> = {},
): string {
  const outputs = tools.map((tool) => toJsonSchema(tool.output))
  const shapes = new ResultShapes(outputs, recordNames)
  const shared = shapes.sections()
  return [
    `# ${definition.title}: tools`,
    'Generated from the tool definitions by `npm run generate`. Tool names are shown as the specification has them; by default a server advertises them with an underscore instead of the dot, and accepts both. A field with a question mark may be absent.',
    ...tools.map((tool, index) => toolSection(definition.prefix, tool, shapes.result(outputs[index] ?? {}))),
    ...(shared.length > 0 ? ['## Shapes', 'Records that several results hold.', ...shared] : []),
    '',
  ].join('\n\n')
}

function toolSection(prefix: string, tool: Tool<never>, result: string): string {
  const parameters = parameterRows(toJsonSchema(tool.input))
  return [
    `## ${prefix}.${tool.name}`,
    Message.of(tool.description).render(),
    `Effect: ${effectOf(tool)}.${tool.scopes.length > 0 ? ` Scopes: ${tool.scopes.join(', ')}.` : ''}`,
    ...(parameters.length > 0 ? [markdownTable(['Parameter', 'Type', 'Required', 'Meaning'], parameters)] : []),
    ...(result === '' ? [] : [result]),
  ].join('\n\n')
}

/** One row for each parameter. The contract tests see to it that each has a description. */
function parameterRows({ properties, required }: JsonSchema): string[][] {
  if (!isObject(properties)) return []
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, schema]) => {
    const description = isObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : ''
    return [code(name), code(parameterType(schema)), needed.includes(name) ? 'yes' : 'no', description]
  })
}

/** The type in one line. */
function parameterType(schema: unknown): string {
  return new ResultShapes([]).type(schema).replace(/\s+/g, ' ')
}
