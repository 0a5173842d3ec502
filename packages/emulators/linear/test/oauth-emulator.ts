import { hash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { onTestFinished } from 'vitest'
import { linearEmulator, type LinearEmulatorOptions, type LinearClient } from '../src/index.ts'
import { toObject, type JsonObject } from '@mcp-toolkits/emulator'

/** An application without a secret. */
export const publicClient: LinearClient = { id: 'cli', name: 'A <b>client</b>', redirectUris: ['http://127.0.0.1/callback'] }
export const secretClient: LinearClient = {
  id: 'web',
  name: 'A site',
  secret: 'hush',
  redirectUris: ['https://site.example/back'],
  scopesAsArray: true,
}

export const redirectUri = 'http://127.0.0.1:51234/callback'

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
}

export interface Returned {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The redirect's URL; empty without a redirect. */
  readonly location: string
  readonly body: string
}

/** The fields of a form or a query; undefined ones are not sent. */
type Sendable = Readonly<Record<string, string | undefined>>

function sendable(values: Sendable): URLSearchParams {
  const sent = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) sent.set(name, value)
  return sent
}

/** Sends a request like a browser on this machine, with any `Host`, without following redirects. */
export function browse(url: string, { headers = {}, form }: Sent = {}): Promise<Returned> {
  return new Promise((resolve, reject) => {
    const method = form === undefined ? 'GET' : 'POST'
    const sent = request(url, { method, headers: { ...headers } }, (response) => {
      const parts: Uint8Array[] = []
      response.on('data', (part: Uint8Array) => parts.push(part))
      response.on('end', () => {
        const { statusCode = 0, headers: responseHeaders } = response
        resolve({
          status: statusCode,
          headers: responseHeaders,
          location: responseHeaders.location ?? '',
          body: Buffer.concat(parts).toString(),
        })
      })
    })
    sent.on('error', reject).end(form === undefined ? undefined : new URLSearchParams(form).toString())
  })
}

/** A listening emulator, with functions that act as a browser and an application. */
export async function openOAuthEmulator(options: LinearEmulatorOptions = {}) {
  let time = Date.parse('2026-09-16T12:00:00Z')
  const emulator = linearEmulator({ seed: 'edge-cases', now: () => time, clients: [publicClient, secretClient], ...options })
  onTestFinished(emulator.close)
  const { url } = await emulator.listen()
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    client_id: 'cli',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'read,write',
    state: 'st&te',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  }
  /** Opens the consent page. */
  const open = (changed: Sendable = {}, headers: Readonly<Record<string, string>> = {}) =>
    browse(`${url}/oauth/authorize?${sendable({ ...parameters, ...changed }).toString()}`, { headers })
  const answer = (ticket: string, decision = 'allow', headers: Readonly<Record<string, string>> = { origin: url }) =>
    browse(`${url}/oauth/authorize`, { form: { ticket, decision }, headers })
  /** Consents as a person, or as the preselected one. */
  const consentAs = async (person: string | undefined, changed: Sendable = {}) => {
    const ticket = ticketIn((await open(changed)).body)
    const form = { ticket, decision: 'allow', ...(person !== undefined && { person }) }
    const { location } = await browse(`${url}/oauth/authorize`, { form, headers: { origin: url } })
    return new URL(location).searchParams
  }
  /** Consents and returns the redirect's URL. */
  const consent = async (changed: Sendable = {}) => {
    const { location } = await answer(ticketIn((await open(changed)).body))
    return new URL(location)
  }
  const token = async (form: Sendable) => {
    const response = await emulator.fetch('https://api.linear.app/oauth/token', { method: 'POST', body: sendable(form) })
    return { status: response.status, headers: response.headers, ...toObject(await response.json()) }
  }
  const exchange = async (code: string | null, changed: Sendable = {}): Promise<JsonObject> =>
    token({
      grant_type: 'authorization_code',
      client_id: 'cli',
      redirect_uri: redirectUri,
      code: code ?? '',
      code_verifier: verifier,
      ...changed,
    })
  return {
    ...emulator,
    url,
    open,
    answer,
    consent,
    consentAs,
    token,
    exchange,
    loginAs: emulator.login,
    /** Consents to scopes and returns the tokens. */
    login: async (scope = 'read,write') => {
      const pair = await exchange((await consent({ scope })).searchParams.get('code'))
      return { ...pair, access: String(pair['access_token']), refresh: String(pair['refresh_token']) }
    },
    refresh: (refreshToken: string, changed: Sendable = {}): Promise<JsonObject> =>
      token({ grant_type: 'refresh_token', client_id: 'cli', refresh_token: refreshToken, ...changed }),
    revoke: (body: string | URLSearchParams) => emulator.fetch('https://api.linear.app/oauth/revoke', { method: 'POST', body }),
    /** The status of an operation with a token. */
    use: async (accessToken: string, query = '{ viewer { id } }') => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` }
      const response = await emulator.fetch('https://api.linear.app/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })
      return response.status
    },
    pass: (milliseconds: number) => {
      time += milliseconds
    },
  }
}

/** The ticket on a consent page. */
export const ticketIn = (page: string): string => /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? ''
