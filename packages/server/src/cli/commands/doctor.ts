import { ToolError } from '@mcp-toolkits/core/errors'
import type { ServerDefinition, Settings } from '../../mcp/definition.ts'
import type { Check, Extended } from '../../mcp/extension.ts'
import { listProblem, toolsetsOf } from '../../mcp/listing/toolsets.ts'
import { openToolbox, type Toolbox } from '../../mcp/calls/toolbox.ts'
import { type CommandLine, type Console, print, printJson, UsageError, write } from '../command.ts'
import type { Command } from './command-type.ts'
import { logTo } from '../process/log-to.ts'
import { accountChecks, checkDirectory, checkNode, checkVariables, peopleAccountChecks } from '../checks/checks.ts'
import { checkDatabases } from '../checks/sqlite-checks.ts'
import { usesPeopleOptions } from '../options/http-options.ts'
import { withInvocation } from '../invocation.ts'
import { hasAccountsOfPeople } from './status.ts'
import { filterText } from '../../mcp/answers/exit-filter.ts'
import { View, wrap } from '../view.ts'

/** Looks for problems that keep a server from working, and prints each finding with its remedy. Exit code 1 for a problem. */
export const doctor: Command = async (definition, line, console) => {
  const { settings, json, operands } = line
  if (operands.length > 0) throw new UsageError(`Unexpected: ${operands.join(' ')}.`)
  const toolbox = openToolbox(definition, settings, { log: logTo(definition, console, 'silent') })
  const spell = withInvocation(definition, console)
  const belongsToPeople = line.issuer !== undefined && hasAccountsOfPeople(definition, settings)
  try {
    const checks = [
      checkNode(),
      await checkDirectory(settings),
      ...(await checkDatabases(definition, settings)),
      await checkVariables(definition, settings.environment),
      ...(belongsToPeople ? await peopleAccountChecks(definition, settings) : await accountChecks(definition, settings, toolbox)),
      ...(await extensionChecks(definition, settings)),
      ...toolsetChecks(definition, settings, toolbox),
      ...(hasHosting(line, console) ? await (await import('../checks/http-check.ts')).hostingChecks(definition, line) : []),
    ].map((check) => ({ ...check, text: spell(check.text), ...(check.fix !== undefined && { fix: spell(check.fix) }) }))
    const isWell = checks.every(({ state }) => state !== 'problem')
    if (json) await printJson(console.output, { server: `${definition.name} ${definition.version}`, ok: isWell, checks }, 2)
    else {
      await write(console.output, checkLines(checks, new View(console.output)).join('\n'))
      await print(console.output, isWell ? 'No problems found.' : 'Fix the problems above, then run doctor again.')
    }
    return isWell ? 0 : 1
  } finally {
    await toolbox.close()
  }
}

/** Findings on the length of the tool list and on toolsets that are off. */
function toolsetChecks<Context>(definition: ServerDefinition<Context>, settings: Settings, { listing }: Toolbox): Check[] {
  if (!definition.toolsets) return []
  const problem = listProblem(listing)
  if (problem !== undefined) return [{ name: 'Tools', state: 'warning', text: problem }]
  const { off } = toolsetsOf(definition, settings)
  const more = off.length > 0 ? ` More with --toolsets: ${off.join(', ')}.` : ''
  return [{ name: 'Tools', state: 'ok', text: `${listing.tools.length} tools.${more}` }]
}

async function extensionChecks({ extensions = [] }: Extended, settings: Settings): Promise<Check[]> {
  const checks = extensions.map(async (extension) => {
    try {
      return (await extension.checks?.(settings)) ?? []
    } catch (error) {
      // The checks of the directory and the credentials say why.
      if (error instanceof ToolError) return []
      throw error
    }
  })
  return (await Promise.all(checks)).flat()
}

/** True if any option or variable is meant for replicas, or for people who sign in. */
const hasHosting = (line: CommandLine, { environment }: Console) => line.store !== undefined || usesPeopleOptions(line, environment)

const formats = { ok: 'green', problem: 'red', warning: 'yellow', skipped: 'dim' } as const

/** Two columns, the state and the name, followed by the finding. */
function checkLines(checks: readonly Check[], view: View): string[] {
  const [first, second] = [9, 16]
  const indent = ' '.repeat(first + second)
  return checks.flatMap(({ name, state, text, fix }) => {
    const said = fix === undefined ? text : `${text}\nTo fix it: ${fix}`
    const lines = wrap(filterText(said), Math.max(30, view.width - indent.length))
    return lines.map((line, index) =>
      index === 0 ? `${view.style(formats[state], state.padEnd(first))}${name.padEnd(second)}${line}` : indent + line,
    )
  })
}
