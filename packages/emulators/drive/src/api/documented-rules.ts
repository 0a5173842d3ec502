import { assumed, documented, type Rules } from '@mcp-toolkits/emulator'

/** Google's pages that the rules cite. */
const guides = 'https://developers.google.com/workspace/drive/api/guides'
const references = 'https://developers.google.com/workspace/drive/api/reference/rest/v3'
const authGuide = `${guides}/api-specific-auth`
const errorGuide = `${guides}/handle-errors`
const resourceKeyGuide = `${guides}/resource-keys`
const limitsGuide = `${guides}/limits`
const uploadGuide = `${guides}/manage-uploads`
const downloadGuide = `${guides}/manage-downloads`
const rangeStandard = 'https://www.rfc-editor.org/rfc/rfc9110#name-range-requests'
const generateIdsReference = `${references}/files/generateIds`
const folderGuide = `${guides}/folder`
const shortcutGuide = `${guides}/shortcuts`
const sharedDriveGuide = `${guides}/about-shareddrives`
const updateReference = `${references}/files/update`
const sharingGuide = `${guides}/manage-sharing`
const roleGuide = `${guides}/ref-roles`
const aboutReference = `${references}/about/get`
const drivesListReference = `${references}/drives/list`
const fieldsGuide = `${guides}/fields-parameter`
const listReference = `${references}/files/list`
const sharedDriveSupportGuide = `${guides}/enable-shareddrives`
const searchTermReference = `${guides}/ref-search-terms`
const searchGuide = `${guides}/search-files`
const permissionsCreateReference = `${references}/permissions/create`
const permissionsListReference = `${references}/permissions/list`
const pickerGuide = 'https://developers.google.com/workspace/drive/picker/guides/overview-desktop'
const nativeAppGuide = 'https://developers.google.com/identity/protocols/oauth2/native-app'
const webServerGuide = 'https://developers.google.com/identity/protocols/oauth2/web-server'
const openidGuide = 'https://developers.google.com/identity/openid-connect/openid-connect'

/** Rules about access: who may ask for what. */
const accessRules = {
  'access/scopes': documented(
    authGuide,
    'drives.list and drives.get need drive or drive.readonly, writes need drive or drive.file; otherwise 403 insufficientPermissions.',
  ),
  'access/drive-file': documented(authGuide, 'With drive.file an app sees only items that it created or was given.'),
  'access/drive-file-root': assumed(
    'With drive.file GET of root is 404, and parents that the app was not given are left out.',
    'seen by others',
  ),
  'access/drive-file-and-readonly': documented(
    errorGuide,
    'With drive.readonly beside drive.file everything is readable, and writes to other items are 403 appNotAuthorizedToFile.',
  ),
  'access/drive-file-folders': assumed('A folder that the app was given does not open its contents.', 'seen by others'),
  'access/drive-file-root-as-parent': assumed(
    'With drive.file the root may be named as a parent and searched, though not read.',
    'rclone relies on it',
  ),
  'access/people': documented(
    sharingGuide,
    'People have a My Drive each, and see of the others what was shared with them; stars, views and what an app was given are personal.',
  ),
  'access/token': documented(errorGuide, 'A missing, unknown or expired token is 401.'),
  'access/resource-keys': documented(resourceKeyGuide, 'An old shared link is 404 without its key in X-Goog-Drive-Resource-Keys.'),
  'access/quota-units': documented(
    limitsGuide,
    'A get costs 5 units, a list 100, an edit 50, a download 200, anything else 5; they are counted, not enforced.',
  ),
  'access/quota-units-of-chunks': assumed('An upload costs one edit and its chunks nothing.'),
  'access/error-forms': documented(errorGuide, 'Errors carry a list of reasons or, with a switch, ErrorInfo in details.'),
  'access/unknown-paths': assumed('Unknown paths and reserved ids are 404 in the form of an error.'),
  'access/other-reasons': assumed(
    'Where Google documents no reason, ours are parentNotAFolder, cannotRemoveParent and cannotModifyInheritedPermission.',
  ),
  'access/absent-methods': assumed('A method of the API that is not emulated is 501 notImplemented, and the message names it.'),
  'access/version-2': assumed('Version 2 of the API is 501 notImplemented.'),
  'access/rate-limits': assumed("No rate limit is enforced; a fault can answer in the vendor's form."),
  'access/flags': assumed('A flag other than true or false is 400 invalidParameter.'),
}

