import { Unauthenticated } from '@mcp-toolkits/core'
import { parseJson } from '@mcp-toolkits/core/json'
import type { AccountRef, PeopleState } from '@mcp-toolkits/core/people'
import { storageFailure } from '@mcp-toolkits/core/system-error'
import { decodeLogin, encodeLogin } from '../stored-login.ts'
import type { TokenStore } from '../token-store.ts'

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
