import { invalidParameter, required } from './errors.ts'
import type { Params } from './parameters.ts'

/** The fields of a resource, with nested fields. */
export interface FieldShape {
  readonly [field: string]: FieldShape
}

/** The requested fields: all, or a tree of names. */
export type Mask = 'all' | ReadonlyMap<string, Mask>

/** Defines a shape from plain names and nested shapes. */
export const defineShape = (names: string, parts: FieldShape = {}): FieldShape => ({
  ...Object.fromEntries(names.split(' ').map((name): [string, FieldShape] => [name, {}])),
  ...parts,
})

/** Parses a `fields` parameter: https://developers.google.com/workspace/drive/api/guides/fields-parameter. */
export function parseMask(selection: string, shape: FieldShape): Mask {
  // Google's own examples have a space after each comma.
  const fields = selection
    .split(/([,()/])/)
    .map((piece) => piece.trim())
    .join('')
  const invalidSelection = (what: string) => invalidParameter('fields', `Invalid field selection ${what}`)
  let at = 0
  const take = (sign: string) => {
    const isNext = fields[at] === sign
    if (isNext) at += 1
    return isNext
  }
  const list = (inside: FieldShape, depth: number): Mask => {
    if (depth > 20) throw invalidSelection(fields)
    const chosen = new Map<string, Mask>()
    do {
      const name = /[A-Za-z0-9]+|\*/y
      name.lastIndex = at
      const [field] = name.exec(fields) ?? []
      if (field === undefined) throw invalidSelection(fields.slice(at) || fields)
      at += field.length
      const part = field === '*' ? {} : inside[field]
      if (part === undefined || (field !== '*' && !Object.hasOwn(inside, field))) throw invalidSelection(field)
      mergeMasks(chosen, field, rest(part, field, depth))
    } while (take(','))
    return chosen.has('*') ? 'all' : chosen
  }
  const rest = (part: FieldShape, field: string, depth: number): Mask => {
    if (fields[at] !== '/' && fields[at] !== '(') return 'all'
    if (field === '*' || Object.keys(part).length === 0) throw invalidSelection(fields.slice(at))
    if (take('/')) return single(part, depth + 1)
    at += 1
    const inner = list(part, depth + 1)
    if (!take(')')) throw invalidSelection(fields)
    return inner
  }
  const single = (part: FieldShape, depth: number): Mask => {
    if (depth > 20) throw invalidSelection(fields)
    const [field] = /^(?:[A-Za-z0-9]+|\*)/.exec(fields.slice(at)) ?? []
    const inner = field === undefined ? undefined : field === '*' ? {} : Object.hasOwn(part, field) ? part[field] : undefined
    if (field === undefined || inner === undefined) throw invalidSelection(field ?? fields)
    at += field.length
    const subMask = rest(inner, field, depth)
    return field === '*' ? 'all' : new Map([[field, subMask]])
  }
  const mask = list(shape, 0)
  if (at < fields.length) throw invalidSelection(fields.slice(at))
  return mask
}

function mergeMasks(chosen: Map<string, Mask>, field: string, mask: Mask): void {
  const before = chosen.get(field)
  if (before === undefined || before === 'all' || mask === 'all') {
    chosen.set(field, before === 'all' ? 'all' : mask)
    return
  }
  const both = new Map(before)
  for (const [inner, innerMask] of mask) mergeMasks(both, inner, innerMask)
  chosen.set(field, both)
}

export const includesField = (mask: Mask, field: string): boolean => mask === 'all' || mask.has(field)

/** The mask below a field. */
export const maskBelow = (mask: Mask, field: string): Mask => (mask === 'all' ? 'all' : (mask.get(field) ?? new Map()))

/** The requested part of a value; applied to each element of a list. */
export function applyMask(value: unknown, mask: Mask): unknown {
  if (mask === 'all') return value
  if (Array.isArray(value)) return value.map((element) => applyMask(element, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, inner]) => (mask.has(field) ? [[field, applyMask(inner, maskBelow(mask, field))]] : [])),
  )
}

/** Defines a mask: `fields` are returned whole, `parts` according to their own masks. */
export const maskOf = (fields: string, parts: Readonly<Record<string, Mask>> = {}): ReadonlyMap<string, Mask> =>
  new Map<string, Mask>([...fields.split(' ').map((field): [string, Mask] => [field, 'all']), ...Object.entries(parts)])

interface Requested {
  readonly params: Params
}

/** The mask of a request; a method without `absent` requires `fields`. */
export function readMask({ params }: Requested, shape: FieldShape, absent?: Mask): Mask {
  const fields = params.text('fields')
  if (fields !== undefined) return parseMask(fields, shape)
  if (absent === undefined) throw required('fields', "The 'fields' parameter is required for this method.")
  return absent
}

/** A resource with the requested fields. */
export const respondWith = (request: Requested, resource: object, { shape, absent }: { shape: FieldShape; absent?: Mask }): unknown =>
  applyMask(resource, readMask(request, shape, absent))

/** Fields of Drive's resources, from discovery document revision 20260916. */
export const userShape: FieldShape = defineShape('kind displayName photoLink me permissionId emailAddress')

const permissionFields = defineShape(
  'kind id type role emailAddress domain displayName photoLink allowFileDiscovery deleted expirationTime pendingOwner view inheritedPermissionsDisabled',
  {
    permissionDetails: defineShape('permissionType role inherited inheritedFrom'),
    teamDrivePermissionDetails: defineShape('teamDrivePermissionType role inherited inheritedFrom'),
  },
)

