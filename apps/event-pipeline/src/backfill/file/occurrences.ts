/** Maximum value of a counter in the table. */
const maxCount = 255

/** Load at which a table grows, and the growth factor. */
const maxLoad = 0.8
const growth = 1.25

/**
 * Counts the occurrences of millions of texts, in 11 to 14 bytes each, in open-addressing hash tables that store 52 bits of a hash and a
 * count. Eight more bits choose one of 256 tables, which grow one at a time, so they are never all copied at once.
 */
export class Occurrences {
  readonly #tables = Array.from({ length: 256 }, () => new Table())

  /**
   * Counts a text by its hexadecimal hash, and returns how often it has occurred before. Texts whose hashes share their first 60 bits count
   * as one.
   */
  add(hash: string): number {
    // Zero marks a free slot.
    return this.#tables[Number.parseInt(hash.slice(13, 15), 16)]?.add(Number.parseInt(hash.slice(0, 13), 16) + 1) ?? 0
  }
}

class Table {
  #keys = new Float64Array(16)
  #counts = new Uint8Array(16)
  /** Counts that are too large for a table. */
  readonly #many = new Map<number, number>()
  #size = 0

  add(key: number): number {
    if (this.#size >= this.#keys.length * maxLoad) this.#grow()
    const place = this.#placeOf(key)
    if (this.#keys[place] === 0) this.#size += 1
    this.#keys[place] = key
    const before = this.#many.get(key) ?? this.#counts[place] ?? 0
    if (before >= maxCount) this.#many.set(key, before + 1)
    else this.#counts[place] = before + 1
    return before
  }

  #placeOf(key: number): number {
    const places = this.#keys.length
    let place = key % places
    while (this.#keys[place] !== 0 && this.#keys[place] !== key) place = (place + 1) % places
    return place
  }

  #grow(): void {
    const [keys, counts] = [this.#keys, this.#counts]
    const places = Math.ceil(keys.length * growth)
    this.#keys = new Float64Array(places)
    this.#counts = new Uint8Array(places)
    for (const [index, key] of keys.entries()) {
      if (key === 0) continue
      const place = this.#placeOf(key)
      this.#keys[place] = key
      this.#counts[place] = counts[index] ?? 0
    }
  }
}
