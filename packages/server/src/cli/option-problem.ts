import { parseArgs } from 'node:util'
import { rank } from '@mcp-toolkits/core/matching'
import { quote } from '@mcp-toolkits/core/text'

/** An option as `parseArgs` takes it. */
export type KnownOption = readonly [name: string, option: { readonly type: 'boolean' | 'string'; readonly short?: string }]

/** Options that are less like the written one are not named. */
const minConfidence = 0.55

/** The first mistake in the options of a command line that cannot be read. */
export function optionProblem(args: readonly string[], known: readonly KnownOption[]): string {
  const options = Object.fromEntries(known)
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const type = known.find(([each]) => each === name)?.[1].type
    if (type === undefined) return unknownOption(rawName, known)
    if (type === 'boolean' && value !== undefined) return `${rawName} takes no value.`
    if (type === 'string' && value === undefined) return `${rawName} needs a value.`
    if (type === 'string' && !inlineValue && value?.startsWith('-') === true)
      return `${rawName} needs a value. One that begins with a dash is written as --${name}=VALUE.`
  }
  return 'The options cannot be read.'
}

function unknownOption(written: string, known: readonly KnownOption[]): string {
  const names = known.map(([name]) => name)
  const [likely] = rank(written.replace(/^-+/, ''), names, { minConfidence })
  const suggestion = likely === undefined ? '' : ` Did you mean --${names[likely.index] ?? ''}?`
  return `There is no option ${quote(written)}.${suggestion}`
}
