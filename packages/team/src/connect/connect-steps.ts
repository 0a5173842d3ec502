import type { Fetch, Secret } from '@mcp-toolkits/core/upstream'
import type { AccountConfig, OAuthProvider, AuthorizationCode, Page, AccountInfo, Login, LoginTarget } from '@mcp-toolkits/server/account'

/** The vendor's accounts that people connect, and this server's registration there. */
export interface VendorAccount {
  readonly config: AccountConfig
  readonly target: LoginTarget
}

/** People's steps at a link, besides connecting an account. */
export interface ConnectSteps {
  readonly key?: KeyStep
  readonly picker?: PickerStep
}

/** A page on which a person enters an API key. */
export interface KeyStep {
  /** Name, such as `Customer.io`. */
  readonly vendor: string
  /** Label of the field, such as `API key of a source`. */
  readonly label: string
  /** Sentence that tells a person where to find the key. */
  readonly hint: string
  /** Finds the key's account. Throws `Unauthenticated` for a key that the vendor refuses, or `Unavailable`. */
  readonly check: (key: Secret, signal: AbortSignal) => Promise<AccountInfo>
}

/** A page at the vendor where a person chooses files. */
export interface PickerStep {
  /** The provider with its picker's parameters. */
  readonly provider: OAuthProvider
  readonly scopes: readonly string[]
  /** Sentence on the person's next step, for the preceding page. */
  readonly introduction: string
  /** Completes the choice. Throws typed errors. */
  readonly finish: (choice: PickerChoice, signal: AbortSignal) => Promise<PickerResult>
}

/** Content of a browser's return from a picker. */
export interface PickerChoice {
  readonly query: URLSearchParams
  readonly code: AuthorizationCode
  readonly target: LoginTarget
  /** The person's already connected login, if any. */
  readonly login: Login | undefined
  readonly fetch: Fetch
}

export interface PickerResult {
  /** True if the person chose anything that calls can use. */
  readonly isDone: boolean
  readonly page: Page
}
