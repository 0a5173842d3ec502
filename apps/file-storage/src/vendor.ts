import path from 'node:path'
import type { DriveEmulator } from '@mcp-toolkits/drive-emulator'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import { embeddedVendor, openVendor, type Vendor } from '@mcp-toolkits/server/vendor'
import { personOf, type Person } from './person.ts'
import { signIn } from './sign-in.ts'
import { embeddedToken, source } from './upstream.ts'

/** The vendor's stand-in on this machine. */
export type StandIn = Pick<DriveEmulator, 'fetch' | 'listen' | 'openPicker' | 'close'>

export interface DriveOptions extends ConnectOptions {
  /** The stand-in for a server without an account; the one in the data directory when absent. */
  readonly standIn?: {
    readonly open: (settings: Settings) => Promise<StandIn>
    /** What the embedded token may do there. */
    readonly scopes: readonly string[]
  }
}

/** Google Drive, real or embedded, as whoever the credentials are for. */
export interface Drive extends Vendor {
  readonly who: () => Person
  /** The stand-in behind it, where it is one. */
  readonly standIn?: StandIn
}

/** The account in the environment or the stored login, or else the embedded default. Throws `Unauthenticated`. */
export async function openDrive(settings: Settings, options: DriveOptions): Promise<Drive> {
  const vendor = openVendor(source, { provider: signIn.provider, settings, fetch: options.fetch, log: options.log })
  if (!vendor) return openEmbedded(settings, options)
  const { login } = vendor
  return { ...vendor, who: login ? () => personOf(login.login()) : nobodyElse }
}

async function openEmbedded(settings: Settings, { fetch, standIn = { open: embedded, scopes: ['drive'] } }: DriveOptions): Promise<Drive> {
  const authorization = `Bearer ${embeddedToken.reveal()}`
  if (fetch) return { ...embeddedVendor({ fetch }, { authorization }), who: nobodyElse }
  const opened = await standIn.open(settings)
  return { ...embeddedVendor(opened, { authorization }), who: nobodyElse, standIn: opened, scopes: () => standIn.scopes }
}

/** Credentials that stay the same are one person's, whoever that is. */
function nobodyElse(): Person {
  return { account: '', scopes: [] }
}

/** The vendor's stand-in, with its data in the data directory. Loaded only where it is used. */
export async function embedded({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<StandIn> {
  const { driveEmulator } = await import('@mcp-toolkits/drive-emulator')
  return driveEmulator({ file: path.join(dataDirectory, source.server, 'drive.db'), accessToken: embeddedToken.reveal() })
}
