import { Unauthenticated, Unavailable, type ToolError } from '../errors.ts'
import type { Fetch } from '../http.ts'
import { Secret } from '../credentials.ts'
import { isFields, textIn, type Expiry, type Fields, type Tokens } from './login.ts'
import type { Issuer, IssuerOptions } from './provider.ts'

/** Longest answer that is read, in bytes; one with tokens has a few thousand. */
const longestAnswer = 1024 * 1024

/** How long a provider may take to answer, in milliseconds. */
const answerMs = 10_000

/** Longest time before its end from which on an access token is renewed, in milliseconds. */
const renewMs = 60_000

/** Gets tokens by the protocol as it is written: https://www.rfc-editor.org/rfc/rfc6749 and https://www.rfc-editor.org/rfc/rfc7009 */
export function oauthIssuer(options: IssuerOptions): Issuer {
  const { client, provider, tokenUrl, revocationUrl } = options
  const identified = { client_id: client.id, ...(client.secret && { client_secret: client.secret.reveal() }) }
  return {
    async redeem({ code, verifier, redirectUri }, signal) {
      const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri, ...identified }
      const { status, body } = await post(options, { url: tokenUrl, form, signal })
      if (status !== 200) throw refusal(options, status, body)
      return tokensOf(options, body)
    },
    async renew(refreshToken, signal) {
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken.reveal(), ...identified }
      const { status, body } = await post(options, { url: tokenUrl, form, signal })
      if (status === 200) return tokensOf(options, body)
      if (textIn(body, 'error') === 'invalid_grant') return undefined
      throw refusal(options, status, body)
    },
    async revoke(token, signal) {
      const { status, body } = await post(options, { url: revocationUrl, form: { token: token.reveal(), ...identified }, signal })
      if (status === 200 || textIn(body, 'error') === 'invalid_token') return
      throw new Unavailable(`${provider.name} did not revoke the login (HTTP ${status}).`)
    },
  }
}

interface Post {
  readonly url: string
  readonly form: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Sent once: what a code or a refresh token is good for is used up by the first request that arrives. Follows no redirect. */
async function post({ fetch, provider }: IssuerOptions, { url, form, signal }: Post) {
  const { http } = await import('../http.ts')
  const send = http({
    fetch: bounded(fetch, provider.name),
    vendor: provider.name,
    retryMethods: [],
    attemptMs: answerMs,
    budgetMs: answerMs,
  })
  const headers = { accept: 'application/json' }
  const response = await send(url, { method: 'POST', body: new URLSearchParams(form), headers, signal })
  return { status: response.status, body: parsed(await response.text()) }
}

/** A fetch that reads an answer to its end at once, and stops where it is longer than any could be. */
function bounded(fetch: Fetch, name: string): Fetch {
  return async (input, init) => {
    const { body, status, headers } = await fetch(input, init)
    if (!body) return new Response(null, { status, headers })
    const arriving: AsyncIterable<Uint8Array> = body
    const parts: Uint8Array[] = []
    let bytes = 0
    for await (const part of arriving) {
      bytes += part.byteLength
      if (bytes > longestAnswer) throw new Unavailable(`${name} answered with more than a token.`, { retryable: false })
      parts.push(part)
    }
    return new Response(Buffer.concat(parts), { status, headers })
  }
}

/** Never lets the parser's error out: it quotes the text. */
function parsed(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

function tokensOf({ provider, now }: IssuerOptions, body: Fields): Tokens {
  const access = textIn(body, 'access_token')
  const type = textIn(body, 'token_type') ?? 'bearer'
  if (access === undefined || !isToken(access) || type.toLowerCase() !== 'bearer') {
    throw new Unavailable(`${provider.name} answered without a token that this version can use.`, { retryable: false })
  }
  const refresh = textIn(body, 'refresh_token')
  const expiry = expiryAfter(secondsIn(body['expires_in']), now())
  const scopes = scopesOf(body['scope'])
  return {
    accessToken: new Secret(access),
    ...(refresh !== undefined && { refreshToken: new Secret(refresh) }),
    ...(expiry && { expiry }),
    ...(scopes && { scopes: scopes.map((scope) => provider.spelling?.read(scope) ?? scope) }),
  }
}

/** A number of seconds, which some providers write as text. */
function secondsIn(value: unknown): number {
  if (typeof value === 'string') return /^\d+$/.test(value) ? Number(value) : NaN
  return typeof value === 'number' ? value : NaN
}

/** When a token that lasts so many seconds ends, and from when on it is renewed: a little earlier, for a clock can be wrong. */
export function expiryAfter(seconds: number, now: number): Expiry | undefined {
  if (!Number.isFinite(seconds) || seconds <= 0) return undefined
  const lasts = Math.min(seconds * 1000, 1e13)
  return { at: now + lasts, renewFrom: now + lasts - Math.min(renewMs, lasts / 10) }
}

/** Providers separate scopes by blanks or by commas, or give a list. One that names none has not said. */
function scopesOf(scope: unknown): string[] | undefined {
  const given = Array.isArray(scope) ? scope.filter((each) => typeof each === 'string') : typeof scope === 'string' ? [scope] : []
  const scopes = given.flatMap((each) => each.split(/[\s,]+/)).filter((each) => each !== '')
  return scopes.length > 0 ? scopes : undefined
}

const isToken = (text: string) => /^[\x21-\x7e]+$/.test(text)

/** What a refusal means to the person. Of the provider's words only the code is repeated, which the protocol fixes. */
function refusal({ provider: { name } }: IssuerOptions, status: number, body: Fields): ToolError {
  const code = /^[a-z_]{1,40}$/.exec(textIn(body, 'error') ?? '')?.[0]
  if (status >= 500 || status === 429 || code === undefined)
    return new Unavailable(`${name} answered HTTP ${status} to a request for a token.`)
  if (code === 'invalid_grant') return new Unauthenticated(`${name} refused the code of this sign-in. Sign in again.`)
  if (code === 'invalid_client') return new Unauthenticated(`${name} does not know the client id, or wants its secret too.`)
  return new Unauthenticated(`${name} refused the request for a token (${code}).`)
}