/** Lists and the queries of a search. */
const listsRules = {
  'lists/about': documented(aboutReference, 'about without fields is 400 required.'),
  'lists/drives': documented(drivesListReference, 'drives.list returns ten drives by default.'),
  'lists/default-fields': documented(fieldsGuide, 'Without fields a file has kind, id, name and mimeType; other resources have few.'),
  'lists/fields-grammar': documented(fieldsGuide, 'fields takes a/b, a(b,c) and *.'),
  'lists/fields-blanks': documented(searchGuide, 'fields may have blanks between names, as in the examples of the guide.'),
  'lists/fields-selection': documented(fieldsGuide, 'Exactly the named fields are returned.'),
  'lists/unknown-fields': assumed('An unknown field is 400 invalidParameter with location fields.'),
  'lists/pages': documented(listReference, 'pageToken leads to the next page until there is none.'),
  'lists/page-size': documented(listReference, 'pageSize is 1 to 1000.'),
  'lists/page-tokens': assumed('A page token belongs to its query; with another it is 400 invalid.'),
  'lists/default-order': assumed('Without orderBy the latest comes first.'),
  'lists/order-by': documented(
    listReference,
    'orderBy takes the documented keys, each also with desc, separated by commas; others are 400 invalid.',
  ),
  'lists/order-by-asc': assumed('orderBy also takes asc.', 'the tests of google-drive-mock, which also run against Drive'),
  'lists/corpora-and-drive-id': documented(listReference, 'corpora=drive and driveId need each other; one alone is 400.'),
  'lists/corpora-shared-drives': documented(
    sharedDriveSupportGuide,
    'Items of shared drives need the flags; corpora=user holds those that the user opened, created or was given.',
  ),
  'lists/corpora-drive-not-member': assumed(
    'corpora=drive is 404 for a non-member, while "in parents" without corpora searches a shared folder.',
    'seen by others',
  ),
  'lists/corpora-missing-flags': assumed(
    'Without supportsAllDrives 400 invalidParameter, without includeItemsFromAllDrives 403 teamDrivesNotIncluded.',
  ),
  'lists/corpora-domain': assumed('corpora=domain holds what the organization shares and lets people find.'),
  'lists/short-pages': documented(listReference, 'With a switch pages are short, the first one empty.'),
  'lists/index-lag': assumed('With a switch lists do not show recent changes yet.', 'seen by others'),
  'lists/roots': assumed('Roots appear in no list.'),
  'queries/name-equals': assumed('name = ignores case.', "stated in rclone's source"),
  'queries/name-contains': documented(searchTermReference, 'name contains matches the beginnings of words, in any order.'),
  'queries/full-text-order': documented(errorGuide, 'fullText with orderBy is 403 forbidden with location orderBy.'),
  'queries/full-text': documented(searchTermReference, 'fullText finds all words in any order, and phrases in double quotes.'),
  'queries/full-text-whole-words': assumed('fullText does not find parts of words.', 'the narrower reading'),
  'queries/types-flags-times': documented(
    searchTermReference,
    'Types, flags and times compare as documented; a time without offset is UTC.',
  ),
  'queries/grammar': documented(searchTermReference, 'and, or, not and parentheses combine terms; and binds closer than or.'),
  'queries/mime-type-contains': assumed('mimeType contains matches beginnings only.'),
  'queries/people': assumed('owners, writers and readers look at the owner and at grants on the item itself.'),
  'queries/anything-else': assumed('Anything else is 400 invalid: properties, visibility, keywords in another case, bare trashed.'),
  'queries/quoting': documented(searchGuide, 'A backslash escapes a quote or a backslash.'),
  'queries/unknown-folder': assumed('An unknown folder is 404 notFound.'),
  'queries/full-text-result-order': assumed(
    'fullText orders by relevance, not by time: names with most of the words first, then the shortest text.',
  ),
  'queries/alternatives-of-parents': assumed(
    'With a switch "or" of "in parents" loses the rows of all but the first, with incompleteSearch false.',
    "Google's issue 149522397",
  ),
  'queries/length': assumed('Only the request line limits the length of q.'),
}

