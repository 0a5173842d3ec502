import type { ServerDefinition } from '../definition.ts'
import { commandsOf, optionsOf, type Entry } from './manual.ts'

/** The text of --help. */
export function help<Context>(definition: ServerDefinition<Context>): string {
  return [
    definition.title,
    '',
    ...commandsOf(definition).map(line),
    '',
    'Options of every command; each is also a variable, an option wins over it',
    ...optionsOf(definition).map(line),
    '',
    definition.connectHint,
  ].join('\n')
}

const column = 46

function line({ usage, about, variable }: Entry): string {
  const told = variable === undefined ? about : `${about} (${variable})`
  return usage.length < column ? `  ${usage.padEnd(column)}${told}` : `  ${usage}\n  ${' '.repeat(column)}${told}`
}
