import type { Source } from './source.ts'

/** What was read from a source and is not yet known to be stored: a part of the content that moves along. */
export class Window {
  readonly #capacity: number
  #buffer: Uint8Array<ArrayBuffer> | undefined
  #length = 0
  /** What the source gave that did not fit. */
  #rest: Uint8Array | undefined
  #ended = false
  /** Where in the content its first byte lies. */
  start: number

  constructor(capacity: number, start = 0) {
    this.#capacity = capacity
    this.start = start
  }

  /** Behind its last byte. */
  get end(): number {
    return this.start + this.#length
  }

  /** Whether its last byte is that of the content; known after `fill`. */
  get isLast(): boolean {
    return this.#ended
  }

  /** Its first bytes, at most so many; valid until it is changed. */
  first(count = this.#length): Uint8Array<ArrayBuffer> {
    return this.#memory().subarray(0, Math.min(count, this.#length))
  }

  /** Reads until it is full or the content ends, and far enough to know whether it does. */
  async fill(source: Pick<Source, 'read'>): Promise<void> {
    this.#take()
    while (!this.#ended && this.#rest === undefined) {
      this.#rest = await source.read()
      this.#ended = this.#rest === undefined
      this.#take()
    }
  }

  #take(): void {
    if (!this.#rest) return
    const fitting = this.#rest.subarray(0, this.#capacity - this.#length)
    this.#memory().set(fitting, this.#length)
    this.#length += fitting.byteLength
    this.#rest = fitting.byteLength < this.#rest.byteLength ? this.#rest.subarray(fitting.byteLength) : undefined
  }

  /** Lets go of everything before `position`. */
  moveTo(position: number): void {
    const gone = position - this.start
    this.#memory().copyWithin(0, gone, this.#length)
    this.#length -= gone
    this.start = position
  }

  #memory(): Uint8Array<ArrayBuffer> {
    this.#buffer ??= new Uint8Array(this.#capacity)
    return this.#buffer
  }
}
