import type { Store } from '@mcp-toolkits/store'
import { refreshAccess } from '../effective-access.ts'
import { driveIdFor, fileIdFor, permissionIdFor } from '../ids.ts'
import { folderType, insertItem, type Item, itemById, shortcutType } from '../items.ts'
import { domain, firstViewer, robin } from '../people.ts'
import { type DriveStore, seenBy } from '../viewers.ts'
import { insertGrant, type Role } from '../permissions/grants.ts'
import { describeContent } from './contents.ts'

/** An item to add without the API. */
export interface ItemSeed {
  readonly name: string
  /** Determines the id; defaults to the name, so duplicates need one. */
  readonly key?: string
  /** Id of the folder: the root of My Drive by default, null for items of other people. */
  readonly parent?: string | null
  /** A text file when absent. */
  readonly type?: string
  /** Text of a file; for a Google document only what a search finds. */
  readonly text?: string
  /** How content other than text is generated. */
  readonly content?: string
  readonly trashed?: boolean
  readonly starred?: boolean
  /** Target of a shortcut. */
  readonly target?: string
  /** E-mail address of the owner; the account's own by default. */
  readonly owner?: string
  /** Age in days. */
  readonly days?: number
  readonly grants?: readonly (readonly [address: string, role: Role])[]
  readonly resourceKey?: string
  readonly abusive?: boolean
  /** Whether only writers may download it. */
  readonly protected?: boolean
  /** Whether the app has access under drive.file. */
  readonly granted?: boolean
}

/** Adds items with dates relative to now. */
export interface SeedBuilder {
  readonly store: DriveStore
  readonly addItem: (item: ItemSeed) => string
  readonly addFolder: (item: Omit<ItemSeed, 'type'>) => string
  /** The time this many days ago, in ISO 8601. */
  readonly daysAgo: (days: number) => string
}

const dayMs = 86_400_000

export function createSeedBuilder(database: Store, now: number): SeedBuilder {
  const store = seenBy(database, firstViewer)
  const ago = (days: number) => new Date(now - days * dayMs).toISOString()
  const addItem = (item: ItemSeed) => {
    const { name, key = name, parent = firstViewer.rootId, days = 30, grants = [] } = item
    const id = fileIdFor(`${parent ?? 'elsewhere'} ${key}`)
    const folder = parent === null ? undefined : itemById(store, parent)
    const at = ago(days)
    const owner = item.owner === undefined ? firstViewer.id : permissionIdFor(item.owner)
    const isMine = owner === firstViewer.id && (folder?.driveId ?? null) === null
    const viewerGrant = grants.find(([address]) => address === robin.email)
    insertItem(store, {
      id,
      name,
      parentId: parent,
      driveId: folder?.driveId ?? null,
      ownerId: (folder?.driveId ?? null) === null ? owner : null,
      createdTime: at,
      modifiedTime: at,
      lastModifyingId: owner,
      ...(isMine && { viewedByMeTime: at, modifiedByMeTime: at }),
      ...(viewerGrant && { sharedWithMeTime: at, sharingId: owner }),
      explicitlyTrashed: Number(item.trashed === true),
      trashedTime: item.trashed === true ? at : null,
      starred: Number(item.starred === true),
      resourceKey: item.resourceKey ?? null,
      abusive: Number(item.abusive === true),
      copyRequiresWriter: Number(item.protected === true),
      granted: Number(item.granted === true),
      ...typeColumns(store, item),
    })
    for (const [address, role] of grants) insertGrant(store, grantTo(address, { fileId: id, role }))
    refreshAccess(store, id)
    return id
  }
  return { store, addItem, daysAgo: ago, addFolder: (item) => addItem({ ...item, type: folderType }) }
}

/** The columns that depend on the type. */
function typeColumns(
  store: DriveStore,
  { type, text = '', content, target }: ItemSeed,
): Partial<Item> & { mimeType: string; text: string } {
  const mimeType = type ?? (target === undefined ? 'text/plain' : shortcutType)
  if (target !== undefined) return { mimeType, text, targetId: target, targetMimeType: itemById(store, target)?.mimeType ?? null }
  if (mimeType === folderType) return { mimeType, text }
  if (mimeType.startsWith('application/vnd.google-apps.')) return { mimeType, text, size: 1024 }
  const details = describeContent(content ?? `text-${Buffer.from(text).toString('base64url')}`)
  return { mimeType, text, ...details, headRevisionId: `0B${details.md5}` }
}

/** A grant to an address, to `domain` or to `anyone`. */
export function grantTo(address: string, { fileId, role }: { fileId: string; role: Role }) {
  if (address === 'anyone') return { fileId, role, type: 'anyone', permissionId: 'anyoneWithLink', allowFileDiscovery: 0 }
  if (address === 'domain') {
    return { fileId, role, type: 'domain', permissionId: `${permissionIdFor(domain)}k`, domain, displayName: domain, allowFileDiscovery: 1 }
  }
  const isGroup = address.startsWith('team-')
  return { fileId, role, type: isGroup ? 'group' : 'user', permissionId: permissionIdFor(address), emailAddress: address }
}

/** A shared drive to add. */
export interface DriveSeed {
  readonly name: string
  readonly members: readonly (readonly [address: string, role: Role])[]
  readonly hidden?: boolean
}

/** Adds a shared drive and returns its id, which is also the id of its root. */
export function seedDrive({ store, daysAgo: ago }: SeedBuilder, { name, members, hidden = false }: DriveSeed): string {
  const id = driveIdFor(`drive ${name}`)
  const createdTime = ago(500)
  store.run('insert into drives (id, name, createdTime, hidden, foldersNeedOrganizer) values (:id, :name, :createdTime, :hidden, 1)', {
    id,
    name,
    createdTime,
    hidden: Number(hidden),
  })
  insertItem(store, { id, name, driveId: id, mimeType: folderType, createdTime })
  for (const [address, role] of members) insertGrant(store, grantTo(address, { fileId: id, role }))
  refreshAccess(store, id)
  return id
}
