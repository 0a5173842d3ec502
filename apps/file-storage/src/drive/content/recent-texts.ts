import type { DocumentText } from '@mcp-toolkits/documents'
import type { DriveItem } from '../items.ts'

/** Maximum total length, in characters, of the texts that one process keeps. */
const maxCharacters = 16 * 1024 ** 2

/** All readers' texts, most recent last. */
let kept: readonly { readonly reader: object; readonly key: string; readonly document: DocumentText }[] = []

/** Key for a file's content: its MD5 if it has one, because sharing a file also increases its version. */
const keyOf = ({ id, md5Checksum, version }: DriveItem) => JSON.stringify([id, md5Checksum ?? version])

/**
 * Texts that one reader has read recently, so that reading further needs no download. Readers do not share them: another reader may be
 * allowed to see a file but not to download it.
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
