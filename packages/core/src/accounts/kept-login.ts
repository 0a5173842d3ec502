import type { Secret } from '../credentials.ts'
import type { CredentialFile, Place } from './credential-file.ts'
import type { Login, Tokens } from './login.ts'
import { reasonOf } from './outage.ts'

/** A login that can be used. */
export type LiveLogin = Login & { readonly tokens: Omit<Tokens, 'scopes'> }

/** The login as the file has it, or as this process has it where the file could not be written. */
export interface KeptLogin {
  readonly login: () => LiveLogin
  /** Stores what a renewal brought; for whoever is alone with this login. Never fails because of the file. */
  readonly keep: (before: LiveLogin, after: LiveLogin) => Promise<void>
  /** Tries again to store what could not be stored before, if there is any. Never rejects. */
  readonly store: () => Promise<void>
  /** Waits for such an attempt, and makes a last one. */
  readonly settled: () => Promise<void>
}

export interface KeptLoginOptions {
  readonly file: CredentialFile
  readonly place: Place
  /** Throws `Unauthenticated` for a login that cannot be used here. */
  readonly live: (login: Login | undefined) => LiveLogin
  /** Is told that tokens are in this process alone, and why. */
  readonly onUnstored?: ((reason: string) => void) | undefined
}

export function keptLogin({ file, place, live, onUnstored }: KeptLoginOptions): KeptLogin {
  /** It holds until somebody else writes, for what the file holds instead is used up. */
  let unwritten: { readonly instead: Secret; readonly login: LiveLogin } | undefined
  let storing: Promise<void> | undefined

  const login = () => {
    const stored = live(file.read(place))
    if (unwritten && isSame(stored.tokens.accessToken, unwritten.instead)) return unwritten.login
    unwritten = undefined
    return stored
  }
  const write = async (after: LiveLogin) => {
    await file.write(place, after)
    unwritten = undefined
  }
  const again = () =>
    file.alone(place, async () => {
      const current = login()
      if (unwritten) await write(current)
    })
  const store = async () => {
    if (!unwritten) return
    storing ??= again()
      .catch((error: unknown) => {
        // What keeps it from being stored was told when it began; a fault of ours is another matter.
        if (reasonOf(error) === undefined) onUnstored?.('internal')
      })
      .finally(() => {
        storing = undefined
      })
    await storing
  }
  return {
    login,
    store,
    async keep(before, after) {
      unwritten = { instead: unwritten?.instead ?? before.tokens.accessToken, login: after }
      await write(after).catch((error: unknown) => {
        onUnstored?.(reasonOf(error) ?? 'internal')
      })
    },
    async settled() {
      await storing
      await store()
    },
  }
}

export function isSame(one: Secret, other: Secret): boolean {
  return one.reveal() === other.reveal()
}
