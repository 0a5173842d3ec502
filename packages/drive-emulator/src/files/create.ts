import { integer, text } from '@mcp-toolkits/store'
import type { StoredContent } from './content.ts'
import { isGeneratedId, newIds, newRevision } from '../ids.ts'
import { folderType, insertItem, isFolder, isNative, isShortcut, itemById, shortcutType, type ItemChanges, type Item } from '../items.ts'
import { viewerId } from '../people.ts'
import { roleRank } from '../permissions/grants.ts'
import { fileNotFound, forbidden, idInUse, invalidField } from '../errors.ts'
import { rootOf, type Session } from '../session.ts'
import { refreshAccess } from '../effective-access.ts'
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
    ownerId: parent.driveId === null ? viewerId : null,
    createdTime: body.createdTime ?? at,
    modifiedTime: body.modifiedTime ?? at,
    modifiedByMeTime: at,
    viewedByMeTime: at,
    indexedAt: at,
    lastModifyingId: viewerId,
    granted: 1,
    ...modificationColumns(body),
    ...(mimeType === shortcutType && shortcutColumns(session, body.targetId)),
    ...contentFor(session, { mimeType }, upload),
  })
  refreshAccess(store, id)
  return itemById(store, id) ?? session.find(id)
}

/** Columns that a body sets on create and on update. */
export function modificationColumns(body: FileBody): ItemChanges {
  const { description, starred, properties, appProperties, writersCanShare, copyRequiresWriterPermission, originalFilename } = body
  return {
    ...(description !== undefined && { description }),
    ...(starred !== undefined && { starred: Number(starred) }),
    ...(properties && { properties: JSON.stringify(properties) }),
    ...(appProperties && { appProperties: JSON.stringify(appProperties) }),
    ...(writersCanShare !== undefined && { writersCanShare: Number(writersCanShare) }),
    ...(copyRequiresWriterPermission !== undefined && { copyRequiresWriter: Number(copyRequiresWriterPermission) }),
    ...(originalFilename !== undefined && { originalFilename }),
  }
}

/** Columns of an item's content; Google's own types keep only searchable text. */
export function contentFor(session: Session, item: Pick<Item, 'mimeType'>, upload: UploadedContent | undefined): ItemChanges {
  if (isFolder(item) || isShortcut(item)) {
    if (upload !== undefined) throw invalidField('file.mimeType', 'Folders and shortcuts have no content.')
    return {}
  }
  if (isNative(item)) return { size: 1024, ...(upload && { text: upload.text }) }
  if (upload === undefined) return { ...noContent, headRevisionId: newRevision() }
  checkStorage(session, upload.size)
  return { content: upload.key, size: upload.size, md5: upload.md5, headRevisionId: newRevision(), text: upload.text }
}

function checkStorage({ store, storageLimit }: Session, more: number): void {
  if (storageLimit === null || usedBy(store) + more <= storageLimit) return
  throw forbidden('storageQuotaExceeded', "The user's Drive storage quota has been exceeded.")
}

/** Bytes used by the account's own files, trashed ones included. */
export const usedBy = (store: Session['store'], only = 'true'): number =>
  store.rows({ used: integer }, `select coalesce(sum(size), 0) as used from files where ownerId = :viewerId and ${only}`, { viewerId })[0]
    ?.used ?? 0

/** The folder of a new item: the root of My Drive by default. */
function parentOf(session: Session, parents: readonly string[] | undefined): Item {
  const [id = 'root', ...others] = parents ?? []
  if (others.length > 0) throw invalidField('file.parents', 'A file cannot have more than one parent.')
  return checkDestination(session, id)
}

/** A folder that the caller may add items to; throws otherwise. */
export function checkDestination(session: Session, id: string): Item {
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
  if (isNative({ mimeType }) && mimeType !== folderType) {
    throw invalidField('file.id', 'Generated IDs are not supported for Docs Editors formats and shortcuts.')
  }
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
