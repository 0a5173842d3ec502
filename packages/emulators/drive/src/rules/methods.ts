import { documented, own, seen, type Rules } from '@mcp-toolkits/emulator'
import { assumed, discoveryReference, gam, guide, mmedum, mock, reference, thread } from './sources.ts'

/** Copies, exports, revisions and comments. */
const contentRules = {
  'copies/parents': documented(reference('files/copy'), 'Without parents a copy goes into the folder of its source.'),
  'copies/names': seen(gam(9614), 'Without a name a copy is "Copy of" its source.'),
  'copies/properties': documented(
    reference('files'),
    'A copy keeps the properties of its source, except those that the request changes or clears.',
  ),
  'copies/ids': documented(
    reference('files/generateIds'),
    'A copy takes an id from generateIds, except that of a Google document; a used one is 409 fileIdInUse.',
  ),
  'copies/folders': documented(guide('handle-errors'), 'Folders, shortcuts and protected files are 403 cannotCopyFile.'),
  'exports/formats': documented(
    guide('ref-export-formats'),
    'A document is exported as text, Markdown, HTML, PDF, RTF or docx, a spreadsheet as CSV, TSV, PDF or xlsx, a presentation as text or PDF.',
  ),
  'exports/absent-formats': own('A format of Google that is not emulated is 501 and named; any other is 400 badRequest.'),
  'exports/text': seen(
    thread('googleapis/google-api-nodejs-client', 2404, '2020-10-13'),
    'Exported text begins with a byte order mark and has lines that end in CRLF.',
  ),
  'exports/refusals': documented(
    guide('handle-errors'),
    'Other files are 403 fileNotExportable, and more than 10 MB are 403 exportSizeLimitExceeded.',
  ),
  'revisions/list': documented(
    guide('change-overview'),
    'Each content of a file is a revision, which can be read and downloaded; writers see them.',
  ),
  'revisions/keep-forever': documented(
    guide('change-overview'),
    'Of a file 100 revisions stay for 30 days after newer content, whatever their modifiedTime, and those with keepForever longer.',
  ),
  'revisions/keep-on-upload': documented(reference('files/update'), 'keepRevisionForever keeps the new content of an upload for ever.'),
  'revisions/delete': documented(
    reference('revisions/delete'),
    'Revisions of files with binary content can be deleted, except the last one.',
  ),
  'revisions/delete-head': assumed(
    'result',
    'When the present revision is deleted, the one before it becomes the present one.',
    'something has to be the present one',
  ),
  'revisions/documents': own("Google's own documents have one revision, because their content does not change."),
  'revisions/shared-drives': assumed(
    'result',
    'Revisions, comments and replies of files in shared drives need no supportsAllDrives.',
    'their methods have no such parameter',
  ),
  'comments/fields': documented(reference('comments/list'), 'Methods of comments and replies require fields, except delete.'),
  'comments/roles': documented(guide('manage-comments'), 'Commenters may comment and reply; readers see what others wrote.'),
  'comments/authors': assumed(
    'data',
    "Only the author may change a comment; the author and the file's owner may delete it.",
    'the app offers it so',
  ),
  'comments/replies': documented(guide('manage-comments'), 'A reply may resolve or reopen a comment, and is listed with it.'),
  'comments/deleted': documented(reference('comments/list'), 'A deleted comment has no content and is listed with includeDeleted only.'),
  'comments/order': assumed(
    'result',
    'The comment that changed last comes first; replies are in the order in which they were written.',
    'the app lists so',
  ),
}

