import path from 'node:path'
import { authorized, type Fetch } from '@mcp-toolkits/core'
import { signedIn, type Account as SignedInAccount } from '@mcp-toolkits/core/accounts'
import type { DriveEmulator } from '@mcp-toolkits/drive-emulator'
import type { Connection, ConnectOptions, Settings } from '@mcp-toolkits/server'
import { openStored } from '@mcp-toolkits/server/accounts'
import type { Context } from './context.ts'
import { personOf, type Person } from './person.ts'
import { signIn } from './sign-in.ts'
import { accountOf, embeddedToken, name } from './upstream.ts'

/** The embedded default has an address too; nothing listens there, its emulator is called directly. */
const embeddedUrl = 'http://localhost'

/** The vendor's stand-in on this machine. */
export type StandIn = Pick<DriveEmulator, 'fetch' | 'listen' | 'openPicker' | 'close'>

export interface VendorOptions extends ConnectOptions {
  /** The stand-in for a server without an account; the one in the data directory when absent. */
  readonly standIn?: {
    readonly open: (settings: Settings) => Promise<StandIn>
    /** What the embedded token may do there. */
    readonly scopes: readonly string[]
  }
}

/** A vendor, real or embedded, as whoever the credentials are for. */
export interface Vendor extends Pick<Connection<Context>, 'scopes' | 'close'> {
  readonly url: string
  /** Adds the credentials. */
  readonly fetch: Fetch
  readonly who: () => Person
  /** The login behind it, where it is one. */
  readonly login?: SignedInAccount
  /** The stand-in behind it, where it is one. */
  readonly standIn?: StandIn
}

/** The account in the environment or the stored login, or else the embedded default. Throws `Unauthenticated`. */
export async function vendorOf(
  settings: Settings,
  { fetch, standIn = { open: embedded, scopes: ['drive'] } }: VendorOptions,
): Promise<Vendor> {
  const account = accountOf(settings)
  const nobodyElse = () => ({ account: '', scopes: [] })
  if (!account) {
    const opened = fetch ? undefined : await standIn.open(settings)
    const send = opened?.fetch ?? fetch ?? globalThis.fetch
    return {
      url: embeddedUrl,
      fetch: authorized(send, embeddedUrl, `Bearer ${embeddedToken.reveal()}`),
      who: nobodyElse,
      ...(opened && { standIn: opened, scopes: () => standIn.scopes }),
      close: async () => {
        await opened?.close()
      },
    }
  }
  const below = fetch ?? globalThis.fetch
  const { url } = account
  if (account.kind === 'fixed') {
    const close = () => Promise.resolve()
    return { url, fetch: authorized(below, url, `Bearer ${account.token.reveal()}`), who: nobodyElse, close }
  }
  const login = openStored({ server: name, provider: signIn.provider, settings, url, fetch: below })
  return {
    url,
    fetch: signedIn(below, url, login),
    who: () => personOf(login.login()),
    login,
    scopes: () => login.login().scopes,
    close: () => login.settled(),
  }
}

/** The vendor's stand-in, with its data in the data directory. Loaded only where it is used. */
export async function embedded({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<StandIn> {
  const { driveEmulator } = await import('@mcp-toolkits/drive-emulator')
  return driveEmulator({ file: path.join(dataDirectory, 'file-storage', 'drive.db'), accessToken: embeddedToken.reveal() })
}
