/** How long a path keeps meaning the file that is being downloaded from it, in milliseconds. */
const keepMs = 15 * 60_000
const mostKept = 200

/** What a reference of a download leads to. */
export interface Download {
  readonly fileId: string
  /** The content that the download began with; absent where it did not begin at the first byte. */
  readonly contentId?: string | undefined
  /** Its record was handed out and no byte of it was read yet. */
  readonly announced?: true
}

interface Kept extends Download {
  readonly until: number
}

/**
 * The downloads that go on from call to call. A path leads to the same file for all chunks, without a search for each of them, and
 * the content that the first chunk came from is remembered.
 */
export class Downloads {
  #kept = new Map<string, Kept>()

  find(reference: string): Download | undefined {
    const found = this.#kept.get(reference)
    return found && found.until > Date.now() ? found : undefined
  }

  keep(reference: string, download: Download): void {
    const now = Date.now()
    const others = [...this.#kept].filter(([other, { until }]) => other !== reference && until > now)
    this.#kept = new Map([...others, [reference, { ...download, until: now + keepMs }] as const].slice(-mostKept))
  }

  forget(reference: string): void {
    this.#kept.delete(reference)
  }
}
