import { isObject, type JsonObject, member, stringMember } from '@mcp-toolkits/core/base'
import { isSecureUrl, Secret } from '@mcp-toolkits/core/upstream'

/** Names by which a person recognizes an account, each under the vendor's word for it, such as `account` or `workspace`. */
export type AccountInfo = Readonly<Record<string, string>>

/** An application, as registered with a provider. */
export interface ClientRegistration {
  readonly id: string
  readonly secret?: Secret
}

/** The application, provider and API that a login is for. */
export interface LoginTarget {
  readonly client: ClientRegistration
  readonly authorizationUrl: string
  /** Tokens are sent only to these two endpoints and to the API. */
  readonly tokenUrl: string
  readonly revocationUrl: string
  readonly apiUrl: string
}

/** Times in milliseconds since 1970. */
export interface TokenExpiry {
  readonly expiresAt: number
  /** Slightly before the actual expiry, because clocks differ. */
  readonly refreshAt: number
}

export interface Tokens {
  readonly accessToken: Secret
  /** Absent if the provider issues no refresh token: the login then ends with its access token. */
  readonly refreshToken?: Secret
  /** Absent if the provider does not say when the access token expires. */
  readonly expiry?: TokenExpiry
}

/** A person's login, as stored. */
export interface Login extends LoginTarget {
  readonly account: AccountInfo
  /** Identifies the account if the vendor did not name it. Absent from an earlier version's login until its tokens are replaced. */
  readonly accountId?: string
  /** Absent if unknown. */
  readonly scopes?: readonly string[]
  /** Absent once the provider has ended the login. */
  readonly tokens?: Tokens
}

/** A login that the provider has not ended. */
export type ActiveLogin = Login & { readonly tokens: Tokens }

/** True if a login's tokens may be sent to `url`: to its API, or to the provider that issued them. */
export function canSendTokensTo({ apiUrl, tokenUrl }: Pick<Login, 'apiUrl' | 'tokenUrl'>, url: string): boolean {
  const { origin } = new URL(url)
  return [apiUrl, tokenUrl].some((known) => URL.parse(known)?.origin === origin)
}

/** The login as JSON. Only this function and requests reveal the login's secrets. */
export function encodeLogin({ client, account, accountId, scopes, tokens, ...urls }: Login): JsonObject {
  return {
    client_id: client.id,
    ...(client.secret && { client_secret: client.secret.reveal() }),
    authorization_url: urls.authorizationUrl,
    token_url: urls.tokenUrl,
    revocation_url: urls.revocationUrl,
    api_url: urls.apiUrl,
    identity: account,
    ...(accountId !== undefined && { account_id: accountId }),
    ...(scopes && { scopes }),
    ...(tokens && {
      access_token: tokens.accessToken.reveal(),
      ...(tokens.refreshToken && { refresh_token: tokens.refreshToken.reveal() }),
      ...(tokens.expiry && { expires_at: isoTime(tokens.expiry.expiresAt), renew_from: isoTime(tokens.expiry.refreshAt) }),
    }),
  }
}

/** Reads what `encodeLogin` wrote; undefined for anything else, and for a login whose URLs would expose its tokens. */
export function decodeLogin(stored: unknown): Login | undefined {
  const text = (name: string) => stringMember(stored, name)
  const [id, apiUrl, authorizationUrl] = [text('client_id'), text('api_url'), text('authorization_url')]
  const [tokenUrl, revocationUrl, secret] = [text('token_url'), text('revocation_url'), text('client_secret')]
  if (id === undefined || apiUrl === undefined || authorizationUrl === undefined) return undefined
  if (tokenUrl === undefined || revocationUrl === undefined) return undefined
  if (![apiUrl, authorizationUrl, tokenUrl, revocationUrl].every(isSecureUrl)) return undefined
  const accountId = text('account_id')
  const scopes = member(stored, 'scopes')
  const tokens = decodeTokens(stored)
  return {
    client: { id, ...(secret !== undefined && { secret: new Secret(secret) }) },
    authorizationUrl,
    tokenUrl,
    revocationUrl,
    apiUrl,
    account: decodeAccount(member(stored, 'identity')),
    ...(accountId !== undefined && { accountId }),
    ...(Array.isArray(scopes) && { scopes: scopes.filter((scope) => typeof scope === 'string') }),
    ...(tokens && { tokens }),
  }
}

/** Facts about an account; empty if none are known. */
export function decodeAccount(stored: unknown): AccountInfo {
  const entries = Object.entries(isObject(stored) ? stored : {})
  return Object.fromEntries(entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))
}

function decodeTokens(stored: unknown): Tokens | undefined {
  const accessToken = stringMember(stored, 'access_token')
  if (accessToken === undefined) return undefined
  const refreshToken = stringMember(stored, 'refresh_token')
  const expiresAt = Date.parse(stringMember(stored, 'expires_at') ?? '')
  const refreshAt = Date.parse(stringMember(stored, 'renew_from') ?? '')
  return {
    accessToken: new Secret(accessToken),
    ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
    ...(!Number.isNaN(expiresAt) && { expiry: { expiresAt, refreshAt: Number.isNaN(refreshAt) ? expiresAt : refreshAt } }),
  }
}

const isoTime = (moment: number) => new Date(moment).toISOString()
