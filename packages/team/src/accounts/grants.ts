import { type AccountRef, type Clock, member, parseJson, type PeopleState, stringMember } from '@mcp-toolkits/core/base'
import type { ToolError } from '@mcp-toolkits/core/errors'
import { type Fetch, Secret } from '@mcp-toolkits/core/upstream'
import {
  type OAuthProvider,
  accountText,
  revokeLogin,
  oauthClient,
  type AccountInfo,
  decodeAccount,
  decodeLogin,
  encodeLogin,
  type Login,
  type TokenStore,
} from '@mcp-toolkits/server/account'
import { type LoginRows, sharedTokenStore, throwStorageFailure } from './shared-login-store.ts'

/** Access that a person has given to a server: a login, or a key that the person has entered. */
export type Grant =
  | { readonly kind: 'login'; readonly login: Login }
  | { readonly kind: 'key'; readonly key: Secret; readonly account: AccountInfo }

/** A grant as text for a store to seal. */
export function encodeGrant(grant: Grant): string {
  return JSON.stringify(grant.kind === 'login' ? encodeLogin(grant.login) : { api_key: grant.key.reveal(), identity: grant.account })
}

/** The grant that `encodeGrant` wrote; undefined for any other or missing text. */
export function decodeGrant(text: string | undefined): Grant | undefined {
  if (text === undefined) return undefined
  const stored = parseJson(text)
  const key = stringMember(stored, 'api_key')
  if (key !== undefined) return { kind: 'key', key: new Secret(key), account: decodeAccount(member(stored, 'identity')) }
  const login = decodeLogin(stored)
  return login && { kind: 'login', login }
}

/** The key in a stored grant; undefined for any other grant. */
export function keyInGrant(text: string | undefined): Secret | undefined {
  const grant = decodeGrant(text)
  return grant?.kind === 'key' ? grant.key : undefined
}

/** A token store with one person's logins, one per profile. */
export function grantStore(state: Pick<PeopleState, 'location' | 'people' | 'locks'>, owner: string): TokenStore {
  const { grants } = state.people
  const rows: LoginRows = {
    location: state.location,
    read: ({ profile }) => grants.read({ owner, profile }),
    write: ({ profile }, text) => grants.write({ owner, profile }, text),
  }
  const unreadable = 'This version of the server cannot read what is stored for this account. Connect the account again.'
  return sharedTokenStore(rows, state.locks, ({ profile }) => lockOf({ owner, profile }), unreadable)
}

const lockOf = ({ owner, profile }: AccountRef) => `grant ${JSON.stringify([owner, profile])}`

/** Runs `work` while no other caller, on any replica, can refresh, store or remove this grant. */
export function withGrantLock<Result>(
  { locks }: Pick<PeopleState, 'locks'>,
  account: AccountRef,
  work: () => Promise<Result>,
): Promise<Result> {
  return locks.withLock(lockOf(account), work).catch(throwStorageFailure)
}

export interface EndGrantOptions {
  readonly state: PeopleState
  /** The vendor's provider; absent if people enter keys. */
  readonly provider: OAuthProvider | undefined
  readonly fetch?: Fetch | undefined
  readonly clock?: Clock | undefined
}

/** A grant that has been deleted. */
export interface EndedGrant {
  /** Undefined if the grant could not be read, and so was not revoked. */
  readonly grant: Grant | undefined
  /** Id of the missing vault key, if that is why the grant could not be read. */
  readonly missingKey?: string
  /** The reason the provider still accepts the grant, if it does. */
  readonly problem: ToolError | undefined
  /** Other profiles whose grants would also have ended, so this grant was not revoked. */
  readonly sharedWith: readonly string[]
}

/**
 * Deletes a person's grant and has the provider revoke it. If revoking would also end the person's other grants, only the last of them is
 * revoked. Undefined if there is no grant.
 */
