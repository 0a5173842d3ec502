/** Numbers in [0, 1) that are the same for the same seed, so that a failure can be repeated. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Makes what tests need out of random numbers. */
export class Random {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = randomNumbers(seed)
  }

  upTo(limit: number): number {
    return Math.floor(this.#next() * (limit + 1))
  }

  pick<T>(first: T, ...rest: readonly T[]): T {
    return rest[this.upTo(rest.length) - 1] ?? first
  }

  text(): string {
    const parts = ['id', 'method', '"', '\\', '{', '}', '[', ']', ':', ',', ' ', '\t', '\n', 'ä', '字', '😀', '\u2028', '\u0000', '"id":7,']
    return Array.from({ length: this.upTo(4) }, () => this.pick('', ...parts)).join('')
  }

  json(depth = 3): unknown {
    const plain = this.pick<unknown>(null, true, false, this.upTo(9), -0.5, 1e21, 2 ** 53, this.text(), 'id')
    if (depth === 0) return plain
    const inner = () => this.json(depth - 1)
    return this.pick<() => unknown>(
      () => plain,
      () => Array.from({ length: this.upTo(3) }, inner),
      () => this.object(depth),
    )()
  }

  object(depth: number): Readonly<Record<string, unknown>> {
    const member = () => [this.pick('id', 'method', 'params', 'result', this.text()), this.json(depth - 1)] as const
    return Object.fromEntries(Array.from({ length: this.upTo(5) }, member))
  }

  /** The bytes in pieces of any size, empty ones included. */
  chunks(bytes: Uint8Array): Uint8Array[] {
    const cuts = Array.from({ length: this.upTo(8) }, () => this.upTo(bytes.length)).toSorted((a, b) => a - b)
    return [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length))
  }
}

/** Checks a property for many seeds; the seed stands in what a failure says. */
export function forSeeds(count: number, check: (random: Random) => void): void {
  for (let seed = 1; seed <= count; seed += 1) {
    try {
      check(new Random(seed))
    } catch (cause) {
      throw new Error(`It fails for seed ${seed}.`, { cause })
    }
  }
}
