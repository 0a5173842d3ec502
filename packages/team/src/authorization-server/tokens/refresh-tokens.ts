import { createHmac } from 'node:crypto'
import { type Clock, isObject, member, parseJson, type PeopleState } from '@mcp-toolkits/core/base'
import { rememberSecret } from '@mcp-toolkits/core/errors'
import type { AdapterPayload } from 'oidc-provider'
import { digest, isSameToken } from '../../connect/connect-records.ts'
import { lifetimes } from './lifetimes.ts'
import { isPayload, recordKey, writePayload } from '../storage.ts'

/**
 * The refresh tokens based on one sign-in: using the newest token creates the next generation. A token gets the same successor no matter
 * how often it is used, so processes that use it at once, or a client that lost the response, continue with the same token. A token expires
 * when its successor is used, or after a grace period. Any later use shows that two parties have the token, and revokes the whole sign-in.
 */
export interface RefreshTokens {
  /** Stores the first token. */
  readonly add: (token: string, payload: AdapterPayload) => Promise<void>
  /** Finds a token's content, even if the token was replaced; undefined if the token was never issued or its sign-in has ended. */
  readonly find: (token: string) => Promise<AdapterPayload | undefined>
  readonly replace: (token: string) => Promise<Replacement>
  /** Revokes all the sign-in's tokens. */
  readonly delete: (token: string) => Promise<void>
}

export type Replacement =
  | { readonly successor: string }
  /** The token's successor has already been used, or the grace period is over. */
  | 'replayed'
  /** The token is no longer valid, or was never issued. */
  | 'unknown'

/** Valid tokens of a sign-in: the newest, and the one before it. */
interface Family {
  readonly payload: AdapterPayload
  /** Generation of the newest token. */
  readonly generation: number
  /** Time at which the newest token was issued, in milliseconds since 1970. */
  readonly issuedAt?: number | undefined
}

interface Position {
  readonly family: string
  readonly generation: number
}

/** Time, in milliseconds, during which a replaced token is still accepted, because clients retry after losing a response. */
const graceMs = lifetimes.refreshGrace * 1_000

const lifetimeMs = lifetimes.refreshToken * 1_000

/** The name of the lock that guards changes to one sign-in's tokens. */
export const familyLock = (family: string): string => `oauth refresh tokens ${family}`

export function refreshTokens(
  { records, locks, stateKey }: Pick<PeopleState, 'records' | 'locks' | 'stateKey'>,
  clock: Pick<Clock, 'now'>,
): RefreshTokens {
  const keyOf = ({ family }: Pick<Position, 'family'>) => recordKey('oauth refresh tokens', family)
  const signatureOf = ({ family, generation }: Position) =>
    createHmac('sha256', stateKey).update(`oauth refresh token ${family} ${generation}`).digest('base64url')
  const tokenOf = (position: Position) => `${position.generation}.${position.family}.${signatureOf(position)}`
  const positionOf = (token: string): Position | undefined => {
    const [, count, family = '', signature = ''] = /^(\d{1,9})\.([\w-]{43})\.([\w-]{43})$/.exec(token) ?? []
    if (count === undefined) return { family: digest(token), generation: 0 }
    const position = { family, generation: Number(count) }
    return isSameToken(signature, signatureOf(position)) ? position : undefined
  }
  const read = async (position: Position): Promise<Family | undefined> => readFamily(await records.get(keyOf(position)))
  const write = (position: Position, family: Family) => records.set(keyOf(position), writeFamily(family), lifetimeMs)
  return {
    add: (token, payload) => write({ family: digest(token), generation: 0 }, { payload, generation: 0 }),
    async find(token) {
      const position = positionOf(token)
      const found = position && (await read(position))
      return found && position.generation <= found.generation ? found.payload : undefined
    },
    async replace(token) {
      const position = positionOf(token)
      if (!position) return 'unknown'
      return locks.withLock(familyLock(position.family), async () => {
        const found = await read(position)
        if (!found || position.generation > found.generation) return 'unknown'
        const isReplaced = position.generation < found.generation
        const isLate = clock.now() - (found.issuedAt ?? Infinity) > graceMs
        if (position.generation < found.generation - 1 || (isReplaced && isLate)) return 'replayed'
        const generation = position.generation + 1
        if (generation > found.generation) await write(position, { ...found, generation, issuedAt: clock.now() })
        const successor = tokenOf({ family: position.family, generation })
        rememberSecret(successor)
        return { successor }
      })
    },
    async delete(token) {
      const position = positionOf(token)
      if (position) await records.delete(keyOf(position))
    },
  }
}

const writeFamily = ({ payload, ...family }: Family) => JSON.stringify({ payload: parseJson(writePayload(payload)), ...family })

function readFamily(text: string | undefined): Family | undefined {
  const value = text === undefined ? undefined : parseJson(text)
  const [payload, generation, issuedAt] = [member(value, 'payload'), member(value, 'generation'), member(value, 'issuedAt')]
  if (!isObject(value) || !isPayload(payload) || typeof generation !== 'number') return undefined
  return { payload, generation, issuedAt: typeof issuedAt === 'number' ? issuedAt : undefined }
}
