import type { Fetch, Secret } from '@mcp-toolkits/core/upstream'
import type { AccountConfig, OAuthProvider, AuthorizationCode, Page, AccountInfo, Login, LoginTarget } from '@mcp-toolkits/server/account'

/** The vendor's accounts that people connect, and this server's registration there. */
export interface VendorAccount {
  readonly config: AccountConfig
  readonly target: LoginTarget
}

/** Steps of people at a link, besides connecting an account. */
export interface ConnectSteps {
  readonly key?: KeyStep
  readonly picker?: PickerStep
}

/** A page on which a person enters an API key. */
export interface KeyStep {
  /** `Customer.io`. */
  readonly vendor: string
  /** Label of the field: `API key of a source`. */
  readonly label: string
  /** Place where a person finds it, in a sentence. */
  readonly hint: string
  /** Finds the account of the key. Throws `Unauthenticated` for a key that the vendor refuses, and `Unavailable`. */
  readonly check: (key: Secret, signal: AbortSignal) => Promise<AccountInfo>
}

/** A page of the vendor on which a person chooses files. */
export interface PickerStep {
  /** The provider with the parameters of its picker. */
  readonly provider: OAuthProvider
  readonly scopes: readonly string[]
  /** Step ahead of the person, in a sentence for the page before it. */
  readonly introduction: string
  /** Completes the choice. Throws typed errors. */
  readonly finish: (choice: PickerChoice, signal: AbortSignal) => Promise<PickerResult>
}

/** Content of a browser's return from a picker. */
export interface PickerChoice {
  readonly query: URLSearchParams
  readonly code: AuthorizationCode
  readonly target: LoginTarget
  /** Login that the person connected before; undefined if there is none. */
  readonly login: Login | undefined
  readonly fetch: Fetch
}

export interface PickerResult {
  /** True if something was chosen that calls can use now. */
  readonly isDone: boolean
  readonly page: Page
}
