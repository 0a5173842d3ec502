import type { Store } from '@mcp-toolkits/sqlite'
import { domain, firstViewer } from '../people/people.ts'
import {
  childrenOf,
  type EffectiveAccess,
  isFolder,
  isRoot,
  isShortcut,
  type Item,
  itemById,
  selectItems,
  updateAccess,
} from '../store/items.ts'
import { driveById } from '../store/shared-drives.ts'
import { accountsAt, type DriveStore, seenBy } from '../store/viewers.ts'
import { higherRole, itemsWithExpired, permissionsOn, removeExpired, type Role, roleRank } from './grants.ts'

const noAccess: EffectiveAccess = { role: null, reach: null, inDomain: 0, shared: 0, trashed: 0 }

/** Ends access given by expired permissions. */
export async function endExpiredAccess(store: Store, now: number): Promise<void> {
  const at = new Date(now).toISOString()
  const items = itemsWithExpired(store, at)
  if (items.length === 0) return
  await store.write(() => {
    removeExpired(store, at)
    for (const id of items) refreshAccess(seenBy(store, firstViewer), id)
  })
}

/** Recomputes everyone's access to an item and to the descendants that inherit from it. */
export function refreshAccess(store: DriveStore, id: string): void {
  const item = itemById(store, id)
  if (item === undefined) return
  // Facts that are the same for everyone are written for the first viewer.
  for (const viewer of [firstViewer, ...accountsAt(store, item)]) refreshAccessOf(seenBy(store, viewer), id)
}

/** Recomputes one person's access. */
export function refreshAccessOf(store: DriveStore, id: string): void {
  const item = itemById(store, id)
  if (item === undefined) return
  const queue: Item[] = [item]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const access = computeAccess(store, next)
    if (isSameAccess(access, next)) continue
    updateAccess(store, next.id, access)
    queue.push(...childrenOf(store, next.id))
  }
}

const accessColumns = ['role', 'reach', 'inDomain', 'shared', 'trashed'] as const
const isSameAccess = (one: EffectiveAccess, other: EffectiveAccess) => accessColumns.every((column) => one[column] === other[column])

/**
 * The account's role on an item, and which lists show the item: the person's own, a shared drive's, the organization's, or none (link
 * only). Roots are never listed.
 */
function computeAccess(store: DriveStore, item: Item): EffectiveAccess {
  const parent = item.parentId === null ? undefined : selectItems(store, 'where f.id = :id', { id: item.parentId })[0]
  const above: EffectiveAccess = parent ?? noAccess
  const permissions = permissionsOn(store, item.id)
  const directRole = permissions.find(({ permissionId }) => permissionId === store.viewer.id)?.role
  const domainPermission = permissions.find((permission) => permission.type === 'domain' && permission.domain === domain)
  const linkRole = permissions.find(({ type }) => type === 'anyone')?.role
  const isMine = item.ownerId === store.viewer.id
  const inherited = above.role === 'owner' ? 'writer' : above.role
  const role = isMine ? 'owner' : [directRole, domainPermission?.role, linkRole].reduce<Role | null>(higherRole, toRole(inherited))
  const isDiscoverable = domainPermission?.allowFileDiscovery === 1
  const isShared = item.driveId !== null || permissions.length > 0 || above.shared === 1
  const reach = () => {
    if (isRoot(item)) return 'root'
    const isOwn = isMine || directRole !== undefined
    // A shared drive's item joins a person's own lists after they open, create or receive it.
    if (item.driveId !== null) return isOwn || item.viewedByMeTime !== null ? 'user' : above.reach === null ? 'link' : 'drive'
    if (isOwn || above.reach === 'user' || above.reach === 'root') return 'user'
    return isDiscoverable || above.reach === 'domain' ? 'domain' : 'link'
  }
  return {
    role,
    reach: role === null ? null : reach(),
    inDomain: Number(isDiscoverable || above.inDomain === 1),
    shared: Number(isShared),
    trashed: Number(item.explicitlyTrashed === 1 || above.trashed === 1),
  }
}

const toRole = (role: string | null): Role | null => higherRole(null, role)

/** The account's capabilities on an item: https://developers.google.com/workspace/drive/api/guides/ref-roles. */
export function capabilitiesIn({ store }: { readonly store: DriveStore }, item: Item) {
  const atLeast = (role: string) => roleRank(item.role) >= roleRank(role)
  const inDrive = item.driveId !== null
  const root = isRoot(item)
  const foldersNeedOrganizer = item.driveId !== null && driveById(store, item.driveId)?.foldersNeedOrganizer === 1
  const sharer =
    isFolder(item) && inDrive ? (foldersNeedOrganizer ? 'organizer' : 'fileOrganizer') : item.writersCanShare === 1 ? 'writer' : 'owner'
  return {
    edit: atLeast('writer'),
    comment: atLeast('commenter'),
    share: atLeast(item.id === item.driveId ? 'organizer' : sharer) && !(root && !inDrive),
    trash: !root && atLeast(inDrive ? 'fileOrganizer' : 'owner'),
    remove: !root && atLeast(inDrive ? 'organizer' : 'owner'),
    moveWithin: !root && atLeast(inDrive ? 'fileOrganizer' : 'writer'),
    moveOut: !root && atLeast(inDrive ? 'organizer' : 'owner') && !isFolder(item),
    download: !isFolder(item) && !isShortcut(item) && (item.copyRequiresWriter === 0 || atLeast('writer')),
  }
}

/** The same as the API's `capabilities`. */
export function toCapabilitiesResource(item: Item, rights: ReturnType<typeof capabilitiesIn>): object {
  const { edit, comment, share, trash, remove, moveWithin, moveOut, download } = rights
  const folder = isFolder(item)
  const root = isRoot(item)
  const inDrive = item.driveId !== null
  return {
    canAddChildren: folder && edit,
    canChangeCopyRequiresWriterPermission: edit && !folder,
    canComment: comment,
    canCopy: !folder && download,
    canDelete: remove,
    canDownload: download,
    canEdit: edit,
    canListChildren: folder,
    canModifyContent: edit && !folder,
    canMoveChildrenWithinDrive: folder && edit,
    canMoveItemOutOfDrive: moveOut,
    canMoveItemWithinDrive: moveWithin,
    canReadRevisions: edit && !folder,
    canRemoveChildren: folder && edit,
    canRename: edit && !root,
    canShare: share,
    canTrash: trash,
    canUntrash: trash,
    ...(inDrive && { canReadDrive: item.reach !== 'link', canDeleteChildren: folder && remove, canTrashChildren: folder && trash }),
  }
}
