import path from 'node:path'
import { ToolError } from '@mcp-toolkits/core/errors'
import { openToolbox } from '../../mcp/calls/toolbox.ts'
import { type HostedServer, type HostingFindings, type PeopleServer, teamOf } from '../../team.ts'
import { type CommandLine, type Console, print, UsageError } from '../command.ts'
import { upstreamText } from '../commands/status.ts'
import { type Address, checkUpstream, usesPeopleOptions } from '../options/http-options.ts'
import { logTo } from '../process/log-to.ts'
import type { Check } from '../../mcp/extension.ts'
import { toolsForModels } from '../../mcp/listing/listed-tool.ts'

interface Plan {
  readonly line: CommandLine
  readonly address: Address
  /** Undefined if all clients share one account. */
  readonly people: PeopleServer | undefined
}

/**
 * Describes what `http` would serve, without serving or changing anything. Exit code 2 for an unusable database, identity provider or audit
 * log. Throws `UsageError` for anything else that cannot be served.
 */
export async function check<Context>(
  definition: HostedServer<Context>,
  { line, address, people }: Plan,
  console: Console,
): Promise<number> {
  const found = await findingsFor(definition, line, people).catch((error: unknown) => {
    if (error instanceof ToolError) return error
    throw error
  })
  // Not a usage error: the help says nothing about a database or a provider.
  if (found instanceof ToolError) {
    await print(console.errors, `${definition.name}: ${found.message}`)
    return 2
  }
  const { settings, lines, warnings } = found
  const toolbox = openToolbox(definition, settings, { log: logTo(definition, console, 'silent') })
  if (!people) checkUpstream(toolbox, settings, address)
  const problems = people || toolbox.upstreamProblem === undefined ? [] : [toolbox.upstreamProblem]
  const shown = [
    `server: ${definition.name} ${definition.version}`,
    `upstream: ${people?.upstream() ?? upstreamText(definition, settings, toolbox)}`,
    ...addressLines(address, people),
    `read-only: ${settings.readOnly ? 'yes' : 'no'}`,
    `tools: ${toolbox.listing.tools.length} of ${toolsForModels(definition.listedTools).length}`,
    ...(line.audit === undefined ? [] : [`audit: ${line.audit === '-' ? 'standard error' : path.resolve(line.audit)}`]),
    ...lines,
    ...[...problems, ...warnings].map((warning) => `warning: ${warning}`),
  ]
  await print(console.output, shown.join('\n'))
  return 0
}

function addressLines({ host, port, allowedHosts, token, drainWait }: Address, people: PeopleServer | undefined): string[] {
  return [
    `address: http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}/mcp`,
    `hosts: ${['localhost', ...allowedHosts].join(', ')}`,
    `token: ${people?.token ?? (token ? 'required' : 'none')}`,
    `drain wait: ${drainWait} s`,
  ]
}

/** Facts about what would be served. Throws `Unavailable`, even if only the audit log cannot be written. */
async function findingsFor<Context>(
  definition: HostedServer<Context>,
  line: CommandLine,
  people: PeopleServer | undefined,
): Promise<HostingFindings> {
  if (line.audit !== undefined) await (await teamOf(definition)).checkAudit(line.audit)
  if (!people) return storeFindings(definition, line)
  const [stored, found] = [line.store === undefined ? undefined : await storeFindings(definition, line), await people.inspect()]
  return {
    settings: stored?.settings ?? line.settings,
    lines: [...found.lines, ...(stored?.lines ?? [])],
    warnings: [...found.warnings, ...(stored?.warnings ?? [])],
  }
}

async function storeFindings<Context>(definition: HostedServer<Context>, line: CommandLine): Promise<HostingFindings> {
  if (line.store !== undefined) return (await teamOf(definition)).inspectStore(definition, line)
  const { settings } = line
  const hasKeys = (settings.environment['MCP_TOOLKITS_VAULT_KEYS'] ?? '') !== ''
  const warnings = hasKeys ? ['MCP_TOOLKITS_VAULT_KEYS is not used without --store.'] : []
  return { settings, lines: ['store: none; this process works alone'], warnings }
}

/** Checks that the database of `--store`, and the identity provider and options of `--issuer`, can be used. Changes nothing. */
export async function hostingChecks<Context>(definition: HostedServer<Context>, line: CommandLine): Promise<Check[]> {
  const store = line.store === undefined ? [] : [await checkOf('Store', () => storeFindings(definition, line))]
  if (!usesPeopleOptions(line, line.settings.environment)) return store
  const people = await checkOf('People', async () => {
    const server = await (await teamOf(definition)).readPeople(definition, line)
    return server ? server.inspect() : { lines: [], warnings: [] }
  })
  return [...store, people]
}

async function checkOf(name: string, find: () => Promise<Omit<HostingFindings, 'settings'>>): Promise<Check> {
  try {
    const { lines, warnings } = await find()
    return { name, state: warnings.length === 0 ? 'ok' : 'warning', text: [...lines, ...warnings].join('\n') }
  } catch (error) {
    if (error instanceof ToolError || error instanceof UsageError) return { name, state: 'problem', text: error.message }
    throw error
  }
}
