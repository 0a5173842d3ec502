import { hash } from 'node:crypto'
import { Forbidden, InvalidInput, NotFound, ToolError, Unavailable } from '@mcp-toolkits/core'
import type { DriveClient } from './client.ts'
import { getItem } from './files.ts'
import { folderType, isGoogleType, kindOf, type DriveItem } from './items.ts'
import { NoBytes, readMedia, type ByteRange, type Media } from './media.ts'

/** Files of so many bytes and more are read in parts; a part has at most as many. */
export const largestPart = 5_242_880

/** A file, with what it holds where that is little. */
export interface FileContent {
  readonly item: DriveItem
  readonly bytes?: Uint8Array
}

/** An item whose record may be known already. */
export interface Sought {
  readonly id: string
  readonly item?: DriveItem
}

/**
 * A file with its bytes, checked against its md5, or without them where it has `largestPart` or more. A shortcut is followed. By its id
 * it takes one round trip: the record and the beginning are asked for side by side. Throws `InvalidInput` for what has no bytes, and
 * `Forbidden` for what Drive does not hand out, however large.
 */
export async function fileContent(drive: DriveClient, sought: Sought, signal: AbortSignal): Promise<FileContent> {
  const first = await readOnce(drive, await behindShortcut(drive, sought, signal), signal)
  if (first !== 'changed') return first
  const second = await readOnce(drive, { id: sought.item?.shortcutDetails?.targetId ?? sought.id }, signal)
  if (second !== 'changed') return second
  throw new Unavailable('What Google Drive sent does not match the md5 of the file. It may be changing; try again in a moment.')
}

async function readOnce(drive: DriveClient, { id, item }: Sought, signal: AbortSignal): Promise<FileContent | 'changed'> {
  const beginning = { id, start: 0, length: largestPart }
  if (item) {
    refuseWithoutBytes(item)
    if (isLarge(item)) {
      await refuseWithheld(readMedia(drive, { ...beginning, length: 1 }, signal))
      return { item }
    }
    return checked(item, isEmpty(item) ? undefined : await readMedia(drive, beginning, signal))
  }
  const speculation = new AbortController()
  const giveUp = () => {
    speculation.abort(signal.reason)
  }
  signal.addEventListener('abort', giveUp, { once: true })
  const begun = Promise.withResolvers<undefined>()
  const onBegun = () => {
    begun.resolve(undefined)
  }
  const reading = readMedia(drive, { ...beginning, onBegun }, speculation.signal)
  // It is looked at only once the record is there.
  reading.catch(() => undefined)
  try {
    const found = await getItem(drive, id, signal)
    if (found.shortcutDetails) return await readOnce(drive, await behindShortcut(drive, { id, item: found }, signal), signal)
    refuseWithoutBytes(found)
    if (!isLarge(found)) return checked(found, await reading)
    await refuseWithheld(Promise.race([reading, begun.promise]))
    return { item: found }
  } finally {
    signal.removeEventListener('abort', giveUp)
    speculation.abort(new DOMException('It is not needed.', 'AbortError'))
  }
}

/** Chunks are promised only of what Drive hands out; what else goes wrong may be over by then. */
async function refuseWithheld(reading: Promise<unknown>): Promise<void> {
  await reading.catch((error: unknown) => {
    if (!(error instanceof ToolError) || error instanceof Forbidden) throw error
  })
}

function checked(item: DriveItem, media: Media | undefined): FileContent | 'changed' {
  const bytes = media?.bytes ?? new Uint8Array()
  const isSame = (media?.total ?? 0) === sizeOf(item) && (item.md5Checksum === undefined || hash('md5', bytes) === item.md5Checksum)
  return isSame ? { item, bytes } : 'changed'
}

/** Bytes of a file as Drive counts them. */
export function sizeOf({ size }: DriveItem): number {
  return Number(size ?? 0)
}

const isLarge = (item: DriveItem) => sizeOf(item) >= largestPart
const isEmpty = (item: DriveItem) => sizeOf(item) === 0

/** A part of a file and the file's id, in one request where the id is that of a file. Throws `InvalidInput` for what has no bytes. */
export async function filePart(
  drive: DriveClient,
  { range, ...sought }: Sought & { readonly range: ByteRange },
  signal: AbortSignal,
): Promise<Media & { readonly fileId: string }> {
  const file = await behindShortcut(drive, sought, signal)
  if (file.item) refuseWithoutBytes(file.item)
  const read = async (id: string) => ({ ...(await readMedia(drive, { id, ...range }, signal)), fileId: id })
  try {
    return await read(file.id)
  } catch (error) {
    if (!(error instanceof NoBytes)) throw error
    const item = await getItem(drive, file.id, signal)
    const { id, item: behind = item } = await behindShortcut(drive, { id: file.id, item }, signal)
    refuseWithoutBytes(behind)
    if (id === file.id) throw error
    return read(id)
  }
}

/** What a shortcut points at, looked up; everything else as it is. */
async function behindShortcut(drive: DriveClient, { id, item }: Sought, signal: AbortSignal): Promise<Sought> {
  if (!item?.shortcutDetails) return { id, ...(item && { item }) }
  const { targetId } = item.shortcutDetails
  const target = await getItem(drive, targetId, signal).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error
    throw new NotFound(`"${item.name}" is a shortcut to an item that is gone, or that this access token does not reach.`, error.details)
  })
  return { id: targetId, item: target }
}

function refuseWithoutBytes(item: DriveItem): void {
  const { name, mimeType, webViewLink } = item
  if (mimeType === folderType) {
    throw new InvalidInput(
      `"${name}" is a folder, and only files can be downloaded. FileStorage.GetFileTreeStructure lists what lies in it; download the files one by one.`,
    )
  }
  if (!isGoogleType(mimeType)) return
  const kind = kindOf(mimeType)
  const what = kind === 'file' ? `of Google's own type ${mimeType}` : `a Google ${kind}`
  const where = webViewLink === undefined ? 'in a browser' : `at ${webViewLink}`
  throw new InvalidInput(
    `"${name}" is ${what}, which has no bytes to download. A person can open it ${where} and export it there (File > Download).`,
  )
}
