import type { Fetch } from '@mcp-toolkits/core'
import type { Identity, Provider } from '@mcp-toolkits/core/accounts'
import type { Settings } from '../definition.ts'

/** How a person connects an account to a server. */
export interface SignIn {
  readonly provider: Provider
  /** The variables of the environment that have to do with it. */
  readonly variables: {
    /** The application that asks, as it is registered with the provider. */
    readonly clientId: string
    readonly clientSecret?: string
    /** Where the provider's endpoints are instead. */
    readonly authUrl: string
    /** Credentials that are used instead of a login. */
    readonly before: readonly string[]
  }
  /** How a person gets a client id, in one sentence that says where to register which redirect address. */
  readonly registration: string
  /** The API that a login is for: the one that the environment names, or else the given one or the vendor's own. Throws `Unauthenticated` for an address that cannot be used. */
  readonly apiUrl: (settings: Settings, otherwise?: string) => string
  /** Whom tokens are for. `fetch` has the credential. */
  readonly whoAmI: (api: { readonly fetch: Fetch; readonly url: string }, signal: AbortSignal) => Promise<Identity>
  /** Tools that are called whatever the scopes, for they make do with less. */
  readonly neverRefused: readonly string[]
}