/** Creating, changing, moving and deleting items. */
const filesRules = {
  'files/ids': documented(generateIdsReference, 'Ids from generateIds serve files and folders; a used one is 409 fileIdInUse.'),
  'files/ids-unsupported': documented(uploadGuide, 'Shortcuts and Google documents refuse an id.'),
  'files/ids-of-deleted': assumed('The id of a deleted item stays used.'),
  'files/same-names': documented(folderGuide, 'Two items of a folder may have the same name.'),
  'files/parents': documented(folderGuide, 'parents names one folder that the caller may write to.'),
  'files/no-parent': documented(folderGuide, 'Without parents an item goes into the root of My Drive.'),
  'files/read-only-fields': assumed('A read-only field is 403 fieldNotWritable; unknown fields are ignored.'),
  'files/empty-names': assumed('An empty name becomes Untitled on create.'),
  'files/rename-shortcuts': documented(shortcutGuide, 'Renaming a shortcut leaves its target alone.'),
  'files/drive-roots': documented(sharedDriveGuide, 'The root of a drive cannot be changed.'),
  'files/modified-time': assumed('modifiedTime changes with name, description and content.'),
  'files/move-and-rename': documented(updateReference, 'One request can move and rename.'),
  'files/duplicate-parent': documented(
    `${guides}/ref-single-parent`,
    'addParents alone moves an item for its owner and is 403 cannotAddParent for others; the same parent again is 400 invalid.',
  ),
  'files/cycle': documented(errorGuide, 'Moving a folder below itself is 400 badRequest.'),
  'files/move-into-drive': documented(errorGuide, 'Files move into a shared drive; folders are 403 teamDrivesFolderMoveInNotSupported.'),
  'files/move-changes-access': documented(sharingGuide, 'A moved item takes over what its new folder grants.'),
  'files/remove-parents-alone': assumed('removeParents without addParents is 403 cannotRemoveParent.'),
  'files/trash': assumed('Trashing a folder trashes what is below it, but not explicitly.'),
  'files/delete': assumed('Deleting is final and takes what the account owns below the item.'),
  'files/capabilities': documented(roleGuide, "capabilities follow from the caller's role and the item's place."),
  'files/shortcut-details': documented(
    shortcutGuide,
    'shortcutDetails names the target and its type; a shortcut cannot point to a shortcut.',
  ),
  'files/storage': documented(errorGuide, 'Exceeding the limit is 403 storageQuotaExceeded; a pooled account has no limit.'),
}

/** Permissions. */
const sharingRules = {
  'sharing/one-per-principal': assumed(
    'A principal has one permission; create returns an existing one and never lowers it.',
    'seen by others',
  ),
  'sharing/create-never-raises': assumed('create returns an existing permission even if a higher role was asked for.'),
  'sharing/mails': documented(sharingGuide, 'Sharing sends an email unless sendNotificationEmail is false.'),
  'sharing/addresses': assumed('Addresses ignore case, and an alias maps to its account.', 'seen by others'),
  'sharing/ownership': documented(sharingGuide, 'Giving ownership away needs transferOwnership and an email.'),
  'sharing/inherited': documented(sharingGuide, 'An inherited permission names its source and cannot be changed below it.'),
  'sharing/pages': documented(permissionsListReference, 'Items of shared drives list permissions in pages of at most 100.'),
  'sharing/roles': documented(roleGuide, 'organizer and fileOrganizer exist in shared drives only, owner in My Drive only.'),
  'sharing/who-may-share': documented(roleGuide, 'Role and place decide who may share; folders of a shared drive need an organizer.'),
  'sharing/mails-again': assumed('A create for a principal that has the permission sends an email as well.'),
  'sharing/owner': assumed("Changing or removing the owner's permission is 403."),
  'sharing/strangers': assumed('Addresses without an account need an email, otherwise 400 invalidSharingRequest.'),
  'sharing/domain-and-anyone': assumed('A domain may find an item, and a link opens it.'),
  'sharing/who-sees': assumed('In My Drive writers see permissions; in a shared drive all members see those of folders.'),
  'sharing/owners-of-folders': assumed('The owner of a folder is a writer of what others put into it.'),
  'sharing/concurrent': documented(permissionsCreateReference, 'Of concurrent permission changes on one item only the last is applied.'),
  'sharing/groups': assumed('A group must be shared with as a group.'),
}

