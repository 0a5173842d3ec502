import type { DriveItem } from './items.ts'

/** How long a change is remembered, in milliseconds; the index of Drive is behind by seconds. */
const keepMs = 60_000
const mostKept = 200

interface Change {
  readonly item: DriveItem
  /** The folder that it was made in or moved to, as it was named in the request. */
  readonly into: string | undefined
  readonly until: number
}

/** What is looked for in what was changed. */
export interface SoughtChanges {
  /** Whether an item as it is now belongs to what a search should find. */
  readonly isSought: (item: DriveItem, into: string | undefined) => boolean
  /** The item as Drive has it now; undefined where it is gone. */
  readonly confirm: (id: string) => Promise<DriveItem | undefined>
}

/**
 * What this server has made, renamed or moved in the last minute. Searches see such a change late; the next call means it all the same.
 * What Drive knows better, because somebody else has changed the item since, counts.
 */
export class RecentChanges {
  #changes = new Map<string, Change>()

  note(item: DriveItem, into?: string): void {
    const now = Date.now()
    const known = this.#changes.get(item.id)
    const stays = known && known.until > now ? known.into : undefined
    const kept = [...this.#changes].filter(([id, { until }]) => id !== item.id && until > now)
    this.#changes = new Map([...kept, [item.id, { item, into: into ?? stays, until: now + keepMs }] as const].slice(-mostKept))
  }

  /** What a search found, with each item as it was last changed, and with what it should have found besides. */
  async merged(found: readonly DriveItem[], { isSought, confirm }: SoughtChanges): Promise<DriveItem[]> {
    const seen = new Set(found.map(({ id }) => id))
    const now = Date.now()
    const unseen = [...this.#changes.values()].filter(
      ({ item, into, until }) => until > now && !seen.has(item.id) && item.trashed !== true && isSought(item, into),
    )
    const confirmed = await Promise.all(unseen.map(({ item }) => confirm(item.id)))
    const isStill = (item: DriveItem) => item.trashed !== true && isSought(item, this.#learnt(item)?.into)
    return [...found.flatMap((row) => this.#asChanged(row, isSought)), ...confirmed.filter((item) => item !== undefined).filter(isStill)]
  }

  /** A row as it was changed since it came into the index, if it still belongs there. */
  #asChanged(row: DriveItem, isSought: SoughtChanges['isSought']): DriveItem[] {
    const change = this.#changes.get(row.id)
    if (!change || change.until <= Date.now()) return [row]
    if (isAsNew(row, change.item)) {
      this.#learnt(row)
      return [row]
    }
    return change.item.trashed !== true && isSought(change.item, change.into) ? [change.item] : []
  }

  /** Takes over what Drive says about a changed item; what was moved by somebody else is no longer where it was put. */
  #learnt(item: DriveItem): Change | undefined {
    const change = this.#changes.get(item.id)
    if (!change) return undefined
    const isThere = item.parents.join() === change.item.parents.join()
    const learnt = { ...change, item, into: isThere ? change.into : undefined }
    this.#changes.set(item.id, learnt)
    return learnt
  }
}

/** Whether a row has all that was in an answer to a change. */
function isAsNew({ version }: DriveItem, changed: DriveItem): boolean {
  return version !== undefined && changed.version !== undefined && BigInt(version) >= BigInt(changed.version)
}
