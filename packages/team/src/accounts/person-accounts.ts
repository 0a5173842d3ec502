import { createHash } from 'node:crypto'
import { credentialVariables } from '@mcp-toolkits/server/account'
import { apiKeyOf, type Connect, type ConnectOptions, type ServerDefinition, type Settings } from '@mcp-toolkits/server'
import { type ConnectLinks, type Log, currentCaller } from '@mcp-toolkits/server/mcp'
import { grantStore, keyInGrant } from './grants.ts'
import {
  type AccountRef,
  type Caller,
  type Clock,
  type ExpiringRecords,
  type PeopleState,
  type RecordKind,
  recordOwner,
} from '@mcp-toolkits/core/base'
import { Forbidden, Internal, storageFailure, Unauthenticated } from '@mcp-toolkits/core/errors'
import type { Environment, Secret } from '@mcp-toolkits/core/upstream'
import type { SharedStore } from '@mcp-toolkits/server/storage'
import type { PersonAccount } from './people-toolbox-base.ts'
import type { WorkReconciler } from './pending-work.ts'

export interface PersonAccountsOptions extends Pick<ConnectOptions, 'fetch' | 'telemetry'> {
  readonly state: PeopleState
  readonly links: ConnectLinks
  /** State shared by replicas; absent for a single server. It is never closed here. */
  readonly shared?: SharedStore
  readonly log: Log
  readonly clock?: Clock
}

export interface AccountsOptions<Context> extends PersonAccountsOptions {
  readonly connect: Connect<Context>
  /** Reconciles work that waits for people's keys; undefined if no work can wait. */
  readonly reconciler: () => Promise<WorkReconciler | undefined>
}

/** Looks up enough about a caller's account to choose a connection. Throws `Unauthenticated` if the account lacks a required key. */
export function personAccounts<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  options: AccountsOptions<Context>,
): (caller: Caller) => Promise<PersonAccount<Context>> {
  const { account, name: server } = definition
  const { state } = options
  const environment = withoutCredentials(definition, settings.environment)
  const connect = async (caller: Caller, personSettings: Settings, fetch = options.fetch) => {
    try {
      return await options.connect(personSettings, { ...connectOptions(caller, options), ...(fetch && { fetch }) })
    } catch (error) {
      throw storageFailure(error, settings.dataDirectory) ?? error
    }
  }
  return async (caller) => {
    const { owner, profile } = caller
    const ownSettings: Settings = { ...settings, environment, owner, profile }
    if (account) {
      const store = grantStore(state, owner)
      const openAccount = async () => {
        const atStart = await store.read({ server, profile })
        return connect(caller, { ...ownSettings, sharedLogins: { store, atStart } })
      }
      return { name: JSON.stringify([owner, profile]), settings: ownSettings, open: openAccount }
    }
    const keyVariable = apiKeyOf(definition)?.variable
    if (keyVariable === undefined) throw new Internal(`People cannot connect ${definition.vendor} accounts.`)
    const key = await readKey(definition, state, { owner, profile })
    const withKey = { ...ownSettings, environment: { ...environment, [keyVariable]: key.reveal() } }
    // A different key needs a different connection. The name must not contain a secret.
    const name = JSON.stringify([owner, profile, createHash('sha256').update(key.reveal()).digest('base64url')])
    const open = async () => {
      const reconciler = await options.reconciler()
      return connect(caller, withKey, reconciler?.fetchWith({ owner, profile }, key, options.fetch))
    }
    return { name, settings: ownSettings, open }
  }
}

async function readKey({ vendor }: Pick<ServerDefinition<never>, 'vendor'>, { people }: PeopleState, ref: AccountRef): Promise<Secret> {
  const grant = await people.grants.read(ref)
  const key = grant === undefined ? undefined : keyInGrant(grant)
  if (key) return key
  throw new Unauthenticated(`This person has not entered a key for ${vendor}. Ask the person to open the page, then make the call again.`, {
    connect: { purpose: 'key' },
  })
}

/** Keeps callers from using the operator's account. */
function withoutCredentials(definition: Pick<ServerDefinition<never>, 'account' | 'extensions'>, environment: Environment): Environment {
  const { account } = definition
  const credentials = [...(account ? credentialVariables(account) : []), apiKeyOf(definition)?.variable]
  return Object.fromEntries(Object.entries(environment).filter(([variable]) => !credentials.includes(variable)))
}

function connectOptions(opener: Caller, { state, links, shared, log, clock, fetch, telemetry }: PersonAccountsOptions): ConnectOptions {
  return {
    log,
    locks: state.locks,
    // The person's client can differ from call to call.
    connectLink: async (step) => {
      if (opener.isService) throw new Forbidden(noBrowser)
      return links.create({ ...step, caller: present(opener) })
    },
    ...(clock && { clock }),
    ...(fetch && { fetch }),
    ...(telemetry && { telemetry }),
    ...(shared && { shared: { ...shared, records: recordsOf(shared.records, opener.owner) } }),
  }
}

const noBrowser =
  'A service identity cannot choose anything in a browser. Give its account access at the vendor instead, for example by sharing files with it.'

/** The running call's caller, if that is the person for whom the connection was opened; otherwise the opener. */
function present(opener: Caller): Caller {
  const caller = currentCaller()
  return caller?.owner === opener.owner && caller.profile === opener.profile ? caller : opener
}

/** Records that only this person's connections see, even if other people have connected the same account. */
function recordsOf(records: ExpiringRecords, person: string): ExpiringRecords {
  const own = <Kind extends RecordKind>(key: Kind): Kind => ({ ...key, owner: recordOwner(person, key.owner) })
  return {
    get: (key) => records.get(own(key)),
    set: (key, text, ms) => records.set(own(key), text, ms),
    delete: (key) => records.delete(own(key)),
    take: (key) => records.take(own(key)),
    list: (kind) => records.list(own(kind)),
    hold: (key) => records.hold(own(key)),
    release: (key) => records.release(own(key)),
  }
}
