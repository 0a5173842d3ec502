import { type AccountRef, once, systemClock } from '@mcp-toolkits/core/base'
import type { Connect, ServerDefinition, Settings } from '@mcp-toolkits/server'
import { type CallAudit, errorFields, type Toolbox } from '@mcp-toolkits/server/mcp'
import { openAccountsToolbox } from './people-toolbox-base.ts'
import { Connections } from './connection-pool.ts'
import { PendingWork, WorkReconciler } from './pending-work.ts'
import { personAccounts, type PersonAccountsOptions } from './person-accounts.ts'

export interface PeopleToolboxOptions extends PersonAccountsOptions {
  /** Maximum number of open connections; 1,000 by default. */
  readonly maxConnections?: number
  /** Records who did what. */
  readonly audit?: CallAudit | undefined
}

export interface PeopleToolbox extends Toolbox {
  /**
   * Puts unsent work on hold if it needs a key that a person has just removed or replaced. If there was any such work, resolves with a
   * sentence for the person. Never rejects.
   */
  readonly onGrantChange: (account: AccountRef) => Promise<string | undefined>
}

const parkedNote = 'Unsent requests that use the old key are on hold. They will be sent if you enter it again.'

/** A server's tools. Each call uses the account that the caller has connected, never vendor credentials from the environment. */
export function openPeopleToolbox<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  options: PeopleToolboxOptions,
): PeopleToolbox {
  const { state, links, shared, audit, telemetry, log, clock = systemClock, maxConnections: max } = options
  const connections = new Connections<Context>({ clock, log, ...(max !== undefined && { max }) })
  let opening: ReturnType<typeof open> | undefined
  // The vendor's code is loaded when first needed, so that startup does not wait for it.
  const open = once(async () => {
    const { connect, connectMany } = await definition.load.connector()
    const many = connectMany?.(settings, { log, clock, ...(shared && { shared }), ...(telemetry && { telemetry }) })
    const reconciler = many?.workForKeys && new WorkReconciler(state, many.workForKeys, log)
    return { connect: many?.connect ?? connect, reconciler, close: async () => many?.close() }
  })
  const connector = () => (opening = open())
  const reconciler = async () => (await connector()).reconciler
  const connect: Connect<Context> = async (...to) => (await connector()).connect(...to)
  const accountOf = personAccounts(definition, settings, { ...options, clock, connect, reconciler })
  const openStore = shared && (() => Promise.resolve(shared.operations))
  const toolbox = openAccountsToolbox(definition, settings, {
    accountOf,
    connections,
    links,
    openStore,
    records: state.records,
    audit,
    log,
    clock,
  })
  const accounts = async () => (await reconciler())?.accounts()
  const pendingWork = new PendingWork({ state, connections, accountOf, accounts, log, clock })
  // Calls with an OAuth account leave no work behind.
  const leavesWork = !definition.account && !settings.readOnly
  return {
    ...toolbox,
    async resume() {
      void toolbox.resume()
      if (leavesWork) await pendingWork.resume()
    },
    async onGrantChange(account) {
      try {
        const { parked, reopened } = (await (await reconciler())?.reconcile(account)) ?? { parked: 0, reopened: 0 }
        if (leavesWork && reopened > 0) void pendingWork.poll()
        return parked > 0 ? parkedNote : undefined
      } catch (error) {
        log.warn('could not put work for a removed key on hold', { person: account.owner, ...errorFields(error) })
        return undefined
      }
    },
    status: async () => ({ ...(await toolbox.status()), people: state.location }),
    async close() {
      await pendingWork.close()
      await toolbox.close()
      await (await opening?.catch(() => undefined))?.close()
    },
  }
}
