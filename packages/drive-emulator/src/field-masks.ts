import { invalidParameter } from './refusals.ts'

/** The fields that a resource has; those of a part stand below it. */
export interface Form {
  readonly [field: string]: Form
}

/** What a caller wants of a resource: everything, or these fields and of each these. */
export type Mask = 'all' | ReadonlyMap<string, Mask>

/** Makes a form of field names, beside those that have parts. */
export const form = (names: string, parts: Form = {}): Form => ({
  ...Object.fromEntries(names.split(' ').map((name): [string, Form] => [name, {}])),
  ...parts,
})

/** Reads a `fields` parameter: https://developers.google.com/workspace/drive/api/guides/fields-parameter. */
export function parseMask(fields: string, wanted: Form): Mask {
  const bad = (what: string) => invalidParameter('fields', `Invalid field selection ${what}`)
  let at = 0
  const take = (sign: string) => {
    const isNext = fields[at] === sign
    if (isNext) at += 1
    return isNext
  }
  const list = (inside: Form, depth: number): Mask => {
    if (depth > 20) throw bad(fields)
    const chosen = new Map<string, Mask>()
    do {
      const name = /[A-Za-z0-9]+|\*/y
      name.lastIndex = at
      const [field] = name.exec(fields) ?? []
      if (field === undefined) throw bad(fields.slice(at) || fields)
      at += field.length
      const part = field === '*' ? {} : inside[field]
      if (part === undefined || (field !== '*' && !Object.hasOwn(inside, field))) throw bad(field)
      merge(chosen, field, rest(part, field, depth))
    } while (take(','))
    return chosen.has('*') ? 'all' : chosen
  }
  const rest = (part: Form, field: string, depth: number): Mask => {
    if (fields[at] !== '/' && fields[at] !== '(') return 'all'
    if (field === '*' || Object.keys(part).length === 0) throw bad(fields.slice(at))
    if (take('/')) return single(part, depth + 1)
    at += 1
    const inner = list(part, depth + 1)
    if (!take(')')) throw bad(fields)
    return inner
  }
  const single = (part: Form, depth: number): Mask => {
    if (depth > 20) throw bad(fields)
    const [field] = /^(?:[A-Za-z0-9]+|\*)/.exec(fields.slice(at)) ?? []
    const inner = field === undefined ? undefined : field === '*' ? {} : Object.hasOwn(part, field) ? part[field] : undefined
    if (field === undefined || inner === undefined) throw bad(field ?? fields)
    at += field.length
    const below = rest(inner, field, depth)
    return field === '*' ? 'all' : new Map([[field, below]])
  }
  const mask = list(wanted, 0)
  if (at < fields.length) throw bad(fields.slice(at))
  return mask
}

/** Adds what is wanted of a field to what is wanted already. */
function merge(chosen: Map<string, Mask>, field: string, mask: Mask): void {
  const before = chosen.get(field)
  if (before === undefined || before === 'all' || mask === 'all') {
    chosen.set(field, before === 'all' ? 'all' : mask)
    return
  }
  const both = new Map(before)
  for (const [inner, wanted] of mask) merge(both, inner, wanted)
  chosen.set(field, both)
}

/** Whether a field is wanted. */
export const wants = (mask: Mask, field: string): boolean => mask === 'all' || mask.has(field)

/** What is wanted of a field. */
export const below = (mask: Mask, field: string): Mask => (mask === 'all' ? 'all' : (mask.get(field) ?? new Map()))

/** The wanted part of a value; the elements of a list each. */
export function masked(value: unknown, mask: Mask): unknown {
  if (mask === 'all') return value
  if (Array.isArray(value)) return value.map((element) => masked(element, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, inner]) => (mask.has(field) ? [[field, masked(inner, below(mask, field))]] : [])),
  )
}

/** The fields that Drive's resources have, whether they have a value here or not: its discovery document, revision 20260916. */
const user = form('kind displayName photoLink me permissionId emailAddress')

const permission = form(
  'kind id type role emailAddress domain displayName photoLink allowFileDiscovery deleted expirationTime pendingOwner view inheritedPermissionsDisabled',
  {
    permissionDetails: form('permissionType role inherited inheritedFrom'),
    teamDrivePermissionDetails: form('teamDrivePermissionType role inherited inheritedFrom'),
  },
)

