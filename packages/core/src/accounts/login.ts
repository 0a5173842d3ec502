import { isSecureUrl, Secret } from '../credentials.ts'

/** By what a person recognises an account, in words of the vendor: `account`, `workspace`. */
export type Identity = Readonly<Record<string, string>>

/** What a provider gives out: https://www.rfc-editor.org/rfc/rfc6749#section-5.1 */
export interface Tokens {
  readonly accessToken: Secret
  /** Absent where nothing renews the access token, and in a renewal that leaves the old one in force. */
  readonly refreshToken?: Secret
  /** When the access token ends and from when on it is renewed, in milliseconds since 1970; absent when the provider does not say. */
  readonly expiry?: Expiry
  /** Absent when the provider does not say. */
  readonly scopes?: readonly string[]
}

export interface Expiry {
  readonly at: number
  readonly renewFrom: number
}

/** The application that asks, as the provider knows it. */
export interface Client {
  readonly id: string
  readonly secret?: Secret
}

/** An account that a person signed in to, and all that is needed to go on using it. */
export interface Login {
  readonly client: Client
  /** Where a person consented to it. */
  readonly authorizationUrl: string
  /** Where its tokens are renewed and revoked. They are sent there and to `apiUrl`, and nowhere else. */
  readonly tokenUrl: string
  readonly revocationUrl: string
  /** The API that it is for. */
  readonly apiUrl: string
  readonly identity: Identity
  /** Absent when they are not known. */
  readonly scopes?: readonly string[]
  /** Absent once the provider has ended the login. */
  readonly tokens?: Omit<Tokens, 'scopes'>
}

/** Whether the tokens of a login may be sent to a URL: to the API that it was made for, or to whoever gave them out. */
export function isFor({ apiUrl, tokenUrl }: Pick<Login, 'apiUrl' | 'tokenUrl'>, url: string): boolean {
  const { origin } = new URL(url)
  return [apiUrl, tokenUrl].some((known) => URL.parse(known)?.origin === origin)
}

/** JSON whose values have yet to be looked at. */
export type Fields = Readonly<Record<string, unknown>>

/** The login as it is stored. The one place besides a request where its secrets are spelled out. */
export function encode({ client, identity, scopes, tokens, ...addresses }: Login): Fields {
  return {
    client_id: client.id,
    ...(client.secret && { client_secret: client.secret.reveal() }),
    authorization_url: addresses.authorizationUrl,
    token_url: addresses.tokenUrl,
    revocation_url: addresses.revocationUrl,
    api_url: addresses.apiUrl,
    identity,
    ...(scopes && { scopes }),
    ...(tokens && {
      access_token: tokens.accessToken.reveal(),
      ...(tokens.refreshToken && { refresh_token: tokens.refreshToken.reveal() }),
      ...(tokens.expiry && { expires_at: written(tokens.expiry.at), renew_from: written(tokens.expiry.renewFrom) }),
    }),
  }
}

/** The login that `encode` wrote; undefined for anything else, and for one whose addresses would show its tokens to others. */
export function decode(stored: unknown): Login | undefined {
  if (!isFields(stored)) return undefined
  const text = (name: string) => textIn(stored, name)
  const [id, apiUrl] = [text('client_id'), text('api_url')]
  const [authorizationUrl, tokenUrl, revocationUrl] = ['authorization_url', 'token_url', 'revocation_url'].map(text)
  if (id === undefined || apiUrl === undefined) return undefined
  if (authorizationUrl === undefined || tokenUrl === undefined || revocationUrl === undefined) return undefined
  if (![apiUrl, authorizationUrl, tokenUrl, revocationUrl].every(isSecureUrl)) return undefined
  const secret = text('client_secret')
  const identity = isFields(stored['identity']) ? stored['identity'] : {}
  const scopes = stored['scopes']
  const tokens = tokensIn(stored)
  return {
    client: { id, ...(secret !== undefined && { secret: new Secret(secret) }) },
    authorizationUrl,
    tokenUrl,
    revocationUrl,
    apiUrl,
    identity: Object.fromEntries(Object.entries(identity).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))),
    ...(Array.isArray(scopes) && { scopes: scopes.filter((scope) => typeof scope === 'string') }),
    ...(tokens && { tokens }),
  }
}

function tokensIn(stored: Fields): Login['tokens'] {
  const access = textIn(stored, 'access_token')
  if (access === undefined) return undefined
  const refresh = textIn(stored, 'refresh_token')
  const [at = NaN, renewFrom = NaN] = ['expires_at', 'renew_from'].map((name) => Date.parse(textIn(stored, name) ?? ''))
  return {
    accessToken: new Secret(access),
    ...(refresh !== undefined && { refreshToken: new Secret(refresh) }),
    ...(!Number.isNaN(at) && { expiry: { at, renewFrom: Number.isNaN(renewFrom) ? at : renewFrom } }),
  }
}

const written = (moment: number) => new Date(moment).toISOString()

/** Whether a value is an object with named fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text that is there and not empty. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
