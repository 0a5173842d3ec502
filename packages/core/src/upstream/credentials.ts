import { inspect } from 'node:util'
import { Unauthenticated } from '../errors/errors.ts'
import { sentence } from '../errors/message.ts'
import { rememberSecret } from '../errors/redaction.ts'
import type { Fetch } from './transport/response.ts'

/**
 * A credential that cannot be printed by accident: strings, JSON and `util.inspect` all show `[secret]`, as does any outgoing text that
 * contains the value.
 */
export class Secret {
  readonly #value: string

  readonly #isRedacted: boolean

  /**
   * `isRedacted` is false for a value that may occur in other text: an emulator's documented key, or a person's input that no vendor has
   * accepted yet, which could be any word.
   */
  constructor(value: string, { isRedacted = true }: { readonly isRedacted?: boolean } = {}) {
    this.#value = value
    this.#isRedacted = isRedacted
    if (isRedacted) rememberSecret(value)
  }

  /** The value, for the header that carries it. Reveal it for every request, so that it counts as used. */
  reveal(): string {
    if (this.#isRedacted) rememberSecret(this.#value)
    return this.#value
  }

  /** A keyed hash, for comparing credentials without storing them. */
  fingerprint(key: string): string {
    // Not imported, because it would be the slowest Node module to load at startup.
    const { createHmac } = process.getBuiltinModule('node:crypto')
    return createHmac('sha256', key).update(this.#value).digest('hex')
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}

/** The environment variables, read once at a program's start. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Prefixes of several vendors' keys and tokens. Any other prefix is accepted. */
const kinds: Readonly<Record<string, string>> = {
  lin_api_: 'a Linear API key',
  lin_oauth_: 'a Linear OAuth access token',
  lin_wh_: 'the signing secret of a Linear webhook',
  AIza: 'a Google API key, which identifies no account',
  'ya29.': 'a Google access token',
  '1//': 'a Google refresh token',
  'GOCSPX-': 'a Google client secret',
  'sk-': 'an OpenAI or Anthropic key',
  ghp_: 'a GitHub token',
  github_pat_: 'a GitHub token',
  xox: 'a Slack token',
}

/** The variable for each kind of key, by the key's prefix. */
export type KeyPrefixes = Readonly<Record<string, string>>

/**
 * The secret in an environment variable; undefined if it is not set. Throws like `readToken` and, with `prefixes`, for the wrong kind of
 * key.
 */
export function readSecret(environment: Environment, variable: string, label = 'key', prefixes?: KeyPrefixes): Secret | undefined {
  const value = readToken(environment, variable, label)
  if (value === undefined) return undefined
  if (prefixes) refuseOtherKind(value, { variable, label, prefixes })
  return new Secret(value)
}

function refuseOtherKind(
  value: string,
  { variable, label, prefixes }: { readonly variable: string; readonly label: string; readonly prefixes: KeyPrefixes },
): void {
  const [prefix, kind] = Object.entries(kinds).find(([each]) => value.startsWith(each)) ?? []
  if (prefix === undefined || kind === undefined) return
  const owner = prefixes[prefix]
  if (owner === variable) return
  if (owner === undefined) throw new Unauthenticated(sentence`${{ variable }} holds ${kind}. Put the right ${label} there, or unset it.`)
  throw new Unauthenticated(sentence`${{ variable }} holds ${kind}. Put it into ${{ variable: owner }}, and unset ${{ variable }}.`)
}

/** True for an empty value, and for a placeholder such as `${API_KEY}` that a host did not fill in. */
export const isUnfilled = (value: string): boolean => /^(?:\$\{.*\}|\$\w+|<.*>)?$/.test(value.trim())

/**
 * The value of a one-word environment variable; undefined if it is not set. Throws `Unauthenticated` for an obviously mistaken value:
 * empty, a placeholder such as `${API_KEY}` that a host did not fill in, quoted, `NAME=value`, a whole header, or containing spaces.
 * `label` names the value in messages.
 */
export function readToken(environment: Environment, variable: string, label: string): string | undefined {
  const value = environment[variable]
  if (value === undefined) return undefined
  if (value.trim() === '') throw new Unauthenticated(sentence`${{ variable }} is set but empty. Set it to the ${label}, or unset it.`)
  if (isUnfilled(value)) {
    throw new Unauthenticated(sentence`${{ variable }} still holds a placeholder. Put the ${label} itself there, or unset it.`)
  }
  if (/^["'`].*["'`]$/s.test(value.trim())) {
    throw new Unauthenticated(sentence`${{ variable }} contains quotation marks around the ${label}. Remove them.`)
  }
  if (/^\s*(?:export\s+)?[A-Z][A-Z0-9]*_[A-Z0-9_]*=./.test(value)) {
    throw new Unauthenticated(sentence`${{ variable }} holds NAME=value. Put only the ${label} there, without the name before it.`)
  }
  if (/^\s*(?:authorization:\s*)?(?:bearer|basic)\s/i.test(value)) {
    throw new Unauthenticated(sentence`${{ variable }} holds a whole header. Put only the ${label} there, without the word before it.`)
  }
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new Unauthenticated(
      sentence`${{ variable }} contains a space, a line break or a character that no ${label} has. Copy the ${label} again.`,
    )
  }
  return value
}

/**
 * The base URL in an environment variable, without a trailing slash; undefined if it is not set. Throws `Unauthenticated` for anything but
 * https, or http to this machine: a credential would otherwise cross the network in clear text.
 */
export function readBaseUrl(environment: Environment, variable: string): string | undefined {
  const value = environment[variable]
  if (value === undefined) return undefined
  const url = URL.parse(value)
  if (!url) throw new Unauthenticated(sentence`${{ variable }} is not a URL. Set it to one such as https://host/v1, or unset it.`)
  if (url.username !== '' || url.password !== '')
    throw new Unauthenticated(sentence`${{ variable }} must not contain a user name or password.`)
  if (url.search !== '' || url.hash !== '') throw new Unauthenticated(sentence`${{ variable }} must not contain a query or a fragment.`)
  if (!isSecureUrl(value)) {
    throw new Unauthenticated(sentence`${{ variable }} must begin with https:// (http:// is allowed for this machine only).`)
  }
  return url.href.replace(/(?<!\/)\/+$/, '')
}

/** True if no one else on the network can read a request to the URL: it uses https or stays on this machine. */
export function isSecureUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

/** True if a URL's host name refers to this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** Basic authentication with a key as the user name and no password (https://docs.customer.io/api/cdp/#section/Authentication). */
export function basicAuthorization(key: Secret): string {
  return `Basic ${Buffer.from(`${key.reveal()}:`).toString('base64')}`
}

/**
 * A fetch that sends what `authorization` returns with each request, and reaches only `urls`' origins, so that the credential goes
 * nowhere else.
 */
export function withAuthorization(fetch: Fetch, urls: string | readonly string[], authorization: () => string): Fetch {
  const origins = [urls].flat().map((url) => new URL(url).origin)
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
    headers.set('authorization', authorization())
    return fetch(input, { ...init, headers, ...restriction(origins, input, init) })
  }
}

/** A fetch that reaches only the origins of the given URLs and follows no redirects. */
export function restrictOrigins(fetch: Fetch, urls: readonly string[]): Fetch {
  const origins = urls.map((url) => new URL(url).origin)
  return async (input, init) => fetch(input, { ...init, ...restriction(origins, input, init) })
}

/** Throws if the request is for a different origin, or its call has ended. */
function restriction(origins: readonly string[], input: string | URL | Request, init: RequestInit | undefined) {
  const { origin } = new URL(input instanceof Request ? input.url : input)
  if (!origins.includes(origin)) throw new TypeError('A request was about to leave the configured origin.')
  // Passed separately, because a request made from another request loses its signal to garbage collection (nodejs/undici#3644).
  const signal = init?.signal ?? (input instanceof Request ? input.signal : null)
  // The call may have ended while a token was being fetched.
  signal?.throwIfAborted()
  return { redirect: 'manual', signal } as const
}
