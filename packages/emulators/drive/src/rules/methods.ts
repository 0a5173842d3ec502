import { own, type Rules } from '@mcp-toolkits/emulator'
import { assumed, discoveryReference, gam, guide, mmedum, mock, reference, thread } from './sources.ts'

/** Copies, exports, revisions and comments. */
const contentRules = {
  'copies/parents': reference('files/copy')("Without parents, a copy goes into its source's folder."),
  'copies/names': gam(9614)('Without a name, a copy is called "Copy of" and its source\'s name.'),
  'copies/properties': reference('files')('A copy keeps the properties of its source, except those that the request changes or clears.'),
  'copies/ids': reference('files/generateIds')(
    'A copy takes an id from generateIds, unless it is a Google document; a used id gets 409 fileIdInUse.',
  ),
  'copies/folders': guide('handle-errors')('Copying a folder, a shortcut or a protected file gets 403 cannotCopyFile.'),
  'exports/formats': guide('ref-export-formats')(
    'A document is exported as text, Markdown, HTML, PDF, RTF or docx, a spreadsheet as CSV, TSV, PDF or xlsx, a presentation as text or PDF.',
  ),
  'exports/absent-formats': own(
    'A Google export format that is not emulated gets 501, which names it; any other format gets 400 badRequest.',
  ),
  'exports/text': thread(
    'googleapis/google-api-nodejs-client',
    2404,
    '2020-10-13',
  )('Exported text begins with a byte order mark, and its lines end with CRLF.'),
  'exports/refusals': guide('handle-errors')(
    'Exporting a file that is not a Google document gets 403 fileNotExportable, and exporting more than 10 MB gets 403 exportSizeLimitExceeded.',
  ),
  'revisions/list': guide('change-overview')("Every version of a file's content is a revision, which writers can see, read and download."),
  'revisions/keep-forever': guide('change-overview')(
    'A file keeps 100 revisions for 30 days after newer content, whatever their modifiedTime, and those with keepForever longer.',
  ),
  'revisions/keep-on-upload': reference('files/update')('keepRevisionForever keeps the new content of an upload forever.'),
  'revisions/delete': reference('revisions/delete')('Revisions of files with binary content can be deleted, except the last one.'),
  'revisions/delete-head': assumed.result(
    'When the current revision is deleted, the one before it becomes the current one.',
    'some revision must be the current one',
  ),
  'revisions/documents': own("Google's own documents have one revision, because their content does not change."),
  'revisions/shared-drives': assumed.result(
    'Revisions, comments and replies on files in shared drives need no supportsAllDrives.',
    'their methods have no such parameter',
  ),
  'comments/fields': reference('comments/list')('All methods of comments and replies except delete require fields.'),
  'comments/roles': guide('manage-comments')('Commenters may comment and reply; readers see what others wrote.'),
  'comments/authors': assumed.data("Only the author may change a comment; the author and the file's owner may delete it.", 'as in the app'),
  'comments/replies': guide('manage-comments')('A reply may resolve or reopen a comment, and is listed with it.'),
  'comments/deleted': reference('comments/list')('A deleted comment has no content, and is listed only with includeDeleted.'),
  'comments/order': assumed.result(
    'The comment that changed last comes first; replies are in the order in which they were written.',
    'as in the app',
  ),
}

/** The change feed, shared drives and apps. */
const surfaceRules = {
  'changes/start': guide('manage-changes')('A start page token leads to the changes that follow it.'),
  'changes/pages': reference('changes/list')(
    'Each page has nextPageToken, except the last, which has newStartPageToken; an item is listed once, with its latest change.',
  ),
  'changes/removed': reference('changes/list')(
    'Items that were deleted or are no longer shared are listed as removed, unless includeRemoved is false; trashed items have their file.',
  ),
  'changes/removed-unseen': assumed.data(
    'Only people who could see an item learn that it was deleted.',
    'the feed is about what a person can see',
  ),
  'changes/drives': reference('changes/list')(
    'Items of shared drives, and the drives themselves, are listed with includeItemsFromAllDrives or driveId.',
  ),
  'changes/folders': assumed.result(
    'A change to a folder is listed only for that folder; a deletion is listed for each deleted item.',
    'what is below it did not change',
  ),
  'changes/tokens': assumed.refusal(
    'A token in the feed is a number; an unreadable one, or one from the future, gets 400 invalid.',
    'the start page token is a number',
  ),
  'channels/watch': guide('push')(
    'A channel for the feed or a file sends a sync message at once, and then a numbered message for each change, with the X-Goog headers.',
  ),
  'channels/expiration': guide('push')(
    'A channel lasts an hour, or as long as requested: a week at most for the feed, a day for a file. channels.stop ends it earlier.',
  ),
  'channels/states': guide('push')(
    "A file's messages have the state update, with what has changed, trash, untrash or remove; the feed's have the state change.",
  ),
  'channels/retries': guide('push')('A notification is sent again after 500, 502, 503 and 504.'),
  'channels/delays': assumed.result(
    'A notification is tried at most six times, with waits of 1, 4, 16, 64 and 256 seconds, also if nothing answers.',
    'the guide says that the interval grows',
  ),
  'channels/addresses': own(
    'Notifications go to this machine, even over http, and to hosts that you allow; others get 401 push.webhookUrlUnauthorized.',
  ),
  'channels/refusals': assumed.refusal(
    'A used channel id gets 400 channelIdNotUnique, another type 400 invalid, and an unknown channel 404.',
    'clients check for channelIdNotUnique',
  ),
  'drives/create': reference('drives/create')('The creator of a shared drive is an organizer; repeating the requestId gets 409.'),
  'drives/update': guide('manage-shareddrives')('Organizers can rename, restrict and delete a shared drive.'),
  'drives/restrictions': mmedum('2026-09-30')(
    'drives.update changes the restrictions that it names and keeps the others; with downloadRestriction it gets 400 badRequest.',
  ),
  'drives/delete': reference('drives/delete')(
    'A shared drive with items outside the trash cannot be deleted; the reason cannotDeleteNonEmptyDrive is ours.',
  ),
  'drives/hide': own('Hiding a shared drive hides it from all its members. At Google, it is hidden only from the caller.'),
  'apps/list': own('There is one app, and apps.list needs no apps scope. At Google, it needs drive.apps.readonly.'),
  'apps/empty-lists': own('No item has labels or access requests.'),
}

/** Ways to call methods. */
const callRules = {
  'batches/answers': guide('performance')(
    "A batch of at most 100 calls is answered in parts whose Content-ID begins with response-; a part without a token uses the batch's.",
  ),
  'batches/media': guide('performance')('A batch cannot upload content.'),
  'batches/downloads': mock('concurrent_fetch.test.ts#L183')('A download in a batch gets 302 with the URL of the content.'),
  'batches/refusals': assumed.refusal(
    'A part that cannot be read gets 400 badRequest in its place; a batch with no parts, or more than 100, is refused as a whole.',
    'as for a bad request',
  ),
  'discovery/document': discoveryReference("The discovery document lists the emulated methods and parameters, at the emulator's address."),
  'discovery/types': own("The discovery document names the fields of resources without their types, unlike Google's."),
}

/** Rules for methods that the servers do not use. */
export const methodRules = { ...contentRules, ...surfaceRules, ...callRules } satisfies Rules
