export interface BatchesOptions<Item, Result> {
  /** Resolves with each item's outcome, in order. */
  readonly run: (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>
  /** Maximum weight of a batch: this many items, or fewer heavier ones. */
  readonly maxWeight: number
  readonly weightOf?: (item: Item) => number
  /** Keys that an item needs exclusively: items that share a key go into different batches, in order. */
  readonly keysOf?: (item: Item) => readonly string[]
}

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item
}

/** Shares one statement or transaction among many callers: requests during a batch form the next one. */
export class Batches<Item, Result> {
  readonly #options: BatchesOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #running: Promise<void> | undefined

  constructor(options: BatchesOptions<Item, Result>) {
    this.#options = options
  }

  /** Resolves or rejects with the item's outcome. */
  add(item: Item): Promise<Result> {
    const waiting = { item, ...Promise.withResolvers<Result>() }
    this.#waiting.push(waiting)
    this.#running ??= this.#runAll()
    return waiting.promise
  }

  /** Resolves when everything added has ended. */
  async settled(): Promise<void> {
    await this.#running
  }

  async #runAll(): Promise<void> {
    // Items added in the same turn share the first batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#runBatch(this.#takeBatch())
    this.#running = undefined
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const { maxWeight, weightOf = () => 1, keysOf = () => [] } = this.#options
    const taken = new Set<string>()
    const batch: Waiting<Item, Result>[] = []
    const later: Waiting<Item, Result>[] = []
    let weight = 0
    for (const waiting of this.#waiting) {
      const keys = keysOf(waiting.item)
      const isFull = batch.length > 0 && weight + weightOf(waiting.item) > maxWeight
      if (isFull || keys.some((key) => taken.has(key))) later.push(waiting)
      else {
        weight += weightOf(waiting.item)
        batch.push(waiting)
      }
      for (const key of keys) taken.add(key)
    }
    this.#waiting = later
    return batch
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const outcomes = await this.#options.run(batch.map(({ item }) => item))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index]
        if (outcome?.status === 'fulfilled') resolve(outcome.value)
        else reject(outcome?.reason)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}

/** Outcomes for a batch whose items succeed together. */
export function fulfilled<Result>(values: readonly Result[]): PromiseSettledResult<Result>[] {
  return values.map((value) => ({ status: 'fulfilled', value }))
}
