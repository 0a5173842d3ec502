import { withDetails, ToolError, Unauthenticated, Unavailable } from '../errors.ts'
import type { Secret } from '../credentials.ts'
import type { CredentialFile, Place } from './credential-file.ts'
import { isSame, keptLogin, type KeptLogin, type LiveLogin } from './kept-login.ts'
import { isFor, type Login, type Tokens } from './login.ts'
import { outageIn, reasonOf } from './outage.ts'
import type { Issuer } from './provider.ts'
import { until } from './until.ts'

export type { LiveLogin }

/** How long a renewal may take from beginning to end, in milliseconds; the wait for the lock comes before it. */
const renewalMs = 12_000

/** How long a caller waits for a renewal whose token is still good, in milliseconds. */
const patienceMs = 1_500

/** How long such a token is used before its renewal is tried again, in milliseconds. */
const pauseMs = 10_000

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
  /** Is told when renewed tokens are in this process alone because the file could not be written, with the reason in one word. */
  readonly onUnstored?: (reason: string) => void
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

export function openAccount(options: AccountOptions): Account {
  const { file, place, onUnstored, now = Date.now } = options
  const kept = keptLogin({ file, place, onUnstored, live: (login) => liveLogin(options, login) })
  const renewal = renewalOf(options, kept)
  /** A token that is still good is not renewed before then. */
  let pausedUntil = 0
  /** What a renewal brings in a moment, or else the token that is good for a little longer. */
  const renewedSoon = async (current: LiveLogin, signal: AbortSignal | undefined): Promise<LiveLogin> => {
    if (pausedUntil > now()) return current
    const soon = AbortSignal.timeout(patienceMs)
    try {
      return await renewal.after(undefined, signal ? AbortSignal.any([signal, soon]) : soon)
    } catch (error) {
      signal?.throwIfAborted()
      if (error !== soon.reason && !(error instanceof ToolError && error.retryable)) throw error
      pausedUntil = now() + pauseMs
      return current
    }
  }
  return {
    login: kept.login,
    refusal: () => over(options),
    async token(signal) {
      const current = kept.login()
      void kept.store()
      if (!isDue(current, now())) return current.tokens.accessToken
      const renewed = isOver(current, now()) ? await renewal.after(undefined, signal) : await renewedSoon(current, signal)
      return renewed.tokens.accessToken
    },
    async tokenAfter(refused, signal) {
      const { accessToken } = kept.login().tokens
      if (!isSame(accessToken, refused)) return accessToken
      const renewed = await renewal.after(refused, signal)
      if (isSame(renewed.tokens.accessToken, refused)) throw over(options)
      return renewed.tokens.accessToken
    },
    async settled() {
      await renewal.settled()
      await kept.settled()
    },
  }
}

/** One renewal at a time in this process and, by the lock, in all of them. */
function renewalOf(options: AccountOptions, { login, keep }: KeptLogin) {
  const { file, place, now = Date.now } = options
  let running: { readonly refused: Secret | undefined; readonly work: Promise<LiveLogin> } | undefined
  const renewed = async (refused: Secret | undefined): Promise<LiveLogin> => {
    // Somebody else may have renewed it while this process waited for the lock.
    const before = login()
    const isRefused = refused !== undefined && isSame(before.tokens.accessToken, refused)
    if (!isRefused && !isDue(before, now())) return before
    const { tokens, ...known } = before
    const { refreshToken } = tokens
    if (!refreshToken) throw over(options)
    const given = await renewedBy(options, before, refreshToken)
    if (!given) {
      // Kept without tokens, so that nobody takes this for a server without an account.
      await file.write(place, known).catch((error: unknown) => {
        if (reasonOf(error) === undefined) throw error
      })
      throw over(options)
    }
    const { scopes = known.scopes, ...fresh } = given
    const after = { ...known, ...(scopes && { scopes }), tokens: { refreshToken, ...fresh } }
    await keep(before, after)
    return after
  }
  const started = (refused: Secret | undefined) => {
    const work = file
      .alone(place, () => renewed(refused))
      .catch((error: unknown) => {
        throw readable(options, error)
      })
      .finally(() => {
        running = undefined
      })
    running = { refused, work }
    return running
  }
  return {
    /** The login as renewed; `refused` is the access token that a vendor did not take, where that is why. */
    async after(refused: Secret | undefined, signal: AbortSignal | undefined): Promise<LiveLogin> {
      for (;;) {
        signal?.throwIfAborted()
        const { refused: reason, work } = running ?? started(refused)
        const found = await (signal ? until(work, signal) : work)
        // A renewal that began for another reason may have found a token that is new, and was refused to this caller.
        const isOfNoUse = refused && reason?.reveal() !== refused.reveal() && isSame(found.tokens.accessToken, refused)
        if (!isOfNoUse) return found
      }
    },
    async settled() {
      await running?.work.catch(() => undefined)
    },
  }
}

/** What the provider gives for a refresh token; undefined when it has ended the login. */
async function renewedBy(options: AccountOptions, login: LiveLogin, refreshToken: Secret): Promise<Tokens | undefined> {
  try {
    return await options.issuer(login).renew(refreshToken, AbortSignal.timeout(renewalMs))
  } catch (error) {
    if (!(error instanceof Unauthenticated) || error.details.next) throw error
    throw withDetails(error, `The login could not be renewed: ${error.message} ${askPerson}`, { next: { command: options.command } })
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

/** What else can go wrong with a renewal, for the caller to read; faults of ours go on as they are. */
function readable({ file, vendor }: Pick<AccountOptions, 'file' | 'vendor'>, error: unknown): unknown {
  if (error instanceof DOMException) return new Unavailable(`${vendor} did not renew the login in time.`)
  const reason = outageIn(error)
  if (reason === undefined) return error
  return new Unavailable(`The login cannot be renewed, because ${file.path} cannot be written (${reason}).`, { retryable: false })
}
