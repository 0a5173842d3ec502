import { systemClock } from '@mcp-toolkits/core/clock'
import { canonicalSpelling, type Spelling } from '@mcp-toolkits/core/message'
import type { Audit } from '../audit.ts'
import { callRunner } from '../calls.ts'
import type { ServerDefinition, Settings } from '../definition.ts'
import { filterText } from '../exit-filter.ts'
import { listing } from '../listing.ts'
import { renderInstructions, type Toolbox } from '../toolbox.ts'
import { Connections } from './connections.ts'
import { personAccounts, type PersonAccountsOptions } from './person-accounts.ts'

export interface PeopleToolboxOptions extends PersonAccountsOptions {
  /** How many connections may be open; 1,000 when absent. */
  readonly maxConnections?: number
  /** Records who did what. */
  readonly audit?: Audit | undefined
}

/**
 * The tools of a server on which each call acts as its person, with the account that this person has connected. Credentials of the
 * vendor in the environment are not used.
 */
export function openPeopleToolbox<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  options: PeopleToolboxOptions,
): Toolbox {
  const { state, links, shared, log, clock = systemClock, maxConnections: max } = options
  const toolListing = listing(definition, settings)
  const spelling: Spelling = { ...canonicalSpelling, tool: toolListing.spell }
  const connections = new Connections<Context>({ clock, log, ...(max !== undefined && { max }) })
  const accountOf = personAccounts(definition, settings, { ...options, clock })
  const runner = callRunner(definition, {
    settings,
    sessions: {
      async run(caller, work) {
        if (!caller) throw new Error('A call without a caller reached a server of many people.')
        const account = await accountOf(caller)
        return connections.use(account.name, account.open, (connection) => work({ settings: account.settings, connection }))
      },
    },
    openStore: shared && (() => Promise.resolve(shared.operations)),
    links,
    isEmbedded: false,
    ...{ spelling, filter: filterText, log, clock },
  })
  return {
    listing: toolListing,
    clock,
    instructions: renderInstructions(definition, { kind: 'vendor' }, spelling),
    embedded: false,
    ...(options.audit && { audit: options.audit }),
    usesAccount: true,
    call: runner.call,
    waitForLink: links.waitFor,
    resume: () => Promise.resolve(),
    status: () => Promise.resolve({ upstream: definition.vendor, people: state.location, connections: connections.size }),
    pendingPages: () => Promise.resolve(undefined),
    async close() {
      await runner.close()
      await connections.close()
    },
  }
}
