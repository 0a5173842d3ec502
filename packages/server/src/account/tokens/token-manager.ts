import { type Clock, raceAbort, systemClock, withTimeout } from '@mcp-toolkits/core/base'
import { isOutage, Message, systemErrorCode, ToolError, Unauthenticated, Unavailable, withDetails } from '@mcp-toolkits/core/errors'
import { type Fetch, type Secret, type Telemetry, withAuthorization } from '@mcp-toolkits/core/upstream'
import type { OAuthClient, TokenGrant } from '../login/oauth-client.ts'
import type { SignInStep } from '../account.ts'
import { accountIdOf, isNamed } from './account-id.ts'
import { type ActiveLogin, canSendTokensTo, type Login } from './login-format.ts'
import type { ProfileKey, TokenStore } from './login-store.ts'

/** Timeout, in milliseconds, for a token refresh, excluding the wait for the lock. */
const refreshMs = 12_000

/** Time, in milliseconds, that a caller waits for a refresh while the old token is still valid. */
const earlyRefreshMs = 1_500

/** Time, in milliseconds, to wait after an early refresh fails before another one is tried. */
const earlyRefreshPauseMs = 10_000

export interface TokenManagerOptions {
  readonly store: TokenStore
  readonly key: ProfileKey
  /** The API that calls go to. A login for any other API is refused. */
  readonly apiUrl: string
  /** Requests tokens for a login. */
  readonly client: (login: Login) => Promise<Pick<OAuthClient, 'refresh'>>
  /** The provider's name: `Linear`. */
  readonly vendor: string
  /** Returns the way to sign in again, with the last login's scopes if known. */
  readonly signIn: (scopes?: readonly string[]) => SignInStep
  /** Called with a one-word reason if refreshed tokens could not be stored, so they exist only in this process. */
  readonly onStoreFailure?: ((reason: string) => void) | undefined
  readonly clock?: Clock | undefined
  readonly telemetry?: Telemetry | undefined
}

interface Refresh {
  /** The token that the vendor refused, if that is why tokens are refreshed. */
  readonly refused: Secret | undefined
  readonly work: Promise<ActiveLogin>
}

/**
 * Provides a valid access token for a stored login. Only one refresh runs at a time, across all processes, because the store has a lock for
 * it. The login is reread for each call, so that a new login or a logout takes effect immediately. Errors tell the person how to sign in
 * again.
 */
export class TokenManager {
  readonly #options: TokenManagerOptions
  readonly #clock: Clock
  /** Refreshed tokens that could not be stored. They are used only while the store still holds the token they replace. */
  #unstored: { readonly replaces: Secret; readonly login: ActiveLogin } | undefined
  #storing: Promise<void> | undefined
  #current: Refresh | undefined
  /** Earliest time to refresh a token that is still valid. */
  #earlyRefreshAt = 0
  /** The scopes of the most recently read login. */
  #scopes: readonly string[] | undefined

