import { quote } from '@mcp-toolkits/core/errors'
import { confirmChange, confirmCreated } from '@mcp-toolkits/core/tool'
import { vendor } from './client.ts'
import { isDriveId } from './ids.ts'
import type { DriveItem } from './items.ts'

/** Values that a write asked of an item; undefined for those that it left alone. */
interface Asked {
  readonly name?: string | undefined
  /** The id of a folder, or `root`. */
  readonly folder?: string | undefined
  readonly mimeType?: string | undefined
}

/** The parameters of the requested values, so that a notice can name them. */
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

/** Blanks around a name and the form of its letters do not count. */
function isSameName(one: string, other: string): boolean {
  const plain = (name: string) => name.trim().normalize()
  return plain(one) === plain(other)
}

/** True if the record of an item shows that it is in a folder. An item in a root that cannot be read shows no folder. */
export function isInFolder({ parents, driveId }: DriveItem, folder: string): boolean {
  if (folder !== 'root') return parents.includes(folder)
  return parents.length === 0 || (driveId === undefined && parents.some(isDriveId))
}

interface AskedMove {
  readonly before: DriveItem
  readonly folder: string
  /** True if it was in the folder already. */
  readonly wasThere: boolean
  readonly name: string | undefined
}

/** Reads from the record of an item that it was moved, and what else to tell the caller. Throws `Unavailable` if it shows no change. */
export function confirmMove(item: DriveItem, { before, folder, wasThere, name }: AskedMove) {
  const asked = { folder: wasThere ? undefined : folder, name: name === before.name ? undefined : name }
  const missing = confirmChanged(item, asked, { folder: 'destination_folder_path_or_id', name: 'new_filename' })
  const moved = !wasThere && isInFolder(item, folder)
  const said = [missing, ...(moved ? [otherDrive(before, item), openQuestion(before, item, folder)] : [])]
  return { moved, notices: said.filter((text) => text !== undefined) }
}

/** Says that a moved item belongs to others now. */
function otherDrive(before: DriveItem, { driveId }: DriveItem): string | undefined {
  if (driveId === before.driveId) return undefined
  return driveId === undefined
    ? 'The item has left the shared drive.'
    : `The item now belongs to the shared drive ${driveId}, and to no person.`
}

/** Names the question that the record of a moved item leaves open. */
function openQuestion(before: DriveItem, { parents }: DriveItem, folder: string): string | undefined {
  const left = before.parents.find((parent) => parent !== folder && parents.includes(parent))
  if (left !== undefined) return `Google Drive shows the item in its previous folder too (${left}).`
  if (parents.length > 0 || before.parents.length > 0) return undefined
  return 'Google Drive shows this app neither the previous folder of the item nor the new one, so the move could not be checked.'
}

/** A folder in which an item was created, and the shortcut that led to it. */
interface NewPlace {
  readonly folderId: string
  readonly shortcut?: string | undefined
}

/** Name of a new item's folder: the caller's name for it if the record shows that folder, or else its id. */
export function placeOf(item: DriveItem, { folderId, shortcut }: NewPlace, label: string): string {
  if (isInFolder(item, folderId)) return shortcut === undefined ? label : `${quote(shortcut, 300)} (${folderId})`
  return item.parents[0] ?? 'a folder that Google Drive does not show'
}
