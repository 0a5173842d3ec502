import { newRevision } from '../ids.ts'
import { isNative, itemById, updateItem, type Changes, type Item } from '../items.ts'
import { viewerId } from '../people.ts'
import { forbidden, invalidField, notAllowed } from '../refusals.ts'
import { isRoot, needRole, type Session } from '../session.ts'
import { refreshStanding } from '../standing.ts'
import { rightsIn } from '../drives.ts'
import type { Body } from './body.ts'
import { contentFor, writtenBy, type Upload } from './create.ts'
import { moveOf } from './moves.ts'

/** Changes an item: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update. */
export function updateFile(session: Session, id: string, { body, upload }: { body: Body; upload?: Upload }): Item {
  const { store, at } = session
  const item = session.find(id)
  checkRights(session, item, { body, upload })
  const move = moveOf(session, item)
  const renamed = body.name !== undefined && body.name !== item.name
  const isTouched = renamed || upload !== undefined || body.description !== undefined
  const changes: Changes = {
    ...writtenBy(body),
    ...move,
    ...(body.name !== undefined && { name: body.name }),
    ...typeChange(item, body, upload),
    ...(upload && contentFor(session, item, upload)),
    ...(isTouched && { modifiedTime: at, modifiedByMeTime: at, lastModifyingId: viewerId }),
    ...(body.modifiedTime !== undefined && { modifiedTime: body.modifiedTime, modifiedByMeTime: at, lastModifyingId: viewerId }),
    ...(body.viewedByMeTime !== undefined && { viewedByMeTime: body.viewedByMeTime }),
    ...(body.trashed !== undefined && { explicitlyTrashed: Number(body.trashed), trashedTime: body.trashed ? at : null }),
    indexedAt: at,
  }
  updateItem(store, item.id, changes)
  refreshStanding(store, item.id)
  return itemById(store, item.id) ?? item
}

function checkRights(session: Session, item: Item, { body, upload }: { body: Body; upload: Upload | undefined }): void {
  const { params } = session
  const isMoved = params.text('addParents') !== undefined || params.text('removeParents') !== undefined
  // A star is everyone's own.
  const { starred, viewedByMeTime, ...others } = body
  const isOnlySeen = upload === undefined && !isMoved && Object.values(others).every((value) => value === undefined)
  if (isOnlySeen && (starred !== undefined || viewedByMeTime !== undefined)) return
  needRole(item, 'writer')
  if (isRoot(item)) throw forbidden('rootFolderNotModifiable', 'The root of a drive cannot be changed, moved or trashed.')
  if (body.trashed !== undefined && !rightsIn(session, item).trash) throw notAllowed()
  if (upload !== undefined && isNative(item)) throw invalidField('file.mimeType', 'This kind of file has no content that can be replaced.')
}

function typeChange(item: Item, { mimeType }: Body, upload: Upload | undefined): Changes {
  const wanted = mimeType ?? upload?.type
  if (wanted === undefined || wanted === item.mimeType) return {}
  if (isNative(item) || isNative({ mimeType: wanted })) throw invalidField('file.mimeType', 'A file cannot change between these types.')
  return { mimeType: wanted, ...(upload === undefined && { headRevisionId: newRevision() }) }
}
