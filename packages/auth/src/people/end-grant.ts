import type { Fetch, ToolError } from '@mcp-toolkits/core'
import type { Clock } from '@mcp-toolkits/core/clock'
import type { AccountRef, PeopleState } from '@mcp-toolkits/core/people'
import type { OAuthProvider } from '../account.ts'
import { revokeLogin } from '../login.ts'
import { oauthClient } from '../oauth-client.ts'
import { decodeGrant, type Grant } from './grant.ts'
import { withGrantLock } from './grant-store.ts'

export interface EndGrantOptions {
  readonly state: PeopleState
  /** The vendor's provider; absent where people enter keys. */
  readonly provider: OAuthProvider | undefined
  readonly fetch?: Fetch | undefined
  readonly clock?: Clock | undefined
}

/** A grant that is deleted, and why the provider still accepts it, if it does. */
export interface EndedGrant {
  /** Undefined for one that this version could not read. */
  readonly grant: Grant | undefined
  readonly problem: ToolError | undefined
}

/** Has the provider revoke what a person has granted, and deletes it in any case. Undefined when there is nothing. */
export async function endGrant({ state, provider, fetch, clock }: EndGrantOptions, account: AccountRef): Promise<EndedGrant | undefined> {
  const { grants } = state.people
  // Under the lock, so that no replica refreshes the login meanwhile.
  return withGrantLock(state, account, async () => {
    const text = await grants.read(account)
    if (text === undefined) return undefined
    const grant = decodeGrant(text)
    const login = grant?.kind === 'login' ? grant.login : undefined
    const problem = login && provider && (await revokeLogin(login, oauthClient({ provider, target: login, fetch, clock }), clock))
    await grants.write(account, undefined)
    return { grant, problem }
  })
}
