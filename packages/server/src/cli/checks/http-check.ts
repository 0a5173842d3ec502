import { existsSync } from 'node:fs'
import path from 'node:path'
import { systemClock } from '@mcp-toolkits/core/base'
import { count, joinWords, ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core/errors'
import { checkAuditFile } from '@mcp-toolkits/team/audit'
import type { ServerDefinition, Settings } from '../../mcp/definition.ts'
import { allPermissions } from '@mcp-toolkits/team/tokens/permissions'
import { openToolbox } from '../../mcp/calls/toolbox.ts'
import type { Check } from './checks.ts'
import { type CommandLine, type Console, print, UsageError } from '../command.ts'
import { logTo } from '../process/log-to.ts'
import { subjectWarnings } from './settings-warnings.ts'
import type { HostingInspection } from '@mcp-toolkits/team/cli/shared-store'
import type { PeopleOptions } from '@mcp-toolkits/team/cli/people-options'
import { type Address, checkUpstream, usesPeopleOptions } from '../options/http-options.ts'
import { upstreamText } from '../commands/status.ts'

interface Plan {
  readonly line: CommandLine
  readonly address: Address
  /** The options of `--issuer`; undefined where all clients share one account. */
  readonly people: PeopleOptions | undefined
}

type PeopleServer = Pick<ServerDefinition<never>, 'name' | 'sealedColumns'>

/** What is known of the store, or of the people. */
interface Findings {
  /** As the server would have them. */
  readonly settings: Settings
  readonly lines: readonly string[]
  readonly warnings: readonly string[]
  /** True for a database whose tables a server of this release has made. */
  readonly hasTables?: boolean
}

/** Says what `http` would serve, without serving or changing anything. Exit code 2 for a database, an identity provider or an audit that cannot be used. Throws `UsageError` for other things that cannot be served. */
export async function check<Context>(
  definition: ServerDefinition<Context>,
  { line, address, people }: Plan,
  console: Console,
): Promise<number> {
  const found = await findingsAndAudit(definition, line, people).catch((error: unknown) => {
    if (error instanceof ToolError) return error
    throw error
  })
  // No usage error: the help says nothing about a database or a provider.
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
    `upstream: ${people ? peopleUpstream(definition, settings, people) : upstreamText(definition, settings, toolbox)}`,
    ...addressLines(address, people),
    `read-only: ${settings.readOnly ? 'yes' : 'no'}`,
    `tools: ${toolbox.listing.tools.length} of ${definition.listedTools.length}`,
    ...(line.audit === undefined ? [] : [`audit: ${line.audit === '-' ? 'standard error' : path.resolve(line.audit)}`]),
    ...lines,
    ...[...problems, ...warnings].map((warning) => `warning: ${warning}`),
  ]
  await print(console.output, shown.join('\n'))
  return 0
}

function addressLines({ host, port, allowedHosts, token, drainWait }: Address, people: PeopleOptions | undefined): string[] {
  return [
    `address: http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}/mcp`,
    `hosts: ${['localhost', ...allowedHosts].join(', ')}`,
    `token: ${people ? tokenText(people) : token ? 'required' : 'none'}`,
    `drain wait: ${drainWait} s`,
  ]
}

const tokenText = ({ authorizationServer }: PeopleOptions) => (authorizationServer ? 'of this server' : 'of the identity provider')

/** Throws `Unavailable` also for an audit that cannot be written. */
async function findingsAndAudit<Context>(
  definition: ServerDefinition<Context>,
  line: CommandLine,
  people: PeopleOptions | undefined,
): Promise<Findings> {
  if (line.audit !== undefined && line.audit !== '-') checkAuditFile(path.resolve(line.audit))
  return findingsFor(definition, line, people)
}

async function findingsFor<Context>(
  definition: ServerDefinition<Context>,
  line: CommandLine,
  people: PeopleOptions | undefined,
): Promise<Findings> {
  if (!people) return storeFindings(definition, line)
  const [stored, found] = [
    line.store === undefined ? undefined : await storeFindings(definition, line),
    await peopleFindings(definition, line, people),
  ]
  return {
    settings: stored?.settings ?? line.settings,
    lines: [...found.lines, ...(stored?.lines ?? [])],
    warnings: [...found.warnings, ...(stored?.warnings ?? [])],
  }
}

/** Whether the database of `--store`, and the identity provider and options of `--issuer`, can be used. Nothing is changed. */
export async function hostingChecks<Context>(definition: ServerDefinition<Context>, line: CommandLine): Promise<Check[]> {
  const store = line.store === undefined ? [] : [await checkOf('Store', () => storeAndWork(definition, line))]
  if (!usesPeopleOptions(line, line.settings.environment)) return store
  const people = await checkOf('People', async () => {
    const options = (await import('@mcp-toolkits/team/cli/people-options')).readPeopleOptions(definition, line)
    return options ? peopleFindings(definition, line, options) : { lines: [], warnings: [] }
  })
  return [...store, people]
}

/** What is known of the database, and what it has that no server sends any more. */
async function storeAndWork<Context>(definition: ServerDefinition<Context>, line: CommandLine): Promise<Findings> {
  const found = await storeFindings(definition, line)
  const { strandedWork } = definition
  if (found.hasTables !== true || !strandedWork) return found
  const { withStore } = await import('@mcp-toolkits/team/cli/shared-store')
  const stranded = await withStore(definition, line, async (settings, shared) => strandedWork(settings, shared)).catch((error: unknown) => {
    // The check of the credentials says why.
    if (error instanceof Unauthenticated) return undefined
    throw error
  })
  return { ...found, warnings: [...found.warnings, ...(stranded === undefined ? [] : [stranded])] }
}

