import { permissionForm, permissionListForm } from '../forms.ts'
import { isFolder, type Item } from '../items.ts'
import { below, masked, parseMask, wants, type Mask } from '../masks.ts'
import { pageAfter, tokenFor } from '../page-tokens.ts'
import { notAllowed, permissionNotFound } from '../refusals.ts'
import { rank } from './grants.ts'
import type { Session } from '../session.ts'
import { listPermissions, type PermissionResource } from './resource.ts'

const usualFields: Mask = new Map(['kind', 'id', 'type', 'role'].map((field): [string, Mask] => [field, 'all']))

/** `GET /drive/v3/files/{fileId}/permissions` */
export function listOf(session: Session, fileId: string): unknown {
  const { params } = session
  const fields = params.text('fields')
  const mask: Mask =
    fields === undefined
      ? new Map<string, Mask>([
          ['kind', 'all'],
          ['nextPageToken', 'all'],
          ['permissions', usualFields],
        ])
      : parseMask(fields, permissionListForm)
  const item = readable(session, fileId)
  // Without a size everything comes at once, except for what lies in a shared drive.
  const size = params.whole('pageSize', { usual: item.driveId === null ? 100_000 : 100, largest: 100 })
  const list = `permissions ${item.id}`
  const [after = 0] = pageAfter(params.text('pageToken'), list)
  const all = listPermissions(session, item)
  const shown = all.slice(Number(after), Number(after) + size)
  const end = Number(after) + shown.length
  const answer = { kind: 'drive#permissionList', ...(end < all.length && { nextPageToken: tokenFor(list, [end]) }) }
  const rest = masked(answer, mask)
  return wants(mask, 'permissions') && typeof rest === 'object' ? { ...rest, permissions: masked(shown, below(mask, 'permissions')) } : rest
}

/** `GET /drive/v3/files/{fileId}/permissions/{permissionId}` */
export function getOne(session: Session, fileId: string, permissionId: string): unknown {
  const mask = maskOf(session)
  return masked(permissionOn(session, readable(session, fileId), permissionId), mask)
}

/** What a caller wants of a permission. */
export function maskOf({ params }: Session): Mask {
  const fields = params.text('fields')
  return fields === undefined ? usualFields : parseMask(fields, permissionForm)
}

/** One principal's permission, which must be there. */
export function permissionOn(session: Session, item: Item, permissionId: string): PermissionResource {
  const found = listPermissions(session, item).find(({ id }) => id === permissionId)
  if (found === undefined) throw permissionNotFound(permissionId)
  return found
}

/** Who may only read an item does not learn who else may. */
function readable(session: Session, fileId: string): Item {
  const item = session.find(fileId)
  const needed = item.driveId === null || !isFolder(item) ? 'writer' : 'reader'
  if (rank(item.role) < rank(needed)) throw notAllowed()
  return item
}