/** Content in uploads and downloads. */
const contentRules = {
  'content/multipart': assumed('Lines of a multipart body end in CRLF or LF.', 'the Python client ends lines with LF'),
  'content/multipart-malformed': assumed('A malformed multipart body is 400 badRequest.'),
  'content/media': documented(uploadGuide, 'uploadType=media takes content alone.'),
  'content/resumable-without-range': documented(uploadGuide, 'A body without Content-Range is the whole file.'),
  'content/resumable-new-content': documented(uploadGuide, 'A session begun with PATCH replaces the content of a file.'),
  'content/resumable': documented(
    uploadGuide,
    'The first response names a session in Location; chunks get 308 with Range, and the last the file with its md5Checksum.',
  ),
  'content/resumable-partial': documented(
    uploadGuide,
    'With a switch less is stored than was sent; a missing Range means nothing was stored.',
  ),
  'content/resumable-status': documented(uploadGuide, 'bytes */N and bytes */* ask how far the upload is.'),
  'content/resumable-unknown-length': documented(uploadGuide, 'The last chunk tells the length; bytes */0 is an empty file.'),
  'content/resumable-chunk-size': documented(uploadGuide, 'Chunks are multiples of 262,144 bytes, except the last.'),
  'content/resumable-lifetime': documented(uploadGuide, 'A session lasts a week, then it is 404.'),
  'content/resumable-after-end': assumed('After its end a session answers with the file again.'),
  'content/resumable-concurrent-end': assumed('Concurrent requests for the end make one file and get the same response.'),
  'content/resumable-overlap': assumed('A chunk that does not begin at the next byte is 400.'),
  'content/resumable-early-refusal': assumed('Missing parents, used ids and full storage are refused when the session begins.'),
  'content/resumable-token': assumed('Requests after the first need no token, but a bad one is refused.'),
  'content/new-content': assumed("PATCH on the upload URL replaces content; Google's own types have none."),
  'content/resumable-empty-last-request': assumed('bytes */N completes an upload whose bytes have all arrived.', 'rclone relies on it'),
  'content/alt-media': documented(downloadGuide, 'alt=media answers with the content, its length, type and md5.'),
  'content/range': documented(downloadGuide, 'A range is 206 with Content-Range.'),
  'content/range-past-end': documented(rangeStandard, 'A range past the end is 416 with bytes */total.'),
  'content/range-empty-file': assumed('Any range of an empty file is 416.'),
  'content/range-other-forms': documented(rangeStandard, 'A range in another form is ignored: 200 with everything.'),
  'content/not-downloadable': documented(errorGuide, 'Google documents, folders and shortcuts are 403 fileNotDownloadable.'),
  'content/abusive': documented(downloadGuide, 'A dangerous file is 403 cannotDownloadAbusiveFile without acknowledgeAbuse.'),
  'content/download-forbidden': assumed('Readers of a protected file get 403 cannotDownloadFile.'),
}

/** Rules about OAuth: how applications get access. */
const oauthRules = {
  'oauth/answer': documented(nativeAppGuide, 'The redirect carries code, state and the granted scopes, or error=access_denied.'),
  'oauth/some-scopes': documented(
    nativeAppGuide,
    'A person may leave out scopes of Drive, not those of the profile; the response names the rest.',
  ),
  'oauth/loopback': documented(
    nativeAppGuide,
    'An installed application is redirected to any port and path of 127.0.0.1, localhost and [::1] over http.',
  ),
  'oauth/other-addresses': documented(nativeAppGuide, 'Any other address is redirect_uri_mismatch, urn:ietf:wg:oauth:2.0:oob included.'),
  'oauth/page': assumed('The page names application, accounts and scopes; login_hint says which account is offered first.'),
  'oauth/people': documented(openidGuide, 'A token acts as the person who has consented, and revoking it leaves what others have granted.'),
  'oauth/request-errors': assumed(
    'A bad request is shown to the person with 400 and not redirected; only served scopes exist, and PKCE is S256 only.',
  ),
  'oauth/prompt-none': assumed('prompt=none is interaction_required, also after an earlier consent.'),
  'oauth/page-lifetime': assumed('A consent page is answered once, within ten minutes and from itself.'),
  'oauth/browsers': assumed('The page is served to browsers that ask for a loopback name.'),
  'oauth/token-lifetime': documented(
    nativeAppGuide,
    'An access token lasts an hour, expires_in is 3599; the API checks its scopes and answers 401 afterwards.',
  ),
  'oauth/offline': documented(webServerGuide, 'A refresh token needs access_type=offline and, while one is valid, prompt=consent.'),
  'oauth/granted-scopes': documented(webServerGuide, 'include_granted_scopes adds those of earlier consents.'),
  'oauth/refresh': documented(webServerGuide, 'A refresh token does not rotate or expire.'),
  'oauth/client-secret': assumed(
    'A missing client_secret is 400 invalid_request for an application that has one, with PKCE too.',
    'seen by others',
  ),
  'oauth/no-secret': assumed('An application without a secret, such as one for iOS, sends none.', 'seen by others'),
  'oauth/pkce-optional': assumed('A code without a challenge needs no verifier.'),
  'oauth/code-binding': assumed(
    'A code belongs to its application, redirect URI and verifier; a wrong attempt uses it up with invalid_grant.',
  ),
  'oauth/code-twice': assumed('A second use of a code is refused and revokes what the first gave.'),
  'oauth/token-form': assumed('The token endpoint refuses JSON.'),
  'oauth/refresh-binding': assumed('A refresh token of another application is invalid_grant.'),
  'oauth/revoke': assumed('Revoking either token revokes all that the account granted the application.', 'seen by others'),
  'oauth/revoke-other-tokens': documented(nativeAppGuide, 'Revoking a revoked, expired or unknown token is 400 invalid_token.'),
  'oauth/tokeninfo': documented(
    openidGuide,
    'tokeninfo tells audience, scopes, expiry and, with its scope, the address; later invalid_token.',
  ),
  'oauth/userinfo': documented(openidGuide, 'userinfo tells the name with profile and the address with email.'),
  'oauth/service-account': documented(
    'https://developers.google.com/identity/protocols/oauth2/service-account',
    'A service account gets a token for an assertion of at most an hour that it has signed with RS256; it has a drive as a person has.',
  ),
  'oauth/service-account-errors': documented(
    'https://developers.google.com/identity/protocols/oauth2/service-account#error-codes',
    'An assertion with another audience, time or signature, or of an unknown account, is invalid_grant.',
  ),
  'oauth/delegation': documented(
    'https://developers.google.com/identity/protocols/oauth2/service-account#delegatingauthority',
    'For a person it gets only scopes that the organization has delegated to it; otherwise unauthorized_client.',
  ),
  'oauth/grants': assumed('Grants are stored as hashes, and no token is in the log.'),
  'oauth/google-auth-library': assumed("Google's library signs in with PKCE, refreshes, asks tokeninfo and revokes; there is no id_token."),
}