const itemCapabilities = form(
  'canAcceptOwnership canAccessViaGenAi canAddChildren canAddFolderFromAnotherDrive canAddMyDriveParent canChangeCopyRequiresWriterPermission ' +
    'canChangeItemDownloadRestriction canChangeSecurityUpdateEnabled canChangeViewersCanCopyContent canComment canCopy canDelete canDeleteChildren ' +
    'canDisableInheritedPermissions canDownload canEdit canEnableInheritedPermissions canListChildren canModifyContent canModifyContentRestriction ' +
    'canModifyEditorContentRestriction canModifyLabels canModifyOwnerContentRestriction canMoveChildrenOutOfDrive canMoveChildrenOutOfTeamDrive ' +
    'canMoveChildrenWithinDrive canMoveChildrenWithinTeamDrive canMoveItemIntoTeamDrive canMoveItemOutOfDrive canMoveItemOutOfTeamDrive ' +
    'canMoveItemWithinDrive canMoveItemWithinTeamDrive canMoveTeamDriveItem canReadDrive canReadLabels canReadRevisions canReadTeamDrive ' +
    'canRemoveChildren canRemoveContentRestriction canRemoveMyDriveParent canRename canShare canStartApproval canTrash canTrashChildren canUntrash',
)

const picture =
  'aperture cameraMake cameraModel colorSpace exposureBias exposureMode exposureTime flashUsed focalLength height isoSpeed lens maxApertureValue ' +
  'meteringMode rotation sensor subjectDistance time whiteBalance width'

/** A map from names to texts, whatever the names: it is asked for as a whole. */
const map: Form = {}

export const fileForm: Form = form(
  'kind id name mimeType description starred trashed explicitlyTrashed trashedTime parents spaces version webContentLink webViewLink iconLink ' +
    'hasThumbnail thumbnailLink thumbnailVersion viewedByMe viewedByMeTime createdTime modifiedTime modifiedByMe modifiedByMeTime sharedWithMeTime ' +
    'teamDriveId driveId hasAugmentedPermissions inheritedPermissionsDisabled shared ownedByMe viewersCanCopyContent copyRequiresWriterPermission ' +
    'writersCanShare permissionIds folderColorRgb originalFilename fullFileExtension fileExtension md5Checksum sha1Checksum sha256Checksum size ' +
    'quotaBytesUsed headRevisionId isAppAuthorized resourceKey',
  {
    appProperties: map,
    properties: map,
    exportLinks: map,
    capabilities: itemCapabilities,
    owners: user,
    lastModifyingUser: user,
    sharingUser: user,
    trashingUser: user,
    permissions: permission,
    shortcutDetails: form('targetId targetMimeType targetResourceKey'),
    contentHints: form('indexableText', { thumbnail: form('image mimeType') }),
    contentRestrictions: form('readOnly reason type restrictionTime ownerRestricted systemRestricted', { restrictingUser: user }),
    downloadRestrictions: form('itemDownloadRestriction effectiveDownloadRestrictionWithContext'),
    imageMediaMetadata: form(picture, { location: form('altitude latitude longitude') }),
    videoMediaMetadata: form('width height durationMillis'),
    linkShareMetadata: form('securityUpdateEligible securityUpdateEnabled'),
    labelInfo: form('labels'),
    clientEncryptionDetails: form('encryptionState decryptionMetadata'),
  },
)

export const fileListForm: Form = form('kind nextPageToken incompleteSearch', { files: fileForm })

export const permissionForm = permission
export const permissionListForm: Form = form('kind nextPageToken', { permissions: permission })

const driveForm: Form = form('kind id name colorRgb themeId backgroundImageLink createdTime hidden orgUnitId', {
  backgroundImageFile: form('id width xCoordinate yCoordinate'),
  capabilities: form(
    'canAddChildren canChangeCopyRequiresWriterPermissionRestriction canChangeDomainUsersOnlyRestriction canChangeDownloadRestriction ' +
      'canChangeDriveBackground canChangeDriveMembersOnlyRestriction canChangeSharingFoldersRequiresOrganizerPermissionRestriction canComment ' +
      'canCopy canDeleteChildren canDeleteDrive canDownload canEdit canListChildren canManageMembers canReadRevisions canRename canRenameDrive ' +
      'canResetDriveRestrictions canShare canTrashChildren',
  ),
  restrictions: form(
    'adminManagedRestrictions copyRequiresWriterPermission domainUsersOnly downloadRestriction driveMembersOnly sharingFoldersRequiresOrganizerPermission',
  ),
})

export const sharedDriveForm = driveForm
export const driveListForm: Form = form('kind nextPageToken', { drives: driveForm })

export const aboutForm: Form = form('kind maxUploadSize appInstalled folderColorPalette canCreateDrives canCreateTeamDrives', {
  user,
  storageQuota: form('limit usage usageInDrive usageInDriveTrash'),
  importFormats: map,
  exportFormats: map,
  maxImportSizes: map,
  driveThemes: form('id backgroundImageLink colorRgb'),
  teamDriveThemes: form('id backgroundImageLink colorRgb'),
})

export const idsForm: Form = form('kind ids space')
