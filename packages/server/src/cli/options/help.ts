import type { ServerDefinition } from '../../mcp/definition.ts'
import { describedOptions, generalOptions } from './option-texts.ts'
import { optionsOf } from './option-table.ts'
import type { DescribedOption } from './option.ts'
import { commandsOf } from '../../mcp/extension.ts'
import { type CommandName, commandNames, commandsWith } from './command-options.ts'
import type { CommandLine, Console } from '../command.ts'
import { unknownCommand } from '../failure.ts'
import { invocationOf, withInvocation } from '../invocation.ts'
import { type UsageLine, optionUsage, usagesOf } from './usages.ts'
import { widthOf, wrap } from '../view.ts'

/** Maximum width of the help text, in columns: longer lines are hard to read, and many terminals are no wider. */
const maxWidth = 80

/**
 * The text of --help: about one tool after `call NAME`, about one command after its name, otherwise about all commands. `help NAME` is the
 * same as `NAME --help`. Throws `UsageError` for an unknown command or tool.
 */
export async function help<Context>(definition: ServerDefinition<Context>, line: CommandLine, console: Console): Promise<string> {
  const [command = 'stdio', name] = line.command === 'help' ? line.operands : [line.command, ...line.operands]
  if (command === 'call' && name !== undefined) {
    const { toolHelp } = await import('../commands/tools.ts')
    const { settings, json } = line
    const text = await toolHelp(definition, { name, settings, json, asFlags: true }, console)
    return `${text}\n\nA flag overrides the JSON member of the same name. \`${invocationOf(definition, console)} --help\` shows the options that every call has.`
  }
  const used = usagesOf(definition, command)
  // This server may lack a command that others have, such as login.
  const isKnown = command === 'stdio' || commandNames().includes(command)
  if (used.length === 0 && !isKnown) throw unknownCommand(definition, command)
  const page: Page = { spell: withInvocation(definition, console), width: Math.min(maxWidth, widthOf(console.output)) }
  return used.length === 0 ? helpText(definition, page) : commandHelp(definition, { command, used }, page)
}

/** The layout of a help text. */
interface Page {
  /** Inserts the words that start the command for this person. */
  readonly spell: (text: string) => string
  readonly width: number
}

/** Commands needed only to host a server for others, or to develop against one. */
const hostingCommands: readonly string[] = ['http', 'people', 'vault', 'emulator'] satisfies readonly CommandName[]

/** Commands that a beginner needs first; the others follow in the table's order. */
const firstCommands: readonly string[] = ['tools', 'call', 'config', 'status', 'doctor'] satisfies readonly CommandName[]

async function helpText<Context>(definition: ServerDefinition<Context>, { spell, width }: Page): Promise<string> {
  const command = `${definition.name}-mcp`
  const available = commandNames(definition).filter((name) => usagesOf(definition, name).length > 0)
  const rest = available.filter((name) => !firstCommands.includes(name) && !hostingCommands.includes(name))
  const list = (names: readonly string[]) => {
    const column = Math.max(...available.map((name) => name.length)) + 4
    return names.flatMap((name) => {
      const lines = wrap(spell(usagesOf(definition, name)[0]?.description ?? ''), width - column)
      return lines.map((text, index) => `${(index === 0 ? `  ${name}` : '').padEnd(column)}${text}`)
    })
  }
  const examples = await Promise.all(['tools', 'call', 'config'].map((name) => exampleOf(definition, name)))
  const footer = `\`${command} COMMAND --help\` explains one command with its options, and \`${command} call TOOL --help\` one tool.`
  return [
    definition.title,
    spell(`Usage: ${command} COMMAND [OPTIONS]`),
    wrap('Without a command, it serves MCP over stdio, which is how MCP clients start it.', width).join('\n'),
    ['Commands:', ...list([...firstCommands, ...rest])].join('\n'),
    ['To run a server for others, and to develop:', ...list(hostingCommands)].join('\n'),
    ['Examples:', ...examples.map((example) => spell(`  ${command} ${example}`))].join('\n'),
    [
      ...wrap('Options of every command (each overrides the variable in parentheses):', width),
      ...generalOptions(definition).flatMap((option) => optionLines(option, width)),
    ].join('\n'),
    wrap(spell(String(definition.connectHint)), width).join('\n'),
    wrap(spell(footer), width).join('\n'),
  ].join('\n\n')
}

async function commandHelp<Context>(
  definition: ServerDefinition<Context>,
  { command, used }: { readonly command: string; readonly used: readonly UsageLine[] },
  { spell, width }: Page,
): Promise<string> {
  const own = commandOptions(definition, command)
  const all = `${definition.name}-mcp`
  const usageOf = ({ usage, description }: UsageLine) => {
    const [first = '', ...more] = wrap(spell(`Usage: ${usage}`), width - 7)
    return [first, ...more.map((text) => `       ${text}`), ...indented(spell(sentence(description)), width)].join('\n')
  }
  return [
    used.map(usageOf).join('\n\n'),
    ...(own.length === 0 ? [] : [['Options:', ...own.flatMap((option) => optionLines(option, width))].join('\n')]),
    spell(`Example:\n  ${all} ${await exampleOf(definition, command)}`),
    wrap(spell(`\`${all} --help\` lists all commands, and the options that work with every one.`), width).join('\n'),
  ].join('\n\n')
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const indented = (text: string, width: number) => wrap(text, width - 6).map((each) => `      ${each}`)

const optionLines = (option: DescribedOption, width: number) => [`  ${optionUsage(option)}`, ...indented(meaningOf(option), width)]

/** The options that work with one command but not with all. */
function commandOptions<Context>(definition: ServerDefinition<Context>, command: string): DescribedOption[] {
  const described = new Map(describedOptions(definition).map((option) => [option.name, option]))
  return optionsOf(definition).flatMap(([key, { name }]) => {
    const option = commandsWith(key, definition)?.includes(command) === true ? described.get(name) : undefined
    return option ?? []
  })
}

const examples: Readonly<Record<Exclude<CommandName, 'stdio' | 'call' | 'tools'>, string>> = {
  http: 'http --port 3000',
  login: 'login --profile work',
  logout: 'logout --profile work',
  status: 'status --json',
  people: 'people list',
  vault: 'vault check',
  doctor: 'doctor --json',
  config: 'config cursor --write',
  completion: 'completion bash',
  emulator: 'emulator --port 4000',
}

async function exampleOf<Context>(definition: ServerDefinition<Context>, command: string): Promise<string> {
  const example = new Map(Object.entries(examples)).get(command) ?? commandsOf(definition)[command]?.example
  const [tool] = definition.listedTools
  if (example !== undefined || !tool) return example ?? command
  if (command === 'tools') return `tools ${tool.name}`
  const [withFlags = command] = await (await import('../call/tool-example.ts')).exampleCalls(definition, tool)
  return withFlags
}

const meaningOf = ({ help, variable }: DescribedOption) => (variable === undefined ? help : `${help} (${variable})`)
