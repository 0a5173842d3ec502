import type { JsonObject } from '@mcp-toolkits/emulator'
import { notAllowed, notFound } from '../http/errors.ts'
import { applyMask, type Mask, maskOf, permissionListShape, permissionShape, readMask } from '../http/field-masks.ts'
import { isFolder, type Item, itemById, withFoldersAbove } from '../store/items.ts'
import { pageOf } from '../http/page-tokens.ts'
import { noDetails, type Permission, permissionsOn, roleRank } from './grants.ts'
import type { Session } from '../session/session.ts'

/** A permission as the API returns it. */
export interface PermissionResource {
  readonly id: string
  readonly type: string
  readonly role: string
  readonly [field: string]: unknown
}

/** Source of a principal's role on an item. */
interface PermissionSource {
  readonly permission: Permission
  readonly inherited: boolean
}

/** Each principal's permissions on an item and its ancestors, the item's own first. */
function permissionSources(session: Session, item: Item): Map<string, PermissionSource[]> {
  const all = withFoldersAbove(session.store, item).flatMap((parent) => {
    const inherited = parent.id !== item.id
    const owner = inherited && parent.ownerId !== null && parent.ownerId !== item.ownerId ? [ownerAsWriter(parent.id, parent.ownerId)] : []
    return [...owner, ...permissionsOn(session.store, parent.id)].map((permission): PermissionSource => ({ permission, inherited }))
  })
  return Map.groupBy(all, ({ permission }) => permission.permissionId)
}

/** A folder's owner has the role writer for items added by others. */
const ownerAsWriter = (fileId: string, permissionId: string): Permission => ({
  ...{ n: 0, fileId, permissionId, type: 'user', role: 'writer', pendingOwner: 0 },
  ...noDetails,
})

/** An item's permissions, owner first. */
export function listPermissions(session: Session, item: Item): PermissionResource[] {
  const sources = permissionSources(session, item)
  const owner = item.ownerId === null ? [] : [ownerResource(session, item.ownerId)]
  const others = [...sources.entries()].filter(([id]) => id !== item.ownerId)
  return [...owner, ...others.map(([, rows]) => permissionResource(session, rows))]
}

function ownerResource(session: Session, id: string): PermissionResource {
  return {
    kind: 'drive#permission',
    id,
    type: 'user',
    role: 'owner',
    ...accountDetails(session, id),
    deleted: false,
    pendingOwner: false,
    permissionDetails: [{ permissionType: 'file', role: 'owner', inherited: false }],
  }
}

/** A principal's permission: the highest role wins, a direct one before an inherited one. */
function permissionResource(session: Session, rows: readonly PermissionSource[]): PermissionResource {
  const [highest] = [...rows].sort((one, other) => roleRank(other.permission.role) - roleRank(one.permission.role))
  if (highest === undefined) throw new TypeError('A permission has at least one source.')
  const { permissionId, type, role, emailAddress, domain, displayName, allowFileDiscovery, expirationTime } = highest.permission
  return {
    kind: 'drive#permission',
    id: permissionId,
    type,
    role,
    ...withoutEmpty({ emailAddress, domain, displayName, expirationTime }),
    ...(type === 'user' && accountDetails(session, permissionId)),
    ...(allowFileDiscovery !== null && { allowFileDiscovery: allowFileDiscovery === 1 }),
    ...((type === 'user' || type === 'group') && { deleted: false }),
    ...(type === 'user' && { pendingOwner: false }),
    permissionDetails: rows.map(({ permission, inherited }) => ({
      permissionType: isMembership(session, permission) ? 'member' : 'file',
      role: permission.role,
      inherited,
      ...(inherited && isInDrive(session, permission) && { inheritedFrom: permission.fileId }),
    })),
  }
}

const isInDrive = ({ store }: Session, { fileId }: Permission) => (itemById(store, fileId)?.driveId ?? null) !== null

const isMembership = ({ store }: Session, { fileId }: Permission) => itemById(store, fileId)?.driveId === fileId

function accountDetails(session: Session, id: string): Record<string, unknown> {
  const { displayName, emailAddress, photoLink }: JsonObject = session.user(id) ?? {}
  return withoutEmpty({ displayName, emailAddress, photoLink })
}

const withoutEmpty = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

const defaultFields = maskOf('kind id type role')
const defaultListFields = maskOf('kind nextPageToken', { permissions: defaultFields })

/** `GET /drive/v3/files/{fileId}/permissions` */
export function getPermissionList(session: Session, fileId: string): unknown {
  const { params } = session
  const mask = readMask(session, permissionListShape, defaultListFields)
  const item = findReadableItem(session, fileId)
  // Without pageSize there is one page, except in shared drives.
  const size = params.whole('pageSize', { usual: item.driveId === null ? 100_000 : 100, largest: 100 })
  const { shown, next } = pageOf(session, listPermissions(session, item), { list: `permissions ${item.id}`, size })
  return applyMask({ kind: 'drive#permissionList', ...next, permissions: shown }, mask)
}

/** `GET /drive/v3/files/{fileId}/permissions/{permissionId}` */
export function getPermission(session: Session, fileId: string, permissionId: string): unknown {
  const mask = parsePermissionMask(session)
  return applyMask(permissionOn(session, findReadableItem(session, fileId), permissionId), mask)
}

/** A permission's requested fields. */
export const parsePermissionMask = (session: Session): Mask => readMask(session, permissionShape, defaultFields)

/** A permission by id; throws if there is none. */
export function permissionOn(session: Session, item: Item, permissionId: string): PermissionResource {
  const found = listPermissions(session, item).find(({ id }) => id === permissionId)
  if (found === undefined) throw notFound(`Permission not found: ${permissionId}.`, 'permissionId')
  return found
}

/** Finds an item whose permissions the caller may see; readers may not see them. */
function findReadableItem(session: Session, fileId: string): Item {
  const item = session.find(fileId)
  const needed = item.driveId === null || !isFolder(item) ? 'writer' : 'reader'
  if (roleRank(item.role) < roleRank(needed)) throw notAllowed()
  return item
}
