import { assumed, documented, type Rules } from '@mcp-toolkits/emulator'

/** Google's pages that the rules cite. */
const guides = 'https://developers.google.com/workspace/drive/api/guides'
const references = 'https://developers.google.com/workspace/drive/api/reference/rest/v3'

/** Copies, exports, revisions and comments. */
const contentRules = {
  'copies/parents': documented(`${references}/files/copy`, 'Without parents a copy goes into the folder of its source.'),
  'copies/names': assumed('Without a name a copy is "Copy of" its source.', 'seen by others'),
  'copies/folders': documented(`${guides}/handle-errors`, 'Folders, shortcuts and protected files are 403 cannotCopyFile.'),
  'exports/formats': documented(
    `${guides}/ref-export-formats`,
    'A document is exported as text, Markdown, HTML, PDF, RTF or docx, a spreadsheet as CSV, TSV, PDF or xlsx, a presentation as text or PDF.',
  ),
  'exports/absent-formats': assumed('A format of Google that is not emulated is 501 and named; any other is 400 badRequest.'),
  'exports/text': assumed('Exported text begins with a byte order mark and has lines that end in CRLF.', 'seen by others'),
  'exports/refusals': documented(
    `${guides}/handle-errors`,
    'Other files are 403 fileNotExportable, and more than 10 MB are 403 exportSizeLimitExceeded.',
  ),
  'revisions/list': documented(
    `${guides}/change-overview`,
    'Each content of a file is a revision, which can be read and downloaded; writers see them.',
  ),
  'revisions/keep-forever': documented(
    `${guides}/change-overview`,
    'Of a file 100 revisions stay for 30 days, and those with keepForever longer.',
  ),
  'revisions/delete': documented(
    `${references}/revisions/delete`,
    'Revisions of files with binary content can be deleted, except the last one.',
  ),
  'revisions/delete-head': assumed('When the present revision is deleted, the one before it becomes the present one.'),
  'revisions/documents': assumed("Google's own documents have one revision, because their content does not change."),
  'comments/fields': documented(`${references}/comments/list`, 'Methods of comments and replies require fields, except delete.'),
  'comments/roles': documented(`${guides}/manage-comments`, 'Commenters may comment and reply; readers see what others wrote.'),
  'comments/authors': assumed("Only the author may change a comment; the author and the file's owner may delete it."),
  'comments/replies': documented(`${guides}/manage-comments`, 'A reply may resolve or reopen a comment, and is listed with it.'),
  'comments/deleted': documented(`${references}/comments/list`, 'A deleted comment has no content and is listed with includeDeleted only.'),
  'comments/order': assumed('The comment that changed last comes first; replies are in the order in which they were written.'),
}

/** The feed of changes, shared drives and apps. */
const surfaceRules = {
  'changes/start': documented(`${guides}/manage-changes`, 'A start page token leads to the changes that follow it.'),
  'changes/pages': documented(
    `${references}/changes/list`,
    'A page has nextPageToken, and the last one newStartPageToken; an item is listed once, by its latest change.',
  ),
  'changes/removed': documented(
    `${references}/changes/list`,
    'A deleted item, or one that is no longer shared, has removed, unless includeRemoved is false; one in the trash has its file.',
  ),
  'changes/drives': documented(
    `${references}/changes/list`,
    'Items of shared drives, and the drives themselves, are listed with includeItemsFromAllDrives or driveId.',
  ),
  'changes/folders': assumed('A change of a folder is listed for the folder alone; a deletion for each item that it deleted.'),
  'changes/tokens': assumed('A token is a number; an unreadable one, or one from the future, is 400 invalid.'),
  'channels/watch': documented(
    `${guides}/push`,
    'A channel of the feed or of a file sends a sync message at once and then one for each change, numbered, with the X-Goog headers.',
  ),
  'channels/expiration': documented(
    `${guides}/push`,
    'A channel lasts an hour, or as asked: of the feed a week at most, of a file a day; it stops then or by channels.stop.',
  ),
  'channels/states': documented(
    `${guides}/push`,
    'A file is reported as update, with what has changed, as trash, untrash or remove; the feed as change.',
  ),
  'channels/retries': documented(`${guides}/push`, 'A message is repeated after 500, 502, 503 and 504.'),
  'channels/delays': assumed('A message is sent six times at most, after 1, 4, 16, 64 and 256 seconds, also when nothing answers.'),
  'channels/addresses': assumed(
    'Notifications go to this machine, also over http, and to hosts that the person named; others are 401 push.webhookUrlUnauthorized.',
  ),
  'channels/refusals': assumed('A used id is 400 channelIdNotUnique, another type 400 invalid, an unknown channel 404.'),
  'drives/create': documented(`${references}/drives/create`, 'The creator is an organizer; the same requestId again is 409.'),
  'drives/update': documented(`${guides}/manage-shareddrives`, 'Organizers rename a shared drive, restrict it and delete it.'),
  'drives/delete': documented(
    `${references}/drives/delete`,
    'A shared drive with items that are not in the trash cannot be deleted; the reason is ours: cannotDeleteNonEmptyDrive.',
  ),
  'drives/hide': assumed('A shared drive is hidden for all its members at once. At Google it is hidden for one.'),
  'apps/list': assumed('There is one app, and apps.list needs no scope of apps. At Google it needs drive.apps.readonly.'),
  'apps/empty-lists': assumed('No item has labels or requests for access.'),
}

/** Ways to call methods. */
const callRules = {
  'batches/answers': documented(
    `${guides}/performance`,
    'A batch of at most 100 calls is answered in parts whose Content-ID begins with response-; what a part does not say it has from the batch.',
  ),
  'batches/media': documented(`${guides}/performance`, 'Content is not uploaded in a batch.'),
  'batches/downloads': assumed(
    'A download in a batch is 302 with the address of the content.',
    'the tests of google-drive-mock, which also run against Drive',
  ),
  'batches/refusals': assumed(
    'A part that cannot be read is 400 badRequest in its place; a batch without parts, or with more than 100, as a whole.',
  ),
  'discovery/document': documented(
    'https://developers.google.com/discovery/v1/reference/apis/getRest',
    'The discovery document has the methods and parameters that the emulator has, at its own address.',
  ),
  'discovery/types': assumed("The document names the fields of resources without the types of their values, unlike Google's."),
}

/** Behaviour of the methods of the extended API, by rule. */
export const extendedRules = { ...contentRules, ...surfaceRules, ...callRules } satisfies Rules
