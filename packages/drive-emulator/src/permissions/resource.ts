import type { JsonObject } from '@mcp-toolkits/emulator'
import { itemById, type Item } from '../items.ts'
import type { Session } from '../session.ts'
import { grantsOn, roleRank, type Grant } from './grants.ts'

/** A permission as the API returns it. */
export interface PermissionResource {
  readonly id: string
  readonly type: string
  readonly role: string
  readonly [field: string]: unknown
}

/** Where a principal's role on an item comes from. */
export interface PermissionSource {
  readonly grant: Grant
  readonly inherited: boolean
}

/** An item and its ancestors up to the root. */
function withAncestors({ store }: Session, item: Item): Item[] {
  const found = [item]
  for (let { parentId } = item; parentId !== null;) {
    const parent = itemById(store, parentId)
    if (parent === undefined) break
    found.push(parent)
    parentId = parent.parentId
  }
  return found
}

/** Grants of each principal on an item and its ancestors, the item's own first. */
export function permissionSources(session: Session, item: Item): Map<string, PermissionSource[]> {
  const all = withAncestors(session, item).flatMap((parent) => {
    const inherited = parent.id !== item.id
    const owner = inherited && parent.ownerId !== null && parent.ownerId !== item.ownerId ? [ownerAsWriter(parent.id, parent.ownerId)] : []
    return [...owner, ...grantsOn(session.store, parent.id)].map((grant): PermissionSource => ({ grant, inherited }))
  })
  return Map.groupBy(all, ({ grant }) => grant.permissionId)
}

/** The owner of a folder is a writer of what others add. */
const ownerAsWriter = (fileId: string, permissionId: string): Grant => ({
  n: 0,
  fileId,
  permissionId,
  type: 'user',
  role: 'writer',
  emailAddress: null,
  domain: null,
  displayName: null,
  allowFileDiscovery: null,
  expirationTime: null,
  pendingOwner: 0,
})

/** Permissions of an item, owner first. */
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
export function permissionResource(session: Session, rows: readonly PermissionSource[]): PermissionResource {
  const [highest] = [...rows].sort((one, other) => roleRank(other.grant.role) - roleRank(one.grant.role))
  if (highest === undefined) throw new TypeError('A permission has at least one source.')
  const { permissionId, type, role, emailAddress, domain, displayName, allowFileDiscovery, expirationTime } = highest.grant
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
    permissionDetails: rows.map(({ grant, inherited }) => ({
      permissionType: isMembership(session, grant) ? 'member' : 'file',
      role: grant.role,
      inherited,
      ...(inherited && { inheritedFrom: grant.fileId }),
    })),
  }
}

const isMembership = ({ store }: Session, { fileId }: Grant) => itemById(store, fileId)?.driveId === fileId

/** Account details of a permission. */
function accountDetails(session: Session, id: string): Record<string, unknown> {
  const { displayName, emailAddress, photoLink }: JsonObject = session.user(id) ?? {}
  return withoutEmpty({ displayName, emailAddress, photoLink })
}

const withoutEmpty = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
