import { defineEmulator, type Emulator, type EmulatorListener, type HasDatabase, type ReceivedRequest } from '@mcp-toolkits/emulator'
import { type GrantRules, type IssuedTokens, openGrants } from '@mcp-toolkits/emulator/oauth'
import type { Store } from '@mcp-toolkits/sqlite'
import { describeRequest, operationName, redactForLog, routes } from './api/routes.ts'
import { mutationTable } from './changes/mutations.ts'
import { type Notifier, openNotifier } from './changes/notifications.ts'
import { type ContentStore, openContentStore } from './content/content.ts'
import { openQuotaMeter } from './http/quota.ts'
import { localClient } from './oauth/tokens.ts'
import { firstViewer, insertPerson, personByAddress } from './people/people.ts'
import type { PickerRequest } from './oauth/authorization.ts'
import { isPickerPath, openPickerRegistry, type PickerRegistry, type PickerSession } from './picker/pickers.ts'
import { createReaders, type DriveReaders } from './readers.ts'
import { driveRules } from './rules/index.ts'
import { createSeedBuilder, type DriveSeed, type ItemSeed, seedDrive } from './seed/builder.ts'
import { addItems } from './seed/account.ts'
import { fillDrive } from './seed/seeds.ts'
import { noQuirks, type Quirks } from './session/session.ts'
import type { DriveEmulatorOptions, DriveSettings } from './settings.ts'
import { openAccount } from './sharing/accounts.ts'
import { mailTable } from './sharing/mails.ts'
import { shareItemsWithApp } from './store/items.ts'
import { migrations } from './store/migrations.ts'
import { grantee, seenBy } from './store/viewers.ts'
import { isContentUpload } from './uploads/uploads.ts'

/** Options of a picker opened without OAuth. */
export interface OpenPickerOptions extends Partial<Omit<PickerRequest, 'redirectUrl' | 'redirectOrigin' | 'viewer'>> {
  /** Lifetime, in milliseconds; half an hour by default. */
  readonly lifetimeMs?: number
  /** Ends the picker without an answer. */
  readonly signal?: AbortSignal
}

/** An open picker and its URL. */
export interface OpenedPicker extends Pick<PickerSession, 'expiresAt' | 'done'> {
  /** An unguessable URL on loopback, valid until the picker ends. */
  readonly url: string
}

export interface LoginOptions {
  /** The client for programs on this machine by default. */
  readonly clientId?: string
  /** Scopes, with their URL prefix; `drive` by default. */
  readonly scopes?: readonly string[]
}

/** Google Drive on this machine. */
export interface DriveEmulator extends Emulator<DriveReaders> {
  /** Adds many files and folders to My Drive. */
  readonly addFiles: (count: number) => void
  /** Adds an item without a request and returns its id. */
  readonly addItem: (item: ItemSeed) => string
  /** Adds a shared drive without a request and returns its id. */
  readonly addDrive: (drive: DriveSeed) => string
  /** Shares items with the app, as the file picker does for picked items. */
  readonly shareWithApp: (...ids: readonly string[]) => void
  /** Opens the emulator's file picker for a browser on this machine; picked items are shared with the app. */
  readonly openPicker: (options?: OpenPickerOptions) => Promise<OpenedPicker>
  /** Adds a person who can consent. */
  readonly addPerson: (person: { readonly name: string; readonly email: string }) => void
  /** Issues tokens to a person, as consent would. */
  readonly login: (email: string, options?: LoginOptions) => Promise<IssuedTokens>
  /** Expires an access token; the token in the options becomes valid again after a reset. */
  readonly expire: (token?: string) => void
  /** Quirks, which can be changed at any time; a reset restores those in the options. */
  readonly quirks: Quirks
}

/**
 * An emulator of Google Drive's v3 API: persistent, and as strict as Drive.
 */
export const driveEmulator = (options: DriveEmulatorOptions = {}): DriveEmulator => openDrive(options)

