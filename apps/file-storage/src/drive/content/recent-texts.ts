import type { DocumentText } from '@mcp-toolkits/documents'
import type { DriveItem } from '../items.ts'

/** Most characters of the texts that one process keeps, together. */
const maxCharacters = 16 * 1024 ** 2

interface Kept {
  readonly reader: object
  readonly key: string
  readonly document: DocumentText
}

/** The texts of all readers, the latest last. */
let kept: readonly Kept[] = []

/** A state of a file. The version of one with bytes also grows when it is shared. */
const keyOf = ({ id, md5Checksum, version }: DriveItem) => JSON.stringify([id, md5Checksum ?? version])

/**
 * The texts that one reader has read lately, so that reading on needs no download. They are not shared: another reader may be allowed
 * to see a file, and not to download it.
 */
export class RecentTexts {
  readonly #reader: object

  constructor(reader: object) {
    this.#reader = reader
  }

  find(item: DriveItem): DocumentText | undefined {
    return kept.find(({ reader, key }) => reader === this.#reader && key === keyOf(item))?.document
  }

  add(item: DriveItem, document: DocumentText): void {
    const others = kept.filter(({ reader, key }) => reader !== this.#reader || key !== keyOf(item))
    kept = [...others, { reader: this.#reader, key: keyOf(item), document }]
    while (kept.length > 1 && kept.reduce((sum, { document: { text } }) => sum + text.length, 0) > maxCharacters) kept = kept.slice(1)
  }
}
