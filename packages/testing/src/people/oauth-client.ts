import { createHash, randomBytes } from 'node:crypto'
import { isObject, parseJson, stringMember } from '@mcp-toolkits/core/base'
import { openBrowser, type PersonBrowser } from './person-browser.ts'

/** Address to which the client's code is sent; nothing listens there. */
export const redirectUri = 'http://127.0.0.1:33333/callback'

/** Form parameters by name; undefined ones are left out. */
export type FormParameters = Readonly<Record<string, string | undefined>>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Empty for a response without JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface OAuthClientOptions {
  /** The authorization server. */
  readonly issuer: string
  readonly clientId: string
  readonly resource: string
  readonly scope: string
}

/** An OAuth client whose parameters a test can change. */
export function oauthClient({ issuer, clientId, resource, scope }: OAuthClientOptions) {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const token = (parameters: FormParameters) => post(`${issuer}/oauth/token`, { client_id: clientId, ...parameters })
  const authorizationUrl = (changes: FormParameters = {}) => {
    const url = new URL(`${issuer}/oauth/authorize`)
    const usual = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope, resource, state: 'state-of-the-client' }
    const parameters: FormParameters = { ...usual, code_challenge: challenge, code_challenge_method: 'S256', ...changes }
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
    return url.href
  }
  /** Signs in as a person and consents; returns the parameters that the browser brings back to the client. */
  const authorize = async (person: string, changes: FormParameters = {}, browser = newBrowser()) => {
    const page = await browser.walk(authorizationUrl(changes), ({ url }) => (url.startsWith(issuer) ? {} : { person }))
    return new URL(page.url).searchParams
  }
  const redeem = (code: string, changes: FormParameters = {}) =>
    token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier, resource, ...changes })
  return {
    authorizationUrl,
    authorize,
    redeem,
    token,
    refresh: (refreshToken: string, changes: FormParameters = {}) =>
      token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes }),
    present: (assertion: string, changes: FormParameters = {}) =>
      token({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion, resource, scope, ...changes }),
    revoke: (refreshToken: string, changes: FormParameters = {}) =>
      post(`${issuer}/oauth/revoke`, { client_id: clientId, token: refreshToken, ...changes }),
    /** Signs a person in. Throws if no tokens are issued. */
    async signIn(person: string) {
      const code = (await authorize(person)).get('code') ?? ''
      const { body } = await redeem(code)
      return tokensIn(body)
    },
  }
}

/** A browser that stops at the client's redirect URI. */
export const newBrowser = (): PersonBrowser => openBrowser({ stopsAt: (url) => url.startsWith(redirectUri) })

/** The tokens in a response. Throws if there are none. */
export function tokensIn(body: Answer['body']) {
  const [access, refresh] = [stringMember(body, 'access_token'), stringMember(body, 'refresh_token')]
  if (access === undefined || refresh === undefined) throw new Error(`There are no tokens: ${JSON.stringify(body)}`)
  return { access, refresh }
}

/** Registers a client, and resolves with the response. */
export async function register(issuer: string, metadata: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(metadata) }
  return answerOf(await fetch(`${issuer}/oauth/register`, init))
}

async function post(url: string, parameters: FormParameters): Promise<Answer> {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
  return answerOf(await fetch(url, { method: 'POST', body: new URLSearchParams(given) }))
}

async function answerOf(response: Response): Promise<Answer> {
  const body = parseJson(await response.text())
  return { status: response.status, headers: response.headers, body: isObject(body) ? body : {} }
}
