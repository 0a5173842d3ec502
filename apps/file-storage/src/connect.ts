import path from 'node:path'
import { guardedFetch } from '@mcp-toolkits/core/guarded-fetch'
import { IdempotencyKeys } from '@mcp-toolkits/core/idempotency'
import type { Connection, Settings } from '@mcp-toolkits/server'
import { privateHosts } from '@mcp-toolkits/server/private-hosts'
import { statusOf } from '@mcp-toolkits/server/vendor'
import type { Context } from './context.ts'
import { getPermissionId } from './drive/about.ts'
import { areasOf } from './drive/areas.ts'
import { driveClient } from './drive/client.ts'
import { Downloads } from './drive/downloads.ts'
import { inTurn } from './drive/in-turn.ts'
import { newIds } from './drive/new-ids.ts'
import { perPerson, whoIsAt, type Person } from './person.ts'
import { filePicker } from './file-picker.ts'
import { signIn } from './sign-in.ts'
import { KeptUploads } from './upload/kept-uploads.ts'
import { privateUrlsVariable } from './upstream.ts'
import { openDrive, type Drive, type DriveOptions } from './vendor.ts'

/** Below a client's patience, as every wait for others is. */
const sourceLimits = { headersMs: 20_000, idleMs: 25_000 }

/** Connects to the account in the environment or to the stored login, or else to the embedded default. Throws `Unauthenticated`. */
export async function connect(settings: Settings, options: DriveOptions = {}): Promise<Connection<Context>> {
  const vendor = await openDrive(settings, options)
  const drive = driveClient(vendor)
  const picker = filePicker({ settings, vendor, ...options })
  const context = perPerson(vendor.who, (person) => contextFor(person, { settings, vendor, drive, picker }))
  return {
    get context() {
      return context()
    },
    ...(vendor.scopes && { scopes: vendor.scopes }),
    pendingPages: picker.waiting,
    status: () => statusOf(signIn.provider.name, (signal) => whoIsAt(vendor, signal)),
    async close() {
      await picker.close()
      await vendor.close()
    },
  }
}

interface Surroundings extends Pick<Context, 'drive' | 'picker'> {
  readonly settings: Settings
  readonly vendor: Drive
}

/** What the tools work with. All that is remembered in it is one person's, and is gone when another one signs in. */
function contextFor({ account }: Person, { settings, vendor: { url }, drive, picker }: Surroundings): Context {
  const newId = newIds(drive)
  return {
    drive,
    picker,
    areas: areasOf(drive),
    newId,
    newItems: new IdempotencyKeys({ createKey: newId }),
    sharing: inTurn(),
    downloads: new Downloads(),
    fetchSource: guardedFetch({ allowPrivate: privateHosts(settings, privateUrlsVariable).hosts, limits: sourceLimits }),
    keptUploads: new KeptUploads({
      directory: path.join(settings.dataDirectory, 'file-storage', 'uploads'),
      // Of a fixed token nobody has said whose it is.
      owner: account === '' ? () => getPermissionId(drive) : account,
      vendor: url,
    }),
  }
}
