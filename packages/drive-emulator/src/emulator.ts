import { defineEmulator, type Emulator, type Listening } from '@mcp-toolkits/emulator'
import { openGrants, type GrantRules } from '@mcp-toolkits/emulator/oauth'
import type { Store } from '@mcp-toolkits/store'
import { driveRules } from './rules.ts'
import { openContentStore } from './files/content.ts'
import { grantItemsToApp } from './items.ts'
import { createReaders, type DriveReaders, mailTable, mutationTable } from './readers.ts'
import { localClient, type GoogleClient } from './oauth/tokens.ts'
import { openPickerRegistry, isPickerPath, type PickerSession, type PickerRequest, type PickerRegistry } from './picker/pickers.ts'
import { noQuirks, type Quirks } from './quirks.ts'
import { describeRequest, redactForLog, operationName, routes } from './routes.ts'
import { addItems, seedEmpty } from './seed/empty.ts'
import { seedDrive, type SeededItem, type SeededDrive, createSeedBuilder } from './seed/builder.ts'
import { seedStorage } from './seed/storage.ts'
import { migrations } from './schema.ts'
import { openQuotaMeter } from './quota.ts'

export interface DriveEmulatorOptions {
  /** Path of the database; in memory when absent. The contents lie beside it, or in a temporary directory. */
  readonly file?: string
  /** The clock, as `Date.now`. */
  readonly now?: () => number
  /** What a new account holds: what someone has gathered in years, or nothing. */
  readonly seed?: 'storage' | 'empty'
  /** The OAuth access token that is accepted: `drive-emulator` when absent. */
  readonly accessToken?: string
  /** What the access token may do, such as `drive.file`; `drive` when absent. */
  readonly scopes?: readonly string[]
  /** Further tokens of the same person, each with its scopes. */
  readonly tokens?: Readonly<Record<string, readonly string[]>>
  /** The applications that may ask a person for access; one for programs on this machine when absent. */
  readonly clients?: readonly GoogleClient[]
  /** How long an access token that was granted is good, in seconds; an hour when absent. */
  readonly accessTokenLasts?: number
  /** How many bytes My Drive may hold: 15 GiB when absent, null for no limit. */
  readonly storageLimit?: number | null
  /** What to do every time that Drive does at times. */
  readonly quirks?: Partial<Quirks>
}

/** How a picker is opened without an application that asks over OAuth. */
export interface PickerOptions extends Partial<Omit<PickerRequest, 'onward' | 'returning'>> {
  /** How long it can be answered, in milliseconds; half an hour when absent. */
  readonly lasts?: number
  /** Ends it unanswered. */
  readonly signal?: AbortSignal
}

/** A picker, and where a person finds it. */
export interface OpenedPicker extends Pick<PickerSession, 'expiresAt' | 'done'> {
  /** On loopback; nobody can guess it, and it answers until the picker has ended. */
  readonly url: string
}

/** Google Drive on this machine. */
export interface DriveEmulator extends Emulator<DriveReaders> {
  /** Adds files and folders to My Drive, many at once; for tests of size. */
  readonly addFiles: (count: number) => void
  /** Puts an item into the drive without a request, and returns its id. */
  readonly plant: (item: SeededItem) => string
  /** Makes a shared drive without a request, and returns its id. */
  readonly plantDrive: (drive: SeededDrive) => string
  /** Gives the app items, as the file picker does. */
  readonly grant: (...ids: readonly string[]) => void
  /** Opens the emulator's own file picker to a browser on this machine: what is chosen there is given to the app. */
  readonly openPicker: (options?: PickerOptions) => Promise<OpenedPicker>
  /** Lets an access token expire, one from the start or one that was granted. */
  readonly expire: (token?: string) => void
  /** Can be changed at any time. */
  readonly quirks: Quirks
}

/**
 * Google Drive's v3 API on this machine: a small drive that persists, and that refuses what Drive refuses.
 */
