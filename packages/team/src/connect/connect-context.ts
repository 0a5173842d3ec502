import type { AccountRef, Clock, PeopleState } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { Page } from '@mcp-toolkits/server/account'
import type { ConnectAttempts, Sessions } from './browser-state.ts'
import type { LinkRecords } from './connect-records.ts'
import type { ConnectSteps, VendorAccount } from './connect-steps.ts'
import type { RecordConnection } from './connection-events.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** A server's log. Fields contain no text from people or vendors. */
export interface ConnectLog {
  readonly info: (message: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly error: (message: string, fields?: Readonly<Record<string, unknown>>) => void
}

/** Dependencies of all pages for people. */
export interface PageParts {
  readonly server: { readonly name: string; readonly title: string }
  readonly urls: PublicUrls
  readonly state: PeopleState
  /** True if the sender of this request may submit one more form. */
  readonly maySend: (request: Request) => boolean
  readonly identityProvider: IdentityProvider
  /** The claim in the identity provider's tokens that identifies the person. */
  readonly subjectClaim: string
  /** Addresses that responses to forms may redirect to, besides this server. */
  readonly formTargets: readonly string[]
  readonly clock: Clock
  readonly log: ConnectLog
}

/** Dependencies of the pages on which people connect accounts. */
export interface ConnectParts extends PageParts {
  readonly links: LinkRecords
  readonly attempts: ConnectAttempts
  readonly sessions: Sessions
  readonly account: VendorAccount | undefined
  readonly steps: ConnectSteps
  /** Called when a person has entered or removed a key. Resolves with a sentence for the person, if any. Never rejects. */
  readonly onGrantChange: (account: AccountRef) => Promise<string | undefined>
  readonly fetch: Fetch
  /** Records people's changes to their accounts. */
  readonly onConnection: RecordConnection
}

/** This server's addresses for people. */
export interface PublicUrls {
  readonly origin: string
  readonly host: string
  readonly url: (path: string) => string
}

export function publicUrls(publicUrl: string): PublicUrls {
  const { origin, host } = new URL(publicUrl)
  return { origin, host, url: (path) => `${origin}${path}` }
}

/**
 * Identity providers send people on to a company's sign-in page, which only the provider knows, so any https page may follow. Over http,
 * only pages at the given addresses on this machine may follow.
 */
export function formTargets(urls: readonly string[]): string[] {
  const local = urls.map((url) => new URL(url)).filter(({ protocol }) => protocol === 'http:')
  return ['https:', ...new Set(local.map(({ origin }) => origin))]
}

/** Reply to a browser: a page, or an address to go to. */
export type Reply = ReplyHeaders & ({ readonly page: Page } | { readonly location: string })

interface ReplyHeaders {
  /** `Set-Cookie` headers. */
  readonly cookies?: readonly string[]
  /** Addresses that the response to the page's form may redirect to, besides this server. */
  readonly formTargets?: readonly string[]
}

/** Paths of pages, and of addresses that browsers return to. */
export const signedInPath = '/connect/signed-in'
export const callbackPath = '/connect/callback'
export const keyPath = '/connect/key'
export const accountsPath = '/accounts'

/** Maximum number of accounts that a person can connect to one server. */
export const maxProfiles = 10

/** Time, in milliseconds, that a person has for a step on another site. */
export const stepMs = 10 * 60_000
/** Time, in milliseconds, that a person has to choose files, which takes longer. */
export const pickerMs = 30 * 60_000
