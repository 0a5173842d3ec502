import { toObject, type JsonObject } from '@mcp-toolkits/emulator'
import { hash, randomBytes } from 'node:crypto'
import type { DriveEmulatorOptions, GoogleClient } from '../src/index.ts'
import { connected } from './connected.ts'

export const base = 'https://www.googleapis.com/auth/'
export const redirectUri = 'http://127.0.0.1:51234/back/here'

/** Applications with a secret, without one, and on the web. */
export const desktop: GoogleClient = { kind: 'installed', id: 'desktop', name: 'A <b>desktop</b>', secret: 'GOCSPX-hush' }
export const phone: GoogleClient = { kind: 'installed', id: 'phone', name: 'A phone' }
export const site: GoogleClient = {
  kind: 'web',
  id: 'site',
  name: 'A site',
  secret: 'whisper',
  redirectUris: ['https://site.example/back'],
}

export interface BrowserResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** Target of the redirect; empty if there is none. */
  readonly location: string
}

/** Fields of a query or a form; undefined ones are not sent. */
export type Sendable = Readonly<Record<string, string | undefined>>

function sendable(values: Sendable): URLSearchParams {
  const sent = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) sent.set(name, value)
  return sent
}

/** Sends a request as a browser on this machine does, without following redirects. */
export async function browse(
  url: string,
  { origin, form }: { origin?: string; form?: FormData | URLSearchParams } = {},
): Promise<BrowserResponse> {
  const headers = origin === undefined ? {} : { origin }
  const response = await fetch(url, { redirect: 'manual', headers, ...(form && { method: 'POST', body: form }) })
  const location = response.headers.get('location') ?? ''
  return { status: response.status, headers: response.headers, body: await response.text(), location }
}

/** The ticket on a page. */
export const ticketIn = (page: string): string => /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? ''

/** A listening emulator, with functions that act as a browser and an application. */
export async function consenting(options: DriveEmulatorOptions = {}) {
  const emulator = connected({ clients: [desktop, phone, site], ...options })
  const { url } = await emulator.listen()
  const page = `${url}/o/oauth2/v2/auth`
  const verifier = randomBytes(32).toString('base64url')
  const asked = {
    client_id: 'desktop',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: `${base}drive.file`,
    access_type: 'offline',
    state: 'st&te',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  }
  const open = (changed: Sendable = {}) => browse(`${page}?${sendable({ ...asked, ...changed }).toString()}`)
  const answer = (ticket: string, { decision = 'allow', scopes = [], origin = url, person }: Answer = {}) => {
    const form = new URLSearchParams({ ticket, decision, ...(person !== undefined && { person }) })
    for (const scope of scopes) form.append('scope', scope)
    return browse(page, { form, origin })
  }
  /** Consents as a person, and returns the redirect's URL. */
  const consent = async (changed: Sendable = {}, answered: Answer = {}) => {
    const { location } = await answer(ticketIn((await open(changed)).body), answered)
    return new URL(location, url)
  }
  const post = async (path: string, body: URLSearchParams | string) => {
    const response = await emulator.fetch(`https://oauth2.googleapis.com${path}`, { method: 'POST', body })
    return { status: response.status, headers: response.headers, ...toObject(await response.json()) }
  }
  const known = { client_id: 'desktop', client_secret: 'GOCSPX-hush' }
  const exchange = async (code: string | null, changed: Sendable = {}): Promise<JsonObject> =>
    post(
      '/token',
      sendable({
        grant_type: 'authorization_code',
        ...known,
        redirect_uri: redirectUri,
        code: code ?? '',
        code_verifier: verifier,
        ...changed,
      }),
    )
  return {
    ...emulator,
    url,
    open,
    answer,
    consent,
    exchange,
    /** The tokens after consenting to every requested scope. */
    login: async (changed: Sendable = {}, person?: string) => {
      const scopes = (changed['scope'] ?? asked.scope).split(' ')
      const tokens = await exchange((await consent(changed, { scopes, ...(person !== undefined && { person }) })).searchParams.get('code'))
      return { ...tokens, access: String(tokens['access_token']), refresh: String(tokens['refresh_token']) }
    },
    refresh: (token: string, changed: Sendable = {}): Promise<JsonObject> =>
      post('/token', sendable({ grant_type: 'refresh_token', ...known, refresh_token: token, ...changed })),
    revoke: (token: string): Promise<JsonObject> => post('/revoke', new URLSearchParams({ token })),
    post,
    /** The status of an API request that needs `drive.file`. */
    use: async (token: string) => (await emulator.send('GET /files', { token })).status,
  }
}

/** A person's choices on the page. */
export interface Answer {
  readonly decision?: string
  /** Scopes that are left ticked. */
  readonly scopes?: readonly string[]
  readonly origin?: string
  /** The person's email address; if absent, the preselected account. */
  readonly person?: string
}
