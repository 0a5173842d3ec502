import { insertRow } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/sqlite'
import { refreshAccess } from '../sharing/effective-access.ts'
import { driveIdFor, fileIdFor, permissionIdFor } from '../store/ids.ts'
import { folderType, insertItem, type Item, itemById, shortcutType } from '../store/items.ts'
import { domain, firstViewer, robin } from '../people/people.ts'
import { type DriveStore, seenBy } from '../store/viewers.ts'
import { insertPermission, type Role } from '../sharing/grants.ts'
import { describeContent } from '../content/generated.ts'

/** An item to add without the API. */
export interface ItemSeed {
  readonly name: string
  /** Determines the id. The default is the name, so items with the same name need keys. */
  readonly key?: string
  /** Id of the folder: the root of My Drive by default, null for other people's items. */
  readonly parent?: string | null
  /** A text file by default. */
  readonly type?: string
  /** A file's text; for a Google document, the text for searches and exports. */
  readonly text?: string
  /** Recipe for generated content other than text. */
  readonly content?: string
  readonly trashed?: boolean
  readonly starred?: boolean
  readonly target?: string
  /** The owner's email address; the account's own by default. */
  readonly owner?: string
  /** Age in days. */
  readonly days?: number
  /** In ISO 8601; derived from the age if absent. */
  readonly createdTime?: string
  /** In ISO 8601; the creation time by default. */
  readonly modifiedTime?: string
  /** Id of the last person to change it; the owner by default. */
  readonly modifiedBy?: string
  readonly description?: string
  readonly grants?: readonly (readonly [address: string, role: Role])[]
  readonly resourceKey?: string
  readonly abusive?: boolean
  /** True if only writers may download the item. */
  readonly protected?: boolean
  /** True if the app has access with drive.file. */
  readonly granted?: boolean
}

/** Adds items with dates relative to now. */
export interface SeedBuilder {
  readonly store: DriveStore
  readonly addItem: (item: ItemSeed) => string
  readonly addFolder: (item: Omit<ItemSeed, 'type'>) => string
  readonly isGroup: (address: string) => boolean
  /** The time this many days ago, in ISO 8601. */
  readonly daysAgo: (days: number) => string
}

const dayMs = 86_400_000

/** An item's id, derived from its folder's id and its key. */
export const itemIdOf = (parent: string | null, key: string): string => fileIdFor(`${parent ?? 'elsewhere'} ${key}`)

/** `isGroup` tells addresses of groups from addresses of people. */
export function createSeedBuilder(database: Store, now: number, isGroup = (address: string) => address.startsWith('team-')): SeedBuilder {
  const store = seenBy(database, firstViewer)
  const ago = (days: number) => new Date(now - days * dayMs).toISOString()
  const addItem = (item: ItemSeed) => {
    const { name, key = name, parent = firstViewer.rootId, days = 30, grants = [] } = item
    const id = itemIdOf(parent, key)
    const folder = parent === null ? undefined : itemById(store, parent)
    const { createdTime = ago(days), modifiedTime = createdTime } = item
    const owner = item.owner === undefined ? firstViewer.id : permissionIdFor(item.owner)
    const isMine = owner === firstViewer.id && (folder?.driveId ?? null) === null
    const { modifiedBy = owner } = item
    const viewerGrant = grants.find(([address]) => address === robin.email)
    insertItem(store, {
      id,
      name,
      parentId: parent,
      driveId: folder?.driveId ?? null,
      ownerId: (folder?.driveId ?? null) === null ? owner : null,
      createdTime,
      modifiedTime,
      lastModifyingId: modifiedBy,
      description: item.description ?? null,
      ...(isMine && { viewedByMeTime: modifiedTime }),
      ...(modifiedBy === firstViewer.id && { modifiedByMeTime: modifiedTime }),
      ...(viewerGrant && { sharedWithMeTime: createdTime, sharingId: owner }),
      explicitlyTrashed: Number(item.trashed === true),
      trashedTime: item.trashed === true ? modifiedTime : null,
      starred: Number(item.starred === true),
      resourceKey: item.resourceKey ?? null,
      abusive: Number(item.abusive === true),
      copyRequiresWriter: Number(item.protected === true),
      granted: Number(item.granted === true),
      ...typeColumns(store, item),
    })
    for (const [address, role] of grants) insertPermission(store, permissionFor(address, { fileId: id, role, isGroup: isGroup(address) }))
    refreshAccess(store, id)
    return id
  }
  return { store, addItem, isGroup, daysAgo: ago, addFolder: (item) => addItem({ ...item, type: folderType }) }
}

function typeColumns(
  store: DriveStore,
  { type, text = '', content, target }: ItemSeed,
): Partial<Item> & { mimeType: string; text: string } {
  const mimeType = type ?? (target === undefined ? 'text/plain' : shortcutType)
  if (target !== undefined) return { mimeType, text, targetId: target, targetMimeType: itemById(store, target)?.mimeType ?? null }
  if (mimeType === folderType) return { mimeType, text }
  const key = `text-${Buffer.from(text).toString('base64url')}`
  if (mimeType.startsWith('application/vnd.google-apps.')) return { mimeType, text, size: 1024, ...(text !== '' && { content: key }) }
  const details = describeContent(content ?? key)
  return { mimeType, text, ...details, headRevisionId: `0B${details.md5}` }
}

/** A permission for an address, for `domain` or for `anyone`. */
function permissionFor(address: string, { fileId, role, isGroup }: { fileId: string; role: Role; isGroup: boolean }) {
  if (address === 'anyone') return { fileId, role, type: 'anyone', permissionId: 'anyoneWithLink', allowFileDiscovery: 0 }
  if (address === 'domain') {
    return { fileId, role, type: 'domain', permissionId: `${permissionIdFor(domain)}k`, domain, displayName: domain, allowFileDiscovery: 1 }
  }
  return { fileId, role, type: isGroup ? 'group' : 'user', permissionId: permissionIdFor(address), emailAddress: address }
}

/** A shared drive to add. */
export interface DriveSeed {
  readonly name: string
  readonly members: readonly (readonly [address: string, role: Role])[]
  readonly hidden?: boolean
  /** In ISO 8601. */
  readonly createdTime?: string
}

/** Adds a shared drive and returns its id, which is also the id of its root. */
export function seedDrive({ store, daysAgo, isGroup }: SeedBuilder, { name, members, hidden = false, ...rest }: DriveSeed): string {
  const id = driveIdFor(`drive ${name}`)
  const { createdTime = daysAgo(500) } = rest
  insertRow(store, 'drives', { id, name, createdTime, hidden: Number(hidden), foldersNeedOrganizer: 1 })
  insertItem(store, { id, name, driveId: id, mimeType: folderType, createdTime })
  for (const [address, role] of members) insertPermission(store, permissionFor(address, { fileId: id, role, isGroup: isGroup(address) }))
  refreshAccess(store, id)
  return id
}
