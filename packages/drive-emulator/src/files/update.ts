import { capabilitiesIn } from '../drives.ts'
import { newRevision } from '../ids.ts'
import { type ItemChanges, isFolder, isNative, type Item, itemById, updateItem } from '../items.ts'
import { viewerId } from '../people.ts'
import { badRequest, forbidden, invalidValue, invalidField, notAllowed } from '../errors.ts'
import { isRoot, requireRole, type Session } from '../session.ts'
import { refreshAccess } from '../effective-access.ts'
import type { FileBody } from './body.ts'
import { contentFor, checkDestination, type UploadedContent, modificationColumns } from './create.ts'

/** The columns that a move changes; none when the request names no parents. An item has one parent. */
export function parseMove(session: Session, item: Item): ItemChanges {
  const { params, store } = session
  const added = splitIds(params.text('addParents'))
  const removed = new Set(splitIds(params.text('removeParents')).map((id) => (id === 'root' ? checkDestination(session, id).id : id)))
  if (added.length === 0 && removed.size === 0) return {}
  const [id, ...others] = added
  if (others.length > 0) throw invalidValue('addParents', 'A file cannot be added to more than one parent.')
  const leavesParent = item.parentId !== null && removed.has(item.parentId)
  if (id === undefined) {
    if (leavesParent) throw forbidden('cannotRemoveParent', 'A file must have a parent.', 'removeParents')
    return {}
  }
  const folder = checkDestination(session, id)
  if (folder.id === item.parentId) throw invalidValue('addParents', 'The file already has this parent: a duplicate parent cannot be added.')
  // Only the owner can move an item whose folder is not visible.
  if (item.parentId === null && item.ownerId !== viewerId) throw notAllowed()
  if (item.parentId !== null && !leavesParent) {
    throw forbidden('cannotAddParent', 'Increasing the number of parents is not allowed', 'addParents')
  }
  for (
    let above: Item | undefined = folder;
    above !== undefined;
    above = above.parentId === null ? undefined : itemById(store, above.parentId)
  ) {
    if (above.id === item.id) throw badRequest('A folder cannot be moved into itself or into a folder below it: this would make a cycle.')
  }
  return { parentId: folder.id, ...checkMoveAcrossDrives(session, item, folder) }
}

const splitIds = (value: string | undefined) => (value ?? '').split(',').filter((id) => id !== '')

/** Files can move between My Drive and a shared drive; folders cannot. */
function checkMoveAcrossDrives(session: Session, item: Item, folder: Item): ItemChanges {
  const { moveWithin, moveOut } = capabilitiesIn(session, item)
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

/** Changes an item: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update. */
export function updateFile(session: Session, id: string, { body, upload }: { body: FileBody; upload?: UploadedContent }): Item {
  const { store, at } = session
  const item = session.find(id)
  checkPermission(session, item, { body, upload })
  const move = parseMove(session, item)
  const renamed = body.name !== undefined && body.name !== item.name
  const isTouched = renamed || upload !== undefined || body.description !== undefined
  const changes: ItemChanges = {
    ...modificationColumns(body),
    ...move,
    ...(body.name !== undefined && { name: body.name }),
    ...checkTypeChange(item, body, upload),
    ...(upload && contentFor(session, item, upload)),
    ...(isTouched && { modifiedTime: at, modifiedByMeTime: at, lastModifyingId: viewerId }),
    ...(body.modifiedTime !== undefined && { modifiedTime: body.modifiedTime, modifiedByMeTime: at, lastModifyingId: viewerId }),
    ...(body.viewedByMeTime !== undefined && { viewedByMeTime: body.viewedByMeTime }),
    ...(body.trashed !== undefined && { explicitlyTrashed: Number(body.trashed), trashedTime: body.trashed ? at : null }),
    indexedAt: at,
  }
  updateItem(store, item.id, changes)
  refreshAccess(store, item.id)
  return itemById(store, item.id) ?? item
}

function checkPermission(session: Session, item: Item, { body, upload }: { body: FileBody; upload: UploadedContent | undefined }): void {
  const { params } = session
  const isMoved = params.text('addParents') !== undefined || params.text('removeParents') !== undefined
  // Stars and view times are personal, so a reader may change them.
  const { starred, viewedByMeTime, ...others } = body
  const isPersonal = upload === undefined && !isMoved && Object.values(others).every((value) => value === undefined)
  if (isPersonal && (starred !== undefined || viewedByMeTime !== undefined)) return
  requireRole(item, 'writer')
  if (isRoot(item)) throw forbidden('rootFolderNotModifiable', 'The root of a drive cannot be changed, moved or trashed.')
  if (body.trashed !== undefined && !capabilitiesIn(session, item).trash) throw notAllowed()
  if (upload !== undefined && isNative(item)) throw invalidField('file.mimeType', 'This kind of file has no content that can be replaced.')
}

function checkTypeChange(item: Item, { mimeType }: FileBody, upload: UploadedContent | undefined): ItemChanges {
  const newType = mimeType ?? upload?.type
  if (newType === undefined || newType === item.mimeType) return {}
  if (isNative(item) || isNative({ mimeType: newType })) throw invalidField('file.mimeType', 'A file cannot change between these types.')
  return { mimeType: newType, ...(upload === undefined && { headRevisionId: newRevision() }) }
}
