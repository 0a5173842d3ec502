import type { ServerDefinition } from '../definition.ts'
import { commandOptions, type DescribedOption, generalOptions } from '../option-texts.ts'
import type { CommandLine, Console } from './command.ts'
import { withInvocation, invocationOf } from './invocation.ts'
import { usageLines } from './usage.ts'

const column = 46

/** The text of --help: about one tool behind `call NAME`, otherwise about all commands. Throws `UsageError` for an unknown tool. */
export async function help<Context>(definition: ServerDefinition<Context>, line: CommandLine, console: Console): Promise<string> {
  const [name] = line.operands
  if (line.command !== 'call' || name === undefined) return withInvocation(definition, console)(helpText(definition))
  const { toolHelp } = await import('./tool-help.ts')
  const { settings } = line
  const text = await toolHelp(definition, { name, settings, asFlags: true }, console)
  return `${text}\n\nA flag overrides the same name in JSON. \`${invocationOf(definition, console)} --help\` shows the options that every call has.`
}

/** The text about all commands. */
export function helpText<Context>(definition: ServerDefinition<Context>): string {
  const generalLines = generalOptions(definition).map(optionLine)
  const commandLines = commandOptions().map(optionLine)
  return [
    definition.title,
    '',
    ...usageLines(definition).map(({ usage, description }) => line(usage, description)),
    '',
    'Options of every command (each overrides the variable in parentheses):',
    ...generalLines,
    '',
    'Options of single commands:',
    ...commandLines,
    '',
    definition.connectHint,
  ].join('\n')
}

/** `--data-dir DIR` */
export function optionUsage({ name, placeholder }: { readonly name: string; readonly placeholder?: string }): string {
  return placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`
}

function optionLine({ help, ...option }: DescribedOption): string {
  return line(optionUsage(option), option.variable === undefined ? help : `${help} (${option.variable})`)
}

function line(usage: string, description: string): string {
  return usage.length < column ? `  ${usage.padEnd(column)}${description}` : `  ${usage}\n  ${' '.repeat(column)}${description}`
}
