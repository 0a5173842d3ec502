import { type Clock, type NamedRecords, parseJson } from '@mcp-toolkits/core/base'
import type { CallScope } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { DriveItem } from '../items.ts'

/** Time, in milliseconds, for which a change is remembered; Drive's index lags by seconds. */
const changeMs = 60_000
const maxChanges = 200

/** A change, as stored for other replicas. */
const StoredChange = z.object({
  item: DriveItem,
  /** The folder that the item was created in or moved to, as named in the request. */
  into: z.string().optional(),
})
export type RecordedChange = z.output<typeof StoredChange>

interface Change {
  readonly item: DriveItem
  readonly into: string | undefined
  readonly expiresAt: number
}

export interface ChangeFilter {
  /** True if an item, in its current state, belongs in a search's results. */
  readonly matches: (item: DriveItem, into: string | undefined) => boolean
  /** True if an item that the search found stays in the results; by default, `matches`. */
  readonly keeps?: (item: DriveItem, into: string | undefined) => boolean
  /** Reads the item's current state from Drive; undefined if the item is gone. */
  readonly fetch: (id: string) => Promise<DriveItem | undefined>
}

/**
 * Items that this server or another replica created, renamed or moved in the last minute, which searches may not find yet. If another
 * program has since changed an item, Drive's version wins.
 */
export class RecentChanges {
  readonly #clock: Pick<Clock, 'now'>
  readonly #records: NamedRecords | undefined
  /** Calls that have read other replicas' changes. */
  readonly #readers = new WeakMap<CallScope, Promise<void>>()
  #changes = new Map<string, Change>()

  /** @param records changes shared by replicas; absent for a single server */
  constructor(clock: Pick<Clock, 'now'>, records?: NamedRecords) {
    this.#clock = clock
    this.#records = records
  }

  /** Remembers a change. Never fails, because the change has already been made. */
  async record(change: RecordedChange, scope: CallScope): Promise<void> {
    await this.#read(scope).catch(() => undefined)
    const { item, into = this.#known(item.id)?.into } = change
    this.#remember({ item, into })
    await this.#records?.set(item.id, JSON.stringify({ item, into }), changeMs).catch(() => undefined)
  }

  /** Finds an item with a name in a folder, among the known changes. */
  async childOf(folder: string, name: string, scope: CallScope): Promise<DriveItem | undefined> {
    await this.#read(scope).catch(() => undefined)
    const now = this.#clock.now()
    return [...this.#changes.values()].find(
      ({ item, into, expiresAt }) =>
        expiresAt > now && item.name === name && item.trashed !== true && (into === folder || item.parents.includes(folder)),
    )?.item
  }

  /** Updates a search's results: each item gets its last change, and items that the search should have found are added. */
  async applyTo(found: readonly DriveItem[], { matches, keeps = matches, fetch }: ChangeFilter, scope: CallScope): Promise<DriveItem[]> {
    await this.#read(scope)
    const foundIds = new Set(found.map(({ id }) => id))
    const now = this.#clock.now()
    const missed = [...this.#changes.values()].filter(
      ({ item, into, expiresAt }) => expiresAt > now && !foundIds.has(item.id) && item.trashed !== true && matches(item, into),
    )
    const fetched = await Promise.all(missed.map(({ item }) => fetch(item.id)))
    const stillMatching = fetched
      .filter((item) => item !== undefined)
      .filter((item) => item.trashed !== true && matches(item, this.#update(item)?.into))
    return [...found.flatMap((row) => this.#withChange(row, keeps)), ...stillMatching]
  }

  /** Adds other replicas' changes, once per call: all of a call's searches share one read. */
  async #read(scope: CallScope): Promise<void> {
    if (!this.#records) return
    const reading = this.#readers.get(scope) ?? this.#readRecords(this.#records)
    this.#readers.set(scope, reading)
    await reading
  }

  async #readRecords(records: NamedRecords): Promise<void> {
    for (const { text } of await records.list()) {
      const change = StoredChange.safeParse(parseJson(text)).data
      const known = change && this.#known(change.item.id)
      if (change && !(known && isUpToDate(known.item, change.item))) this.#remember(change)
    }
  }

  #known(id: string): Change | undefined {
    const change = this.#changes.get(id)
    return change && change.expiresAt > this.#clock.now() ? change : undefined
  }

  #remember({ item, into }: RecordedChange): void {
    const now = this.#clock.now()
    const others = [...this.#changes].filter(([id, { expiresAt }]) => id !== item.id && expiresAt > now)
    this.#changes = new Map([...others, [item.id, { item, into, expiresAt: now + changeMs }] as const].slice(-maxChanges))
  }

  /** A row with its change, if the row still belongs in the results. */
  #withChange(row: DriveItem, matches: ChangeFilter['matches']): DriveItem[] {
    const change = this.#known(row.id)
    if (!change) return [row]
    if (isUpToDate(row, change.item)) {
      this.#update(row)
      return [row]
    }
    return change.item.trashed !== true && matches(change.item, change.into) ? [change.item] : []
  }

  /**
   * Replaces a change with Drive's current item. If another program has moved the item, it is no longer in the folder that we put it in.
   */
  #update(item: DriveItem): Change | undefined {
    const change = this.#changes.get(item.id)
    if (!change) return undefined
    const isThere = item.parents.join() === change.item.parents.join()
    const updated = { ...change, item, into: isThere ? change.into : undefined }
    this.#changes.set(item.id, updated)
    return updated
  }
}

/** True if a row already contains our change. */
function isUpToDate({ version }: DriveItem, changed: DriveItem): boolean {
  return isCount(version) && isCount(changed.version) && BigInt(version) >= BigInt(changed.version)
}

function isCount(version: string | undefined): version is string {
  return version !== undefined && /^\d+$/.test(version)
}
