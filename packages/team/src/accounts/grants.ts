import { type AccountRef, type Clock, member, parseJson, type PeopleState, stringMember } from '@mcp-toolkits/core/base'
import { storageFailure, type ToolError, Unauthenticated } from '@mcp-toolkits/core/errors'
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

/** Access that a person has given to a server: a login, or a key that they have entered. */
export type Grant =
  | { readonly kind: 'login'; readonly login: Login }
  | { readonly kind: 'key'; readonly key: Secret; readonly account: AccountInfo }

/** A grant as the text that a store seals. */
export function encodeGrant(grant: Grant): string {
  return JSON.stringify(grant.kind === 'login' ? encodeLogin(grant.login) : { api_key: grant.key.reveal(), identity: grant.account })
}

/** The grant that `encodeGrant` wrote; undefined for anything else, and for one that does not open. */
export function decodeGrant(text: string | undefined): Grant | undefined {
  if (text === undefined) return undefined
  const stored = parseJson(text)
  const key = stringMember(stored, 'api_key')
  if (key !== undefined) return { kind: 'key', key: new Secret(key), account: decodeAccount(member(stored, 'identity')) }
  const login = decodeLogin(stored)
  return login && { kind: 'login', login }
}

/** The key in a grant as it is stored; undefined for any other grant. */
export function keyInGrant(text: string | undefined): Secret | undefined {
  const grant = decodeGrant(text)
  return grant?.kind === 'key' ? grant.key : undefined
}

/**
 * The logins of one person as a token store, in which the profile chooses the account. A login is refreshed by one replica at a time. What
 * keeps a grant from being read or written, such as an unknown vault key, is thrown as a typed error.
 */
export function grantStore(state: Pick<PeopleState, 'location' | 'people' | 'locks'>, owner: string): TokenStore {
  const { grants } = state.people
  const readText = (profile: string) => grants.read({ owner, profile }).catch(throwStorageFailure)
  return {
    location: state.location,
    async read({ profile }) {
      const text = await readText(profile)
      const login = text === undefined ? undefined : decodeLogin(parseJson(text))
      if (text === undefined || login) return login
      throw new Unauthenticated('What is stored about this account cannot be read by this version. Connect the account again.')
    },
    write: ({ profile }, login) => grants.write({ owner, profile }, login && JSON.stringify(encodeLogin(login))).catch(throwStorageFailure),
    async checkWritable({ profile }) {
      await readText(profile)
    },
    withLock: ({ profile }, work) => withGrantLock(state, { owner, profile }, work),
  }
}

/** Runs `work` while no other caller, on any replica, refreshes, stores or removes this grant. */
export function withGrantLock<Result>(
  { locks }: Pick<PeopleState, 'locks'>,
  { owner, profile }: AccountRef,
  work: () => Promise<Result>,
): Promise<Result> {
  return locks.withLock(`grant ${JSON.stringify([owner, profile])}`, work).catch(throwStorageFailure)
}

function throwStorageFailure(error: unknown): never {
  throw storageFailure(error) ?? error
}

export interface EndGrantOptions {
  readonly state: PeopleState
  /** The vendor's provider; absent if people enter keys. */
  readonly provider: OAuthProvider | undefined
  readonly fetch?: Fetch | undefined
  readonly clock?: Clock | undefined
}

/** A grant that is deleted. */
export interface EndedGrant {
  /** Undefined for one that could not be read, and so not revoked. */
  readonly grant: Grant | undefined
  /** The id of the vault key that such a grant needed, if that is the reason. */
  readonly missingKey?: string
  /** Why the provider still accepts it, if it does. */
  readonly problem: ToolError | undefined
  /** Profiles of the person whose grants revoking this one would have ended too, so that it was not revoked. */
  readonly sharedWith: readonly string[]
}

/**
 * Deletes a person's grant, and has the provider revoke it. If that would end another grant of the person, the revocation waits for the end
 * of that one. Undefined if there is no grant.
 */
export async function endGrant(options: EndGrantOptions, account: AccountRef): Promise<EndedGrant | undefined> {
  const { grants } = options.state.people
  // Under the lock, so that no replica refreshes the login meanwhile.
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
    // The others may have ended at the same time.
    const sharedWith = await sharing(options, account, login, 'same')
    return { ...ended, problem: sharedWith.length === 0 ? await revoke(options, login) : undefined, sharedWith }
  })
}

/**
 * Has the provider revoke a login of a person that should not be stored. It is not revoked if that could end a stored login, or if it is
 * stored after all: a write can succeed although its answer is lost. Resolves with why the provider still accepts it.
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

/** True if a grant of the person holds these tokens. */
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

/** The profiles whose grants end with this one: at some providers all that one account has given to one client. */
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

/** The email address of an account, which is the same when its person has another name; empty when nothing is known. */
function addressIn(account: AccountInfo = {}): string {
  const text = accountText(account)
  return /<([^<>@\s]+@[^<>@\s]+)>/.exec(text)?.[1]?.toLowerCase() ?? text
}
