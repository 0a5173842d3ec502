import { Unauthenticated } from '@mcp-toolkits/core/errors'
import { readBaseUrl, readSecret, Secret } from '@mcp-toolkits/core/upstream'
import type { Settings, Upstream } from '@mcp-toolkits/server'

/** The built-in emulator's key. */
export const embeddedKey = new Secret('sample-server-emulator')

/** The account in the environment; undefined without one. Throws `Unauthenticated` if it is unusable. */
export function accountOf({ embedded, environment }: Settings): { readonly url: string; readonly key: Secret } | undefined {
  if (embedded) return undefined
  const key = readSecret(environment, 'SAMPLE_SERVER_API_KEY')
  const url = readBaseUrl(environment, 'SAMPLE_SERVER_API_URL')
  if (key) return { key, url: url ?? 'https://api.sample-server.example/v1' }
  if (url === undefined) return undefined
  throw new Unauthenticated('SAMPLE_SERVER_API_URL is set without SAMPLE_SERVER_API_KEY.')
}

export function upstreamOf(settings: Settings): Upstream {
  const account = accountOf(settings)
  return account ? { kind: 'vendor', url: account.url } : { kind: 'embedded' }
}
