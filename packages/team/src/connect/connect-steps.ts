import type { Fetch, Secret } from '@mcp-toolkits/core/upstream'
import type { AccountConfig, OAuthProvider, AuthorizationCode, Page, AccountInfo, Login, LoginTarget } from '@mcp-toolkits/server/account'

/** The vendor's accounts that people connect, and this server's registration there. */
export interface VendorAccount {
  readonly config: AccountConfig
  readonly target: LoginTarget
}

/** What people of one server do at a link besides connecting an account. */
export interface ConnectSteps {
  readonly key?: KeyStep
  readonly picker?: PickerStep
}

/** A page on which a person enters an API key. */
export interface KeyStep {
  /** `Customer.io`. */
  readonly vendor: string
  /** What the field is for: `API key of a source`. */
  readonly label: string
  /** Where a person finds it, in a sentence. */
  readonly hint: string
  /** Whose key it is. Throws `Unauthenticated` for a key that the vendor refuses, and `Unavailable`. */
  readonly check: (key: Secret, signal: AbortSignal) => Promise<AccountInfo>
}

/** A page of the vendor on which a person chooses files. */
export interface PickerStep {
  /** The provider with the parameters of its picker. */
  readonly provider: OAuthProvider
  readonly scopes: readonly string[]
  /** What a person is asked to do, in a sentence for the page that comes before. */
  readonly introduction: string
  /** Completes the choice. Throws typed errors. */
  readonly finish: (choice: PickerChoice, signal: AbortSignal) => Promise<PickerResult>
}

/** What the browser returned with from a picker. */
export interface PickerChoice {
  readonly query: URLSearchParams
  readonly code: AuthorizationCode
  readonly target: LoginTarget
  /** What the person connected before; undefined when they have not. */
  readonly login: Login | undefined
  readonly fetch: Fetch
}

export interface PickerResult {
  /** Whether something was chosen that calls can use now. */
  readonly isDone: boolean
  readonly page: Page
}
