import { systemClock } from '@mcp-toolkits/core/clock'
import type { Audit } from '../audit.ts'
import type { ServerDefinition, Settings } from '../definition.ts'
import type { Toolbox } from '../toolbox.ts'
import { openAccountsToolbox } from './accounts-toolbox.ts'
import { Connections } from './connections.ts'
import { LeftWork } from './left-work.ts'
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
  const { state, links, shared, audit, telemetry, log, clock = systemClock, maxConnections: max } = options
  const connections = new Connections<Context>({ clock, log, ...(max !== undefined && { max }) })
  const many = definition.connectMany?.(settings, { log, clock, ...(shared && { shared }), ...(telemetry && { telemetry }) })
  const accountOf = personAccounts(definition, settings, { ...options, clock, ...(many && { connect: many.connect }) })
  const openStore = shared && (() => Promise.resolve(shared.operations))
  const toolbox = openAccountsToolbox(definition, settings, { accountOf, connections, links, openStore, audit, log, clock })
  const leftWork = new LeftWork({ state, connections, accountOf, log, clock })
  return {
    ...toolbox,
    async resume() {
      // What OAuth gives access to leaves nothing behind.
      if (!definition.account && !settings.readOnly) await leftWork.resume({ repeats: shared !== undefined })
    },
    status: async () => ({ ...(await toolbox.status()), people: state.location }),
    async close() {
      await leftWork.close()
      await toolbox.close()
      await many?.close()
    },
  }
}
