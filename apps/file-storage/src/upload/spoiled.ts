import { NotFound, Unavailable } from '@mcp-toolkits/core'
import type { DriveClient } from '../drive/client.ts'
import { sizeOf } from '../drive/contents.ts'
import type { DriveItem } from '../drive/items.ts'
import { deleteFile, throwAway } from '../drive/uploads.ts'
import { Patience, patiently } from '../transfer/patience.ts'
import type { Source } from './source.ts'

/** How long a file that is not what it should be is worked on, in milliseconds. */
const removalMs = 15_000

/** Whether a file is what a source, read to its end, has. */
export function isOf(item: DriveItem, source: Pick<Source, 'bytes' | 'md5'>): boolean {
  return sizeOf(item) === source.bytes && (item.md5Checksum === undefined || item.md5Checksum === source.md5())
}

/** Removes a new file whose content is not what was sent, and says what became of it. Goes on when the caller gives up. */
export async function removeSpoiled(drive: DriveClient, item: DriveItem): Promise<Unavailable> {
  const patience = new Patience(AbortSignal.timeout(removalMs), removalMs)
  const isDone = (step: typeof deleteFile) =>
    patiently(patience, () => step(drive, item.id, patience)).then(
      () => true,
      (error: unknown) => error instanceof NotFound,
    )
  const mismatch = 'What Google Drive stored did not match the md5 of what was sent'
  if (await isDone(deleteFile)) return new Unavailable(`${mismatch}, so it was deleted. Make the call again.`)
  if (await isDone(throwAway)) return new Unavailable(`${mismatch}, so it was put into the trash. Make the call again.`)
  return spoiled(item, `${mismatch}, and Google Drive let it neither be deleted nor put into the trash`)
}

/** A file that may have been changed by somebody before it was looked at, so that it is not ours to remove. */
export function spoiledSince(item: DriveItem): Unavailable {
  return spoiled(item, 'What Google Drive has stored is not what was sent: it was spoiled on the way, or somebody has changed it since')
}

const spoiled = ({ name, id }: DriveItem, what: string) =>
  new Unavailable(
    `${what}. It is still there: "${name}" (${id}). Have a person look at that file and delete it; a repeat of the call makes a new one.`,
    { retryable: false },
  )
