import { isFolder, itemById, type Changes, type Item } from '../items.ts'
import { viewerId } from '../people.ts'
import { badRequest, forbidden, invalid, notAllowed } from '../refusals.ts'
import type { Session } from '../session.ts'
import { rightsIn } from '../drives.ts'
import { destination } from './create.ts'

/** What a move changes; nothing when the request names no parents. An item has one parent. */
export function moveOf(session: Session, item: Item): Changes {
  const { params, store } = session
  const added = ids(params.text('addParents'))
  const removed = new Set(ids(params.text('removeParents')).map((id) => (id === 'root' ? destination(session, id).id : id)))
  if (added.length === 0 && removed.size === 0) return {}
  const [id, ...others] = added
  if (others.length > 0) throw invalid('addParents', 'A file cannot be added to more than one parent.')
  const isLeaving = item.parentId !== null && removed.has(item.parentId)
  if (id === undefined) {
    if (isLeaving) throw forbidden('cannotRemoveParent', 'A file must have a parent.', 'removeParents')
    return {}
  }
  const folder = destination(session, id)
  if (folder.id === item.parentId) throw invalid('addParents', 'The file already has this parent: a duplicate parent cannot be added.')
  // What others keep elsewhere is not put anywhere.
  if (item.parentId === null && item.ownerId !== viewerId) throw notAllowed()
  if (item.parentId !== null && !isLeaving) {
    throw forbidden('cannotAddParent', 'Increasing the number of parents is not allowed', 'addParents')
  }
  for (
    let above: Item | undefined = folder;
    above !== undefined;
    above = above.parentId === null ? undefined : itemById(store, above.parentId)
  ) {
    if (above.id === item.id) throw badRequest('A folder cannot be moved into itself or into a folder below it: this would make a cycle.')
  }
  return { parentId: folder.id, ...acrossDrives(session, item, folder) }
}

const ids = (value: string | undefined) => (value ?? '').split(',').filter((id) => id !== '')

/** Between My Drive and a shared drive files move, folders do not. */
function acrossDrives(session: Session, item: Item, folder: Item): Changes {
  const { moveWithin, moveOut } = rightsIn(session, item)
  if (item.driveId === folder.driveId) {
    if (!moveWithin) throw notAllowed()
    return {}
  }
  if (isFolder(item)) {
    throw item.driveId === null
      ? forbidden('teamDrivesFolderMoveInNotSupported', 'Moving folders into shared drives is not supported.')
      : forbidden('teamDrivesFolderMoveOutNotSupported', 'Moving folders out of shared drives is not supported.')
  }
  if (!moveOut) throw notAllowed()
  return { driveId: folder.driveId, ownerId: folder.driveId === null ? viewerId : null, viewedByMeTime: session.at }
}
