/** What callers of this process hold, so that two of them do not take each other for one. */
export class HeldNames {
  readonly #names = new Set<string>()

  /** What `take` gets for the name; undefined while another caller of this process holds it, or when `take` gets nothing. */
  async hold(name: string, take: () => Promise<string | undefined>): Promise<string | undefined> {
    if (this.#names.has(name)) return undefined
    this.#names.add(name)
    let taken: string | undefined
    try {
      return (taken = await take())
    } finally {
      if (taken === undefined) this.#names.delete(name)
    }
  }

  /** Whether a caller held it. */
  release(name: string): boolean {
    return this.#names.delete(name)
  }
}
