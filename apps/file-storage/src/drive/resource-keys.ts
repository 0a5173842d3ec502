import type { NamedRecords } from '@mcp-toolkits/core/base'
import { isId } from './ids.ts'
import type { DriveItem } from './items.ts'

/** Maximum number of keys sent with a request; the oldest keys are forgotten first. */
const maxResourceKeys = 20
/** Time, in milliseconds, for which a key is shared with other replicas. */
const recordMs = 24 * 60 * 60_000
/** Maximum number of ids looked up for one request. */
const maxLookups = 4

const isKey = (key: string | undefined) => key !== undefined && /^[\w-]{1,100}$/.test(key)

/**
 * The keys that old items shared by link need besides their ids. Without its key, Drive says that such an item does not exist.
 * https://developers.google.com/workspace/drive/api/guides/resource-keys
 */
export class ResourceKeys {
  readonly #records: NamedRecords | undefined
  #keys = new Map<string, string>()

  /** @param records keys shared by replicas; absent for a single server */
  constructor(records?: NamedRecords) {
    this.#records = records
  }

  /** Adds the key from a link. */
  async add(id: string, key: string | undefined): Promise<void> {
    this.#add(id, key)
    await this.#share([[id, key]])
  }

  /**
   * Adds the keys of items and their targets. A person who has found an item can reach the item without a key, but not a shortcut's target.
   */
  async addFrom(items: readonly DriveItem[]): Promise<void> {
    const targets = items.flatMap(({ shortcutDetails: target }) => (target ? [[target.targetId, target.targetResourceKey] as const] : []))
    const own = items.map(({ id, resourceKey }) => [id, resourceKey] as const)
    for (const [id, key] of [...own, ...targets]) this.#add(id, key)
    await this.#share(targets)
  }

  /** Adds the keys that other replicas know for the items in a request. Returns true if there are any. */
  async findFor(request: string): Promise<boolean> {
    const records = this.#records
    if (!records) return false
    const ids = [...new Set(request.match(/[\w-]{15,}/g))].filter((id) => isId(id) && !this.#keys.has(id)).slice(0, maxLookups)
    const found = await Promise.all(ids.map(async (id) => [id, await records.get(id)] as const))
    const keys = found.filter(([, key]) => key !== undefined)
    for (const [id, key] of keys) this.#add(id, key)
    return keys.length > 0
  }

  headers(): Record<string, string> {
    const keys = [...this.#keys].map(([id, key]) => `${id}/${key}`)
    return keys.length === 0 ? {} : { 'X-Goog-Drive-Resource-Keys': keys.join(',') }
  }

  #add(id: string, key: string | undefined): void {
    if (key === undefined || !isKey(key)) return
    this.#keys.delete(id)
    this.#keys = new Map([...this.#keys, [id, key] as const].slice(-maxResourceKeys))
  }

  /** Shares keys with other replicas. If a key cannot be stored, other replicas report that the item is not visible. */
  async #share(keys: readonly (readonly [id: string, key: string | undefined])[]): Promise<void> {
    const records = this.#records
    if (!records) return
    const valid = keys.filter(([, key]) => isKey(key)).slice(-maxResourceKeys)
    await Promise.all(valid.map(([id, key = '']) => records.set(id, key, recordMs).catch(() => undefined)))
  }
}
