import { documented, own, seen, type Rules } from '@mcp-toolkits/emulator'
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
  'lists/about': documented(aboutReference, 'about without fields is 400 required.'),
  'lists/drives': documented(drivesListReference, 'drives.list returns ten drives by default.'),
  'lists/default-fields': documented(fieldsGuide, 'Without fields a file has kind, id, name and mimeType; other resources have few.'),
  'lists/fields-grammar': documented(fieldsGuide, 'fields takes a/b, a(b,c) and *.'),
  'lists/fields-blanks': documented(searchGuide, 'fields may have blanks between names, as in the examples of the guide.'),
  'lists/fields-selection': documented(fieldsGuide, 'Exactly the named fields are returned.'),
  'lists/unknown-fields': seen(mock('v3_parity.test.ts#L66-L84'), 'An unknown field is 400 invalidParameter with location fields.'),
  'lists/pages': documented(listReference, 'pageToken leads to the next page until there is none.'),
  'lists/page-size': documented(listReference, 'pageSize is 1 to 1000.'),
  'lists/page-tokens': assumed(
    'refusal',
    'A page token belongs to its query; with another it is 400 invalid.',
    'a token is the place in one list',
  ),
  'lists/default-order': assumed('result', 'Without orderBy the latest comes first.', 'the app lists so'),
  'lists/order-by': documented(
    listReference,
    'orderBy takes the documented keys, each also with desc, separated by commas; others are 400 invalid.',
  ),
  'lists/order-by-asc': seen(mock('advanced_ordering.test.ts#L69'), 'orderBy also takes asc.'),
  'lists/corpora-and-drive-id': documented(listReference, 'corpora=drive and driveId need each other; one alone is 400.'),
  'lists/corpora-shared-drives': documented(
    sharedDriveSupportGuide,
    'Items of shared drives need the flags; corpora=user holds those that the user opened, created or was given.',
  ),
  'lists/corpora-drive-not-member': seen(
    thread('tidyverse/googledrive', 439, '2023-07-18'),
    'corpora=drive is 404 for a non-member, while "in parents" without corpora searches a shared folder.',
  ),
  'lists/corpora-missing-flags': seen(
    thread('nithinmurali/pygsheets', 437, '2020-08-19'),
    'Without supportsAllDrives 400 invalidParameter, without includeItemsFromAllDrives 403 teamDrivesNotIncluded.',
  ),
  'lists/corpora-domain': assumed('result', 'corpora=domain holds what the organization shares and lets people find.', 'as its name says'),
  'lists/short-pages': documented(listReference, 'With a switch pages are short, the first one empty.'),
  'lists/index-lag': seen(
    mmedum('2026-09-30'),
    'With a switch files.list with its trash and properties, drives.list, changes.list, revisions.get and emptyTrash do not know recent changes yet; what has an id is read by it.',
  ),
  'lists/roots': assumed('result', 'Roots appear in no list.', 'they have no parent'),
  'queries/name-equals': seen(mmedum('2026-09-05'), 'name = ignores case.'),
  'queries/name-contains': documented(searchTermReference, 'name contains matches the beginnings of words, in any order.'),
  'queries/full-text-order': documented(errorGuide, 'fullText with orderBy is 403 forbidden with location orderBy.'),
  'queries/full-text': documented(searchTermReference, 'fullText finds all words in any order, and phrases in double quotes.'),
  'queries/full-text-whole-words': own(
    'fullText does not find parts of words. Drive finds some, and so a search that finds here finds there.',
  ),
  'queries/types-flags-times': documented(
    searchTermReference,
    'Types, flags and times compare as documented; a time without offset is UTC.',
  ),
  'queries/grammar': documented(searchTermReference, 'and, or, not and parentheses combine terms; and binds closer than or.'),
  'queries/mime-type-contains': assumed('result', 'mimeType contains matches beginnings only.', 'contains does so for names'),
  'queries/people': assumed(
    'result',
    'owners, writers and readers look at the owner and at grants on the item itself.',
    'the guide says no more than that they have permission',
  ),
  'queries/anything-else': assumed(
    'refusal',
    'Anything else is 400 invalid, such as keywords in another case and bare trashed.',
    'the guide has no other words',
  ),
  'queries/properties': seen(
    mmedum('2026-10-09'),
    'properties and appProperties are searched by key and value together; the key alone is 400 invalid.',
  ),
  'queries/visibility': documented(
    guide('ref-search-terms', '2026-10-09'),
    'visibility is anyoneCanFind, anyoneWithLink, domainCanFind, domainWithLink or limited, compared by = and !=.',
  ),
  'queries/visibility-of-several': assumed(
    'result',
    'Of several grants the widest is the visibility.',
    'the guide says who can see a file',
  ),
  'queries/quoting': documented(searchGuide, 'A backslash escapes a quote or a backslash.'),
  'queries/unknown-folder': assumed('refusal', 'An unknown folder is 404 notFound.', 'as for a file'),
  'queries/full-text-result-order': assumed(
    'result',
    'fullText orders by relevance, not by time: names with most of the words first, then the shortest text.',
    'Drive promises relevance and does not say more',
  ),
  'queries/alternatives-of-parents': seen(
    rclone(2172),
    'With a switch "or" of "in parents" loses the rows of all but the first, with incompleteSearch false.',
  ),
  'queries/length': assumed('refusal', 'Only the request line limits the length of q.', 'no page states a limit'),
} as const satisfies Rules
