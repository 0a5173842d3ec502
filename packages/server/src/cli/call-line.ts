import { parseArgs } from 'node:util'
import { commandsWith } from './command-options.ts'
import type { KnownOption } from './option-problem.ts'

/** An option, and its key in the table of options. */
type CallOption = readonly [name: string, option: KnownOption[1] & { readonly key: string }]

/** The command line of `call`, divided: what the command reads, and what its tool does. */
export interface CallLine {
  readonly own: readonly string[]
  /** Everything behind the name of the tool that is no option of the command, as it was typed. */
  readonly forTool: readonly string[]
}

/**
 * Divides the arguments of `call NAME …`: behind the name, every option belongs to the tool that does not go with
 * `call`. Undefined for another command.
 */
export function divideCall(args: readonly string[], options: readonly CallOption[]): CallLine | undefined {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const [command, tool] = tokens.filter((token) => token.kind === 'positional')
  if (command?.value !== 'call' || !tool) return undefined
  const ownOptions = options.filter(([, { key }]) => commandsWith(key)?.includes('call') ?? true)
  const own = args.slice(0, tool.index + 1)
  const forTool: string[] = []
  const rest = args.slice(tool.index + 1)
  for (let index = 0; index < rest.length; index += 1) {
    const arg = rest[index] ?? ''
    if (arg === '--') return { own, forTool: [...forTool, ...rest.slice(index)] }
    const option = ownOptions.find(([name, { short }]) => arg === `--${name}` || arg.startsWith(`--${name}=`) || arg === `-${short ?? '-'}`)
    if (!option) {
      forTool.push(arg)
      continue
    }
    const takesNext = option[1].type === 'string' && !arg.includes('=')
    own.push(...rest.slice(index, takesNext ? index + 2 : index + 1))
    if (takesNext) index += 1
  }
  return { own, forTool }
}
