import { insertRow, type JsonObject } from '@mcp-toolkits/emulator'
import type { ContentStore } from '../content/content.ts'
import { fileNotFound, notGrantedToApp } from '../http/errors.ts'
import type { Params } from '../http/parameters.ts'
import type { Caller } from '../oauth/tokens.ts'
import { userResource } from '../people/people.ts'
import { type Item, itemById, rootOf } from '../store/items.ts'
import type { DriveStore } from '../store/viewers.ts'

/** Occasional Drive behaviour that tests can switch on. */
export interface Quirks {
  /** Drops rows from queries that combine `in parents` with `or`. */
  dropsRowsOfParentQueries: boolean
  /** Returns short pages, the first one empty. */
  shortPages: boolean
  /** Reports incompleteSearch. */
  incompleteSearch: boolean
  /** Delay, in milliseconds, before lists, the feed, revisions and emptying the trash see a change. */
  indexLag: number
  /** Number of upcoming chunks that are stored only in part. */
  partialChunks: number
  /** Bytes stored from such a chunk. */
  partialBytes: number
  /** Errors carry only ErrorInfo, without the list of errors. */
  newerErrors: boolean
}

export const noQuirks: Quirks = {
  dropsRowsOfParentQueries: false,
  shortPages: false,
  incompleteSearch: false,
  indexLag: 0,
  partialChunks: 0,
  partialBytes: 262_144,
  newerErrors: false,
}

/** Addresses of items' pages: Google's documents have a different host. */
export type ItemPages = { readonly drive: string; readonly docs: string } | undefined

/** One request's view of the drive. */
export interface Session {
  readonly store: DriveStore
  readonly contents: ContentStore
  readonly caller: Caller
  readonly quirks: Quirks
  readonly pages: ItemPages
  /** Hosts to which notifications may be sent, besides this machine. */
  readonly hosts: readonly string[]
  /** Called after every change. */
  readonly changed: () => void
  /** The tool that sent the request; null if unknown. */
  readonly call: string | null
  /** True if the method changes anything. */
  readonly writes: boolean
  /** Time of the request, in milliseconds. */
  readonly now: number
  /** The same in ISO 8601, as stored. */
  readonly at: string
  readonly params: Params
  /** Uploads that are being completed, by session. */
  readonly pendingCompletions: Map<string, Promise<Item>>
  /**
   * A visible item; throws if there is none. `root` is the root of My Drive. Items of shared drives need `supportsAllDrives`, unless the
   * method has no such parameter.
   */
  readonly find: (id: string, options?: { readonly inAnyDrive?: boolean }) => Item
  readonly isVisible: (item: Item) => boolean
  /** True if the caller can see the item. */
  readonly canSee: (id: string) => boolean
  /** A person as Drive shows one. */
  readonly user: (id: string) => JsonObject | undefined
  /** Storage limit of My Drive in bytes; null for none. */
  readonly storageLimit: number | null
  /** Runs a change in a transaction and records it. */
  readonly change: <T extends { readonly id: string } | null>(method: string, work: () => T) => Promise<T>
}

export type SessionOptions = Omit<Session, 'at' | 'find' | 'isVisible' | 'canSee' | 'user' | 'change'> & {
  readonly resourceKeys: string | null
}

export function openSession({ resourceKeys, ...options }: SessionOptions): Session {
  const { store, caller, now, params, writes } = options
  const keys = (resourceKeys ?? '').split(',').map((key) => key.trim())
  const at = new Date(now).toISOString()
  const isVisible = ({ role, granted }: Item) => role !== null && (!caller.onlyGranted || granted === 1)
  return {
    ...options,
    at,
    isVisible,
    canSee: memoize((id) => {
      const item = itemById(store, id)
      return item !== undefined && isVisible(item)
    }),
    user: memoize((id) => userResource(store, id)),
    find(id, { inAnyDrive = params.flag('supportsAllDrives') || params.flag('supportsTeamDrives') } = {}) {
      const item = id === 'root' ? rootOf(store) : itemById(store, id)
      const needsKey = item?.resourceKey != null && item.reach === 'link'
      const isOpen = !needsKey || keys.includes(`${item.id}/${item.resourceKey}`)
      if (item === undefined || !isVisible(item) || !isOpen) throw fileNotFound(id === 'root' ? '.' : id)
      if (item.driveId !== null && !inAnyDrive) throw fileNotFound(id)
      if (writes && !canWrite(caller, item, store)) throw notGrantedToApp(id)
      return item
    },
    async change(method, work) {
      const result = await store.write(() => {
        const changed = work()
        insertRow(store, 'mutations', { at, method, call: options.call, fileId: changed?.id ?? null, viewer: store.viewer.id })
        return changed
      })
      options.changed()
      return result
    },
  }
}

/** True if a token may write to an item. With drive.file, it may write only to granted items, and add items to the root. */
const canWrite = ({ scopes }: Caller, { id, granted }: Item, { viewer }: DriveStore) =>
  scopes.includes('drive') || granted === 1 || id === viewer.rootId

function memoize<T>(work: (id: string) => T): (id: string) => T {
  const results = new Map<string, T>()
  return (id) => {
    const cached = results.get(id)
    if (cached !== undefined) return cached
    const result = work(id)
    results.set(id, result)
    return result
  }
}
