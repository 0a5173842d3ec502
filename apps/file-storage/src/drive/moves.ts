import { Forbidden, InvalidInput } from '@mcp-toolkits/core'
import type { Areas } from './areas.ts'
import type { DriveClient } from './client.ts'
import { ForbiddenToUser } from './failures.ts'
import { changeItem, getItem } from './files.ts'
import { folderBehind, type DriveItem } from './items.ts'

/** A folder that something is moved into. */
export interface Destination {
  /** `root` where the top of My Drive may not be read. */
  readonly id: string
  readonly name: string
  readonly driveId: string | undefined
}

export interface Relocation {
  readonly into: Destination
  /** The new name; undefined to keep it. */
  readonly name: string | undefined
}

export interface Moved {
  readonly item: DriveItem
  /** False where it lay there already. */
  readonly moved: boolean
}

interface Moving {
  readonly drive: DriveClient
  readonly areas: Areas
  readonly signal: AbortSignal
}

/** Refuses what Drive would refuse too, but with a reason. Throws `InvalidInput`. */
export function refuseMove(item: DriveItem, into: Destination): void {
  if (item.id === into.id) throw new InvalidInput(`"${item.name}" cannot be moved into itself.`)
  if (item.trashed === true) throw new InvalidInput(`"${item.name}" is in the trash. It has to be taken out of it before it can be moved.`)
  if (item.driveId !== into.driveId) {
    const storage = (id: string | undefined) => (id === undefined ? 'My Drive' : `the shared drive ${id}`)
    throw new InvalidInput(
      `"${item.name}" is in ${storage(item.driveId)} and "${into.name}" in ${storage(into.driveId)}: an item can only be moved within the same storage.`,
    )
  }
}

/** Moves an item and renames it, as far as it is not there or so named already. `item` is as it was just looked up. */
export async function moveItem(item: DriveItem, { into, name: given }: Relocation, moving: Moving): Promise<Moved> {
  const { drive, signal } = moving
  const name = given === item.name ? undefined : given
  if (item.parents.includes(into.id)) {
    return { item: name === undefined ? item : await changeItem(drive, { id: item.id, name }, signal), moved: false }
  }
  const move = { into: into.id, outOf: await parentsToLeave(item, into, moving) }
  try {
    return { item: await changeItem(drive, { id: item.id, name, move }, signal), moved: true }
  } catch (error) {
    if (!(error instanceof InvalidInput || error instanceof Forbidden)) throw error
    const now = await getItem(drive, item.id, signal)
    if (!isIn(now, into, error)) throw reasonOf(error, item)
    // The answer to an earlier attempt was lost, somebody else has moved it, or its place was not to be seen.
    const isNamed = name === undefined || now.name === name
    return {
      item: isNamed ? now : await changeItem(drive, { id: item.id, name }, signal),
      moved: now.parents.length > 0 || item.parents.length > 0,
    }
  }
}

/** Where the top may not be read, what lies there shows no parent. */
async function parentsToLeave(item: DriveItem, into: Destination, { areas, signal }: Moving): Promise<readonly string[]> {
  if (item.parents.length > 0 || item.driveId !== undefined || into.id === 'root') return item.parents
  return (await areas.rootId(signal)) === undefined ? ['root'] : []
}

/** Whether an item lies where it was to go. Nothing makes a circle at the top, so a refusal of what shows no parent says that it is there. */
function isIn({ parents }: DriveItem, { id }: Destination, error: InvalidInput | Forbidden): boolean {
  return parents.includes(id) || (id === 'root' && parents.length === 0 && error instanceof InvalidInput)
}

function reasonOf(error: InvalidInput | Forbidden, item: DriveItem): InvalidInput | Forbidden {
  const { message, details } = error
  if (error instanceof InvalidInput) {
    if (folderBehind(item) !== item.id) return error
    return new InvalidInput(`The folder "${item.name}" was not moved: a folder cannot go into one that lies in it. ${message}`, details)
  }
  if (item.parents.length > 0 || error instanceof ForbiddenToUser) return error
  return new Forbidden(`"${item.name}" was not moved: the folder that it lies in is not visible to this app. ${message}`, details)
}
