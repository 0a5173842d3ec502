import type { ErrorDetails } from '@mcp-toolkits/core/errors'
import { InvalidInput, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { type DocumentText, maxDocumentBytes, readText, type Refusal, refusalReasons } from '@mcp-toolkits/documents'
import type { DriveClient } from '../client.ts'
import { byteSize, type DriveItem, folderType, isGoogleType, kindOf, openInBrowser } from '../items.ts'
import { itemBehind, type ItemRef } from './downloads.ts'
import { exportItem, exportTypes, isExported } from './exports.ts'
import { readMedia } from './media.ts'
import { type RecentTexts } from './recent-texts.ts'

/** Formats for reading Google documents' text: plain text would contain only a spreadsheet's first sheet. */
const readAs = new Map([
  ['document', exportTypes.md],
  ['spreadsheet', exportTypes.xlsx],
  ['slides', exportTypes.txt],
  ['script', exportTypes.json],
])

/** A file's text and record: takes at most one request for each, and none for text that was read before. Throws `InvalidInput`. */
export async function readDocument(
  ref: ItemRef,
  { drive, texts, scope }: { readonly drive: DriveClient; readonly texts: RecentTexts; readonly scope: CallScope },
): Promise<{ readonly item: DriveItem; readonly document: DocumentText }> {
  const item = await itemBehind(drive, ref, scope)
  const known = texts.find(item)
  if (known) return { item, document: known }
  const { bytes, mediaType = item.mimeType, name = item.name, now = item } = await bytesOf(item, drive, scope)
  const reading = await readText(bytes, { mediaType, name }, scope.signal)
  if ('refusal' in reading) throw refused(item, reading.refusal)
  texts.add(now, reading)
  return { item: now, document: reading }
}

interface Content {
  readonly bytes: Uint8Array
  /** Absent for a file that is read as stored. */
  readonly mediaType?: string
  readonly name?: string
  /** The record that the bytes belong to, if newer. */
  readonly now?: DriveItem | undefined
}

async function bytesOf(item: DriveItem, drive: DriveClient, scope: CallScope): Promise<Content> {
  const { id, name, mimeType } = item
  if (mimeType === folderType) {
    const listed = sentence`${{ tool: 'FileStorage.GetFileTreeStructure' }} lists what is in it.`
    throw new InvalidInput(Message.of(`${quote(name)} is a folder, and only files can be read.`, listed))
  }
  const exported = readAs.get(kindOf(mimeType))
  if (exported !== undefined) return { bytes: await exportItem(drive, id, exported, scope), mediaType: exported, name: '' }
  if (isGoogleType(mimeType)) {
    const seen = isExported(item)
      ? sentence`${{ tool: 'FileStorage.ExportFile' }} gives the person a picture or a PDF of it.`
      : openInBrowser(item)
    throw new InvalidInput(Message.of(`${quote(name)} is a Google ${kindOf(mimeType)}, which has no text to read.`, seen))
  }
  if (byteSize(item) > maxDocumentBytes) throw refused(item, 'too_large')
  if (byteSize(item) === 0) return { bytes: new Uint8Array() }
  // The file may have grown since it was looked up.
  const { bytes, item: now = item } = await readMedia(drive, { id, start: 0, length: maxDocumentBytes, item }, scope)
  if (byteSize(now) > maxDocumentBytes) throw refused(now, 'too_large')
  return { bytes, now }
}

const download = sentence`${{ tool: 'FileStorage.DownloadFile' }} attaches it for the person.`

/** Remedies for files without text; the default is to download the file. */
const remedies: Readonly<Partial<Record<Refusal, string>>> = {
  encrypted: 'Ask the person for a copy without one.',
  scanned: 'A person can open it with Google Docs (right click > Open with), which recognizes the text: then read that document.',
  old: 'A person can save it in a new format, or open it with Google Docs and read that.',
}

function refused(item: DriveItem, refusal: Refusal): InvalidInput {
  const remedy = remedies[refusal] ?? download
  const details: ErrorDetails =
    remedy === download ? { next: { tool: 'FileStorage.DownloadFile', arguments: { file_path_or_id: item.id } } } : {}
  return new InvalidInput(Message.of(`${quote(item.name)} ${refusalReasons[refusal]}`, remedy), details)
}
