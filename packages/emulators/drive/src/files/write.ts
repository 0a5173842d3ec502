import { type JsonObject, parseJson, toObject } from '@mcp-toolkits/emulator'
import { nullable, text } from '@mcp-toolkits/sqlite'
import type { StoredContent } from '../content/content.ts'
import { badRequest, fileNotFound, forbidden, idInUse, invalidField, invalidValue, notAllowed } from '../http/errors.ts'
import { usageOf } from '../http/quota.ts'
import { firstViewer } from '../people/people.ts'
import { changeSettings } from '../store/revisions.ts'
import { shownUntil } from '../session/index-lag.ts'
import type { Session } from '../session/session.ts'
import { capabilitiesIn, refreshAccess } from '../sharing/effective-access.ts'
import { requireRole, roleRank } from '../sharing/grants.ts'
import { isGeneratedId, newIds, newRevision } from '../store/ids.ts'
import {
  childrenOf,
  folderType,
  insertItem,
  isFolder,
  isNative,
  isRoot,
  isShortcut,
  type Item,
  itemById,
  type ItemChanges,
  rootOf,
  selectItems,
  shortcutType,
  updateItem,
  withFoldersAbove,
} from '../store/items.ts'
import { memberDrive } from '../store/shared-drives.ts'
import type { FileBody } from './body.ts'

/** Uploaded content: its location, its type and its searchable text. */
export interface UploadedContent extends StoredContent {
  readonly type: string | undefined
  readonly text: string
}

/** The content of a file created without an upload. */
const noContent = { content: 'empty-', size: 0, md5: 'd41d8cd98f00b204e9800998ecf8427e' } as const

const nativeTypes = ['document', 'spreadsheet', 'presentation', 'drawing', 'form', 'script', 'site'].map(
  (name) => `application/vnd.google-apps.${name}`,
)

/** Creates an item: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/create. */
export function createItem(session: Session, body: FileBody, upload?: UploadedContent): Item {
  const { store, at } = session
  const parent = parentOf(session, body.parents)
  const mimeType = body.mimeType ?? upload?.type ?? 'application/octet-stream'
  if (isNative({ mimeType }) && ![folderType, shortcutType, ...nativeTypes].includes(mimeType))
    throw invalidField('file.mimeType', 'Invalid MIME type.')
  const id = idFor(session, body.id, mimeType)
  const name = body.name === undefined || body.name === '' ? 'Untitled' : body.name
  insertItem(store, {
    id,
    name,
    mimeType,
    parentId: parent.id,
    driveId: parent.driveId,
    ownerId: parent.driveId === null ? store.viewer.id : null,
    createdTime: body.createdTime ?? at,
    modifiedTime: body.modifiedTime ?? at,
    modifiedByMeTime: at,
    viewedByMeTime: at,
    indexedAt: at,
    lastModifyingId: store.viewer.id,
    granted: 1,
    ...modificationColumns(body),
    ...(mimeType === shortcutType && shortcutColumns(session, body.targetId)),
    ...contentFor(session, { mimeType }, upload),
  })
  refreshAccess(store, id)
  const item = itemById(store, id) ?? session.find(id)
  keepForever(session, item)
  return item
}

/** Keeps a file's new content forever, if the request asks for it. */
function keepForever({ store, params }: Session, { id: fileId, headRevisionId: id }: Item): void {
  if (id !== null && params.flag('keepRevisionForever')) changeSettings(store, { fileId, id }, { keepForever: true })
}

/** Properties as JSON. Properties that a change does not name are kept; null clears a property. */
function mergeProperties(stored: string | null | undefined, changes: JsonObject): string | null {
  const merged = Object.entries({ ...propertiesIn(stored), ...changes }).filter(([, value]) => value !== null)
  return merged.length === 0 ? null : JSON.stringify(Object.fromEntries(merged))
}

/** Stored properties. */
export const propertiesIn = (stored: string | null | undefined): JsonObject => toObject(parseJson(stored ?? '{}'))

