import type { ServerDefinition } from '../packages/server/src/index.ts'
import type { Distribution } from './distribution/types.ts'
import { code } from './reference/tool-reference.ts'
import type { DescribedOption, Variable } from '../packages/server/src/cli/options/option.ts'
import { describedOptions, generalOptions, sharedVariables } from '../packages/server/src/cli/options/option-texts.ts'
import { optionUsage, usageLines } from '../packages/server/src/cli/options/usages.ts'

/** One server's commands, options and variables, each as a line of text. */
export interface Usage {
  readonly server: string
  readonly commands: readonly string[]
  readonly options: readonly string[]
  readonly variables: readonly string[]
}

export function usageOf<Context>(definition: ServerDefinition<Context>, { variables }: Distribution): Usage {
  const general = generalOptions(definition)
  const hasOption = ({ name }: Variable) => general.some(({ variable }) => variable === name)
  const command = `${definition.name}-mcp`
  return {
    server: definition.name,
    commands: usageLines(definition).map(
      ({ usage, description }) => `${code(usage.replace(command, '').trim() || '(none)')}: ${description}`,
    ),
    options: general.map(optionLine),
    variables: variables.filter((variable) => !hasOption(variable)).map(variableLine),
  }
}

/** Options of single commands, explained in those commands' usage. */
const inUsage: readonly string[] = ['host', 'port', 'allowed-hosts', 'idempotency-key', 'scopes', 'no-browser', 'json', 'write']

/** The generated parts of `docs/configuration.md`. A line that not all servers share names those that have it. */
export function configurationSections(usages: readonly Usage[]): Record<string, string> {
  const ofCommands = describedOptions().filter(({ name, isGeneral }) => isGeneral !== true && !inUsage.includes(name))
  return {
    commands: merged(usages, 'commands'),
    options: merged(usages, 'options'),
    'command-options': bullets(ofCommands.map(optionLine)),
    variables: bullets(sharedVariables.map(variableLine)),
    'server-variables': usages.map(({ server, variables }) => `### ${server}\n\n${bullets(variables)}`).join('\n\n'),
  }
}

function merged(usages: readonly Usage[], kind: 'commands' | 'options'): string {
  const lines = new Set(usages.flatMap((usage) => usage[kind]))
  return bullets(
    [...lines].map((line) => {
      const owners = usages.filter((usage) => usage[kind].includes(line)).map(({ server }) => server)
      return owners.length === usages.length ? line : `${line} (${owners.join(', ')})`
    }),
  )
}

const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

function optionLine({ help, variable, ...option }: DescribedOption): string {
  return `${code(optionUsage(option))}${variable === undefined ? '' : `, ${code(variable)}`}: ${help}`
}

function variableLine({ name, description, choices, defaultValue }: Variable): string {
  const values = choices && !choices.every((choice) => description.includes(choice)) ? ` One of ${choices.join(', ')}.` : ''
  return `${code(name)}: ${description}${values}${defaultValue === undefined ? '' : ` Default: ${defaultValue}.`}`
}
