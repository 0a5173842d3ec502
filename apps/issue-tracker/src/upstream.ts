import { readBaseUrl, readSecret, Secret, Unauthenticated } from '@mcp-toolkits/core'
import type { Settings, Upstream } from '@mcp-toolkits/server'
import { loginUrl, storedLogin } from '@mcp-toolkits/server/accounts'

/** Under this name the server keeps its logins. */
export const name = 'issue-tracker'

/** Linear's GraphQL endpoint. https://linear.app/developers/graphql */
const vendorUrl = 'https://api.linear.app/graphql'

/** The key of the embedded default, which only its own emulator takes. */
export const embeddedKey = new Secret('lin_api_embedded')

/** Credentials, and where they are good. */
export type Account =
  /** What goes into the authorization header: a personal key as it is, an OAuth token behind `Bearer`. */
  | { readonly kind: 'fixed'; readonly url: string; readonly authorization: string }
  /** What somebody signed in to, which changes while the server runs. */
  | { readonly kind: 'login'; readonly url: string }

/**
 * The account to use: the key or the token in the environment, or else the stored login; undefined when there is none. Throws
 * `Unauthenticated` for one that cannot be used.
 */
export function accountOf(settings: Settings): Account | undefined {
  const { embedded, environment } = settings
  if (embedded) return undefined
  const key = readSecret(environment, 'ISSUE_TRACKER_API_KEY')
  const token = readSecret(environment, 'ISSUE_TRACKER_ACCESS_TOKEN')
  const url = readBaseUrl(environment, 'ISSUE_TRACKER_API_URL')
  if (key) return { kind: 'fixed', url: url ?? vendorUrl, authorization: key.reveal() }
  if (token) return { kind: 'fixed', url: url ?? vendorUrl, authorization: `Bearer ${token.reveal()}` }
  const login = storedLogin(name, settings)
  if (login) return { kind: 'login', url: loginUrl(login, url) }
  if (url === undefined) return undefined
  throw new Unauthenticated(
    'ISSUE_TRACKER_API_URL is set without a key, a token or a login. Set ISSUE_TRACKER_API_KEY too, sign in, or unset it.',
  )
}

export function upstreamOf(settings: Settings): Upstream {
  const account = accountOf(settings)
  return account ? { kind: 'vendor', url: account.url } : { kind: 'embedded' }
}

/** The endpoint that a new login is for. Throws `Unauthenticated` for one that cannot be used. */
export function apiUrlOf({ environment }: Pick<Settings, 'environment'>): string {
  return readBaseUrl(environment, 'ISSUE_TRACKER_API_URL') ?? vendorUrl
}
