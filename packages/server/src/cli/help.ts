import type { ServerDefinition } from '../definition.ts'
import { commandOptions, describedOptions, type DescribedOption, generalOptions } from '../option-texts.ts'
import { type Option, options } from '../options.ts'
import { type CommandName, commandNames, commandsWith } from './command-options.ts'
import type { CommandLine, Console } from './command.ts'
import { unknownCommand } from './failure.ts'
import { invocationOf, withInvocation } from './invocation.ts'
import { type UsageLine, optionUsage, usageLines, usagesOf } from './usages.ts'
import { widthOf, wrap } from './view.ts'

const column = 46

/**
 * The text of --help: about one tool behind `call NAME`, about one command behind its name, otherwise about all commands. `help NAME` is
 * the same as `NAME --help`. Throws `UsageError` for an unknown command or tool.
 */
export async function help<Context>(definition: ServerDefinition<Context>, line: CommandLine, console: Console): Promise<string> {
  const [command = 'stdio', name] = line.command === 'help' ? line.operands : [line.command, ...line.operands]
  const spell = withInvocation(definition, console)
  if (command === 'call' && name !== undefined) {
    const { toolHelp } = await import('./tools.ts')
    const { settings, json } = line
    const text = await toolHelp(definition, { name, settings, json, asFlags: true }, console)
    return `${text}\n\nA flag overrides the same name in JSON. \`${invocationOf(definition, console)} --help\` shows the options that every call has.`
  }
  const used = usagesOf(definition, command)
  // This server may lack a command that others have, such as login.
  const isKnown = command === 'stdio' || commandNames().includes(command)
  if (used.length === 0 && !isKnown) throw unknownCommand(definition, command)
  if (used.length === 0) return spell(helpText(definition))
  return spell(await commandHelp(definition, { command, used, width: widthOf(console.output) }))
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
    '',
    `\`${definition.name}-mcp COMMAND --help\` explains one command, and \`${definition.name}-mcp call TOOL --help\` one tool.`,
  ].join('\n')
}

interface HelpOfCommand {
  readonly command: string
  readonly used: readonly UsageLine[]
  readonly width: number
}

/** The text about one command. */
async function commandHelp<Context>(definition: ServerDefinition<Context>, { command, used, width }: HelpOfCommand): Promise<string> {
  const own = optionsOf(definition, command)
  const all = `${definition.name}-mcp`
  return [
    used.map(({ usage, description }) => [`Usage: ${usage}`, ...indented(sentence(description), width)].join('\n')).join('\n\n'),
    ...(own.length === 0 ? [] : [['Options:', ...own.flatMap((option) => optionLines(option, width))].join('\n')]),
    `Example:\n  ${all} ${await exampleOf(definition, command)}`,
    wrap(`\`${all} --help\` lists all commands, and the options that go with every one.`, width).join('\n'),
  ].join('\n\n')
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

const indented = (text: string, width: number) => wrap(text, width - 6).map((each) => `      ${each}`)

const optionLines = (option: DescribedOption, width: number) => [`  ${optionUsage(option)}`, ...indented(meaningOf(option), width)]

/** The options that go with one command and not with every one. */
function optionsOf<Context>(definition: ServerDefinition<Context>, command: string): DescribedOption[] {
  const described = new Map(describedOptions().map((option) => [option.name, option]))
  return Object.entries<Option>(options).flatMap(([key, { name, needs }]) => {
    const goesWith = commandsWith(key, definition.commands)?.includes(command) === true
    const option = goesWith && (!needs || definition[needs] !== undefined) ? described.get(name) : undefined
    return option ? [option] : []
  })
}

/** A use of each command. */
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
  const { commands, listedTools } = definition
  const example = new Map(Object.entries(examples)).get(command) ?? commands?.[command]?.example
  const [tool] = listedTools
  if (example !== undefined || !tool) return example ?? command
  if (command === 'tools') return `tools ${tool.name}`
  const [withFlags = command] = await (await import('./tool-example.ts')).exampleCalls(definition, tool)
  return withFlags
}

function optionLine(option: DescribedOption): string {
  return line(optionUsage(option), meaningOf(option))
}

const meaningOf = ({ help, variable }: DescribedOption) => (variable === undefined ? help : `${help} (${variable})`)

function line(usage: string, description: string): string {
  return usage.length < column ? `  ${usage.padEnd(column)}${description}` : `  ${usage}\n  ${' '.repeat(column)}${description}`
}
