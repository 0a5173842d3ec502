import { type Clock, isObject, member, withTimeout } from '@mcp-toolkits/core/base'
import { Unavailable } from '@mcp-toolkits/core/errors'
import { type Fetch, isSecureUrl, jsonOf, readWhole } from '@mcp-toolkits/core/upstream'
import { createLocalJWKSet, errors } from 'jose'

/** Timeout, in milliseconds, for one request to an identity provider. */
const requestMs = 5_000

/** Ages, in milliseconds: keys older than the first are refetched during use, keys older than the second before use. */
const freshMs = 5 * 60_000
const staleMs = 15 * 60_000

/** Pause, in milliseconds, before another attempt to find a missing key or to reach a provider that did not answer. */
const pauseMs = { unknownKey: 30_000, failure: 1_000 } as const

/** Delay, in seconds, after which we tell a client to retry while the provider is down. */
const retryAfterSeconds = 5

/** Maximum size, in bytes, of a metadata or key document. */
const maxBytes = 1024 * 1024

const provider = 'The identity provider'

/** Finds the key for a token. */
type KeySet = ReturnType<typeof createLocalJWKSet>

export interface IssuerKeysOptions {
  /** The issuer, exactly as in tokens. */
  readonly issuer: string
  readonly fetch?: Fetch | undefined
  readonly clock: Clock
  /**
   * Called with the reason, a sentence for the operator, when keys cannot be fetched, and again only when the reason changes; `isMistake`
   * means a configuration error, which a retry does not fix.
   */
  readonly onFailure?: ((problem: string, isMistake: boolean) => void) | undefined
}

/** An identity provider's public signing keys. Known keys keep working while the provider is down. */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions
  #keys: KeySet | undefined
  #fetchedAt = -Infinity
  #failedAt = -Infinity
  /** The reason the latest attempt failed; undefined if it succeeded. */
  #problem: string | undefined
  #fetching: Promise<KeySet> | undefined

  constructor(options: IssuerKeysOptions) {
    this.#options = options
  }

  /** Resolves once keys have been fetched. Throws `Unavailable` if they cannot be. */
  async ready(): Promise<void> {
    if (!this.#keys) await this.#refresh()
  }

  /** The key for a token. Throws `Unavailable` if a key that might match cannot currently be fetched, and jose's errors if no key matches. */
  async find(...[header, token]: Parameters<KeySet>): Promise<Awaited<ReturnType<KeySet>>> {
    const keys = await this.#current()
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#age(this.#fetchedAt) < pauseMs.unknownKey) throw error
      return (await this.#refresh())(header, token)
    }
  }

  /**
   * Refetches the keys for a token with a wrong signature: the provider may have replaced a key but kept its id. Resolves with false
   * during the pause, and while the provider is down.
   */
  async fetchAgain(): Promise<boolean> {
    if (this.#age(this.#fetchedAt) < pauseMs.unknownKey) return false
    return this.#refresh().then(
      () => true,
      () => false,
    )
  }

  async #current(): Promise<KeySet> {
    const known = this.#keys
    if (!known) return this.#refresh()
    const age = this.#age(this.#fetchedAt)
    if (age < freshMs) return known
    const isDown = this.#problem !== undefined
    const refreshed = this.#refresh().catch(() => known)
    // While the provider is down, no request waits for a response that may take the whole timeout.
    return age < staleMs || isDown ? known : refreshed
  }

  #age(moment: number): number {
    return this.#options.clock.monotonic() - moment
  }

  /** Makes one attempt at a time, and pauses after a failed attempt. */
  #refresh(): Promise<KeySet> {
    if (!this.#fetching && this.#age(this.#failedAt) < pauseMs.failure) return Promise.reject(unavailable())
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    return this.#fetching
  }

  async #fetch(): Promise<KeySet> {
    const { clock, onFailure } = this.#options
    try {
      this.#keys = await fetchKeys(this.#options)
      this.#fetchedAt = clock.monotonic()
      this.#problem = undefined
      return this.#keys
    } catch (error) {
      this.#failedAt = clock.monotonic()
      const problem = error instanceof Unavailable ? error.message : `${provider} cannot be reached.`
      if (problem !== this.#problem) onFailure?.(problem, error instanceof Unavailable && !error.retryable)
      this.#problem = problem
      throw unavailable()
    }
  }
}

function unavailable(): Unavailable {
  const text = `${provider} cannot be reached, so no token can be verified now.`
  return new Unavailable(`${text} Make this request again in ${retryAfterSeconds} s.`, { retryAfterSeconds })
}

async function fetchKeys(options: IssuerKeysOptions): Promise<KeySet> {
  const { issuer } = options
  const metadata = await fetchMetadata(options)
  const named = member(metadata, 'issuer')
  if (named !== issuer) {
    throw mistake(
      `The metadata at ${issuer} names a different issuer${nameOf(named)}. MCP_TOOLKITS_ISSUER must be spelled exactly as the metadata spells it.`,
    )
  }
  const address = member(metadata, 'jwks_uri')
  if (typeof address !== 'string' || !isSecureUrl(address)) {
    throw mistake(`The metadata of ${issuer} has no https address for its keys (jwks_uri).`)
  }
  const keys = await fetchJson(address, options)
  const list = member(keys, 'keys')
  if (!Array.isArray(list)) throw new Unavailable(`${address} has no list of keys.`)
  return createLocalJWKSet({ keys: list.filter(isObject) })
}

/**
 * https://openid.net/specs/openid-connect-discovery-1_0.html, and for a provider without OpenID Connect
 * https://www.rfc-editor.org/rfc/rfc8414
 */
async function fetchMetadata(options: IssuerKeysOptions): Promise<unknown> {
  const url = new URL(options.issuer)
  const path = url.pathname.replace(/\/$/, '')
  const openId = await fetchJson(`${url.origin}${path}/.well-known/openid-configuration`, options)
  const metadata = openId ?? (await fetchJson(`${url.origin}/.well-known/oauth-authorization-server${path}`, options))
  if (metadata !== undefined) return metadata
  throw mistake(`${options.issuer} has no metadata at ${path}/.well-known/openid-configuration. Check MCP_TOOLKITS_ISSUER.`)
}

/** An error for a mistake in the operator's settings. */
const mistake = (problem: string) => new Unavailable(problem, { retryable: false })

/** The issuer named in the metadata, if that is valid text. */
function nameOf(named: unknown): string {
  return typeof named === 'string' && named.length <= 300 && isSecureUrl(named) ? `, ${named}` : ''
}

/** Returns undefined for HTTP 404. Follows no redirects. */
async function fetchJson(address: string, { fetch = globalThis.fetch, clock }: IssuerKeysOptions): Promise<unknown> {
  const reason = () => new Unavailable(`${address} did not answer within ${requestMs / 1_000} s.`)
  return withTimeout({ ms: requestMs, clock, reason }, async ({ signal }) => {
    const response = await fetch(address, { signal, redirect: 'manual', headers: { accept: 'application/json' } }).catch(() => {
      signal.throwIfAborted()
      throw new Unavailable(`${address} cannot be reached.`)
    })
    const whole = await readWhole(response, { vendor: provider, maxBytes })
    if (whole.status === 404) return undefined
    if (!whole.ok) throw new Unavailable(`${address} answered HTTP ${whole.status}.`)
    return jsonOf(whole, provider)
  })
}
