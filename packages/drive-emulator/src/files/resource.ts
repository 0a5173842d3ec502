import { rightsIn } from '../drives.ts'
import { below, fileForm, type Mask, masked, parseMask, wants } from '../field-masks.ts'
import { isFolder, isNative, isShortcut, type Item, itemById } from '../items.ts'
import { viewerId } from '../people.ts'
import { listPermissions } from '../permissions/resource.ts'
import { isRoot, type Session } from '../session.ts'
import { parseJson } from '../values.ts'
import { capabilitiesOf } from '../effective-access.ts'

/** What a caller gets who asks for no fields. */
export const usualFields: Mask = new Map(['kind', 'id', 'name', 'mimeType'].map((field): [string, Mask] => [field, 'all']))

/** A field that an item has or not: undefined is left out. */
type Read = (item: Item, session: Session) => unknown

const flag =
  (column: 'starred' | 'trashed' | 'explicitlyTrashed' | 'shared' | 'writersCanShare'): Read =>
  (item) =>
    item[column] === 1

const given =
  (column: keyof Item): Read =>
  (item) =>
    item[column] ?? undefined

const person =
  (column: 'lastModifyingId' | 'sharingId'): Read =>
  (item, { user }) =>
    item[column] === null ? undefined : user(item[column])

const isBlob = (item: Item) => !isNative(item)

const extension = ({ name }: Item) => /\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1]

const reads: Readonly<Record<string, Read>> = {
  kind: () => 'drive#file',
  id: given('id'),
  name: (item) => (isRoot(item) && item.driveId === null ? 'My Drive' : item.name),
  mimeType: given('mimeType'),
  description: given('description'),
  starred: flag('starred'),
  trashed: flag('trashed'),
  explicitlyTrashed: flag('explicitlyTrashed'),
  trashedTime: (item) => (item.driveId === null ? undefined : (item.trashedTime ?? undefined)),
  parents: (item, session) => visibleParents(item, session),
  spaces: () => ['drive'],
  version: ({ version }) => String(version),
  webViewLink: viewLink,
  webContentLink: (item) => (isBlob(item) ? `https://drive.google.com/uc?id=${item.id}&export=download` : undefined),
  iconLink: ({ mimeType }) => `https://drive-thirdparty.googleusercontent.com/16/type/${mimeType}`,
  hasThumbnail: () => false,
  thumbnailVersion: () => '0',
  viewedByMe: ({ viewedByMeTime }) => viewedByMeTime !== null,
  viewedByMeTime: given('viewedByMeTime'),
  createdTime: given('createdTime'),
  modifiedTime: given('modifiedTime'),
  modifiedByMe: ({ modifiedByMeTime }) => modifiedByMeTime !== null,
  modifiedByMeTime: given('modifiedByMeTime'),
  sharedWithMeTime: given('sharedWithMeTime'),
  sharingUser: person('sharingId'),
  lastModifyingUser: person('lastModifyingId'),
  owners: ({ ownerId }, { user }) => (ownerId === null ? undefined : [user(ownerId)].filter((owner) => owner !== undefined)),
  ownedByMe: ({ ownerId, driveId }) => (driveId === null ? ownerId === viewerId : undefined),
  driveId: given('driveId'),
  teamDriveId: given('driveId'),
  shared: flag('shared'),
  capabilities: (item, session) => capabilitiesOf(item, rightsIn(session, item)),
  viewersCanCopyContent: ({ copyRequiresWriter }) => copyRequiresWriter === 0,
  copyRequiresWriterPermission: ({ copyRequiresWriter }) => copyRequiresWriter === 1,
  writersCanShare: (item, session) => (item.driveId === null ? flag('writersCanShare')(item, session) : undefined),
  permissions: (item, session) => (rightsIn(session, item).share && item.driveId === null ? listPermissions(session, item) : undefined),
  permissionIds: (item, session) => (rightsIn(session, item).share ? listPermissions(session, item).map(({ id }) => id) : undefined),
  originalFilename: (item) => (isBlob(item) ? (item.originalFilename ?? item.name) : undefined),
  fileExtension: (item) => (isBlob(item) ? (extension(item) ?? '') : undefined),
  fullFileExtension: (item) => (isBlob(item) ? (extension(item) ?? '') : undefined),
  md5Checksum: given('md5'),
  size: ({ size, ...item }) => (size === null || isFolder(item) ? undefined : String(size)),
  quotaBytesUsed: ({ size }) => String(size ?? 0),
  headRevisionId: given('headRevisionId'),
  isAppAuthorized: ({ granted }) => granted === 1,
  shortcutDetails: (item, { store }) => (isShortcut(item) ? shortcutDetails(item, targetKey(store, item)) : undefined),
  resourceKey: given('resourceKey'),
  properties: ({ properties }) => (properties === null ? undefined : parseJson(properties)),
  appProperties: ({ appProperties }) => (appProperties === null ? undefined : parseJson(appProperties)),
  linkShareMetadata: ({ resourceKey }) => ({ securityUpdateEligible: resourceKey !== null, securityUpdateEnabled: true }),
}

/** An item as the API shows it: the wanted fields that it has, in the order of the vendor's form. */
export function fileResource(item: Item, mask: Mask, session: Session): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const field of mask === 'all' ? Object.keys(fileForm) : mask.keys()) {
    const value = wants(mask, field) ? reads[field]?.(item, session) : undefined
    if (value !== undefined) shown[field] = masked(value, below(mask, field))
  }
  return shown
}

/** A parent that the caller may not see is not told: what was shared has none, nor what an app was given out of its folder. */
const visibleParents = ({ parentId }: Item, { knows }: Session) => (parentId !== null && knows(parentId) ? [parentId] : undefined)

const editors: Readonly<Record<string, string>> = {
  'application/vnd.google-apps.document': 'document',
  'application/vnd.google-apps.spreadsheet': 'spreadsheets',
  'application/vnd.google-apps.presentation': 'presentation',
}

function viewLink(item: Item): string {
  const key = item.resourceKey === null ? '' : `&resourcekey=${item.resourceKey}`
  if (isFolder(item)) return `https://drive.google.com/drive/folders/${item.id}${key.replace('&', '?')}`
  const editor = editors[item.mimeType]
  if (editor !== undefined) return `https://docs.google.com/${editor}/d/${item.id}/edit?usp=drivesdk${key}`
  return `https://drive.google.com/file/d/${item.id}/view?usp=drivesdk${key}`
}

const targetKey = (store: Session['store'], { targetId }: Item) =>
  targetId === null ? null : (itemById(store, targetId)?.resourceKey ?? null)

const shortcutDetails = ({ targetId, targetMimeType }: Item, key: string | null) => ({
  targetId,
  targetMimeType,
  ...(key !== null && { targetResourceKey: key }),
})

/** What the caller wants to know of an item. */
export function fileMask({ params }: Session): Mask {
  const fields = params.text('fields')
  return fields === undefined ? usualFields : parseMask(fields, fileForm)
}

/** An item as the caller wants it. */
export const shownFile = (session: Session, item: Item): unknown => fileResource(item, fileMask(session), session)
