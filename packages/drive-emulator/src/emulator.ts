import { defineEmulator, type Emulator, type EmulatorListener } from '@mcp-toolkits/emulator'
import { openGrants, type GrantRules } from '@mcp-toolkits/emulator/oauth'
import type { Store, StoreClock } from '@mcp-toolkits/store'
import { driveRules } from './rules.ts'
import { openContentStore } from './files/content.ts'
import { grantItemsToApp } from './items.ts'
import { createReaders, type DriveReaders, mailTable, mutationTable } from './readers.ts'
import { localClient, type GoogleClient } from './oauth/tokens.ts'
import { openPickerRegistry, isPickerPath, type PickerSession, type PickerRequest, type PickerRegistry } from './picker/pickers.ts'
import { noQuirks, type Quirks } from './session.ts'
import { describeRequest, redactForLog, operationName, routes } from './routes.ts'
import { addItems, seedEmpty } from './seed/empty.ts'
import { seedDrive, type ItemSeed, type DriveSeed, createSeedBuilder } from './seed/builder.ts'
import { seedStorage } from './seed/storage.ts'
import { migrations } from './schema.ts'
import { openQuotaMeter } from './quota.ts'
import { isContentUpload } from './uploads/uploads.ts'

export interface DriveEmulatorOptions {
  /** Path of the database; in memory by default. Content is stored beside it, or in a temporary directory. */
  readonly file?: string
  /** The clock, as `Date.now`. */
  readonly now?: () => number
  /** Waits while another process has the database locked; the system's clock when absent. */
  readonly clock?: StoreClock
  /** Seed data of a new account: a few years' worth of files, or none. */
  readonly seed?: 'storage' | 'empty'
  /** The OAuth access token that is accepted: `drive-emulator` when absent. */
  readonly accessToken?: string
  /** Scope of the access token; `drive` by default. */
  readonly scopes?: readonly string[]
  /** Further tokens of the same person, each with its scopes. */
  readonly tokens?: Readonly<Record<string, readonly string[]>>
  /** OAuth clients; one for programs on this machine by default. */
  readonly clients?: readonly GoogleClient[]
  /** Lifetime of access tokens in seconds; an hour by default. */
  readonly accessTokenSeconds?: number
  /** Storage limit in bytes: 15 GiB by default, null for none. */
  readonly storageLimit?: number | null
  /** Occasional behavior to switch on. */
  readonly quirks?: Partial<Quirks>
}

/** Options of a picker opened without OAuth. */
export interface OpenPickerOptions extends Partial<Omit<PickerRequest, 'redirectUrl' | 'redirectOrigin'>> {
  /** Lifetime in milliseconds; half an hour by default. */
  readonly lifetimeMs?: number
  /** Ends the picker without an answer. */
  readonly signal?: AbortSignal
}

/** An open picker and its URL. */
export interface OpenedPicker extends Pick<PickerSession, 'expiresAt' | 'done'> {
  /** An unguessable URL on loopback, valid until the picker ends. */
  readonly url: string
}

/** Google Drive on this machine. */
export interface DriveEmulator extends Emulator<DriveReaders> {
  /** Adds many files and folders to My Drive. */
  readonly addFiles: (count: number) => void
  /** Adds an item without a request and returns its id. */
  readonly addItem: (item: ItemSeed) => string
  /** Adds a shared drive without a request and returns its id. */
  readonly addDrive: (drive: DriveSeed) => string
  /** Grants items to the app, as the file picker does. */
  readonly grant: (...ids: readonly string[]) => void
  /** Opens the emulator's file picker for a browser on this machine; picked items are granted to the app. */
  readonly openPicker: (options?: OpenPickerOptions) => Promise<OpenedPicker>
  /** Expires an access token. */
  readonly expire: (token?: string) => void
  /** Can be changed at any time. */
  readonly quirks: Quirks
}

/**
 * An emulator of Google Drive's v3 API: persistent, and as strict as Drive.
 */
export function driveEmulator({
  file,
  now = Date.now,
  clock,
  seed = 'storage',
  quirks: wanted,
  ...rest
}: DriveEmulatorOptions = {}): DriveEmulator {
  const { accessToken = 'drive-emulator', scopes = ['drive'], storageLimit = 15 * 1024 ** 3 } = rest
  const { clients = [localClient], accessTokenSeconds: accessTokenLasts = 3600 } = rest
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
    ...(clock && { clock }),
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
    streams: isContentUpload,
    facts: describeRequest,
    redactUrl: redactForLog,
    build({ store }) {
      opened = store
      const grants = openGrants(store, rules)
      const tokens = { fixed, scopesOf: (token: string) => grants.findAccessToken(token)?.scopes }
      const app = routes({
        store,
        contents,
        now,
        tokens,
        quirks,
        meter,
        storageLimit,
        pendingCompletions: new Map(),
        clients,
        grants,
        pickers,
      })
      return { routes: app, readers: createReaders(store, meter), tables: [mutationTable(store), mailTable(store)] }
    },
  })
  const store = () => {
    if (opened === undefined) throw new Error('The emulator is not open.')
    return opened
  }
  return {
    ...emulator,
    quirks,
    ...createSeeders(store, now),
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

/** Ways to change the drive without a request. */
const createSeeders = (store: () => Store, now: () => number): Pick<DriveEmulator, 'addFiles' | 'addItem' | 'addDrive' | 'grant'> => ({
  addFiles(count) {
    addItems(store(), { count, now: now() })
  },
  addItem: (item) => store().writeNow(() => createSeedBuilder(store(), now()).addItem(item)),
  addDrive: (drive) => store().writeNow(() => seedDrive(createSeedBuilder(store(), now()), drive)),
  grant(...ids) {
    store().writeNow(() => {
      grantItemsToApp(store(), ids)
    })
  },
})

/** Prefixes of Google's codes and tokens. */
const prefixes = { code: '4/0A', access: 'ya29.a0', refresh: '1//0' } as const

/** Opens pickers on their own listener, which lives as long as the emulator. */
function createPickerOpener(pickers: PickerRegistry, listen: () => Promise<EmulatorListener>): DriveEmulator['openPicker'] {
  let listening: Promise<EmulatorListener> | undefined
  return async ({ lifetimeMs, signal, ...request } = {}) => {
    listening ??= listen().catch((error: unknown) => {
      listening = undefined
      throw error
    })
    const { url } = await listening
    const defaults = { app: 'this program', multiple: true, folders: true, mimeTypes: [], fileIds: [] }
    const { path, expiresAt, done, end } = pickers.open({ ...defaults, ...request }, lifetimeMs)
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
