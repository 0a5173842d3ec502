import { Conflict, count, fittingLength, InvalidInput } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import type { DriveClient } from '../client.ts'
import type { DriveItem } from '../items.ts'
import { readDocument } from './document-text.ts'
import type { DownloadSessions, ItemRef } from './downloads.ts'
import { RecentTexts } from './recent-texts.ts'

/** Longest part of a text in a result, in characters. */
export const maxPartCharacters = 50_000
/** Most bytes that it takes in the JSON of a result; a result has 80,000. */
const maxShownBytes = 60_000

/** Part of the text of a file. */
interface TextPart {
  readonly item: DriveItem
  readonly text: string
  readonly total: number
  /** The beginning of the next part; null after the last one. */
  readonly next: number | null
  /** The numbers of the pages that have no text. */
  readonly pagesWithoutText: readonly number[]
}

interface PartContext {
  readonly drive: DriveClient
  readonly downloads: DownloadSessions
  readonly scope: CallScope
}

/** A part of the text of a file. Throws `Conflict` if it does not fit to the parts before. */
export async function readPart(
  { offset, limit, ...ref }: ItemRef & { readonly offset: number; readonly limit: number },
  { drive, downloads, scope }: PartContext,
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

/** Length of the beginning of a text that a result can show. */
function shownLength(text: string): number {
  if (Buffer.byteLength(JSON.stringify(text)) <= maxShownBytes / 2) return text.length
  const points = Array.from(text)
  return points.slice(0, fittingLength(points, maxShownBytes)).join('').length
}
