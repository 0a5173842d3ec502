import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { Refused } from '../outcome.ts'

/** Maximum size, in bytes, to which an archive may unpack. */
const maxUnpackedBytes = 64 * 1024 ** 2
const maxEntries = 10_000

/** The files in an office document. Only those that are read are unpacked. */
export class Archive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>
  #unpacked = 0

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  static async open(bytes: Uint8Array): Promise<Archive> {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const zip = await fromBufferPromise(buffer, { lazyEntries: true, validateEntrySizes: true })
    if (zip.entryCount > maxEntries) throw new Refused('too_large')
    const entries = new Map<string, Entry>()
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
    return new Archive(zip, entries)
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** The bytes of a file; none if it does not exist. Counts all unpacked bytes, because an archive may lie about sizes. */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name)
    if (!entry) return
    if (entry.isEncrypted()) throw new Refused('encrypted')
    if (this.#unpacked + entry.uncompressedSize > maxUnpackedBytes) throw new Refused('too_large')
    const pieces: AsyncIterable<Uint8Array> = await this.#zip.openReadStreamPromise(entry)
    for await (const piece of pieces) {
      this.#unpacked += piece.byteLength
      if (this.#unpacked > maxUnpackedBytes) throw new Refused('too_large')
      yield piece
    }
  }
}