const itemCapabilities = defineShape(
  'canAcceptOwnership canAccessViaGenAi canAddChildren canAddFolderFromAnotherDrive canAddMyDriveParent canChangeCopyRequiresWriterPermission ' +
    'canChangeItemDownloadRestriction canChangeSecurityUpdateEnabled canChangeViewersCanCopyContent canComment canCopy canDelete canDeleteChildren ' +
    'canDisableInheritedPermissions canDownload canEdit canEnableInheritedPermissions canListChildren canModifyContent canModifyContentRestriction ' +
    'canModifyEditorContentRestriction canModifyLabels canModifyOwnerContentRestriction canMoveChildrenOutOfDrive canMoveChildrenOutOfTeamDrive ' +
    'canMoveChildrenWithinDrive canMoveChildrenWithinTeamDrive canMoveItemIntoTeamDrive canMoveItemOutOfDrive canMoveItemOutOfTeamDrive ' +
    'canMoveItemWithinDrive canMoveItemWithinTeamDrive canMoveTeamDriveItem canReadDrive canReadLabels canReadRevisions canReadTeamDrive ' +
    'canRemoveChildren canRemoveContentRestriction canRemoveMyDriveParent canRename canShare canStartApproval canTrash canTrashChildren canUntrash',
)

const imageShape =
  'aperture cameraMake cameraModel colorSpace exposureBias exposureMode exposureTime flashUsed focalLength height isoSpeed lens maxApertureValue ' +
  'meteringMode rotation sensor subjectDistance time whiteBalance width'

/** A map with arbitrary keys, requested as a whole. */
const mapShape: FieldShape = {}

export const fileShape: FieldShape = defineShape(
  'kind id name mimeType description starred trashed explicitlyTrashed trashedTime parents spaces version webContentLink webViewLink iconLink ' +
    'hasThumbnail thumbnailLink thumbnailVersion viewedByMe viewedByMeTime createdTime modifiedTime modifiedByMe modifiedByMeTime sharedWithMeTime ' +
    'teamDriveId driveId hasAugmentedPermissions inheritedPermissionsDisabled shared ownedByMe viewersCanCopyContent copyRequiresWriterPermission ' +
    'writersCanShare permissionIds folderColorRgb originalFilename fullFileExtension fileExtension md5Checksum sha1Checksum sha256Checksum size ' +
    'quotaBytesUsed headRevisionId isAppAuthorized resourceKey',
  {
    appProperties: mapShape,
    properties: mapShape,
    exportLinks: mapShape,
    capabilities: itemCapabilities,
    owners: userShape,
    lastModifyingUser: userShape,
    sharingUser: userShape,
    trashingUser: userShape,
    permissions: permissionFields,
    shortcutDetails: defineShape('targetId targetMimeType targetResourceKey'),
    contentHints: defineShape('indexableText', { thumbnail: defineShape('image mimeType') }),
    contentRestrictions: defineShape('readOnly reason type restrictionTime ownerRestricted systemRestricted', {
      restrictingUser: userShape,
    }),
    downloadRestrictions: defineShape('itemDownloadRestriction effectiveDownloadRestrictionWithContext'),
    imageMediaMetadata: defineShape(imageShape, { location: defineShape('altitude latitude longitude') }),
    videoMediaMetadata: defineShape('width height durationMillis'),
    linkShareMetadata: defineShape('securityUpdateEligible securityUpdateEnabled'),
    labelInfo: defineShape('labels'),
    clientEncryptionDetails: defineShape('encryptionState decryptionMetadata'),
  },
)

export const fileListShape: FieldShape = defineShape('kind nextPageToken incompleteSearch', { files: fileShape })

export const permissionShape = permissionFields
export const permissionListShape: FieldShape = defineShape('kind nextPageToken', { permissions: permissionFields })

const driveFields: FieldShape = defineShape('kind id name colorRgb themeId backgroundImageLink createdTime hidden orgUnitId', {
  backgroundImageFile: defineShape('id width xCoordinate yCoordinate'),
  capabilities: defineShape(
    'canAddChildren canChangeCopyRequiresWriterPermissionRestriction canChangeDomainUsersOnlyRestriction canChangeDownloadRestriction ' +
      'canChangeDriveBackground canChangeDriveMembersOnlyRestriction canChangeSharingFoldersRequiresOrganizerPermissionRestriction canComment ' +
      'canCopy canDeleteChildren canDeleteDrive canDownload canEdit canListChildren canManageMembers canReadRevisions canRename canRenameDrive ' +
      'canResetDriveRestrictions canShare canTrashChildren',
  ),
  restrictions: defineShape(
    'adminManagedRestrictions copyRequiresWriterPermission domainUsersOnly downloadRestriction driveMembersOnly sharingFoldersRequiresOrganizerPermission',
  ),
})

export const sharedDriveShape = driveFields
export const driveListShape: FieldShape = defineShape('kind nextPageToken', { drives: driveFields })

export const aboutShape: FieldShape = defineShape(
  'kind maxUploadSize appInstalled folderColorPalette canCreateDrives canCreateTeamDrives',
  {
    user: userShape,
    storageQuota: defineShape('limit usage usageInDrive usageInDriveTrash'),
    importFormats: mapShape,
    exportFormats: mapShape,
    maxImportSizes: mapShape,
    driveThemes: defineShape('id backgroundImageLink colorRgb'),
    teamDriveThemes: defineShape('id backgroundImageLink colorRgb'),
  },
)

export const generatedIdsShape: FieldShape = defineShape('kind ids space')
