import { ToolError, Unauthenticated, Unavailable } from '../errors.ts'
import type { Secret } from '../secret.ts'
import type { CredentialFile, Place } from './credential-file.ts'
import { isFor, type Login, type Tokens } from './login.ts'
import type { Issuer } from './provider.ts'
import { until } from './until.ts'

/** How long a renewal may take from beginning to end, in milliseconds; the wait for the lock comes before it. */
const renewalMs = 12_000

export interface AccountOptions {
  readonly file: CredentialFile
  readonly place: Place
  /** Where calls go; a login for another place is not used. */
  readonly url: string
  readonly issuer: (login: Login) => Issuer
  /** Who was signed in to: `Linear`. */
  readonly vendor: string
  /** What the person runs to sign in: `issue-tracker-mcp login`. */
  readonly command: string
  readonly now?: () => number
}

/**
 * The login that calls are made with. It is read anew for each, so that signing in again or out is noticed at once, whoever does it.
 * All its errors say what the person runs.
 */
export interface Account {
  /** What is stored now. Throws `Unauthenticated` when nobody is signed in, or the provider has ended the login. */
  readonly login: () => LiveLogin
  /** The access token, renewed when its end is near. */
  readonly token: (signal?: AbortSignal) => Promise<Secret>
  /** Another access token in place of one that the vendor refused. */
  readonly tokenAfter: (refused: Secret, signal?: AbortSignal) => Promise<Secret>
  /** What a caller is told when the vendor refuses whatever token it is shown. */
  readonly refusal: () => Unauthenticated
  /** Waits until nothing is being renewed: what a provider has given out is stored. */
  readonly settled: () => Promise<void>
}

/** A login that can be used. */
export type LiveLogin = Login & { readonly tokens: Omit<Tokens, 'scopes'> }

export function openAccount(options: AccountOptions): Account {
  const { now = Date.now } = options
  const kept = keptLogin(options)
  const renewal = renewalOf(options, kept)
  return {
    login: kept.login,
    refusal: () => over(options),
    async token(signal) {
      const current = kept.login()
      if (!isDue(current, now())) return current.tokens.accessToken
      try {
        return (await renewal.after(undefined, signal)).tokens.accessToken
      } catch (error) {
        // Good for a little longer; the next call tries again.
        if (error instanceof ToolError && error.retryable && !isOver(current, now())) return current.tokens.accessToken
        throw error
      }
    },
    async tokenAfter(refused, signal) {
      const { accessToken } = kept.login().tokens
      if (!same(accessToken, refused)) return accessToken
      const renewed = await renewal.after(refused, signal)
      if (same(renewed.tokens.accessToken, refused)) throw over(options)
      return renewed.tokens.accessToken
    },
    settled: () => renewal.settled(),
  }
}

/** The login as the file has it, or as this process has it where the file could not be written. */
interface KeptLogin {
  readonly login: () => LiveLogin
  readonly keep: (before: LiveLogin, after: LiveLogin) => Promise<void>
}

function keptLogin(options: AccountOptions): KeptLogin {
  const { file, place } = options
  /** It holds until somebody else writes, for what the file holds instead is used up. */
  let unwritten: { readonly instead: Secret; readonly login: LiveLogin } | undefined
  return {
    login() {
      const stored = liveLogin(options, file.read(place))
      if (unwritten && same(stored.tokens.accessToken, unwritten.instead)) return unwritten.login
      unwritten = undefined
      return stored
    },
    async keep(before, after) {
      try {
        await file.write(place, after)
        unwritten = undefined
      } catch {
        unwritten = { instead: unwritten?.instead ?? before.tokens.accessToken, login: after }
      }
    },
  }
}

/** One renewal at a time in this process and, by the lock, in all of them. */
function renewalOf(options: AccountOptions, { login, keep }: KeptLogin) {
  const { file, place, now = Date.now } = options
  let running: Promise<LiveLogin> | undefined
  const renewed = async (refused: Secret | undefined): Promise<LiveLogin> => {
    // Somebody else may have renewed it while this process waited for the lock.
    const before = login()
    const isRefused = refused !== undefined && same(before.tokens.accessToken, refused)
    if (!isRefused && !isDue(before, now())) return before
    const { refreshToken } = before.tokens
    if (!refreshToken) throw over(options)
    const given = await options.issuer(before).renew(refreshToken, AbortSignal.timeout(renewalMs))
    if (!given) {
      // Kept without tokens, so that nobody takes this for a server without an account.
      const { tokens, ...ended } = before
      await file.write(place, ended).catch(() => tokens)
      throw over(options)
    }
    const { scopes = before.scopes, ...tokens } = given
    const after = { ...before, ...(scopes && { scopes }), tokens: { refreshToken, ...tokens } }
    await keep(before, after)
    return after
  }
  return {
    /** The login as renewed; `refused` is the access token that a vendor did not take, where that is why. */
    async after(refused: Secret | undefined, signal: AbortSignal | undefined): Promise<LiveLogin> {
      signal?.throwIfAborted()
      running ??= file
        .alone(place, () => renewed(refused))
        .catch((error: unknown) => {
          throw readable(options, error)
        })
        .finally(() => {
          running = undefined
        })
      return signal ? until(running, signal) : running
    },
    async settled() {
      await running?.catch(() => undefined)
    },
  }
}

/** A stored login, if calls to where this server goes can be made with it. */
function liveLogin(options: Pick<AccountOptions, 'url' | 'vendor' | 'command'>, login: Login | undefined): LiveLogin {
  const { url, vendor, command } = options
  if (!login) throw new Unauthenticated(`Nobody is signed in to ${vendor} here. ${askPerson}`, { next: { command } })
  if (!isFor(login, url)) {
    const text = `The stored login is for ${login.apiUrl}, and this server is to call ${url}. Restart it, or sign in again for that address.`
    throw new Unauthenticated(text, { next: { command } })
  }
  const { tokens } = login
  if (!tokens) throw over(options)
  return { ...login, tokens }
}

const askPerson = 'Ask the person to run the command; the next call then works without a restart.'

function over({ vendor, command }: Pick<AccountOptions, 'vendor' | 'command'>): Unauthenticated {
  return new Unauthenticated(`${vendor} has ended this login: it was revoked or is too old. ${askPerson}`, { next: { command } })
}

const isDue = ({ tokens: { expiry } }: LiveLogin, now: number) => expiry !== undefined && expiry.renewFrom <= now
const isOver = ({ tokens: { expiry } }: LiveLogin, now: number) => expiry !== undefined && expiry.at <= now
const same = (one: Secret, other: Secret) => one.reveal() === other.reveal()

/** What else can go wrong with a renewal, for the caller to read; faults of ours go on as they are. */
function readable({ file, vendor }: Pick<AccountOptions, 'file' | 'vendor'>, error: unknown): unknown {
  if (error instanceof DOMException) return new Unavailable(`${vendor} did not renew the login in time.`)
  if (error instanceof ToolError || !(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error
  return new Unavailable(`The login cannot be renewed, because ${file.path} cannot be written (${error.code}).`, { retryable: false })
}
