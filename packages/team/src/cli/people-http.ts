import type { AuthorizationServer } from '../authorization-server/authorization-server.ts'
import { openConnectFlow } from '../connect/connect-routes.ts'
import { openTokenVerifier, type TokenVerifier } from '../tokens/token-verifier.ts'
import { type PeopleState, type Permission, systemClock } from '@mcp-toolkits/core/base'
import type { Telemetry } from '@mcp-toolkits/core/upstream'
import type { PostgresStore } from '../postgres/index.ts'
import { type Audit, auditTo } from '../audit-log.ts'
import type { ServerDefinition, Settings } from '@mcp-toolkits/server'
import { type CallAudit, type Log, openToolbox } from '@mcp-toolkits/server/mcp'
import type { TeamServer } from '../team-server.ts'
import { peopleRoutes } from '../tokens/people-routes.ts'
import { openGate } from '../tokens/gate.ts'
import { openPeopleToolbox } from '../accounts/people-toolbox.ts'
import { allPermissions } from '../tokens/permissions.ts'
import {
  type CommandLine,
  type Console,
  logTo,
  type Address,
  serveUntilSignal,
  startTelemetry,
  subjectWarnings,
  warnAtStart,
} from '@mcp-toolkits/server/cli'
import type { PeopleOptions } from './people-options.ts'
import { openPeople } from './people-state.ts'

interface PeopleLine {
  readonly line: CommandLine
  readonly address: Address
  readonly people: PeopleOptions
}

/** Serves Streamable HTTP; each call acts as the person its token names. Throws `UsageError`, and `Unavailable` for an unusable store. */
export async function servePeople<Context>(definition: TeamServer<Context>, given: PeopleLine, console: Console): Promise<number> {
  const { settings, store } = given.line
  const { state, shared, close } = await openPeople(definition, given.line)
  try {
    return await serve(definition, { ...given, settings: { ...settings, isReplica: store !== undefined }, state, shared }, console)
  } finally {
    await close()
  }
}

interface Serving extends PeopleLine {
  readonly settings: Settings
  readonly state: PeopleState
  readonly shared: PostgresStore | undefined
}

async function serve<Context>(
  definition: TeamServer<Context>,
  { settings: given, line, address, people, state, shared }: Serving,
  console: Console,
): Promise<number> {
  const settings = { ...given, servesOtherMachines: address.servesOtherMachines }
  const log = logTo(definition, console, line.logLevel)
  await warnAtStart(definition, { settings, isEmbedded: false }, log)
  for (const warning of subjectWarnings(people.subjectClaim)) log.warn(warning)
  const { issuer, publicUrl, scopeNames } = people
  const written = line.audit === undefined ? undefined : auditTo({ target: line.audit, shared, log }, console)
  const measuring = await startTelemetry(definition, { line, shared, audit: written, log }, console)
  const { verifier, authorization } = await openTokens(definition, people, { state, log })
  const { toolbox, pages } = await openAccounts(definition, {
    settings,
    people,
    state,
    shared,
    log,
    audit: measuring?.hooks.audit ?? written,
    onConnection: written?.connection,
    telemetry: measuring?.hooks.telemetry,
  })
  const ownerOf = state.people.ownerOf
  const gate = openGate({
    definition,
    listing: toolbox.listing,
    publicUrl,
    issuer,
    authorizationServer: authorization?.issuer,
    scopeNames,
    verifier,
    ownerOf,
  })
  // The problem is in the log, and each request that needs the keys retries.
  void verifier.ready().catch(() => undefined)
  const options = {
    address,
    log,
    people: peopleRoutes({ gate, publicUrl, pages, authorization }),
    stateKey: state.stateKey,
    checkReady: async () => {
      await shared?.checkReady()
      await verifier.ready()
    },
    notes: [`Clients connect to ${publicUrl}/mcp with a token from ${authorization?.issuer ?? issuer}.`, ...(measuring?.notes ?? [])],
    shared,
  }
  try {
    return await serveUntilSignal(definition, toolbox, options, console)
  } finally {
    await measuring?.close()
  }
}

interface AccountsOptions extends Pick<Serving, 'settings' | 'people' | 'state' | 'shared'> {
  readonly log: Log
  readonly audit: CallAudit | undefined
  readonly onConnection: Audit['connection'] | undefined
  readonly telemetry: Telemetry | undefined
}

/** The tools for people's accounts, and the pages for connecting the accounts. */
async function openAccounts<Context>(
  definition: TeamServer<Context>,
  { settings, people, state, shared, log, audit, onConnection, telemetry }: AccountsOptions,
) {
  const { accounts, publicUrl, issuer, subjectClaim } = people
  const hooks = { log, audit, ...(shared && { shared }), ...(telemetry && { telemetry }) }
  if (accounts.kind === 'deployment')
    return { toolbox: openToolbox(definition, { ...settings, servesPeople: true }, { ...hooks, records: state.records }) }
  const steps = await definition.loadConnectSteps?.(settings)
  const connectFlow = openConnectFlow({
    publicUrl,
    server: definition,
    state,
    identityProvider: { issuer, subjectClaim, ...accounts.signIn },
    ...(accounts.vendor && { account: accounts.vendor }),
    ...(steps && { steps }),
    onGrantChange: (account) => toolbox.onGrantChange(account),
    log,
    onConnection,
  })
  const toolbox = openPeopleToolbox(definition, settings, { state, links: connectFlow.links, ...hooks })
  return { toolbox, pages: connectFlow.pages }
}

/** The issuer and the verifier of people's tokens. */
export interface Tokens {
  readonly verifier: TokenVerifier
  /** Present if the server issues its own tokens. */
  readonly authorization?: AuthorizationServer
}

const meanings: Readonly<Record<Permission, string>> = {
  read: 'view what you can see',
  write: 'view, create and change things',
  delete: 'view, create, change and delete things',
}

/** Loads the authorization server's code only if its option is set. */
async function openTokens(
  definition: Pick<ServerDefinition<never>, 'name' | 'title'>,
  { issuer, publicUrl, audiences, subjectClaim, scopeNames, authorizationServer: signIn }: PeopleOptions,
  { state, log }: { readonly state: PeopleState; readonly log: Log },
): Promise<Tokens> {
  if (!signIn) {
    const onFailure = (problem: string) => {
      log.warn('identity provider', { problem })
    }
    return { verifier: openTokenVerifier({ issuer, audiences, subjectClaim, clock: systemClock, onFailure }) }
  }
  const { openAuthorizationServer } = await import('../authorization-server/authorization-server.ts')
  const authorization = openAuthorizationServer({
    publicUrl,
    server: { name: definition.name, title: definition.title },
    state,
    identityProvider: { issuer, subjectClaim, ...signIn },
    scopes: allPermissions.map((permission) => ({ name: scopeNames[permission], meaning: meanings[permission] })),
    log,
  })
  return { verifier: authorization.verifier, authorization }
}
