import type { AccountRef, Clock, PeopleState } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { Page } from '@mcp-toolkits/server/account'
import type { ConnectAttempts, Sessions } from './browser-state.ts'
import type { LinkRecords } from './connect-records.ts'
import type { ConnectSteps, VendorAccount } from './connect-steps.ts'
import type { RecordConnection } from './connection-events.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** What the log of a server takes. Fields hold no texts of people or vendors. */
export interface ConnectLog {
  readonly info: (message: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly error: (message: string, fields?: Readonly<Record<string, unknown>>) => void
}

/** What the pages work with. */
export interface ConnectParts {
  readonly server: { readonly name: string; readonly title: string }
  readonly urls: PublicUrls
  readonly state: PeopleState
  readonly links: LinkRecords
  readonly attempts: ConnectAttempts
  readonly sessions: Sessions
  /** Whether one more form may be sent from where this request comes from. */
  readonly maySend: (request: Request) => boolean
  readonly identityProvider: IdentityProvider
  /** Which claim identifies people, for the log. */
  readonly subjectClaim: string
  readonly account: VendorAccount | undefined
  readonly steps: ConnectSteps
  /** Called when a person has entered or ended a key. Resolves with what they should know, in a sentence. Never rejects. */
  readonly onGrantChange: (account: AccountRef) => Promise<string | undefined>
  /** Where the answers to forms may lead. */
  readonly formTargets: readonly string[]
  readonly fetch: Fetch
  readonly clock: Clock
  readonly log: ConnectLog
  /** Records what people do about their accounts. */
  readonly onConnection: RecordConnection
}

/** How people reach this server. */
export interface PublicUrls {
  readonly origin: string
  readonly host: string
  readonly url: (path: string) => string
}

export function publicUrls(publicUrl: string): PublicUrls {
  const { origin, host } = new URL(publicUrl)
  return { origin, host, url: (path) => `${origin}${path}` }
}

/** What a browser gets: a page, or another address. */
export type Reply = ReplyHeaders & ({ readonly page: Page } | { readonly location: string })

interface ReplyHeaders {
  /** `Set-Cookie` headers. */
  readonly cookies?: readonly string[]
  /** Where the answer to a form of the page may lead, besides this server. */
  readonly formTargets?: readonly string[]
}

/** Paths of pages, and of addresses to which browsers return. */
export const signedInPath = '/connect/signed-in'
export const callbackPath = '/connect/callback'
export const keyPath = '/connect/key'
export const accountsPath = '/accounts'

/** How many accounts of one server a person can connect. */
export const maxProfiles = 10

/** How long a step outside may take a person, in milliseconds. */
export const stepMs = 10 * 60_000
/** The same for choosing files, because finding them takes people a while. */
export const pickerMs = 30 * 60_000