/** Columns that a body sets when creating, or updating, an item. */
function modificationColumns(body: FileBody, item?: Item): ItemChanges {
  const { description, starred, properties, appProperties, writersCanShare, copyRequiresWriterPermission, originalFilename } = body
  return {
    ...(description !== undefined && { description }),
    ...(starred !== undefined && { starred: Number(starred) }),
    ...(properties && { properties: mergeProperties(item?.properties, properties) }),
    ...(appProperties && { appProperties: mergeProperties(item?.appProperties, appProperties) }),
    ...(writersCanShare !== undefined && { writersCanShare: Number(writersCanShare) }),
    ...(copyRequiresWriterPermission !== undefined && { copyRequiresWriter: Number(copyRequiresWriterPermission) }),
    ...(originalFilename !== undefined && { originalFilename }),
  }
}

/** Columns for an item's content. The size of Google's own types does not depend on the content. */
function contentFor(session: Session, item: Pick<Item, 'mimeType'>, upload: UploadedContent | undefined): ItemChanges {
  if (isFolder(item) || isShortcut(item)) {
    if (upload !== undefined) throw invalidField('file.mimeType', 'Folders and shortcuts have no content.')
    return {}
  }
  if (isNative(item)) return { size: 1024, ...(upload && { content: upload.key, text: upload.text }) }
  if (upload === undefined) return { ...noContent, headRevisionId: newRevision() }
  checkStorage(session, upload.size)
  return { content: upload.key, size: upload.size, md5: upload.md5, headRevisionId: newRevision(), text: upload.text }
}

function checkStorage({ store, storageLimit }: Session, more: number): void {
  if (storageLimit === null || usageOf(store, store.viewer.id).bytes + more <= storageLimit) return
  throw forbidden('storageQuotaExceeded', "The user's Drive storage quota has been exceeded.")
}

/** A new item's folder: the root of My Drive by default. */
function parentOf(session: Session, parents: readonly string[] | undefined): Item {
  const [id = 'root', ...others] = parents ?? []
  if (others.length > 0) throw invalidField('file.parents', 'A file cannot have more than one parent.')
  return checkDestination(session, id)
}

/** A folder to which the caller may add items; throws otherwise. */
function checkDestination(session: Session, id: string): Item {
  // An app may add items to the root even if it cannot read the root.
  const folder = id === 'root' ? rootOf(session.store) : session.find(id)
  if (folder === undefined) throw fileNotFound(id)
  if (!isFolder(folder)) throw forbidden('parentNotAFolder', 'The specified parent is not a folder.')
  if (roleRank(folder.role) < roleRank('writer'))
    throw forbidden('insufficientParentPermissions', 'Insufficient permissions for the specified parent.')
  return folder
}

/** The id in the request, which must come from `generateIds`, or a new one. */
function idFor({ store }: Session, id: string | undefined, mimeType: string): string {
  if (id === undefined) return newIds(store, 1)[0] ?? ''
  if (mimeType === shortcutType) throw invalidField('file.id', 'The provided file ID is not usable.')
  if (isNative({ mimeType }) && mimeType !== folderType)
    throw forbidden('forbidden', 'Generated IDs are not supported for Docs Editors formats')
  if (itemById(store, id) !== undefined || store.rows({ id: text }, 'select id from deleted where id = :id', { id }).length > 0)
    throw idInUse()
  if (!isGeneratedId(id)) throw invalidField('file.id', 'The provided file ID is not usable.')
  return id
}

function shortcutColumns(session: Session, targetId: string | undefined): ItemChanges {
  if (targetId === undefined) throw invalidField('file.shortcutDetails.targetId', 'The shortcut target is missing.')
  const target = session.find(targetId)
  if (isShortcut(target)) throw forbidden('shortcutTargetInvalid', 'The specified target cannot be targeted by a shortcut.')
  return { targetId: target.id, targetMimeType: target.mimeType }
}

