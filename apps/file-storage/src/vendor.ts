import path from 'node:path'
import { type AuthorizedUpstream, embeddedUpstream, openUpstream } from '@mcp-toolkits/auth/upstream'
import type { DriveEmulator } from '@mcp-toolkits/drive-emulator'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import { account, embeddedToken } from './account.ts'
import { personOf, type Person } from './person.ts'

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

/** Google Drive, real or embedded, with the credentials of this server. */
export interface Drive extends AuthorizedUpstream {
  readonly currentPerson: () => Promise<Person>
  /** The stand-in behind it, where it is one. */
  readonly standIn?: StandIn
}

/** The account in the environment or the stored login, or else the embedded default. Throws `Unauthenticated`. */
export async function openDrive(settings: Settings, options: DriveOptions): Promise<Drive> {
  const upstream = openUpstream(account, settings, options)
  if (!upstream) return openEmbedded(settings, options)
  const { tokens } = upstream
  return { ...upstream, currentPerson: tokens ? async () => personOf(await tokens.login()) : onlyPerson }
}

async function openEmbedded(settings: Settings, { fetch, standIn = { open: embedded, scopes: ['drive'] } }: DriveOptions): Promise<Drive> {
  const authorization = `Bearer ${embeddedToken.reveal()}`
  if (fetch) return { ...embeddedUpstream({ fetch }, { authorization }), currentPerson: onlyPerson }
  const opened = await standIn.open(settings)
  return {
    ...embeddedUpstream(opened, { authorization }),
    currentPerson: onlyPerson,
    standIn: opened,
    scopes: () => Promise.resolve(standIn.scopes),
  }
}

/** Credentials that never change belong to one person. */
function onlyPerson(): Promise<Person> {
  return Promise.resolve({ account: '', scopes: [] })
}

/** The vendor's stand-in, with its data in the data directory. Loaded only where it is used. */
export async function embedded({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<StandIn> {
  const { driveEmulator } = await import('@mcp-toolkits/drive-emulator')
  return driveEmulator({ file: path.join(dataDirectory, account.server, 'drive.db'), accessToken: embeddedToken.reveal() })
}
