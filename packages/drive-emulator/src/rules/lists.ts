import { assumed, documented } from '@mcp-toolkits/emulator'
import {
  aboutReference,
  drivesListReference,
  errorGuide,
  fieldsGuide,
  listReference,
  searchGuide,
  searchTermReference,
  sharedDriveSupportGuide,
} from './vendor-pages.ts'

/** Lists and the queries of a search. */
export const listsRules = {
  'lists/about': documented(aboutReference, 'about without fields is 400 required.'),
  'lists/drives': documented(drivesListReference, 'drives.list returns ten drives by default.'),
  'lists/default-fields': documented(fieldsGuide, 'Without fields a file has kind, id, name and mimeType; other resources have few.'),
  'lists/fields-grammar': documented(fieldsGuide, 'fields takes a/b, a(b,c) and *.'),
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
  'lists/corpora-and-drive-id': documented(listReference, 'corpora=drive and driveId need each other; one alone is 400.'),
  'lists/corpora-shared-drives': documented(
    sharedDriveSupportGuide,
    'Items of shared drives need the flags; corpora=user holds those that the user opened, created or was given.',
  ),
  'lists/corpora-drive-not-member': assumed(
    'corpora=drive is 404 for a non-member, while "in parents" without corpora searches a shared folder.',
    'seen by others against Drive',
  ),
  'lists/corpora-missing-flags': assumed(
    'Without supportsAllDrives 400 invalidParameter, without includeItemsFromAllDrives 403 teamDrivesNotIncluded.',
  ),
  'lists/corpora-domain': assumed('corpora=domain holds what the organization shares and lets people find.'),
  'lists/short-pages': documented(listReference, 'With a switch pages are short, the first one empty.'),
  'lists/index-lag': assumed('With a switch lists do not show recent changes yet.', 'seen by others against Drive'),
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
  'queries/full-text-result-order': assumed('fullText orders by relevance, not by time: the shortest text first.'),
  'queries/alternatives-of-parents': assumed(
    'With a switch "or" of "in parents" loses the rows of all but the first, with incompleteSearch false.',
    "Google's issue 149522397",
  ),
  'queries/length': assumed('Only the request line limits the length of q.'),
}