/** Rules about the Picker, by which people give an application single files. */
const pickerRules = {
  'picker/scope': documented(pickerGuide, 'trigger_onepick needs drive.file alone and prompt=consent, and refuses include_granted_scopes.'),
  'picker/answer': documented(
    pickerGuide,
    'The redirect carries picked_file_ids, code, scope and state; the app may then use what was picked.',
  ),
  'picker/options': documented(pickerGuide, 'allow_multiple, allow_folder_selection, mimetypes and file_ids are off when absent.'),
  'picker/refusal': documented(pickerGuide, 'A refusal is error=access_denied and grants nothing.'),
  'picker/shortcuts': assumed('Picking a folder does not grant its contents; picking a shortcut grants its target.'),
  'picker/page': assumed('The page lists folders and files of a place by name and runs no script.'),
  'picker/choice': assumed('The choice is kept from place to place, and the app may use it at once.'),
  'picker/places': assumed('The person reaches folders, items shared with them and shared drives.'),
  'picker/upload': assumed('An upload goes into the folder shown and is granted with the rest.'),
  'picker/other-places': assumed('A folder that does not exist shows My Drive; there is no upload where the account may not write.'),
  'picker/upload-at-end': assumed('A file in the form is uploaded when access is granted, and stays private if it is not picked.'),
  'picker/faults': assumed('Mistakes are shown on the page, which can be used again.'),
  'picker/cancel': assumed('Cancelling grants nothing and ends the picker.'),
  'picker/restrictions': assumed('Restrictions hold whatever is sent: one item, types, no folders, certain items.'),
  'picker/pages': assumed('A page holds a hundred items.'),
  'picker/address': assumed('The URL cannot be guessed, lasts half an hour and ends with the answer.'),
  'picker/end': assumed('A picker ends by timeout, by its signal, with a reset, after a hundred newer ones, or with the emulator.'),
  'picker/listener': assumed('The listener serves pickers only, to loopback names and to its own pages.'),
  'picker/ticket': assumed('Every page is answered once.'),
  'picker/two-answers': assumed('The first of two answers counts.'),
  'picker/log': assumed('The URL is not in the request log.'),
}

/** Behaviour of the emulator, by rule, with the vendor's page that documents it. */
export const driveRules = {
  ...accessRules,
  ...contentRules,
  ...filesRules,
  ...listsRules,
  ...sharingRules,
  ...pickerRules,
  ...oauthRules,
} satisfies Rules
