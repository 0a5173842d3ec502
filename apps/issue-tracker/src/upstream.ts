import { readBaseUrl, readSecret, Secret, Unauthenticated } from '@mcp-toolkits/core'
import type { Settings, Upstream } from '@mcp-toolkits/server'

/** Linear's GraphQL endpoint. https://linear.app/developers/graphql */
const vendorUrl = 'https://api.linear.app/graphql'

/** The key of the embedded default, which only its own emulator takes. */
export const embeddedKey = new Secret('lin_api_embedded')

export interface Account {
  readonly url: string
  /** What goes into the authorization header: a personal key as it is, an OAuth token behind `Bearer`. */
  readonly authorization: string
}

/** The account in the environment; undefined when there is none. Throws `Unauthenticated` for one that cannot be used. */
export function accountOf({ embedded, environment }: Settings): Account | undefined {
  if (embedded) return undefined
  const key = readSecret(environment, 'ISSUE_TRACKER_API_KEY')
  const token = readSecret(environment, 'ISSUE_TRACKER_ACCESS_TOKEN')
  const url = readBaseUrl(environment, 'ISSUE_TRACKER_API_URL')
  if (key) return { url: url ?? vendorUrl, authorization: key.reveal() }
  if (token) return { url: url ?? vendorUrl, authorization: `Bearer ${token.reveal()}` }
  if (url === undefined) return undefined
  throw new Unauthenticated('ISSUE_TRACKER_API_URL is set without a key or token. Set ISSUE_TRACKER_API_KEY too, or neither.')
}

export function upstreamOf(settings: Settings): Upstream {
  const account = accountOf(settings)
  return account ? { kind: 'vendor', url: account.url } : { kind: 'embedded' }
}
