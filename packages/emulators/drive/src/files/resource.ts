import { parseJson } from '@mcp-toolkits/emulator'
import { applyMask, fileShape, includesField, type Mask, maskBelow, maskOf, readMask } from '../http/field-masks.ts'
import type { Session } from '../session/session.ts'
import { capabilitiesIn, toCapabilitiesResource } from '../sharing/effective-access.ts'
import { listPermissions } from '../sharing/permission-resource.ts'
import { isFolder, isNative, isRoot, isShortcut, type Item, itemById } from '../store/items.ts'

/** The fields returned if a request has no `fields`. */
export const defaultFields = maskOf('kind id name mimeType')

/** Reads a field of an item; undefined omits the field. */
type Read = (item: Item, session: Session) => unknown

const toBoolean =
  (column: 'starred' | 'trashed' | 'explicitlyTrashed' | 'shared' | 'writersCanShare'): Read =>
  (item) =>
    item[column] === 1

const whenPresent =
  (column: keyof Item): Read =>
  (item) =>
    item[column] ?? undefined

const toUser =
  (column: 'lastModifyingId' | 'sharingId'): Read =>
  (item, { user }) =>
    item[column] === null ? undefined : user(item[column])

const isBlob = (item: Item) => !isNative(item)

const fileExtension = ({ name }: Item) => /\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1]

const fieldReaders: Readonly<Record<string, Read>> = {
  kind: () => 'drive#file',
  id: whenPresent('id'),
  name: (item) => (isRoot(item) && item.driveId === null ? 'My Drive' : item.name),
  mimeType: whenPresent('mimeType'),
  description: whenPresent('description'),
  starred: toBoolean('starred'),
  trashed: toBoolean('trashed'),
  explicitlyTrashed: toBoolean('explicitlyTrashed'),
  trashedTime: (item) => (item.driveId === null ? undefined : (item.trashedTime ?? undefined)),
  parents: (item, session) => visibleParents(item, session),
  spaces: () => ['drive'],
  version: ({ version }) => String(version),
  webViewLink: viewLink,
  webContentLink: (item, { pages }) => (pages && isBlob(item) ? `${pages.drive}/uc?id=${item.id}&export=download` : undefined),
  iconLink: ({ mimeType }) => `https://drive-thirdparty.googleusercontent.com/16/type/${mimeType}`,
  hasThumbnail: () => false,
  thumbnailVersion: () => '0',
  viewedByMe: ({ viewedByMeTime }) => viewedByMeTime !== null,
  viewedByMeTime: whenPresent('viewedByMeTime'),
  createdTime: whenPresent('createdTime'),
  modifiedTime: whenPresent('modifiedTime'),
  modifiedByMe: ({ modifiedByMeTime }) => modifiedByMeTime !== null,
  modifiedByMeTime: whenPresent('modifiedByMeTime'),
  sharedWithMeTime: whenPresent('sharedWithMeTime'),
  sharingUser: toUser('sharingId'),
  lastModifyingUser: toUser('lastModifyingId'),
  owners: ({ ownerId }, { user }) => (ownerId === null ? undefined : [user(ownerId)].filter((owner) => owner !== undefined)),
  ownedByMe: ({ ownerId, driveId }, { store }) => (driveId === null ? ownerId === store.viewer.id : undefined),
  driveId: whenPresent('driveId'),
  teamDriveId: whenPresent('driveId'),
  shared: toBoolean('shared'),
  capabilities: (item, session) => toCapabilitiesResource(item, capabilitiesIn(session, item)),
  viewersCanCopyContent: ({ copyRequiresWriter }) => copyRequiresWriter === 0,
  copyRequiresWriterPermission: ({ copyRequiresWriter }) => copyRequiresWriter === 1,
  writersCanShare: (item, session) => (item.driveId === null ? toBoolean('writersCanShare')(item, session) : undefined),
  permissions: (item, session) =>
    capabilitiesIn(session, item).share && item.driveId === null ? listPermissions(session, item) : undefined,
  permissionIds: (item, session) => (capabilitiesIn(session, item).share ? listPermissions(session, item).map(({ id }) => id) : undefined),
  originalFilename: (item) => (isBlob(item) ? (item.originalFilename ?? item.name) : undefined),
  fileExtension: (item) => (isBlob(item) ? (fileExtension(item) ?? '') : undefined),
  fullFileExtension: (item) => (isBlob(item) ? (fileExtension(item) ?? '') : undefined),
  md5Checksum: whenPresent('md5'),
  size: ({ size, ...item }) => (size === null || isFolder(item) ? undefined : String(size)),
  quotaBytesUsed: ({ size }) => String(size ?? 0),
  headRevisionId: whenPresent('headRevisionId'),
  isAppAuthorized: ({ granted }) => granted === 1,
  shortcutDetails: (item, { store }) => (isShortcut(item) ? shortcutDetails(item, targetResourceKey(store, item)) : undefined),
  resourceKey: whenPresent('resourceKey'),
  properties: ({ properties }) => (properties === null ? undefined : parseJson(properties)),
  appProperties: ({ appProperties }) => (appProperties === null ? undefined : parseJson(appProperties)),
  linkShareMetadata: ({ resourceKey }) => ({ securityUpdateEligible: resourceKey !== null, securityUpdateEnabled: true }),
}

/** An item as the API returns it: the requested fields that it has, in the order of Google's documentation. */
export function fileResource(item: Item, mask: Mask, session: Session): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const field of mask === 'all' ? Object.keys(fileShape) : mask.keys()) {
    const value = includesField(mask, field) ? fieldReaders[field]?.(item, session) : undefined
    if (value !== undefined) shown[field] = applyMask(value, maskBelow(mask, field))
  }
  return shown
}

/** Omits parents that the caller cannot see. */
const visibleParents = ({ parentId }: Item, { canSee }: Session) => (parentId !== null && canSee(parentId) ? [parentId] : undefined)

const editors: Readonly<Record<string, string>> = {
  'application/vnd.google-apps.document': 'document',
  'application/vnd.google-apps.spreadsheet': 'spreadsheets',
  'application/vnd.google-apps.presentation': 'presentation',
}

function viewLink(item: Item, { pages }: Session): string | undefined {
  if (!pages) return undefined
  const key = item.resourceKey === null ? '' : `&resourcekey=${item.resourceKey}`
  if (isFolder(item)) return `${pages.drive}/drive/folders/${item.id}${key.replace('&', '?')}`
  const editor = editors[item.mimeType]
  if (editor !== undefined) return `${pages.docs}/${editor}/d/${item.id}/edit?usp=drivesdk${key}`
  return `${pages.drive}/file/d/${item.id}/view?usp=drivesdk${key}`
}

const targetResourceKey = (store: Session['store'], { targetId }: Item) =>
  targetId === null ? null : (itemById(store, targetId)?.resourceKey ?? null)

const shortcutDetails = ({ targetId, targetMimeType }: Item, key: string | null) => ({
  targetId,
  targetMimeType,
  ...(key !== null && { targetResourceKey: key }),
})

/** The requested fields of an item. */
export const parseFileMask = (session: Session): Mask => readMask(session, fileShape, defaultFields)

/** An item with the requested fields. */
export const respondWithFile = (session: Session, item: Item): unknown => fileResource(item, parseFileMask(session), session)
