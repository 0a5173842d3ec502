import type { Rules } from '@mcp-toolkits/emulator'
import {
  assumed,
  mmedum,
  deleteReference,
  downloadGuide,
  errorGuide,
  filesReference,
  folderGuide,
  gam,
  generateIdsReference,
  mock,
  permissionsCreateReference,
  permissionsListReference,
  permissionsReference,
  pythonClient,
  rangeStandard,
  rcloneUpload,
  roleGuide,
  sharedDriveGuide,
  sharingGuide,
  shortcutGuide,
  singleParentGuide,
  thread,
  updateReference,
  uploadGuide,
} from './sources.ts'

/** Creating, changing, moving and deleting items. */
export const filesRules = {
  'files/ids': generateIdsReference('Ids from generateIds work for files and folders; a used id gets 409 fileIdInUse.'),
  'files/ids-unsupported': mmedum('2026-09-05')(
    'With an id, Google documents get 403 "Generated IDs are not supported for Docs Editors formats", and shortcuts 400 "The provided file ID is not usable".',
  ),
  'files/ids-of-deleted': assumed.refusal('The id of a deleted item cannot be used again.', 'an id stands for one file forever'),
  'files/same-names': folderGuide('Two items in a folder may have the same name.'),
  'files/parents': folderGuide('parents names one folder, and the caller must be able to write to it.'),
  'files/no-parent': folderGuide('Without parents, an item goes into the root of My Drive.'),
  'files/read-only-fields': gam(9178)('Setting a read-only field gets 403 fieldNotWritable; unknown fields are ignored.'),
  'files/empty-names': mock('basics.test.ts#L115')('An empty name becomes Untitled on create.'),
  'files/properties': filesReference('An update keeps the properties that it does not name; null removes one.'),
  'files/rename-shortcuts': shortcutGuide('Renaming a shortcut does not rename its target.'),
  'files/drive-roots': sharedDriveGuide('The root of a drive cannot be changed.'),
  'files/modified-time': mock('dates_and_sorting.test.ts#L279')('modifiedTime changes with the name, description and content.'),
  'files/move-and-rename': updateReference('One request can both move and rename an item.'),
  'files/duplicate-parent': singleParentGuide(
    'addParents alone moves an item for its owner, and gets 403 cannotAddParent for others; naming the same parent again gets 400 invalid.',
  ),
  'files/cycle': errorGuide('Moving a folder below itself gets 400 badRequest.'),
  'files/move-into-drive': errorGuide('Files can be moved into a shared drive; folders get 403 teamDrivesFolderMoveInNotSupported.'),
  'files/move-changes-access': sharingGuide('A moved item inherits the permissions of its new folder.'),
  'files/remove-parents-alone': assumed.refusal('removeParents without addParents gets 403 cannotRemoveParent.', 'a file has one parent'),
  'files/trash': filesReference('Trashing a folder trashes what is below it, without setting explicitlyTrashed there.'),
  'files/delete': deleteReference('Deleting an item is final, and also deletes what the account owns below it.'),
  'files/capabilities': roleGuide("capabilities follow from the caller's role and where the item is."),
  'files/shortcut-details': shortcutGuide('shortcutDetails names the target and its type; a shortcut cannot point to a shortcut.'),
  'files/storage': errorGuide('Exceeding the storage limit gets 403 storageQuotaExceeded; an account with pooled storage has no limit.'),
} as const satisfies Rules

/** Permissions. */
export const sharingRules = {
  'sharing/one-per-principal': thread(
    'odeke-em/drive',
    793,
    '2016-11-19',
  )('A principal has one permission for an item; create returns an existing one and never lowers it.'),
  'sharing/create-never-raises': assumed.data(
    'create returns an existing permission even if a higher role was asked for.',
    'unknown, so we assume the harsher case; with version 2 of the API it was seen raised in 2016, odeke-em/drive#793',
  ),
  'sharing/mails': sharingGuide('Sharing sends an email unless sendNotificationEmail is false.'),
  'sharing/addresses': assumed.result('Email addresses ignore case, and an alias leads to its account.', 'email works this way'),
  'sharing/ownership': sharingGuide('Transferring ownership needs transferOwnership and an email to the new owner.'),
  'sharing/inherited': sharingGuide('An inherited permission can be changed only at its source.'),
  'sharing/inherited-from': permissionsReference('inheritedFrom names the source, for items of shared drives only.'),
  'sharing/pages': permissionsListReference('Permissions of shared drive items are listed in pages of at most 100.'),
  'sharing/roles': roleGuide('The roles organizer and fileOrganizer exist only in shared drives, owner only in My Drive.'),
  'sharing/who-may-share': roleGuide(
    'The role and the location decide who may share; sharing a folder of a shared drive needs an organizer.',
  ),
  'sharing/mails-again': assumed.result(
    'Creating a permission that the principal already has sends an email, too.',
    'the guide makes no exception',
  ),
  'sharing/owner': assumed.refusal("Changing or removing the owner's permission gets 403.", 'there is always an owner'),
  'sharing/strangers': assumed.refusal(
    'Sharing with an address that has no account needs an email; without one, it gets 400 invalidSharingRequest.',
    'the person needs the link in the email',
  ),
  'sharing/domain-and-anyone': permissionsReference(
    'An item can be shared with a domain, which may find it, or with anyone who has the link.',
  ),
  'sharing/who-sees': assumed.result(
    'In My Drive, writers see permissions; in a shared drive, all members see those of folders.',
    'the app shows them this way',
  ),
  'sharing/owners-of-folders': assumed.data(
    "A folder's owner has the role writer for items that others put into it.",
    'the app lets owners tidy their folders',
  ),
  'sharing/expiration': permissionsReference("A user's or group's permission may expire, within a year; then it gives no access."),
  'sharing/concurrent': permissionsCreateReference('Of several concurrent permission changes on one item, only the last is applied.'),
  'sharing/groups': assumed.refusal('A permission for a group must have the type group.', 'the reference has both types, user and group'),
} as const satisfies Rules