/** The change feed, shared drives and apps. */
const surfaceRules = {
  'changes/start': documented(guide('manage-changes'), 'A start page token leads to the changes that follow it.'),
  'changes/pages': documented(
    reference('changes/list'),
    'A page has nextPageToken, and the last one newStartPageToken; an item is listed once, by its latest change.',
  ),
  'changes/removed': documented(
    reference('changes/list'),
    'A deleted item, or one that is no longer shared, has removed, unless includeRemoved is false; one in the trash has its file.',
  ),
  'changes/removed-unseen': assumed(
    'data',
    'Only those who could see an item learn of its deletion.',
    'the feed is about what one can see',
  ),
  'changes/drives': documented(
    reference('changes/list'),
    'Items of shared drives, and the drives themselves, are listed with includeItemsFromAllDrives or driveId.',
  ),
  'changes/folders': assumed(
    'result',
    'A change of a folder is listed for the folder alone; a deletion for each item that it deleted.',
    'what is below it did not change',
  ),
  'changes/tokens': assumed(
    'refusal',
    'A token is a number; an unreadable one, or one from the future, is 400 invalid.',
    'the token of a start is one',
  ),
  'channels/watch': documented(
    guide('push'),
    'A channel of the feed or of a file sends a sync message at once and then one for each change, numbered, with the X-Goog headers.',
  ),
  'channels/expiration': documented(
    guide('push'),
    'A channel lasts an hour, or as asked: of the feed a week at most, of a file a day; it stops then or by channels.stop.',
  ),
  'channels/states': documented(
    guide('push'),
    'A file is reported as update, with what has changed, as trash, untrash or remove; the feed as change.',
  ),
  'channels/retries': documented(guide('push'), 'A message is repeated after 500, 502, 503 and 504.'),
  'channels/delays': assumed(
    'result',
    'A message is sent six times at most, after 1, 4, 16, 64 and 256 seconds, also when nothing answers.',
    'the guide says that the interval grows',
  ),
  'channels/addresses': own(
    'Notifications go to this machine, also over http, and to hosts that the person named; others are 401 push.webhookUrlUnauthorized.',
  ),
  'channels/refusals': assumed(
    'refusal',
    'A used id is 400 channelIdNotUnique, another type 400 invalid, an unknown channel 404.',
    'clients name channelIdNotUnique',
  ),
  'drives/create': documented(reference('drives/create'), 'The creator is an organizer; the same requestId again is 409.'),
  'drives/update': documented(guide('manage-shareddrives'), 'Organizers rename a shared drive, restrict it and delete it.'),
  'drives/restrictions': seen(
    mmedum('2026-09-30'),
    'drives.update changes the restrictions that it names and keeps the others; with downloadRestriction it is 400 badRequest.',
  ),
  'drives/delete': documented(
    reference('drives/delete'),
    'A shared drive with items that are not in the trash cannot be deleted; the reason is ours: cannotDeleteNonEmptyDrive.',
  ),
  'drives/hide': own('A shared drive is hidden for all its members at once. At Google it is hidden for one.'),
  'apps/list': own('There is one app, and apps.list needs no scope of apps. At Google it needs drive.apps.readonly.'),
  'apps/empty-lists': own('No item has labels or requests for access.'),
}

/** Ways to call methods. */
const callRules = {
  'batches/answers': documented(
    guide('performance'),
    'A batch of at most 100 calls is answered in parts whose Content-ID begins with response-; what a part does not say it has from the batch.',
  ),
  'batches/media': documented(guide('performance'), 'Content is not uploaded in a batch.'),
  'batches/downloads': seen(mock('concurrent_fetch.test.ts#L183'), 'A download in a batch is 302 with the address of the content.'),
  'batches/refusals': assumed(
    'refusal',
    'A part that cannot be read is 400 badRequest in its place; a batch without parts, or with more than 100, as a whole.',
    'as for a bad request',
  ),
  'discovery/document': documented(
    discoveryReference,
    'The discovery document has the methods and parameters that the emulator has, at its own address.',
  ),
  'discovery/types': own("The document names the fields of resources without the types of their values, unlike Google's."),
}

/** Rules for methods that the servers do not use. */
export const methodRules = { ...contentRules, ...surfaceRules, ...callRules } satisfies Rules
