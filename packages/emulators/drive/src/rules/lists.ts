import { own, type Rules } from '@mcp-toolkits/emulator'
import {
  aboutReference,
  assumed,
  drivesListReference,
  errorGuide,
  fieldsGuide,
  guide,
  listReference,
  mmedum,
  mock,
  rclone,
  searchGuide,
  searchTermReference,
  sharedDriveSupportGuide,
  thread,
} from './sources.ts'

/** Rules about lists and search queries. */
export const listsRules = {
  'lists/about': aboutReference('about without fields gets 400 required.'),
  'lists/drives': drivesListReference('drives.list returns ten drives by default.'),
  'lists/default-fields': fieldsGuide('Without fields, a file has kind, id, name and mimeType; other resources have few fields.'),
  'lists/fields-grammar': fieldsGuide('fields takes a/b, a(b,c) and *.'),
  'lists/fields-blanks': searchGuide("fields may have blanks between names, as in the guide's examples."),
  'lists/fields-selection': fieldsGuide('A response contains exactly the named fields.'),
  'lists/unknown-fields': mock('v3_parity.test.ts#L66-L84')('An unknown field gets 400 invalidParameter with location fields.'),
  'lists/pages': listReference('pageToken leads to the next page, until a page has no nextPageToken.'),
  'lists/page-size': listReference('pageSize is a number from 1 to 1000.'),
  'lists/page-tokens': assumed.refusal(
    'A page token belongs to its query; with another query it gets 400 invalid.',
    'it marks a place in one list',
  ),
  'lists/default-order': assumed.result('Without orderBy, the item modified last comes first.', 'as in the app'),
  'lists/order-by': listReference(
    'orderBy takes the documented keys, separated by commas, each optionally with desc; other keys get 400 invalid.',
  ),
  'lists/order-by-asc': mock('advanced_ordering.test.ts#L69')('orderBy also takes asc.'),
  'lists/corpora-and-drive-id': listReference('corpora=drive and driveId need each other; one alone gets 400.'),
  'lists/corpora-shared-drives': sharedDriveSupportGuide(
    'Shared drive items need supportsAllDrives and includeItemsFromAllDrives; corpora=user covers items the user opened, created or was given.',
  ),
  'lists/corpora-drive-not-member': thread(
    'tidyverse/googledrive',
    439,
    '2023-07-18',
  )('For a non-member, corpora=drive gets 404, while "in parents" without corpora searches a shared folder.'),
  'lists/corpora-missing-flags': thread(
    'nithinmurali/pygsheets',
    437,
    '2020-08-19',
  )(
    'Listing a shared drive gets 400 invalidParameter without supportsAllDrives, 403 teamDrivesNotIncluded without includeItemsFromAllDrives.',
  ),
  'lists/corpora-domain': assumed.result('corpora=domain covers what the organization shares and lets people find.', 'as its name says'),
  'lists/short-pages': listReference('With the quirk shortPages, pages are short and the first one is empty.'),
  'lists/index-lag': mmedum('2026-09-30')(
    'With the quirk indexLag, files.list (also of trash and properties), drives.list, changes.list, revisions.get and emptyTrash do not know recent changes yet; reads by id do.',
  ),
  'lists/roots': assumed.result('Root folders appear in no list.', 'they have no parent'),
  'queries/name-equals': mmedum('2026-09-05')('A search with name = ignores case.'),
  'queries/name-contains': searchTermReference('name contains matches the beginnings of words, in any order.'),
  'queries/full-text-order': errorGuide('fullText with orderBy gets 403 forbidden with location orderBy.'),
  'queries/full-text': searchTermReference('fullText finds all words in any order, and phrases in double quotes.'),
  'queries/full-text-whole-words': own(
    'fullText does not find parts of words. Drive finds some, so whatever a search finds here it also finds there.',
  ),
  'queries/types-flags-times': searchTermReference('Types, flags and times compare as documented; a time without an offset is in UTC.'),
  'queries/grammar': searchTermReference('and, or, not and parentheses combine terms; and binds more tightly than or.'),
  'queries/mime-type-contains': assumed.result('mimeType contains matches only at the beginning.', 'as for name contains'),
  'queries/people': assumed.result(
    'owners, writers and readers match the owner and permissions on the item itself.',
    'the guide says only that they have permission',
  ),
  'queries/anything-else': assumed.refusal(
    'Any other query gets 400 invalid, such as one with a keyword in another case or trashed without a value.',
    'the guide has no other words',
  ),
  'queries/properties': mmedum('2026-10-09')(
    'properties and appProperties are searched by key and value together; the key alone gets 400 invalid.',
  ),
  'queries/visibility': guide(
    'ref-search-terms',
    '2026-10-09',
  )('visibility is anyoneCanFind, anyoneWithLink, domainCanFind, domainWithLink or limited, compared with = and !=.'),
  'queries/visibility-of-several': assumed.result(
    'If an item has several permissions, the widest one is its visibility.',
    'the guide says who can see a file',
  ),
  'queries/quoting': searchGuide('A backslash escapes a quote or a backslash.'),
  'queries/unknown-folder': assumed.refusal('A search in an unknown folder gets 404 notFound.', 'as for a file'),
  'queries/full-text-result-order': assumed.result(
    'fullText orders by relevance, not by time: names with most of the words first, then the shortest text.',
    'Drive promises relevance and says no more',
  ),
  'queries/alternatives-of-parents': rclone(2172)(
    'With the quirk dropsRowsOfParentQueries, a search for several parents joined by "or" finds only the first one\'s items, with incompleteSearch false.',
  ),
  'queries/length': assumed.refusal('Only the request line limits the length of q.', 'no page states a limit'),
} as const satisfies Rules
