import type { AccountInfo, ActiveLogin } from '@mcp-toolkits/auth/stored-login'
import type { Fetch } from '@mcp-toolkits/core'
import { withCallScope } from '@mcp-toolkits/core/call-scope'
import { getAbout } from './drive/about.ts'
import { driveClient } from './drive/client.ts'

/** The account of the credentials that `fetch` adds. */
export async function whoAmIAt(api: { readonly fetch: Fetch; readonly url: string }, signal: AbortSignal): Promise<AccountInfo> {
  const { displayName = '', emailAddress } = (await withCallScope({ signal }, (scope) => getAbout(driveClient(api), scope))).user
  return { account: emailAddress === undefined ? displayName : `${displayName} <${emailAddress}>`.trim() }
}

/** The person whose drive it is, and the scopes of the credentials. */
export interface SignedInPerson {
  /** Identifies the person in this process. It may be a secret, so it is never shown. */
  readonly account: string
  readonly scopes: readonly string[]
}

/** The person of a login. When Google did not say who it is, each login counts as another person. */
export function personOf({ account, tokens, scopes = [] }: ActiveLogin): SignedInPerson {
  return { account: account['account'] ?? (tokens.refreshToken ?? tokens.accessToken).reveal(), scopes }
}

/** Creates a value for the person who is signed in, and a new one when the person or the scopes change. */
export function perPerson<Value>(
  currentPerson: () => Promise<SignedInPerson>,
  create: (person: SignedInPerson) => Value,
): () => Promise<Value> {
  let current: { readonly key: string; readonly value: Value } | undefined
  return async () => {
    const person = await currentPerson()
    const key = JSON.stringify([person.account, person.scopes])
    if (current?.key !== key) current = { key, value: create(person) }
    return current.value
  }
}
