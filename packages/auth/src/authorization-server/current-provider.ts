import type Provider from 'oidc-provider'
import type { AuthorizationParts } from './authorization-parts.ts'
import { openProvider } from './provider.ts'
import type { SigningKeys } from './signing-keys.ts'

/** The protocol with the keys of the moment. It is built again when those change, because the library reads them once. */
export function currentProvider(parts: AuthorizationParts, keys: SigningKeys): () => Promise<Provider> {
  let built: { readonly id: string; readonly provider: Provider } | undefined
  return async () => {
    const set = await keys.current()
    if (built?.id !== set.id) built = { id: set.id, provider: openProvider(parts, set) }
    return built.provider
  }
}