/** Columns changed by a move; none if the request names no parents. An item has one parent. */
function parseMove(session: Session, item: Item): ItemChanges {
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
  // Only the owner can move an item whose folder is invisible.
  if (item.parentId === null && item.ownerId !== store.viewer.id) throw notAllowed()
  // Only the owner can move an item by naming just the new folder.
  if (item.parentId !== null && !leavesParent && item.ownerId !== store.viewer.id) {
    throw forbidden('cannotAddParent', 'Increasing the number of parents is not allowed', 'addParents')
  }
  if (withFoldersAbove(store, folder).some((above) => above.id === item.id))
    throw badRequest('A folder cannot be moved into itself or into a folder below it: this would make a cycle.')
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
  return { driveId: folder.driveId, ownerId: folder.driveId === null ? session.store.viewer.id : null, viewedByMeTime: session.at }
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
    ...modificationColumns(body, item),
    ...move,
    ...(body.name !== undefined && { name: body.name }),
    ...checkTypeChange(item, body, upload),
    ...(upload && contentFor(session, item, upload)),
    ...(isTouched && { modifiedTime: at, modifiedByMeTime: at, lastModifyingId: store.viewer.id }),
    ...(body.modifiedTime !== undefined && { modifiedTime: body.modifiedTime, modifiedByMeTime: at, lastModifyingId: store.viewer.id }),
    ...(body.viewedByMeTime !== undefined && { viewedByMeTime: body.viewedByMeTime }),
    ...(body.trashed !== undefined && { explicitlyTrashed: Number(body.trashed), trashedTime: body.trashed ? at : null }),
    indexedAt: at,
  }
  updateItem(store, item.id, changes)
  refreshAccess(store, item.id)
  const changed = itemById(store, item.id) ?? item
  if (upload !== undefined) keepForever(session, changed)
  return changed
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

/** Permanently deletes an item and its descendants; returns the item with the keys of the content to remove. */
export function deleteItem(session: Session, id: string): Item & { readonly contents: readonly (string | null)[] } {
  const item = session.find(id)
  if (!capabilitiesIn(session, item).remove) throw notAllowed()
  return { ...item, contents: deleteTree(session, item) }
}

/** Empties the trash of My Drive, or of a shared drive. */
export function emptyTrash(session: Session): readonly (string | null)[] {
  const { store, params } = session
  const driveId = params.text('driveId')
  const of = driveId === undefined ? 'f.driveId is null and f.ownerId = :of' : 'f.driveId = :of'
  const values = { of: driveId === undefined ? store.viewer.id : memberDrive(session, driveId).id, shown: shownUntil(session) }
  const trashed = selectItems(store, `where f.explicitlyTrashed = 1 and f.indexedAt <= :shown and ${of}`, values)
  if (trashed.some((item) => !capabilitiesIn(session, item).remove)) throw notAllowed()
  return trashed.flatMap((item) => deleteTree(session, item))
}

const tablesOfItems = ['permissions', 'views', 'comments', 'revisions', 'revision_settings'] as const

// The feed reports the deletion to people who could see the item. In `viewers`, a person's value is 1 if the app could see it, too.
const deletion = `insert or ignore into deleted (id, mutation, driveId, viewers)
select id, (select coalesce(max(id), 0) + 1 from mutations), driveId, (select json_group_object(personId, granted) from (
  select :first as personId, granted from files where id = :id and role is not null
  union all select personId, granted from views where fileId = :id and role is not null
)) from files where id = :id`

/** Deletes an item with everything below it. Returns the keys of the content to remove. */
export function deleteTree({ store }: Session, item: Item): (string | null)[] {
  const contents: (string | null)[] = []
  const queue = [item]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of childrenOf(store, next.id)) {
      if (child.driveId !== null || child.ownerId === store.viewer.id) queue.push(child)
      else removeFromFolder(store, child.id)
    }
    const { id } = next
    const former = store.rows({ content: nullable(text) }, 'select content from revisions where fileId = :id', { id })
    store.run(deletion, { id, first: firstViewer.id })
    store.run('delete from files where id = :id', { id })
    for (const table of tablesOfItems) store.run(`delete from ${table} where fileId = :id`, { id })
    contents.push(next.content, ...former.map(({ content }) => content))
  }
  return contents
}

/** Removes another owner's item from its folder, without deleting it. */
function removeFromFolder(store: Session['store'], id: string): void {
  updateItem(store, id, { parentId: null })
  refreshAccess(store, id)
}
