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

/**
 * What this server has made, renamed or moved in the last minute. Searches see such a change late; the next call means it all the same.
 */
export class RecentChanges {
  #changes = new Map<string, Change>()

  note(item: DriveItem, into?: string): void {
    const now = Date.now()
    const kept = [...this.#changes].filter(([id, { until }]) => id !== item.id && until > now)
    this.#changes = new Map([...kept, [item.id, { item, into, until: now + keepMs }] as const].slice(-mostKept))
  }

  /** What a search found, with each item as it was last changed. `isSought` says whether a changed item belongs to it now. */
  merged(found: readonly DriveItem[], isSought: (item: DriveItem, into: string | undefined) => boolean): DriveItem[] {
    const now = Date.now()
    const changes = [...this.#changes.values()].filter(({ until }) => until > now)
    if (changes.length === 0) return [...found]
    const changed = new Set(changes.map(({ item }) => item.id))
    const sought = changes.filter(({ item, into }) => item.trashed !== true && isSought(item, into))
    return [...found.filter(({ id }) => !changed.has(id)), ...sought.map(({ item }) => item)]
  }
}