async function checkOf(name: string, find: () => Promise<Pick<Findings, 'lines' | 'warnings'>>): Promise<Check> {
  try {
    const { lines, warnings } = await find()
    return { name, state: warnings.length === 0 ? 'ok' : 'warning', text: [...lines, ...warnings].join('\n') }
  } catch (error) {
    if (error instanceof ToolError || error instanceof UsageError) return { name, state: 'problem', text: error.message }
    throw error
  }
}

/** Where the calls of people go, and with which credential. */
function peopleUpstream<Context>(definition: ServerDefinition<Context>, settings: Settings, { accounts }: PeopleOptions): string {
  const { keyVariable = '', vendor } = definition
  if (accounts.kind === 'person') return `${accounts.vendor?.target.apiUrl ?? vendor} with what each person connects`
  const upstream = definition.upstream(settings)
  return `${upstream.kind === 'vendor' ? upstream.url : vendor} with ${keyVariable}, for all people`
}

async function storeFindings<Context>(definition: ServerDefinition<Context>, line: CommandLine): Promise<Findings> {
  const { store, settings } = line
  if (store === undefined) {
    const hasKeys = (settings.environment['MCP_TOOLKITS_VAULT_KEYS'] ?? '') !== ''
    const warnings = hasKeys ? ['MCP_TOOLKITS_VAULT_KEYS is not used without --store.'] : []
    return { settings, lines: ['store: none; this process works alone'], warnings }
  }
  const { inspectHosting } = await import('@mcp-toolkits/team/cli/shared-store')
  const found = await inspectHosting(definition, line)
  return {
    settings: found.settings,
    hasTables: found.version === found.ownVersion,
    lines: [
      `store: ${found.location}, schema ${found.schema}`,
      `tables: ${tablesText(found)}`,
      `replicas alive: ${found.replicas}`,
      `vault keys: ${joinWords(found.keyIds.map((id) => `${id} (${count(found.sealedRows[id] ?? 0, 'row')})`))}`,
    ],
    warnings: [...keyWarnings(found), ...((await definition.localWork?.(settings)) ?? [])],
  }
}

function tablesText({ version, ownVersion }: HostingInspection): string {
  if (version === 0) return 'none; the first server makes them'
  if (version < ownVersion) return `version ${version}; the first server of this release makes them version ${ownVersion}`
  return version === ownVersion ? `version ${version}` : `version ${version}, of a later release than this one (${ownVersion})`
}

/** Rows that no key opens are of no use to any call. */
function keyWarnings({ sealedRows, keyIds }: HostingInspection): string[] {
  const unknown = Object.entries(sealedRows).filter(([id]) => !keyIds.includes(id))
  return unknown.map(([id, rows]) => `${count(rows, 'row')} cannot be opened: MCP_TOOLKITS_VAULT_KEYS lacks the key ${id}.`)
}

/** What `http --issuer` would do, for `--check`. Nothing is changed. Throws `UsageError`, and `Unavailable` for a file or an identity provider that cannot be used. */
async function peopleFindings(
  definition: PeopleServer,
  line: CommandLine,
  { issuer, publicUrl, audiences, scopeNames, subjectClaim, accounts, authorizationServer }: PeopleOptions,
): Promise<Pick<Findings, 'lines' | 'warnings'>> {
  const [{ openTokenVerifier }, { readKeys }] = await Promise.all([
    import('@mcp-toolkits/team/tokens/token-verifier'),
    import('@mcp-toolkits/team/cli/shared-store'),
  ])
  readKeys(line.settings.environment, '--issuer')
  const [problems, mistakes]: [string[], string[]] = [[], []]
  const onFailure = (problem: string, isMistake: boolean) => void (isMistake ? mistakes : problems).push(problem)
  const verifier = openTokenVerifier({ issuer, audiences, subjectClaim, clock: systemClock, onFailure })
  const people = line.store === undefined ? await peopleInFile(definition, line) : []
  await verifier.ready().catch(() => undefined)
  const [mistake] = mistakes
  if (mistake !== undefined) throw new Unavailable(mistake, { retryable: false })
  const signIn = (accounts.kind === 'person' ? accounts.signIn : authorizationServer)?.clientId
  return {
    lines: [
      `issuer: ${issuer}`,
      `public URL: ${publicUrl}`,
      ...(authorizationServer ? [`authorization server: ${publicUrl}, this server`] : []),
      `audience: ${audiences.join(', ')}`,
      `scopes: ${allPermissions.map((permission) => `${permission}=${scopeNames[permission]}`).join(', ')}`,
      `person: the claim ${subjectClaim}`,
      ...(signIn === undefined ? [] : [`sign-in: as the client ${signIn}, to ${publicUrl}/connect/signed-in`]),
      ...(accounts.kind === 'person' && accounts.vendor ? [`consent: back to ${publicUrl}/connect/callback`] : []),
      ...people,
    ],
    warnings: [...problems, ...subjectWarnings(subjectClaim)],
  }
}

async function peopleInFile(definition: PeopleServer, line: CommandLine): Promise<readonly string[]> {
  const { peopleFile, withPeople } = await import('@mcp-toolkits/team/cli/people-state')
  const file = peopleFile(definition, line)
  if (!existsSync(file)) return [`people: none; the first start makes ${file}`]
  return withPeople(definition, line, async ({ state }) => {
    return [`people: ${count((await state.people.list()).length, 'person', 'people')} in ${file}`]
  })
}
