import { openConnecting } from '@mcp-toolkits/auth/people/connecting'
import type { PeopleState } from '@mcp-toolkits/core/people'
import type { Telemetry } from '@mcp-toolkits/core/telemetry'
import type { SharedStore } from '@mcp-toolkits/store/postgres'
import type { ServerDefinition, Settings } from '../definition.ts'
import type { Log } from '../log.ts'
import type { Audit } from '../audit.ts'
import { openGate } from '../people/gate.ts'
import { openPeopleToolbox } from '../people/people-toolbox.ts'
import { openToolbox } from '../toolbox.ts'
import { type CommandLine, type Console, logTo } from './command.ts'
import { auditTo } from './open-audit.ts'
import type { PeopleOptions } from './people-options.ts'
import { openTokens } from './people-tokens.ts'
import { openPeople } from './people-state.ts'
import { startTelemetry } from './start-telemetry.ts'
import { warnAtStart } from './start-warnings.ts'
import { serveUntilSignal } from './serve-http.ts'
import type { Address } from './serving.ts'

interface PeopleLine {
  readonly line: CommandLine
  readonly address: Address
  readonly people: PeopleOptions
}

/** Serves Streamable HTTP, where each call acts as the person of its token. Throws `UsageError`, and `Unavailable` for a store that cannot be used. */
export async function servePeople<Context>(definition: ServerDefinition<Context>, given: PeopleLine, console: Console): Promise<number> {
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
  readonly shared: SharedStore | undefined
}

async function serve<Context>(
  definition: ServerDefinition<Context>,
  { settings: given, line, address, people, state, shared }: Serving,
  console: Console,
): Promise<number> {
  const settings = { ...given, servesOtherMachines: address.servesOtherMachines }
  const log = logTo(console, line.logLevel)
  await warnAtStart(definition, { settings, isEmbedded: false }, log)
  const { issuer, publicUrl, scopeNames } = people
  const written = line.audit === undefined ? undefined : auditTo({ target: line.audit, shared, log }, console)
  const measuring = await startTelemetry(definition, { line, shared, audit: written, log }, console)
  const audit = measuring?.hooks.audit ?? written
  const { verifier, authorization } = await openTokens(definition, people, { state, log })
  const { toolbox, pages } = await openAccounts(definition, {
    settings,
    people,
    state,
    shared,
    log,
    audit,
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
  // A problem is in the log, and each request that needs the keys asks again.
  void verifier.ready().catch(() => undefined)
  const options = {
    address,
    log,
    people: {
      gate,
      publicUrl,
      pages,
      authorization,
    },
    stateKey: state.stateKey,
    checkReady: async () => {
      await shared?.checkReady()
      await verifier.ready()
    },
    notes: [`Clients connect to ${publicUrl}/mcp with a token of ${authorization?.issuer ?? issuer}.`, ...(measuring?.notes ?? [])],
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
  readonly audit: Audit | undefined
  readonly telemetry: Telemetry | undefined
}

/** The tools with the accounts that people act with, and the pages where they connect those. */
async function openAccounts<Context>(
  definition: ServerDefinition<Context>,
  { settings, people, state, shared, log, audit, telemetry }: AccountsOptions,
) {
  const { accounts, publicUrl, issuer, subjectClaim } = people
  const hooks = { log, audit, ...(shared && { shared }), ...(telemetry && { telemetry }) }
  if (accounts.kind === 'deployment') return { toolbox: openToolbox(definition, { ...settings, servesPeople: true }, hooks) }
  const steps = await definition.loadConnectSteps?.(settings)
  const connecting = openConnecting({
    publicUrl,
    server: definition,
    state,
    identityProvider: { issuer, subjectClaim, ...accounts.signIn },
    ...(accounts.vendor && { account: accounts.vendor }),
    ...(steps && { steps }),
    onGrantChange: (account) => toolbox.onGrantChange(account),
    log,
    onConnection: audit?.connection,
  })
  const toolbox = openPeopleToolbox(definition, settings, { state, links: connecting.links, ...hooks })
  return { toolbox, pages: connecting.pages }
}
