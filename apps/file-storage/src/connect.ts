import path from 'node:path'
import { authorized, type Fetch } from '@mcp-toolkits/core'
import { Identities } from '@mcp-toolkits/core/identities'
import type { Connection, ConnectOptions, Emulation, Settings } from '@mcp-toolkits/server'
import type { Context } from './context.ts'
import { areasOf } from './drive/areas.ts'
import { driveClient } from './drive/client.ts'
import { inTurn } from './drive/in-turn.ts'
import { newIds } from './drive/new-ids.ts'
import { accountOf, embeddedToken, type Account } from './upstream.ts'

/** The embedded default has an address too; nothing listens there, its emulator is called directly. */
const embeddedUrl = 'http://localhost'

/** A vendor, real or embedded. */
interface Vendor extends Account {
  readonly fetch: Fetch
  readonly close: () => void | Promise<void>
}

/** Connects to the account in the environment, or else to the embedded default. Throws `Unauthenticated`. */
export async function connect(settings: Settings, { fetch }: ConnectOptions = {}): Promise<Connection<Context>> {
  const { url, token, ...vendor } = await vendorOf(settings, fetch)
  const drive = driveClient({ fetch: authorized(vendor.fetch, url, `Bearer ${token.reveal()}`), url })
  return {
    context: { drive, areas: areasOf(drive), newItems: new Identities({ mint: newIds(drive) }), sharing: inTurn() },
    status: () => Promise.resolve({}),
    close: async () => {
      await vendor.close()
    },
  }
}

async function vendorOf(settings: Settings, fetch: Fetch | undefined): Promise<Vendor> {
  const account = accountOf(settings)
  const close = () => undefined
  if (account) return { ...account, fetch: fetch ?? globalThis.fetch, close }
  const emulation = fetch ? { fetch, close } : await embedded(settings)
  return { url: embeddedUrl, token: embeddedToken, fetch: emulation.fetch, close: () => emulation.close() }
}

/** The vendor's stand-in on this machine, with its data in the data directory. Loaded only where it is used. */
export async function embedded({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<Emulation> {
  const { driveEmulator } = await import('@mcp-toolkits/drive-emulator')
  return driveEmulator({ file: path.join(dataDirectory, 'file-storage', 'drive.db'), accessToken: embeddedToken.reveal() })
}
