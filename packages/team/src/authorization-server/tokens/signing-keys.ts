import { generateKeyPair, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { type Clock, isObject, member, parseJson, type PeopleState } from '@mcp-toolkits/core/base'
import { storageFailure } from '@mcp-toolkits/core/errors'
import { createLocalJWKSet, errors, type JWK } from 'jose'
import { recordKey, recordsOfKind } from '../storage.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** Lifetimes of a key, in milliseconds: how long it signs before the next key takes over, and how long it is stored. */
const periodMs = 30 * day
const lifetimeMs = 60 * day

/** Intervals, in milliseconds: how long a new key is published before it signs, and how often a replica looks for new keys. */
const publishedMs = 5 * minute
const freshMs = minute

/** Minimum age, in milliseconds, of loaded keys before an unknown key triggers a reload. */
const unknownKeyMs = 5_000

/** Finds the key for a token. */
type FindKey = (...token: Parameters<ReturnType<typeof createLocalJWKSet>>) => ReturnType<ReturnType<typeof createLocalJWKSet>>

/** The authorization server's keys at one point in time. */
export interface KeySet {
  /** Differs if the keys differ. */
  readonly id: string
  /** Private keys, with the signing key first. */
  readonly keys: readonly SigningKey[]
  readonly find: FindKey
}

export type SigningKey = JWK & {
  readonly crv: string
  readonly x: string
  readonly y: string
  readonly kid: string
  readonly kty: 'EC'
  readonly alg: typeof signingAlgorithm
  readonly use: 'sig'
}

export const signingAlgorithm = 'ES256'

interface StoredKey {
  readonly key: SigningKey
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/**
 * Keys with which every replica signs access tokens. They are stored encrypted, and rotate on their own. Loaded keys keep working while the
 * store is down.
 */
export interface SigningKeys {
  readonly current: () => Promise<KeySet>
  /** The key for a token. Throws jose's errors if no key matches. */
  readonly find: FindKey
}

/** The name of the lock for creating and deleting keys. */
export const signingKeysLock = 'oauth signing keys'

export function signingKeys({ records, locks }: Pick<PeopleState, 'records' | 'locks'>, clock: Clock): SigningKeys {
  let loaded: { readonly set: KeySet; readonly at: number } | undefined
  let loading: Promise<KeySet> | undefined
  let isDown = false
  const load = async (): Promise<KeySet> => {
    const stored = await list()
    const newest = stored[0]
    if (newest && clock.now() - newest.createdAt < periodMs) return keySet(stored, clock)
    const added = await locks.withLock(signingKeysLock, async () => {
      const present = await list()
      const [first] = present
      if (first && clock.now() - first.createdAt < periodMs) return present
      const created: StoredKey = { key: await newKey(), createdAt: clock.now() }
      await records.set(recordKey('oauth signing key', created.key.kid), JSON.stringify(created), lifetimeMs)
      return [created, ...present]
    })
    return keySet(added, clock)
  }
  const list = async (): Promise<readonly StoredKey[]> => {
    const found = (await records.list(recordsOfKind('oauth signing key'))).flatMap(({ text }) => readKey(text) ?? [])
    return found.sort((one, other) => other.createdAt - one.createdAt)
  }
  const loadOnce = async () => {
    const at = clock.monotonic()
    try {
      const set = await load()
      isDown = false
      loaded = { set, at }
      return set
    } catch (error) {
      isDown = storageFailure(error) !== undefined
      throw error
    }
  }
  const reload = () => {
    loading ??= loadOnce().finally(() => (loading = undefined))
    return loading
  }
  const isOlder = (ms: number) => loaded === undefined || clock.monotonic() - loaded.at >= ms
  const current = async () => {
    if (!loaded) return reload()
    const { set } = loaded
    if (!isOlder(freshMs)) return set
    // Loaded keys keep working while the store is down, so no caller waits for it.
    if (isDown) {
      void reload().catch(() => undefined)
      return set
    }
    return reload().catch((error: unknown) => {
      if (isDown) return set
      throw error
    })
  }
  return {
    current,
    async find(header, token) {
      try {
        return await (await current()).find(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !isOlder(unknownKeyMs)) throw error
        // Another replica may have created the key in the meantime.
        return (await reload()).find(header, token)
      }
    },
  }
}

/** Expects `stored` sorted newest first. */
function keySet(stored: readonly StoredKey[], clock: Clock): KeySet {
  const ageOf = ({ createdAt }: StoredKey) => clock.now() - createdAt
  const signing = stored.find((key) => ageOf(key) >= publishedMs && ageOf(key) < lifetimeMs - day) ?? stored.at(-1)
  const keys = stored.toSorted((one, other) => Number(other === signing) - Number(one === signing)).map(({ key }) => key)
  const find = createLocalJWKSet({ keys: keys.map(({ kty, crv, x, y, kid, alg, use }) => ({ kty, crv, x, y, kid, alg, use })) })
  return { id: keys.map(({ kid }) => kid).join(' '), keys, find }
}

async function newKey(): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const { crv = '', x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' })
  return { kty: 'EC', crv, x, y, d, kid: randomUUID(), alg: signingAlgorithm, use: 'sig' }
}

function readKey(text: string): StoredKey | undefined {
  const value = parseJson(text)
  const [key, createdAt] = [member(value, 'key'), member(value, 'createdAt')]
  return isSigningKey(key) && typeof createdAt === 'number' ? { key, createdAt } : undefined
}

function isSigningKey(value: unknown): value is SigningKey {
  return (
    isObject(value) && value['alg'] === signingAlgorithm && ['kid', 'crv', 'd', 'x', 'y'].every((name) => typeof value[name] === 'string')
  )
}
