/** Largest count in the table. */
const maxCount = 255

/**
 * Counts how often each of millions of texts came, in 12 to 18 bytes for each: a table with open addressing, of 48 bits of a hash and a
 * count. Two texts with one hash count as one, which at worst gives the second another number than it has.
 */
export class Occurrences {
  #keys = new Float64Array(1 << 12)
  #counts = new Uint8Array(1 << 12)
  /** Numbers that are too large for the table. */
  readonly #many = new Map<number, number>()
  #size = 0

  /** Counts a text by its hash, in hexadecimal, and returns how often it came before. */
  add(hash: string): number {
    if (this.#size * 4 > this.#keys.length * 3) this.#grow()
    // Zero marks a free place.
    const key = Number.parseInt(hash.slice(0, 12), 16) + 1
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
    const places = Math.ceil(keys.length * 1.5)
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
