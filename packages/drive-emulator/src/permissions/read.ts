import { maskBelow, type Mask, applyMask, parseMask, permissionShape, permissionListShape, includesField } from '../field-masks.ts'
import { isFolder, type Item } from '../items.ts'
import { readPageToken, createPageToken } from '../page-tokens.ts'
import { notAllowed, permissionNotFound } from '../errors.ts'
import type { Session } from '../session.ts'
import { roleRank } from './grants.ts'
import { listPermissions, type PermissionResource } from './resource.ts'

const defaultFields: Mask = new Map(['kind', 'id', 'type', 'role'].map((field): [string, Mask] => [field, 'all']))

/** `GET /drive/v3/files/{fileId}/permissions` */
export function getPermissionList(session: Session, fileId: string): unknown {
  const { params } = session
  const fields = params.text('fields')
  const mask: Mask =
    fields === undefined
      ? new Map<string, Mask>([
          ['kind', 'all'],
          ['nextPageToken', 'all'],
          ['permissions', defaultFields],
        ])
      : parseMask(fields, permissionListShape)
  const item = findReadableItem(session, fileId)
  // Without pageSize there is one page, except in shared drives.
  const size = params.whole('pageSize', { usual: item.driveId === null ? 100_000 : 100, largest: 100 })
  const list = `permissions ${item.id}`
  const [after = 0] = readPageToken(params.text('pageToken'), list)
  const all = listPermissions(session, item)
  const shown = all.slice(Number(after), Number(after) + size)
  const end = Number(after) + shown.length
  const answer = { kind: 'drive#permissionList', ...(end < all.length && { nextPageToken: createPageToken(list, [end]) }) }
  const rest = applyMask(answer, mask)
  return includesField(mask, 'permissions') && typeof rest === 'object'
    ? { ...rest, permissions: applyMask(shown, maskBelow(mask, 'permissions')) }
    : rest
}

/** `GET /drive/v3/files/{fileId}/permissions/{permissionId}` */
export function getPermission(session: Session, fileId: string, permissionId: string): unknown {
  const mask = parsePermissionMask(session)
  return applyMask(permissionOn(session, findReadableItem(session, fileId), permissionId), mask)
}

/** The requested fields of a permission. */
export function parsePermissionMask({ params }: Session): Mask {
  const fields = params.text('fields')
  return fields === undefined ? defaultFields : parseMask(fields, permissionShape)
}

/** A permission by id; throws if there is none. */
export function permissionOn(session: Session, item: Item, permissionId: string): PermissionResource {
  const found = listPermissions(session, item).find(({ id }) => id === permissionId)
  if (found === undefined) throw permissionNotFound(permissionId)
  return found
}

/** Readers do not see permissions. */
function findReadableItem(session: Session, fileId: string): Item {
  const item = session.find(fileId)
  const needed = item.driveId === null || !isFolder(item) ? 'writer' : 'reader'
  if (roleRank(item.role) < roleRank(needed)) throw notAllowed()
  return item
}
