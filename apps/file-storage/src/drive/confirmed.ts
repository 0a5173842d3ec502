import { quote } from '@mcp-toolkits/core/errors'
import { confirmChange, confirmCreated } from '@mcp-toolkits/core/tool'
import { vendor } from './client.ts'
import { isDriveId } from './ids.ts'
import type { DriveItem } from './items.ts'

/** Values that a write requested for an item; undefined for values left unchanged. */
interface Asked {
  readonly name?: string | undefined
  /** A folder's id, or `root`. */
  readonly folder?: string | undefined
  readonly mimeType?: string | undefined
}

/** The names of the parameters that requested these values, for notices. */
type Parameters = Readonly<Partial<Record<keyof Asked, string>>>

/** Checks an item's change against the record that Drive returned; see `confirmChange`. */
export function confirmChanged(item: DriveItem, asked: Asked, parameters: Parameters): string | undefined {
  return confirmChange(vendor, shownIn(item, asked, parameters))
}

/** Checks a new item against the record that Drive returned; see `confirmCreated`. */
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

/** Compares names, ignoring surrounding spaces and Unicode normalization. */
function isSameName(one: string, other: string): boolean {
  const plain = (name: string) => name.trim().normalize()
  return plain(one) === plain(other)
}

/** True if an item's record shows that it is in a folder. If the root is unreadable, items in it show no folder. */
export function isInFolder({ parents, driveId }: DriveItem, folder: string): boolean {
  if (folder !== 'root') return parents.includes(folder)
  return parents.length === 0 || (driveId === undefined && parents.some(isDriveId))
}

interface AskedMove {
  readonly before: DriveItem
  readonly folder: string
  /** True if the item was already in the folder. */
  readonly wasThere: boolean
  readonly name: string | undefined
}

/**
 * Confirms from an item's record that it was moved, and returns notices for the caller. Throws `Unavailable` if the record shows no
 * change.
 */
export function confirmMove(item: DriveItem, { before, folder, wasThere, name }: AskedMove) {
  const asked = { folder: wasThere ? undefined : folder, name: name === before.name ? undefined : name }
  const missing = confirmChanged(item, asked, { folder: 'destination_folder_path_or_id', name: 'new_filename' })
  const moved = !wasThere && isInFolder(item, folder)
  const said = [missing, ...(moved ? [otherDrive(before, item), openQuestion(before, item, folder)] : [])]
  return { moved, notices: said.filter((text) => text !== undefined) }
}

/** Sentence saying that a moved item now belongs to someone else. */
function otherDrive(before: DriveItem, { driveId }: DriveItem): string | undefined {
  if (driveId === before.driveId) return undefined
  return driveId === undefined
    ? 'The item has left the shared drive.'
    : `The item now belongs to the shared drive ${driveId}, and to no person.`
}

/** Sentence on what a moved item's record leaves unclear. */
function openQuestion(before: DriveItem, { parents }: DriveItem, folder: string): string | undefined {
  const left = before.parents.find((parent) => parent !== folder && parents.includes(parent))
  if (left !== undefined) return `Google Drive also shows the item in its previous folder (${left}).`
  if (parents.length > 0 || before.parents.length > 0) return undefined
  return "Google Drive shows this app neither the item's previous folder nor the new one, so the move could not be checked."
}

/** The folder where an item was created, and any shortcut that led there. */
interface NewPlace {
  readonly folderId: string
  readonly shortcut?: string | undefined
}

/** The name of a new item's folder: the caller's if the record confirms that folder, or else the actual folder's id. */
export function placeOf(item: DriveItem, { folderId, shortcut }: NewPlace, label: string): string {
  if (isInFolder(item, folderId)) return shortcut === undefined ? label : `${quote(shortcut, 300)} (${folderId})`
  return item.parents[0] ?? 'a folder that Google Drive does not show'
}
