import { readBaseUrl, readSecret, Secret, Unauthenticated } from '@mcp-toolkits/core'
import type { Settings, Upstream } from '@mcp-toolkits/server'
import { loginUrl, storedLogin } from '@mcp-toolkits/server/accounts'

/** Under this name the server keeps its logins. */
export const name = 'file-storage'

/** Where Google's APIs listen; `drive/v3/…` and `upload/drive/v3/…` follow. https://developers.google.com/workspace/drive/api/reference/rest/v3 */
const vendorUrl = 'https://www.googleapis.com'

/** The access token of the embedded default, which only its own emulator takes. */
export const embeddedToken = new Secret('drive-embedded')

/** Credentials, and the root of the API where they are good, without a slash at the end. */
export type Account =
  | { readonly kind: 'fixed'; readonly url: string; readonly token: Secret }
  /** What somebody signed in to, which changes while the server runs. */
  | { readonly kind: 'login'; readonly url: string }

/**
 * The account to use: the token in the environment, or else the stored login; undefined when there is none. Throws `Unauthenticated` for
 * one that cannot be used.
 */
export function accountOf(settings: Settings): Account | undefined {
  const { embedded, environment } = settings
  if (embedded) return undefined
  const token = readSecret(environment, 'FILE_STORAGE_ACCESS_TOKEN')
  const url = readBaseUrl(environment, 'FILE_STORAGE_API_URL')
  if (token) return { kind: 'fixed', url: url ?? vendorUrl, token }
  const login = storedLogin(name, settings)
  if (login) return { kind: 'login', url: loginUrl(login, url) }
  if (url === undefined) return undefined
  throw new Unauthenticated(
    'FILE_STORAGE_API_URL is set without a token or a login. Set FILE_STORAGE_ACCESS_TOKEN too, sign in, or unset it.',
  )
}

export function upstreamOf(settings: Settings): Upstream {
  const account = accountOf(settings)
  return account ? { kind: 'vendor', url: account.url } : { kind: 'embedded' }
}

/** The API that a new login is for. Throws `Unauthenticated` for one that cannot be used. */
export function apiUrlOf({ environment }: Pick<Settings, 'environment'>): string {
  return readBaseUrl(environment, 'FILE_STORAGE_API_URL') ?? vendorUrl
}
