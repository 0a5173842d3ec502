import type { Store } from '@mcp-toolkits/sqlite'
import { domain, firstViewer } from '../people/people.ts'
import { childrenOf, isFolder, isRoot, isShortcut, type Item, itemById, selectItems, updateAccess } from '../store/items.ts'
import { driveById } from '../store/shared-drives.ts'
import { accountsAt, type DriveStore, seenBy } from '../store/viewers.ts'
import { higherRole, itemsWithExpired, permissionsOn, removeExpired, type Role, roleRank } from './grants.ts'

/**
 * The account's role on an item, and which lists show the item: the person's own, a shared drive's, the organization's, or none (link
 * only). Roots are never listed.
 */
export interface EffectiveAccess {
  readonly role: string | null
  readonly reach: string | null
  readonly inDomain: number
  readonly shared: number
  readonly trashed: number
}

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

const isSameAccess = (one: EffectiveAccess, other: EffectiveAccess) =>
  one.role === other.role &&
  one.reach === other.reach &&
  one.inDomain === other.inDomain &&
  one.shared === other.shared &&
  one.trashed === other.trashed

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
  return {
    role,
    reach: computeReach({
      item,
      above,
      isMine,
      isSharedDirectly: directRole !== undefined,
      isDiscoverable: domainPermission?.allowFileDiscovery === 1,
      role,
    }),
    inDomain: domainPermission?.allowFileDiscovery === 1 || above.inDomain === 1 ? 1 : 0,
    shared: item.driveId !== null || permissions.length > 0 || above.shared === 1 ? 1 : 0,
    trashed: item.explicitlyTrashed === 1 || above.trashed === 1 ? 1 : 0,
  }
}

const toRole = (role: string | null): Role | null => higherRole(null, role)

interface ReachFacts {
  readonly item: Item
  readonly above: EffectiveAccess
  readonly isMine: boolean
  /** True if the item was shared directly with this account. */
  readonly isSharedDirectly: boolean
  /** True if people in the organization can find the item by searching. */
  readonly isDiscoverable: boolean
  readonly role: string | null
}

function computeReach({ item, above, isMine, isSharedDirectly, isDiscoverable, role }: ReachFacts): string | null {
  if (role === null) return null
  if (isRoot(item)) return 'root'
  if (item.driveId !== null) return computeReachInDrive(item, above, isSharedDirectly)
  if (isMine || isSharedDirectly || above.reach === 'user' || above.reach === 'root') return 'user'
  return isDiscoverable || above.reach === 'domain' ? 'domain' : 'link'
}

/** A shared drive's item joins a person's own lists after they open, create or receive it. */
function computeReachInDrive(item: Item, above: EffectiveAccess, isSharedDirectly: boolean): string {
  if (isSharedDirectly || item.viewedByMeTime !== null) return 'user'
  return above.reach === null ? 'link' : 'drive'
}

/** Actions that the account may take on an item. */
export interface Capabilities {
  readonly edit: boolean
  readonly comment: boolean
  readonly share: boolean
  readonly trash: boolean
  readonly remove: boolean
  readonly moveWithin: boolean
  readonly moveOut: boolean
  readonly download: boolean
}

/**
 * The account's capabilities on an item: https://developers.google.com/workspace/drive/api/guides/ref-roles. `foldersNeedOrganizer` is its
 * shared drive's setting for sharing folders.
 */
export function capabilitiesFor(item: Item, foldersNeedOrganizer: boolean): Capabilities {
  const atLeast = (role: string) => roleRank(item.role) >= roleRank(role)
  const inDrive = item.driveId !== null
  const root = isRoot(item)
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

/** The account's capabilities on an item. */
export function capabilitiesIn({ store }: { readonly store: DriveStore }, item: Item): Capabilities {
  return capabilitiesFor(item, item.driveId !== null && driveById(store, item.driveId)?.foldersNeedOrganizer === 1)
}

/** The same as the API's `capabilities`. */
export function toCapabilitiesResource(item: Item, rights: Capabilities): object {
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
