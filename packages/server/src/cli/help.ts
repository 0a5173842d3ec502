import type { ServerDefinition } from '../definition.ts'
import { generalOptions } from '../options.ts'
import { usageLines } from './commands.ts'

const column = 46

/** The text of --help. */
export function helpText<Context>(definition: ServerDefinition<Context>): string {
  const generalLines = generalOptions(definition).map(({ help, variable, ...option }) =>
    line(optionUsage(option), variable === undefined ? help : `${help} (${variable})`),
  )
  return [
    definition.title,
    '',
    ...usageLines(definition).map(({ usage, description }) => line(usage, description)),
    '',
    'Options of every command (each overrides the variable in parentheses):',
    ...generalLines,
    '',
    definition.connectHint,
  ].join('\n')
}

/** `--data-dir DIR` */
export function optionUsage({ name, placeholder }: { readonly name: string; readonly placeholder?: string }): string {
  return placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`
}

function line(usage: string, description: string): string {
  return usage.length < column ? `  ${usage.padEnd(column)}${description}` : `  ${usage}\n  ${' '.repeat(column)}${description}`
}
