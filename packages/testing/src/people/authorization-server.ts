import { openAuthorizationServer } from '@mcp-toolkits/team/authorization-server'
import { type Clock, type ExpiringRecords, systemClock } from '@mcp-toolkits/core/base'
import { StoreError } from '@mcp-toolkits/sqlite'
import { openPeopleFile } from '@mcp-toolkits/team/vault'
import { onTestFinished } from 'vitest'
import type { IdentityProviderOptions } from './identity-provider/identity-provider.ts'
import { startReplicatedServer } from './replicated-server.ts'

export interface AuthorizationServersOptions extends IdentityProviderOptions {
  /** Number of servers that answer in turn. They share only a database. */
  readonly replicas?: number
  readonly clock?: Clock
  readonly subjectClaim?: string
  /** Certificates trusted when fetching metadata documents. */
  readonly authorities?: string
}

const server = { name: 'files', title: 'Files' }
const scopes = [
  { name: 'files:read', meaning: 'look at what is there' },
  { name: 'files:write', meaning: 'create and change' },
]

/** Starts a company whose identity provider has one static client, and replicas with an authorization server. */
export async function startAuthorizationServers({ replicas = 2, ...options }: AuthorizationServersOptions = {}) {
  const { clock = systemClock, subjectClaim = 'sub', authorities, ...people } = options
  const errors: string[] = []
  let isStoreDown = false
  const { first, ...servers } = await startReplicatedServer({
    replicas,
    people,
    async open({ url, databaseFile, keys, identityProvider, log }) {
      const file = await openPeopleFile({ file: databaseFile, keys, clock })
      onTestFinished(() => file.close())
      const state = { ...file, records: interruptible(file.records, () => isStoreDown) }
      const opened = openAuthorizationServer({
        publicUrl: url,
        server,
        state,
        scopes,
        clock,
        log,
        identityProvider: { ...identityProvider, subjectClaim },
        ...(authorities !== undefined && { guard: { authorities } }),
      })
      return { ...opened, state }
    },
    answer(replica, incoming, outgoing) {
      const [pathname = ''] = (incoming.url ?? '/').split('?')
      return replica.isClientPath(pathname) ? replica.answer(incoming, outgoing, (error) => errors.push(error)) : undefined
    },
  })
  const setStoreDown = (isDown: boolean) => {
    isStoreDown = isDown
  }
  return { ...servers, errors, setStoreDown, state: first.state, verifier: first.verifier }
}

/** Records in a database that is unreachable at times. */
function interruptible(records: ExpiringRecords, isDown: () => boolean): ExpiringRecords {
  const reached =
    <Given extends unknown[], Result>(run: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      isDown() ? Promise.reject(new StoreError('unreachable', 'db.internal', 'The database db.internal cannot be reached.')) : run(...given)
  return {
    get: reached(records.get),
    set: reached(records.set),
    delete: reached(records.delete),
    take: reached(records.take),
    list: reached(records.list),
    hold: reached(records.hold),
    release: reached(records.release),
  }
}
