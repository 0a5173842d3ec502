import { form, type Form } from './masks.ts'

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
