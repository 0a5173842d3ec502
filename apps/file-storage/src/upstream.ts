import { readBaseUrl, readSecret, Secret, Unauthenticated } from '@mcp-toolkits/core'
import type { Settings, Upstream } from '@mcp-toolkits/server'

/** Where Google's APIs listen; `drive/v3/…` and `upload/drive/v3/…` follow. https://developers.google.com/workspace/drive/api/reference/rest/v3 */
const vendorUrl = 'https://www.googleapis.com'

/** The access token of the embedded default, which only its own emulator takes. */
export const embeddedToken = new Secret('drive-embedded')

export interface Account {
  /** The root of the API, without a slash at the end. */
  readonly url: string
  readonly token: Secret
}

/** The account in the environment; undefined when there is none. Throws `Unauthenticated` for one that cannot be used. */
export function accountOf({ embedded, environment }: Settings): Account | undefined {
  if (embedded) return undefined
  const token = readSecret(environment, 'FILE_STORAGE_ACCESS_TOKEN')
  const url = readBaseUrl(environment, 'FILE_STORAGE_API_URL')
  if (token) return { url: url ?? vendorUrl, token }
  if (url === undefined) return undefined
  throw new Unauthenticated('FILE_STORAGE_API_URL is set without a token. Set FILE_STORAGE_ACCESS_TOKEN too, or neither.')
}

export function upstreamOf(settings: Settings): Upstream {
  const account = accountOf(settings)
  return account ? { kind: 'vendor', url: account.url } : { kind: 'embedded' }
}
