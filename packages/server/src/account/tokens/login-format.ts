import { isObject, type JsonObject, member, stringMember } from '@mcp-toolkits/core/base'
import { isSecureUrl, Secret } from '@mcp-toolkits/core/upstream'

/** Names by which a person recognizes an account, in the vendor's words: `account`, `workspace`. */
export type AccountInfo = Readonly<Record<string, string>>

/** An application, as it is registered with a provider. */
export interface ClientRegistration {
  readonly id: string
  readonly secret?: Secret
}

/** Application, provider and API of a login. */
export interface LoginTarget {
  readonly client: ClientRegistration
  readonly authorizationUrl: string
  /** Tokens are sent to these two endpoints and to the API, and nowhere else. */
  readonly tokenUrl: string
  readonly revocationUrl: string
  readonly apiUrl: string
}

/** In milliseconds since 1970. */
export interface TokenExpiry {
  readonly expiresAt: number
  /** A little earlier than the end, because clocks differ. */
  readonly refreshAt: number
}

export interface Tokens {
  readonly accessToken: Secret
  /** Absent if the provider issues none: the login then ends with its access token. */
  readonly refreshToken?: Secret
  /** Absent when the provider does not say. */
  readonly expiry?: TokenExpiry
}

/** Login of a person, as it is stored. */
export interface Login extends LoginTarget {
  readonly account: AccountInfo
  /** Identifies the account if the vendor did not name it. Absent in a login of an earlier version until its tokens are replaced. */
  readonly accountId?: string
  /** Absent when they are not known. */
  readonly scopes?: readonly string[]
  /** Absent once the provider has ended the login. */
  readonly tokens?: Tokens
}

/** A login that the provider has not ended. */
export type ActiveLogin = Login & { readonly tokens: Tokens }

/** True if the tokens of a login may be sent to `url`: to its API, or to the provider that issued them. */
export function canSendTokensTo({ apiUrl, tokenUrl }: Pick<Login, 'apiUrl' | 'tokenUrl'>, url: string): boolean {
  const { origin } = new URL(url)
  return [apiUrl, tokenUrl].some((known) => URL.parse(known)?.origin === origin)
}

/** The login as JSON. Only this and requests reveal its secrets. */
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

/** The login that `encodeLogin` wrote; undefined for anything else, and for one whose URLs would expose its tokens. */
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
