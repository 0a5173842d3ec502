import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/store'
import { maskBelow, type Mask, applyMask, parseMask, permissionShape, permissionListShape, includesField } from '../field-masks.ts'
import { isFolder, type Item } from '../items.ts'
import { readPageToken, createPageToken } from '../page-tokens.ts'
import { notAllowed, permissionNotFound } from '../errors.ts'
import type { Session } from '../session.ts'
import { listPermissions, type PermissionResource } from './resource.ts'

/** Roles in ascending order: https://developers.google.com/workspace/drive/api/guides/ref-roles. */
export const roles = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer', 'owner'] as const
export type Role = (typeof roles)[number]

export const isRole = (value: unknown): value is Role => roles.some((role) => role === value)

/** The rank of a role; below all for no role. */
export const roleRank = (role: string | null | undefined): number => (isRole(role) ? roles.indexOf(role) : -1)

/** The higher of two roles, unknown ones counting as none. */
export const higherRole = (one: Role | null, other: string | null | undefined): Role | null =>
  isRole(other) && roleRank(other) > roleRank(one) ? other : one

const shape = {
  n: integer,
  fileId: text,
  permissionId: text,
  type: text,
  role: text,
  emailAddress: nullable(text),
  domain: nullable(text),
  displayName: nullable(text),
  allowFileDiscovery: nullable(integer),
  expirationTime: nullable(text),
  pendingOwner: integer,
}

/** A direct grant. Ownership is stored with the item instead. */
export type Grant = RowOf<typeof shape>

const columns = Object.keys(shape).join(', ')

/** Direct grants on an item, oldest first. */
export const grantsOn = (store: Store, fileId: string): Grant[] =>
  store.rows(shape, `select ${columns} from permissions where fileId = :fileId order by n`, { fileId })

/** All grants, for tests. */
export const allGrants = (store: Store): Grant[] => store.rows(shape, `select ${columns} from permissions order by n`)

export type NewGrant = Pick<Grant, 'fileId' | 'permissionId' | 'type' | 'role'> & Partial<Omit<Grant, 'n'>>

export function insertGrant(store: Store, grant: NewGrant): void {
  const names = Object.keys(grant)
  store.run(`insert into permissions (${names.join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`, { ...grant })
}

export function updateGrant(store: Store, { n, role, expirationTime }: Pick<Grant, 'n' | 'role' | 'expirationTime'>): void {
  store.run('update permissions set role = :role, expirationTime = :expirationTime where n = :n', { n, role, expirationTime })
}

export function deleteGrant(store: Store, n: number): void {
  store.run('delete from permissions where n = :n', { n })
}

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
