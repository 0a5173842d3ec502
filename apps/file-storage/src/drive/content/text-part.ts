import { Conflict, count, fittingLength, InvalidInput } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import type { DriveClient } from '../client.ts'
import type { DriveItem } from '../items.ts'
import { readDocument } from './document-text.ts'
import type { DownloadSessions, ItemRef } from './downloads.ts'
import { RecentTexts } from './recent-texts.ts'

/** Maximum length, in characters, of the part of a text that a result contains. */
export const maxPartCharacters = 50_000
/** Maximum number of bytes that the part may take in a result's JSON. The whole result may have at most 80,000. */
const maxShownBytes = 60_000

interface TextPart {
  readonly item: DriveItem
  readonly text: string
  readonly total: number
  /** The start of the next part; null after the last one. */
  readonly next: number | null
  /** Numbers of the pages without text. */
  readonly pagesWithoutText: readonly number[]
}

/** Reads part of a file's text. Throws `Conflict` if the text does not match the parts read before. */
export async function readPart(
  { offset, limit, ...ref }: ItemRef & { readonly offset: number; readonly limit: number },
  { drive, downloads, scope }: { readonly drive: DriveClient; readonly downloads: DownloadSessions; readonly scope: CallScope },
): Promise<TextPart> {
  const { item, document } = await readDocument(ref, { drive, texts: new RecentTexts(downloads), scope })
  const { text: whole, digest, pagesWithoutText } = document
  const session = `text of ${item.id}`
  const before = offset === 0 ? undefined : await downloads.get(session)
  if (before && before.contentId !== digest) {
    throw new Conflict('The file has changed since its first part was read, so the parts do not fit together. Start again at offset 0.', {
      next: { change: { offset: 0 } },
    })
  }
  if (offset > whole.length)
    throw new InvalidInput(`"offset" is ${offset}, past the end of the text: it has ${count(whole.length, 'character')}.`)
  const text = whole.part(offset, shownLength(whole.slice(offset, offset + limit)))
  const end = offset + text.length
  const next = end < whole.length ? end : null
  if (next !== null) await downloads.set(session, { fileId: item.id, contentId: digest })
  return { item, text, total: whole.length, next, pagesWithoutText }
}

/** Length of the longest prefix of the text that fits in a result. */
function shownLength(text: string): number {
  if (Buffer.byteLength(JSON.stringify(text)) <= maxShownBytes / 2) return text.length
  const points = Array.from(text)
  return points.slice(0, fittingLength(points, maxShownBytes)).join('').length
}