export function driveEmulator({
  file,
  now = Date.now,
  seed = 'storage',
  quirks: wanted,
  ...rest
}: DriveEmulatorOptions = {}): DriveEmulator {
  const { accessToken = 'drive-emulator', scopes = ['drive'], storageLimit = 15 * 1024 ** 3 } = rest
  const { clients = [localClient], accessTokenLasts = 3600 } = rest
  const fixed = new Map<string, readonly string[]>([[accessToken, scopes], ...Object.entries(rest.tokens ?? {})])
  const quirks: Quirks = { ...noQuirks, ...wanted }
  const contents = openContentStore(file)
  const meter = openQuotaMeter()
  const pickers = openPickerRegistry(now)
  let opened: Store | undefined
  const rules: GrantRules = { now, prefixes, accessToken: accessTokenLasts, refreshGrace: null, revokes: 'client' }
  const emulator = defineEmulator<DriveReaders>({
    service: 'Google Drive',
    ...(file !== undefined && { file }),
    now,
    migrations,
    seed(store) {
      contents.empty()
      meter.reset()
      pickers.endAll()
      seedEmpty(store, now())
      if (seed === 'storage') seedStorage(store, now())
    },
    rules: driveRules,
    operation: operationName,
    facts: describeRequest,
    logged: redactForLog,
    build({ store }) {
      opened = store
      const grants = openGrants(store, rules)
      const tokens = { fixed, granted: (token: string) => grants.held(token)?.scopes }
      const app = routes({ store, contents, now, tokens, quirks, meter, storageLimit, ending: new Map(), clients, grants, pickers })
      return { routes: app, readers: createReaders(store, meter), listings: [mutationTable(store), mailTable(store)] }
    },
  })
  const store = () => {
    if (opened === undefined) throw new Error('The emulator is not open.')
    return opened
  }
  return {
    ...emulator,
    quirks,
    ...seeders(store, now),
    expire(token = accessToken) {
      fixed.delete(token)
      openGrants(store(), rules).expire(token)
    },
    openPicker: createPickerOpener(pickers, () => emulator.listen({ serves: isPickerPath })),
    async close() {
      pickers.endAll()
      await emulator.close()
      contents.close()
    },
  }
}

/** What changes the drive without a request. */
const seeders = (store: () => Store, now: () => number): Pick<DriveEmulator, 'addFiles' | 'plant' | 'plantDrive' | 'grant'> => ({
  addFiles(count) {
    addItems(store(), { count, now: now() })
  },
  plant: (item) => store().write(() => createSeedBuilder(store(), now()).plant(item)),
  plantDrive: (drive) => store().write(() => seedDrive(createSeedBuilder(store(), now()), drive)),
  grant(...ids) {
    grantItemsToApp(store(), ids)
  },
})

/** What Google's codes and tokens begin with. */
const prefixes = { code: '4/0A', access: 'ya29.a0', refresh: '1//0' } as const

/** Opens pickers on a listener that serves nothing else, and that lasts as long as the emulator. */
function createPickerOpener(pickers: PickerRegistry, listen: () => Promise<Listening>): DriveEmulator['openPicker'] {
  let listening: Promise<Listening> | undefined
  return async ({ lasts, signal, ...wanted } = {}) => {
    listening ??= listen().catch((error: unknown) => {
      listening = undefined
      throw error
    })
    const { url } = await listening
    const usual = { app: 'this program', multiple: true, folders: true, mimeTypes: [], fileIds: [] }
    const { path, expiresAt, done, end } = pickers.open({ ...usual, ...wanted }, lasts)
    const stop = () => {
      end({ outcome: 'ended' })
    }
    signal?.addEventListener('abort', stop)
    if (signal?.aborted === true) stop()
    void done.then(() => {
      signal?.removeEventListener('abort', stop)
    })
    return { url: url + path, expiresAt, done }
  }
}
