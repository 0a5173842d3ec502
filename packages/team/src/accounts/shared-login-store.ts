import { type Locks, parseJson } from '@mcp-toolkits/core/base'
import { storageFailure, Unauthenticated } from '@mcp-toolkits/core/errors'
import { decodeLogin, encodeLogin, type ProfileKey, type TokenStore } from '@mcp-toolkits/server/account'

/** Storage of logins for several machines, as text that only those machines can read. */
export interface LoginRows {
  /** Location, for messages. */
  readonly location: string
  readonly read: (key: ProfileKey) => Promise<string | undefined>
  /** Stores or removes text. */
  readonly write: (key: ProfileKey, text: string | undefined) => Promise<void>
}

/**
 * Logins shared by several machines. Only one machine at a time refreshes a login. If a row cannot be read or written, for example because
 * its vault key is unknown, the store throws a typed error.
 */
export function sharedTokenStore(
  rows: LoginRows,
  locks: Locks,
  lockOf = ({ server, profile }: ProfileKey) => `login ${JSON.stringify([server, profile])}`,
  unreadable = `${rows.location} holds a login that this version cannot read. Sign in again.`,
): TokenStore {
  const readRow = (key: ProfileKey) => rows.read(key).catch(throwStorageFailure)
  return {
    location: rows.location,
    async read(key) {
      const text = await readRow(key)
      const login = text === undefined ? undefined : decodeLogin(parseJson(text))
      if (text !== undefined && !login) throw new Unauthenticated(unreadable)
      return login
    },
    write: (key, login) => rows.write(key, login && JSON.stringify(encodeLogin(login))).catch(throwStorageFailure),
    async checkWritable(key) {
      await readRow(key)
    },
    withLock: (key, work) => locks.withLock(lockOf(key), work).catch(throwStorageFailure),
  }
}

export function throwStorageFailure(error: unknown): never {
  throw storageFailure(error) ?? error
}