/** Content in uploads and downloads. */
export const contentRules = {
  'content/multipart': pythonClient('Lines of a multipart body end with CRLF or LF.'),
  'content/multipart-malformed': assumed.refusal('A malformed multipart body gets 400 badRequest.', 'as for other bad bodies'),
  'content/media': uploadGuide('uploadType=media takes content without metadata.'),
  'content/resumable-without-range': uploadGuide('In a resumable upload, a body without Content-Range is the whole file.'),
  'content/resumable-new-content': uploadGuide('An upload session that began with PATCH replaces the content of a file.'),
  'content/resumable': uploadGuide(
    "An upload's first response has the session's URL in Location. Each chunk gets 308 with Range; the last one gets the file with its md5Checksum.",
  ),
  'content/resumable-partial': uploadGuide(
    'With the quirk partialChunks, less is stored than was sent; a missing Range means that nothing was stored.',
  ),
  'content/resumable-status': uploadGuide('A Content-Range of bytes */N asks how much has been stored; N may be * if unknown.'),
  'content/resumable-unknown-length': uploadGuide('The last chunk gives the total length; bytes */0 is an empty file.'),
  'content/resumable-chunk-size': uploadGuide('Chunks are multiples of 262,144 bytes, except for the last.'),
  'content/resumable-lifetime': uploadGuide('An upload session lasts a week; then it gets 404.'),
  'content/resumable-after-end': assumed.data(
    'A completed upload session answers with the file again.',
    'a client that lost the answer asks again',
  ),
  'content/resumable-concurrent-end': assumed.data(
    'Concurrent requests that complete an upload create one file and get the same response.',
    'as if they came one after another',
  ),
  'content/resumable-overlap': assumed.data(
    'A chunk that does not begin at the next byte gets 400.',
    'the guide says to continue at the next byte',
  ),
  'content/resumable-early-refusal': assumed.refusal(
    'Missing parents, used ids and full storage are refused when the session begins.',
    'the metadata is known then',
  ),
  'content/resumable-token': assumed.refusal(
    'In an upload session, requests after the first need no token, but a bad one is refused.',
    'the URL is the secret',
  ),
  'content/new-content': assumed.refusal(
    "PATCH on the upload URL replaces the content; Google's own types have none.",
    'a document has no bytes',
  ),
  'content/no-condition': assumed.data(
    'If-Match is ignored: the later of two uploads becomes the content, and the earlier one a revision.',
    'version 3 of the API has no ETags',
  ),
  'content/resumable-empty-last-request': rcloneUpload('A request with bytes */N completes an upload whose bytes have all arrived.'),
  'content/alt-media': downloadGuide('alt=media returns the content, with its length, type and MD5.'),
  'content/range': downloadGuide('A range request gets 206 with Content-Range.'),
  'content/range-past-end': rangeStandard('A range past the end gets 416 with bytes */total.'),
  'content/range-empty-file': assumed.refusal('Any range of an empty file gets 416.', 'no range fits'),
  'content/range-other-forms': rangeStandard('A range in any other form is ignored: the response is 200 with the whole content.'),
  'content/not-downloadable': errorGuide('Downloading a Google document, a folder or a shortcut gets 403 fileNotDownloadable.'),
  'content/abusive': downloadGuide('Downloading a dangerous file without acknowledgeAbuse gets 403 cannotDownloadAbusiveFile.'),
  'content/download-forbidden': assumed.refusal(
    'A reader who downloads a protected file gets 403 cannotDownloadFile.',
    'as when other content is refused',
  ),
} as const satisfies Rules
