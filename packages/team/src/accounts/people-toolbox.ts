import { type AccountRef, systemClock } from '@mcp-toolkits/core/base'
import type { ServerDefinition, Settings } from '@mcp-toolkits/server'
import { type CallAudit, errorFields, type Toolbox } from '@mcp-toolkits/server/mcp'
import { openAccountsToolbox } from './people-toolbox-base.ts'
import { Connections } from './connection-pool.ts'
import { PendingWork, WorkReconciler } from './pending-work.ts'
import { personAccounts, type PersonAccountsOptions } from './person-accounts.ts'

export interface PeopleToolboxOptions extends PersonAccountsOptions {
  /** Most open connections; 1,000 by default. */
  readonly maxConnections?: number
  /** Records who did what. */
  readonly audit?: CallAudit | undefined
}

export interface PeopleToolbox extends Toolbox {
  /**
   * Parks work that waits for a key that a person has just ended or replaced. Resolves with a sentence for them if there was any. Never
   * rejects.
   */
  readonly onGrantChange: (account: AccountRef) => Promise<string | undefined>
}

const parkedNote = 'Requests still waiting for the old key are on hold. They are sent if you enter that key again.'

/**
 * The tools of a server on which each call acts as its person, with the account that this person has connected. Credentials of the
 * vendor in the environment are not used.
 */
export async function openPeopleToolbox<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  options: PeopleToolboxOptions,
): Promise<PeopleToolbox> {
  const { state, links, shared, audit, telemetry, log, clock = systemClock, maxConnections: max } = options
  const connections = new Connections<Context>({ clock, log, ...(max !== undefined && { max }) })
  const { connect, connectMany } = await definition.loadConnector()
  const many = connectMany?.(settings, { log, clock, ...(shared && { shared }), ...(telemetry && { telemetry }) })
  const workReconciler = many?.workForKeys && new WorkReconciler(state, many.workForKeys, log)
  const accountOf = personAccounts(definition, settings, { ...options, clock, workReconciler, connect: many?.connect ?? connect })
  const openStore = shared && (() => Promise.resolve(shared.operations))
  const toolbox = openAccountsToolbox(definition, settings, { accountOf, connections, links, openStore, audit, log, clock })
  const accounts = workReconciler && (() => workReconciler.accounts())
  const pendingWork = new PendingWork({ state, connections, accountOf, accounts, log, clock })
  // Calls of an OAuth account leave no work behind.
  const leavesWork = !definition.account && !settings.readOnly
  return {
    ...toolbox,
    resume: async () => (leavesWork ? pendingWork.resume() : undefined),
    async onGrantChange(account) {
      try {
        const { parked, reopened } = (await workReconciler?.reconcile(account)) ?? { parked: 0, reopened: 0 }
        if (leavesWork && reopened > 0) void pendingWork.poll()
        return parked > 0 ? parkedNote : undefined
      } catch (error) {
        log.warn('work that waits for a key was not parked', { person: account.owner, ...errorFields(error) })
        return undefined
      }
    },
    status: async () => ({ ...(await toolbox.status()), people: state.location }),
    async close() {
      await pendingWork.close()
      await toolbox.close()
      await many?.close()
    },
  }
}