/** `driveEmulator`, with its tables and contents. */
export function openDrive(options: DriveEmulatorOptions): OpenedDrive {
  const { file, now = Date.now, clock, seed, storageLimit = 15 * 1024 ** 3, webhooksTo: hosts = [], ...rest } = options
  const { clients = [localClient], serviceAccounts = [], accessTokenSeconds: accessTokenLasts = 3600, links = 'vendor' } = rest
  const { accessToken, fixed, quirks, restore } = changeableSettings(rest)
  const contents = openContentStore(file)
  const meter = openQuotaMeter()
  const pickers = openPickerRegistry(now)
  let opened: Store | undefined
  let notifier: Notifier | undefined
  const rules: GrantRules = { now, prefixes, accessToken: accessTokenLasts, refreshGrace: null, revokes: 'client' }
  const emulator = defineEmulator<DriveReaders>({
    ...description,
    ...(file !== undefined && { file }),
    ...(clock && { clock }),
    now,
    seed(store, time) {
      contents.empty()
      meter.reset()
      pickers.endAll()
      fillDrive(store, seed ?? 'company', time)
    },
    ...(typeof seed !== 'object' && { seedName: seed ?? 'company' }),
    ...(seed !== undefined && { seedLabel: typeof seed === 'string' ? `seed ${seed}` : 'given seed' }),
    onReset: restore,
    rules: driveRules,
    build({ store, workspaceUrl }) {
      opened = store
      const { notify, deliveries } = (notifier = openNotifier({ store, now, hosts, ...(rest.sleep && { sleep: rest.sleep }) }))
      const grants = openGrants(store, rules)
      const tokens = { fixed, find: grants.findAccessToken }
      const app = routes({
        store,
        contents,
        now,
        tokens,
        quirks,
        meter,
        storageLimit,
        pages: links === 'vendor' ? () => vendorPages : () => pagesAt(workspaceUrl()),
        pendingCompletions: new Map(),
        clients,
        serviceAccounts,
        grants,
        pickers,
        hosts,
        changed: notify,
      })
      const workspace = async () => (await import('./pages/index.ts')).driveWorkspace(store, contents)
      return {
        routes: app,
        readers: createReaders(store, meter),
        tables: [mutationTable(store), mailTable(store), deliveries.table],
        workspace,
      }
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
    ...createAccounts(store, rules),
    expire(token = accessToken) {
      fixed.delete(token)
      openGrants(store(), rules).expire(token)
    },
    contents,
    openPicker: createPickerOpener(pickers, () => emulator.listen({ serves: isPickerPath })),
    async close() {
      pickers.endAll()
      await notifier?.close()
      await emulator.close()
      contents.close()
    },
  }
}

/** The options' tokens and quirks, which can be changed and restored. */
function changeableSettings({ accessToken = 'drive-emulator', scopes = ['drive'], tokens, quirks: wanted }: DriveSettings) {
  const initialTokens = { [accessToken]: scopes, ...tokens }
  const initialQuirks: Quirks = { ...noQuirks, ...wanted }
  const fixed = new Map(Object.entries(initialTokens))
  const quirks = { ...initialQuirks }
  const restore = () => {
    for (const [token, granted] of Object.entries(initialTokens)) fixed.set(token, granted)
    Object.assign(quirks, initialQuirks)
  }
  return { accessToken, fixed, quirks, restore }
}

/** The part of the emulator that does not depend on its options. */
const description = {
  service: 'Google Drive',
  migrations,
  operation: operationName,
  streams: isContentUpload,
  facts: describeRequest,
  storedBodies: ({ path, method, headers }: ReceivedRequest) =>
    path.startsWith('/drive/') && (method === 'GET' || headers.get('content-type')?.startsWith('application/json') === true),
  redactUrl: redactForLog,
}

interface OpenedDrive extends DriveEmulator, HasDatabase {
  readonly contents: ContentStore
}

/** Ways to change the drive without a request. */
const createSeeders = (
  store: () => Store,
  now: () => number,
): Pick<DriveEmulator, 'addFiles' | 'addItem' | 'addDrive' | 'shareWithApp'> => ({
  addFiles(count) {
    addItems(store(), { count, now: now() })
  },
  addItem: (item) => store().writeNow(() => createSeedBuilder(store(), now()).addItem(item)),
  addDrive: (drive) => store().writeNow(() => seedDrive(createSeedBuilder(store(), now()), drive)),
  shareWithApp(...ids) {
    store().writeNow(() => {
      shareItemsWithApp(seenBy(store(), firstViewer), ids)
    })
  },
})

/** The people who can consent, and their tokens. */
const createAccounts = (store: () => Store, rules: GrantRules): Pick<DriveEmulator, 'addPerson' | 'login'> => ({
  addPerson(person) {
    store().writeNow(() => insertPerson(store(), person))
  },
  async login(email, { clientId = localClient.id, scopes = ['https://www.googleapis.com/auth/drive'] } = {}) {
    const person = personByAddress(store(), email)
    if (person?.kind !== 'user') throw new Error(`Nobody has the email address ${email}.`)
    const viewer = await store().write(() => openAccount(store(), person.permissionId, rules.now()))
    return openGrants(store(), rules).issue({ person: grantee(viewer), clientId, scopes, offline: true })
  },
})

/** Addresses of Google's own pages. */
const vendorPages = { drive: 'https://drive.google.com', docs: 'https://docs.google.com' } as const

const pagesAt = (url: string | undefined) => (url === undefined ? undefined : { drive: url, docs: url })

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
    const defaults = { viewer: firstViewer, app: 'this program', multiple: true, folders: true, mimeTypes: [], fileIds: [] }
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
