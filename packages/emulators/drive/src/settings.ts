import type { StoreClock } from '@mcp-toolkits/sqlite'
import type { GoogleServiceAccount } from './oauth/service-accounts.ts'
import type { GoogleClient } from './oauth/tokens.ts'
import type { DriveSeedData } from './seed/schema.ts'
import type { DriveSeedName } from './seed/seeds.ts'
import type { Quirks } from './session/session.ts'

export interface DriveEmulatorOptions extends DriveSettings {
  /** Path of the database; in memory by default. Content is stored beside it, or in a temporary directory. */
  readonly file?: string
  /** A clock like `Date.now`. */
  readonly now?: () => number
  /** Clock for waits while another process has the database locked; the system clock by default. */
  readonly clock?: StoreClock
  /** A new account's content; `company` by default. A database with data keeps its data. */
  readonly seed?: DriveSeedName | DriveSeedData
}

/** Behaviour of the emulated Drive. */
export interface DriveSettings {
  /** The accepted OAuth access token: `drive-emulator` by default. */
  readonly accessToken?: string
  /** Scope of the access token; `drive` by default. */
  readonly scopes?: readonly string[]
  /** More tokens for the first person, each with its scopes. */
  readonly tokens?: Readonly<Record<string, readonly string[]>>
  /** OAuth clients; one for programs on this machine by default. */
  readonly clients?: readonly GoogleClient[]
  /** Accounts for programs that get tokens with a signed assertion; none by default. */
  readonly serviceAccounts?: readonly GoogleServiceAccount[]
  /** Lifetime of access tokens in seconds; an hour by default. */
  readonly accessTokenSeconds?: number
  /** Storage limit in bytes: 15 GiB by default, null for none. */
  readonly storageLimit?: number | null
  /**
   * Target of links in results. `vendor`, the default: Google's pages, in the form that programs expect; they are useless to people.
   * `workspace`: the emulator's pages while it listens; otherwise there are no links.
   */
  readonly links?: 'vendor' | 'workspace'
  /** Occasional behaviour to switch on. */
  readonly quirks?: Partial<Quirks>
  /** Hosts to which notifications may be sent, besides this machine: `hooks.example`, or `hooks.example:8443`. */
  readonly webhooksTo?: readonly string[]
  /** Waits before a notification is retried; uses the system clock by default. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}
