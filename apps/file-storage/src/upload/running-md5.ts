import type { IHasher } from 'hash-wasm'
import * as z from 'zod'

/**
 * Unit size: every chunk except the last is a multiple of this size.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#uploading
 */
export const chunkUnit = 262_144

/** A position in content, and the MD5 state there: enough to continue without the earlier bytes. */
export const Mark = z.object({ bytes: z.number(), state: z.base64() })
export type Mark = z.output<typeof Mark>

/** Maximum number of marks, enough for an upload's window, the bytes read ahead of it, and one piece of a source. */
const maxMarks = 80

/** The MD5 of the content read so far. Unlike Node's own hash, it can save its state. */
export class RunningMd5 {
  readonly #hash: IHasher
  /** States at the last multiples of `chunkUnit`. */
  readonly #states: { readonly bytes: number; readonly state: Uint8Array }[] = []
  #bytes: number

  private constructor(hash: IHasher, bytes: number) {
    this.#hash = hash
    this.#bytes = bytes
    if (bytes > 0) this.#addState()
  }

  static async start(): Promise<RunningMd5> {
    const { createMD5 } = await import('./md5.ts')
    return new RunningMd5(await createMD5(), 0)
  }

  /** Resumes from a mark. Returns undefined for a mark made by a different version of the hash. */
  static async resume({ bytes, state }: Mark): Promise<RunningMd5 | undefined> {
    const { createMD5 } = await import('./md5.ts')
    const hash = await createMD5()
    try {
      return new RunningMd5(hash.load(Buffer.from(state, 'base64')), bytes)
    } catch {
      return undefined
    }
  }

  get bytes(): number {
    return this.#bytes
  }

  update(bytes: Uint8Array): void {
    for (let at = 0, next: number; at < bytes.byteLength; at = next) {
      next = Math.min(bytes.byteLength, at + chunkUnit - (this.#bytes % chunkUnit))
      this.#hash.update(bytes.subarray(at, next))
      this.#bytes += next - at
      if (this.#bytes % chunkUnit === 0) this.#addState()
    }
  }

  /** The hash in hexadecimal. */
  hex(): string {
    const state = this.#hash.save()
    const hex = this.#hash.digest('hex')
    this.#hash.load(state)
    return hex
  }

  /** The last mark not past `position`. */
  markAt(position: number): Mark | undefined {
    const last = this.#states.findLast(({ bytes }) => bytes <= position)
    return last && { bytes: last.bytes, state: Buffer.from(last.state).toString('base64') }
  }

  #addState(): void {
    this.#states.push({ bytes: this.#bytes, state: this.#hash.save() })
    if (this.#states.length > maxMarks) this.#states.shift()
  }
}
