import { confirmChange, confirmCreated } from '@mcp-toolkits/core/confirm'
import { vendor } from './client.ts'
import { isDriveId } from './ids.ts'
import type { DriveItem } from './items.ts'

/** What a write asked of an item: undefined for what it left as it is. */
interface Asked {
  readonly name?: string | undefined
  /** The id of a folder, or `root`. */
  readonly folder?: string | undefined
  readonly mimeType?: string | undefined
}

/** The parameters that hold what was asked, so that a notice can name them. */
type Parameters = Readonly<Partial<Record<keyof Asked, string>>>

/** Holds a change of an item against the record that Drive returned; see `confirmChange`. */
export function confirmChanged(item: DriveItem, asked: Asked, parameters: Parameters): string | undefined {
  return confirmChange(vendor, shownIn(item, asked, parameters))
}

/** Holds a new item against the record that Drive returned; see `confirmCreated`. */
export function confirmNew(item: DriveItem, asked: Asked, parameters: Parameters): string | undefined {
  return confirmCreated(vendor, shownIn(item, asked, parameters))
}

function shownIn(item: DriveItem, { name, folder, mimeType }: Asked, parameters: Parameters) {
  return {
    ...(parameters.name !== undefined && name !== undefined && { [parameters.name]: isSameName(item.name, name) }),
    ...(parameters.folder !== undefined && folder !== undefined && { [parameters.folder]: isInFolder(item, folder) }),
    ...(parameters.mimeType !== undefined && mimeType !== undefined && { [parameters.mimeType]: item.mimeType === mimeType }),
  }
}

/** Blanks around a name and the form of its letters are not what was asked for. */
function isSameName(one: string, other: string): boolean {
  const plain = (name: string) => name.trim().normalize()
  return plain(one) === plain(other)
}

/** Whether the record of an item shows that it is in a folder. An item in a root that cannot be read shows no folder. */
export function isInFolder({ parents, driveId }: DriveItem, folder: string): boolean {
  if (folder !== 'root') return parents.includes(folder)
  return parents.length === 0 || (driveId === undefined && parents.some(isDriveId))
}

/** What to call the folder of a new item: as the caller knows it where the record shows it, or else by its id. */
export function placeOf(item: DriveItem, { id, label }: { readonly id: string; readonly label: string }): string {
  if (isInFolder(item, id)) return label
  return item.parents[0] ?? 'a folder that Google Drive does not show'
}
