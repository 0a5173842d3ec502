import { withAuthorization, ToolError, type Fetch } from '@mcp-toolkits/core'
import { signedIn, type Account, type Identity, type Provider } from '@mcp-toolkits/core/accounts'
import type { Connection, Settings } from '../definition.ts'
import type { Log } from '../log.ts'
import { credentialsFrom, type AccountSource } from './source.ts'
import { openStored } from './stored.ts'

/** The embedded default has an address too; nothing listens there, its emulator is called directly. */
const embeddedOrigin = 'http://localhost'

/** How long a person waits to be told the account, in milliseconds. */
const statusMs = 10_000

/** A vendor, real or embedded, as whoever the credentials are for. */
export interface Vendor extends Pick<Connection<never>, 'scopes' | 'close'> {
  readonly url: string
  /** Adds the credentials. */
  readonly fetch: Fetch
  /** The login behind it, where it is one. */
  readonly login?: Account
}

export interface VendorOptions {
  readonly provider: Provider
  readonly settings: Settings
  /** In place of `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined
  /** Is told when a login that was renewed cannot be stored. */
  readonly log?: Log | undefined
}

/** Opens the vendor for the account that a server was given; undefined when there is none. Throws `Unauthenticated`. */
export function openVendor(
  source: AccountSource,
  { provider, settings, fetch = globalThis.fetch, log }: VendorOptions,
): Vendor | undefined {
  const credentials = credentialsFrom(source, settings)
  if (!credentials) return undefined
  const { url } = credentials
  if (credentials.kind === 'fixed') {
    return { url, fetch: withAuthorization(fetch, url, credentials.authorization), close: () => Promise.resolve() }
  }
  const login = openStored({ server: source.server, provider, settings, url, fetch, log })
  return { url, fetch: signedIn(fetch, url, login), login, scopes: () => login.login().scopes, close: () => login.settled() }
}

/** A stand-in as a vendor. `path` is where its API begins. */
export function embeddedVendor(
  standIn: { readonly fetch: Fetch; readonly close?: () => void | Promise<void> },
  { path = '', authorization }: { readonly path?: string; readonly authorization: string },
): Vendor {
  const url = `${embeddedOrigin}${path}`
  return { url, fetch: withAuthorization(standIn.fetch, url, authorization), close: async () => standIn.close?.() }
}

/** What `status` says: whom the credentials are for, or why they cannot be used. The vendor is asked, as the tools would. */
export async function statusOf(vendor: string, ask: (signal: AbortSignal) => Promise<Identity>): Promise<Identity> {
  const late = AbortSignal.timeout(statusMs)
  try {
    return await ask(late)
  } catch (error) {
    if (late.aborted) return { problem: `${vendor} did not answer in time.` }
    if (error instanceof ToolError) return { problem: error.message }
    throw error
  }
}
