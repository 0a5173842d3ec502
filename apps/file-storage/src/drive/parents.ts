import { InvalidInput } from '@mcp-toolkits/core'
import type { DriveClient } from './client.ts'
import { getItem } from './files.ts'
import { folderBehind, kindOf, type DriveItem } from './items.ts'

/** What was named as a folder is none. */
export class NoFolder extends InvalidInput {}

export interface FolderMeant {
  /** Its id. */
  readonly folder: string
  /** The name of the shortcut that stands for it, where one does. */
  readonly shortcut?: string
  /** Whether what was named is in the trash. */
  readonly isTrashed: boolean
}

/** The folder that an id means, a shortcut to one included. Throws `NoFolder`. */
export async function folderMeant(drive: DriveClient, id: string, signal: AbortSignal): Promise<FolderMeant> {
  const item = await getItem(drive, id, signal)
  const folder = folderBehind(item)
  if (folder === undefined) throw new NoFolder(`"${item.name}" is a ${kindOf(item.mimeType)}, not a folder.`)
  return { folder, isTrashed: item.trashed === true, ...(folder !== item.id && { shortcut: item.name }) }
}

/** What was made in a folder that lies in the trash. */
export function inTrash({ name, id, parents: [parent], mimeType }: DriveItem): InvalidInput {
  const where = parent === undefined ? 'The parent folder' : `The parent folder ${parent}`
  return new InvalidInput(
    `${where} is in the trash, and so is what is made in it: "${name}" (${id}). Take the parent out of the trash and repeat the call, which makes no second ${kindOf(mimeType)}; or pass another parent.`,
  )
}
