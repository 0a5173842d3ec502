import { readBaseUrl, Unauthenticated, type Environment } from '@mcp-toolkits/core'
import type { Settings, Upstream } from '../definition.ts'
import { loginUrl, storedLogin } from './stored-login.ts'

/** Where a server finds its account: in the environment, or else in the login that a person left behind. */
export interface AccountSource {
  /** The name of the server, under which its logins are kept. */
  readonly server: string
  readonly api: {
    /** The vendor's own address. */
    readonly url: string
    /** The variable that names another one. */
    readonly variable: string
  }
  /** What goes into the authorization header; undefined when the environment says nothing. Throws `Unauthenticated`. */
  readonly authorization: (environment: Environment) => string | undefined
  /** The variable that a person is told to set. */
  readonly variable: string
}

/** Credentials, and where they are good. */
export type Credentials =
  /** What goes into the authorization header. */
  | { readonly kind: 'fixed'; readonly url: string; readonly authorization: string }
  /** What somebody signed in to, which changes while the server runs. */
  | { readonly kind: 'login'; readonly url: string }

/** The credentials to use; undefined when there are none. Throws `Unauthenticated` for some that cannot be used. */
export function credentialsFrom(source: AccountSource, settings: Settings): Credentials | undefined {
  const { embedded, environment } = settings
  if (embedded) return undefined
  const { server, api, variable } = source
  const authorization = source.authorization(environment)
  const url = readBaseUrl(environment, api.variable)
  if (authorization !== undefined) return { kind: 'fixed', url: url ?? api.url, authorization }
  const login = storedLogin(server, settings)
  if (login) return { kind: 'login', url: loginUrl(login, url) }
  if (url === undefined) return undefined
  throw new Unauthenticated(`${api.variable} is set without credentials. Set ${variable} too, sign in, or unset it.`)
}

/** Where calls go, without opening anything. */
export function upstreamFrom(source: AccountSource, settings: Settings): Upstream {
  const credentials = credentialsFrom(source, settings)
  return credentials ? { kind: 'vendor', url: credentials.url } : { kind: 'embedded' }
}

/** The address that a new login is for. Throws `Unauthenticated` for one that cannot be used. */
export function apiUrlFrom(
  { api }: Pick<AccountSource, 'api'>,
  { environment }: Pick<Settings, 'environment'>,
  otherwise: string = api.url,
): string {
  return readBaseUrl(environment, api.variable) ?? otherwise
}
