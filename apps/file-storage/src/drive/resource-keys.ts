/** Most keys that go along with a request; the oldest are forgotten first. */
const mostKept = 20

/**
 * The keys that old items shared by link need beside their ids. Without its key such an item does not exist for Drive.
 * https://developers.google.com/workspace/drive/api/guides/resource-keys
 */
export class ResourceKeys {
  #keys = new Map<string, string>()

  /** Remembers the key of an item, from its link or from what Drive said of it. */
  remember(id: string, key: string | undefined): void {
    if (key === undefined || !/^[\w-]{1,100}$/.test(key)) return
    this.#keys.delete(id)
    this.#keys = new Map([...this.#keys, [id, key] as const].slice(-mostKept))
  }

  /** The header that carries them; nothing when none is known. */
  headers(): Record<string, string> {
    const keys = [...this.#keys].map(([id, key]) => `${id}/${key}`)
    return keys.length === 0 ? {} : { 'X-Goog-Drive-Resource-Keys': keys.join(',') }
  }
}