  constructor(options: TokenManagerOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** The current login. Throws `Unauthenticated` if there is no login that can be used here. */
  async login(): Promise<ActiveLogin> {
    const { store, key } = this.#options
    const unstored = this.#unstored
    const stored = this.#requireActive(await store.read(key))
    if (!unstored) return stored
    if (isSame(stored.tokens.accessToken, unstored.replaces)) return unstored.login
    // Another process has stored newer tokens, or a person has signed in again.
    if (this.#unstored === unstored) this.#unstored = undefined
    return stored
  }

  /** The access token, refreshed when it is about to expire. */
  async accessToken(signal?: AbortSignal): Promise<Secret> {
    const login = await this.login()
    void this.#storeAgain()
    if (!this.#isDue(login)) return login.tokens.accessToken
    const { expiry } = login.tokens
    const hasEnded = expiry !== undefined && expiry.expiresAt <= this.#clock.now()
    const refreshed = hasEnded ? await this.#refresh(undefined, signal) : await this.#refreshEarly(login, signal)
    return refreshed.tokens.accessToken
  }

  /** A new access token, because the vendor refused the old one. */
  async replaceToken(refused: Secret, signal?: AbortSignal): Promise<Secret> {
    const { accessToken } = (await this.login()).tokens
    if (!isSame(accessToken, refused)) return accessToken
    const refreshed = await this.#refresh(refused, signal)
    if (isSame(refreshed.tokens.accessToken, refused)) throw this.endedError()
    return refreshed.tokens.accessToken
  }

  /** The error for a login ended by the provider. */
  endedError(): Unauthenticated {
    const { vendor, signIn } = this.#options
    const { advice, details } = signIn(this.#scopes)
    return new Unauthenticated(
      `${vendor} has ended this login: it was revoked, is too old, or its last refresh was interrupted. ${advice}`,
      details,
    )
  }

  /** Waits for a running refresh, and retries once to store unstored tokens. */
  async idle(): Promise<void> {
    await this.#current?.work.catch(() => undefined)
    await this.#storing
    await this.#storeAgain()
  }

  #requireActive(login: Login | undefined): ActiveLogin {
    const { vendor, apiUrl, signIn } = this.#options
    if (!login) {
      const { advice, details } = signIn()
      throw new Unauthenticated(`Not signed in to ${vendor}. ${advice}`, details)
    }
    this.#scopes = login.scopes
    if (!canSendTokensTo(login, apiUrl)) {
      const text = `The stored login is for ${login.apiUrl}, but this server calls ${apiUrl}. Restart the server, or sign in again for that address.`
      throw new Unauthenticated(text, signIn().details)
    }
    const { tokens } = login
    if (!tokens) throw this.endedError()
    return { ...login, tokens }
  }

  /** True if the token is about to expire or, without a refresh token, only once it has expired. */
  #isDue({ tokens: { expiry, refreshToken } }: ActiveLogin): boolean {
    return expiry !== undefined && (refreshToken ? expiry.refreshAt : expiry.expiresAt) <= this.#clock.now()
  }

  /** The refreshed login, if the refresh is quick; otherwise the current one, whose token is still valid. */
  async #refreshEarly(current: ActiveLogin, signal: AbortSignal | undefined): Promise<ActiveLogin> {
    if (this.#earlyRefreshAt > this.#clock.now()) return current
    try {
      const reason = () => new Unavailable('The refresh is taking too long.')
      return await withTimeout({ ms: earlyRefreshMs, reason, signal, clock: this.#clock }, (scope) =>
        this.#refresh(undefined, scope.signal),
      )
    } catch (error) {
      signal?.throwIfAborted()
      if (!isOutage(error)) throw error
      this.#earlyRefreshAt = this.#clock.now() + earlyRefreshPauseMs
      return current
    }
  }

  async #refresh(refused: Secret | undefined, signal: AbortSignal | undefined): Promise<ActiveLogin> {
    for (;;) {
      signal?.throwIfAborted()
      const { refused: reason, work } = this.#current ?? this.#startRefresh(refused)
      const login = await (signal ? raceAbort(work, signal) : work)
      // A refresh that began for another reason may have returned the refused token itself.
      const isUseless = refused && reason?.reveal() !== refused.reveal() && isSame(login.tokens.accessToken, refused)
      if (!isUseless) return login
    }
  }

  #startRefresh(refused: Secret | undefined): Refresh {
    const { store, key } = this.#options
    const work = store
      .withLock(key, () => this.#refreshLocked(refused))
      .catch((error: unknown) => {
        throw this.#toReadableError(error)
      })
      .finally(() => {
        this.#current = undefined
      })
    this.#current = { refused, work }
    return this.#current
  }

  async #refreshLocked(refused: Secret | undefined): Promise<ActiveLogin> {
    // Another process may have refreshed the login while this one waited for the lock.
    const before = await this.login()
    const isRefused = refused !== undefined && isSame(before.tokens.accessToken, refused)
    if (!isRefused && !this.#isDue(before)) return before
    const { tokens, ...rest } = before
    if (!tokens.refreshToken) throw this.endedError()
    const grant = await this.#requestTokens(before, tokens.refreshToken)
    if (!grant) {
      // The login stays stored without tokens, so that a server does not fall back to the embedded default.
      await this.#options.store.write(this.#options.key, rest).catch((error: unknown) => {
        if (storeFailure(error) === undefined) throw error
      })
      throw this.endedError()
    }
    const { scopes = rest.scopes } = grant
    const after = {
      ...rest,
      // An earlier version stored no id: it identified the account by the refresh token, which may have been replaced.
      ...(!isNamed(rest.account) && { accountId: accountIdOf(before, this.#options.apiUrl) }),
      ...(scopes && { scopes }),
      tokens: { refreshToken: tokens.refreshToken, ...grant.tokens },
    }
    await this.#storeTokens(before, after)
    return after
  }

  /** New tokens from the provider; undefined if it has ended the login. */
  async #requestTokens(login: ActiveLogin, refreshToken: Secret): Promise<TokenGrant | undefined> {
    const { client, vendor, signIn, telemetry } = this.#options
    const { refresh } = await client(login)
    const reason = () => new Unavailable(`${vendor} did not refresh the login in time.`)
    try {
      const grant = await withTimeout({ ms: refreshMs, reason, clock: this.#clock }, ({ signal }) => refresh(refreshToken, signal))
      telemetry?.tokenRefreshed(grant ? 'refreshed' : 'ended')
      return grant
    } catch (error) {
      telemetry?.tokenRefreshed('failed')
      if (!(error instanceof Unauthenticated) || error.details.next || error.details.connect) throw error
      const { advice, details } = signIn(this.#scopes)
      throw withDetails(error, Message.of('The login could not be refreshed:', error.text, advice), details)
    }
  }

  /** Stores refreshed tokens under the lock. If that fails, they stay in this process, because the old ones may no longer work. */
  async #storeTokens(before: ActiveLogin, after: ActiveLogin): Promise<void> {
    const { store, key, onStoreFailure } = this.#options
    this.#unstored = { replaces: this.#unstored?.replaces ?? before.tokens.accessToken, login: after }
    try {
      await store.write(key, after)
      this.#unstored = undefined
    } catch (error) {
      onStoreFailure?.(storeFailure(error) ?? 'internal')
    }
  }

  /** Retries storing tokens that could not be stored, if any. Never rejects. */
  async #storeAgain(): Promise<void> {
    const { store, key, onStoreFailure } = this.#options
    if (!this.#unstored) return
    this.#storing ??= store
      .withLock(key, async () => {
        const login = await this.login()
        if (!this.#unstored) return
        await store.write(key, login)
        this.#unstored = undefined
      })
      .catch((error: unknown) => {
        // A store failure has already been reported; a defect has not.
        if (storeFailure(error) === undefined) onStoreFailure?.('internal')
      })
      .finally(() => {
        this.#storing = undefined
      })
    await this.#storing
  }

  /** Turns a store problem into an error that a caller can read, and returns a defect unchanged. */
  #toReadableError(error: unknown): unknown {
    const code = systemErrorCode(error)
    if (code === undefined) return error
    const text = `The login cannot be refreshed, because ${this.#options.store.location} cannot be written (${code}).`
    return new Unavailable(text, { retryable: false })
  }
}

/**
 * A fetch that sends requests with a login's access token, to one origin only and without following redirects. If the vendor refuses the
 * token (HTTP 401), the request is repeated once with a new one.
 */
export function withLogin(
  fetch: Fetch,
  urls: string | readonly string[],
  tokens: Pick<TokenManager, 'accessToken' | 'replaceToken' | 'endedError'>,
): Fetch {
  return async (input, init) => {
    // Only a `Request` needs a copy for the second attempt: bodies in `init` are text or bytes, which can be sent twice.
    const copy = input instanceof Request ? input.clone() : input
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    const options = { ...init, ...(signal && { signal }) }
    const senderWith = (token: Secret) => withAuthorization(fetch, urls, () => `Bearer ${token.reveal()}`)
    const token = await tokens.accessToken(signal)
    const response = await senderWith(token)(input, options)
    if (response.status !== 401) return response
    await response.body?.cancel()
    const second = await senderWith(await tokens.replaceToken(token, signal))(copy, options)
    if (second.status !== 401) return second
    throw tokens.endedError()
  }
}

function isSame(one: Secret, other: Secret): boolean {
  return one.reveal() === other.reveal()
}

/** A one-word reason why something could not be stored; undefined for a defect. */
function storeFailure(error: unknown): string | undefined {
  return error instanceof ToolError ? error.code : systemErrorCode(error)
}
