import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type ExpiringRecords, isObject, member, parseJson, type Person, type RecordKey, stringMember } from '@mcp-toolkits/core/base'
import type { ConnectOutcome, ConnectPurpose } from '@mcp-toolkits/server/mcp'

/** A step that a person is asked to take, and the asking client. */
export interface AskedStep extends Person {
  readonly profile: string
  readonly purpose: ConnectPurpose
  readonly clientId: string
  /** Scopes to ask for; the provider's defaults if absent. */
  readonly scopes?: readonly string[]
}

/** A link's content. */
export interface LinkContent extends AskedStep {
  /** Time, in milliseconds since 1970, until which the link can be opened. A step begun in time can be finished later. */
  readonly expiresAt: number
}

/** Key under which a link is stored. The page's address cannot be derived from it. */
export interface LinkKey {
  readonly owner: string
  /** Hash of the token in the address. */
  readonly name: string
}

export interface StoredLink extends LinkContent {
  readonly key: LinkKey
}

/** Stored outcome; an expired link is gone. */
export type StoredOutcome = Exclude<ConnectOutcome, 'expired'>

/**
 * People's links, and their outcomes. All are stored under the person, so nothing remains once the person is forgotten. A link is never
 * written twice, so a deleted link does not come back.
 */
export interface LinkRecords {
  readonly create: (owner: string, link: LinkContent, lifetimes: LinkLifetimes) => Promise<NewLink>
  /**
   * Finds an earlier link for the same request that has at least half its time left and that the person has neither finished nor declined.
   */
  readonly findUnused: (owner: string, asked: AskedStep) => Promise<NewLink | undefined>
  readonly get: (key: LinkKey) => Promise<StoredLink | undefined>
  readonly outcome: (key: LinkKey) => Promise<StoredOutcome | undefined>
  readonly setOutcome: (key: LinkKey, outcome: StoredOutcome) => Promise<void>
  /** Forgets that the person declined, because they have started over. */
  readonly reopen: (key: LinkKey) => Promise<void>
  /** True if the identity provider must ask who the person is, because another person signed in before. */
  readonly needsAccountPrompt: (key: LinkKey) => Promise<boolean>
  readonly requireAccountPrompt: (key: LinkKey) => Promise<void>
  /** Finds a name, for pages, that the signed-in person will recognize as their own. */
  readonly nameOf: (key: LinkKey) => Promise<string | undefined>
  readonly setName: (key: LinkKey, name: string) => Promise<void>
}

/** A link to give to a person. */
export interface NewLink {
  /** The last part of the link's address. */
  readonly token: string
  readonly key: LinkKey
  readonly expiresAt: number
}

/** Times, in milliseconds, for which a link can be opened and is stored. */
interface LinkLifetimes {
  readonly openMs: number
  readonly storedMs: number
}

/** Longest time, in milliseconds, that a person has for any step begun from a link. */
const outcomeMs = 60 * 60_000

export function linkRecords(records: ExpiringRecords): LinkRecords {
  const recordKey = ({ owner, name }: LinkKey, kind: string): RecordKey => ({ owner, kind, name })
  const unusedOf = (owner: string, { clientId, profile, purpose, scopes }: AskedStep): RecordKey => ({
    owner,
    kind: 'connect unused',
    name: digest(JSON.stringify([clientId, profile, purpose, scopes])),
  })
  const get: LinkRecords['get'] = async (key) => {
    const link = readLink(await records.get(recordKey(key, 'connect link')))
    return link && { ...link, key }
  }
  const outcome: LinkRecords['outcome'] = async (key) => readOutcome(await records.get(recordKey(key, 'connect outcome')))
  return {
    outcome,
    get,
    async create(owner, link, { openMs, storedMs }) {
      const token = newToken(owner)
      const key = { owner, name: digest(token) }
      await records.set(recordKey(key, 'connect link'), JSON.stringify(link), storedMs)
      await records.set(unusedOf(owner, link), token, openMs / 2)
      return { token, key, expiresAt: link.expiresAt }
    },
    async findUnused(owner, asked) {
      const token = await records.get(unusedOf(owner, asked))
      const key = token === undefined ? undefined : linkKeyOf(token)
      const link = key && (await get(key))
      if (token === undefined || !key || !link || (await outcome(key))) return undefined
      return { token, key, expiresAt: link.expiresAt }
    },
    setOutcome: (key, ended) => records.set(recordKey(key, 'connect outcome'), ended, outcomeMs),
    async reopen(key) {
      if ((await outcome(key)) !== 'declined') return
      const taken = readOutcome(await records.take(recordKey(key, 'connect outcome')))
      // Another attempt has succeeded in the meantime.
      if (taken === 'done') await records.set(recordKey(key, 'connect outcome'), taken, outcomeMs)
    },
    needsAccountPrompt: async (key) => (await records.get(recordKey(key, 'connect again'))) !== undefined,
    requireAccountPrompt: (key) => records.set(recordKey(key, 'connect again'), 'yes', outcomeMs),
    nameOf: (key) => records.get(recordKey(key, 'connect name')),
    setName: (key, name) => records.set(recordKey(key, 'connect name'), name, outcomeMs),
  }
}

/** The key of the link whose address ends with this token; undefined for invalid text. */
export function linkKeyOf(token: string): LinkKey | undefined {
  const owner = ownerIn(token)
  return owner === undefined ? undefined : { owner, name: digest(token) }
}

/** Token of 256 random bits for URLs and cookies, with the owner of its record. */
export const newToken = (owner: string) => `${randomToken()}.${owner}`

/** Owner in such a token; undefined for any other text. */
export function ownerIn(token: string): string | undefined {
  return /^[\w-]{43}\.([\w-]{1,100})$/.exec(token)?.[1]
}

export const encodeLinkKey = ({ owner, name }: LinkKey): string => `${name}.${owner}`

export function decodeLinkKey(text: string): LinkKey | undefined {
  const [, name, owner] = /^([\w-]{43})\.([\w-]{1,100})$/.exec(text) ?? []
  return name === undefined || owner === undefined ? undefined : { owner, name }
}

export const randomToken = () => randomBytes(32).toString('base64url')

/** Digest of a token. Only digests are stored, so that stored text grants no access. */
export const digest = (token: string) => createHash('sha256').update(token).digest('base64url')

/** True if two tokens, or two digests, are the same. Compares in constant time. */
export function isSameToken(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const purposes: readonly ConnectPurpose[] = ['account', 'key', 'picker']

function readLink(text: string | undefined): LinkContent | undefined {
  const value = text === undefined ? undefined : parseJson(text)
  const [issuer, subject, profile] = [stringMember(value, 'issuer'), stringMember(value, 'subject'), stringMember(value, 'profile')]
  const purpose = purposes.find((each) => each === member(value, 'purpose'))
  const [clientId, expiresAt, scopes] = [stringMember(value, 'clientId'), member(value, 'expiresAt'), member(value, 'scopes')]
  if (issuer === undefined || subject === undefined || profile === undefined) return undefined
  if (!isObject(value) || purpose === undefined || clientId === undefined || typeof expiresAt !== 'number') return undefined
  const texts = Array.isArray(scopes) ? { scopes: scopes.filter((scope) => typeof scope === 'string') } : {}
  return { issuer, subject, profile, purpose, clientId, expiresAt, ...texts }
}

function readOutcome(text: string | undefined): StoredOutcome | undefined {
  return text === 'done' || text === 'declined' ? text : undefined
}