export async function endGrant(options: EndGrantOptions, account: AccountRef): Promise<EndedGrant | undefined> {
  const { grants } = options.state.people
  // The lock keeps other replicas from refreshing the login meanwhile.
  return withGrantLock(options.state, account, async () => {
    const stored = (await grants.list(account.owner)).find(({ profile }) => profile === account.profile)
    if (!stored) return undefined
    const grant = decodeGrant(stored.grant)
    const login = grant?.kind === 'login' ? grant.login : undefined
    const isShared = async () => (await sharing(options, account, login, 'same')).length > 0
    const wasShared = await isShared()
    const problem = login && !wasShared ? await revoke(options, login) : undefined
    await grants.write(account, undefined)
    const ended = { grant, ...(stored.missingKey !== undefined && { missingKey: stored.missingKey }) }
    if (!login || !wasShared) return { ...ended, problem, sharedWith: [] }
    // The grants that shared the login may have ended at the same time.
    const sharedWith = await sharing(options, account, login, 'same')
    return { ...ended, problem: sharedWith.length === 0 ? await revoke(options, login) : undefined, sharedWith }
  })
}

/**
 * Has the provider revoke a login that was not stored. The login is not revoked if that could end a stored login, or if it was stored after
 * all: a write can succeed even if its response is lost. Resolves with the reason the provider still accepts the login, if it does.
 */
export async function revokeUnstored(
  options: EndGrantOptions,
  owner: string,
  login: Pick<Login, 'client' | 'tokenUrl' | 'revocationUrl' | 'tokens'> & { readonly account?: AccountInfo },
): Promise<ToolError | undefined> {
  const couldEndStored = async () =>
    (await isStored(options, owner, login)) || (await sharing(options, { owner }, login, 'perhaps the same')).length > 0
  return (await couldEndStored().catch(() => true)) ? undefined : revoke(options, login)
}

/** True if one of the person's stored grants has these tokens. */
async function isStored({ state }: EndGrantOptions, owner: string, { tokens }: Pick<Login, 'tokens'>): Promise<boolean> {
  const accessToken = tokens?.accessToken.reveal()
  return (await state.people.grants.list(owner)).some((stored) => {
    const grant = decodeGrant(stored.grant)
    return grant?.kind === 'login' && grant.login.tokens !== undefined && grant.login.tokens.accessToken.reveal() === accessToken
  })
}

async function revoke(
  { provider, fetch, clock }: EndGrantOptions,
  login: Pick<Login, 'client' | 'tokenUrl' | 'revocationUrl' | 'tokens'>,
): Promise<ToolError | undefined> {
  return provider && revokeLogin(login, oauthClient({ provider, target: login, fetch, clock }), clock)
}

/** Profiles whose grants would end with this grant. Some providers revoke everything an account has granted to a client. */
async function sharing(
  { state, provider }: EndGrantOptions,
  { owner, profile }: { readonly owner: string; readonly profile?: string },
  login: { readonly account?: AccountInfo } | undefined,
  which: 'same' | 'perhaps the same',
): Promise<readonly string[]> {
  if (!login || !provider || provider.revokesOneGrant === true) return []
  const address = addressIn(login.account)
  return (await state.people.grants.list(owner)).flatMap((stored) => {
    if (stored.profile === profile) return []
    if (stored.grant === undefined) return which === 'perhaps the same' ? [stored.profile] : []
    const other = decodeGrant(stored.grant)
    if (other?.kind !== 'login' || !other.login.tokens) return []
    const otherAddress = addressIn(other.login.account)
    const isKnown = address !== '' && otherAddress !== ''
    return (isKnown ? address === otherAddress : which === 'perhaps the same') ? [stored.profile] : []
  })
}

/**
 * The email address of an account, which stays the same if the person's name changes. Without an address, the account's whole text, which
 * may be empty.
 */
function addressIn(account: AccountInfo = {}): string {
  const text = accountText(account)
  return /<([^<>@\s]+@[^<>@\s]+)>/.exec(text)?.[1]?.toLowerCase() ?? text
}
