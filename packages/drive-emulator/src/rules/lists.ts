import { assumed, documented, type DriveBehaviour } from './basis.ts'

export const lists: readonly DriveBehaviour[] = [
  ...documented(
    '§1 WhoAmI',
    ['about', '400 required without fields', 'is needed to ask about the account'],
    ['drives.list', 'ten at a time unless told otherwise', 'holds 100 items when nothing is said, and shared drives ten'],
  ),
  ...documented(
    '§1 Common rules "Always send fields"',
    ['fields: none', 'kind, id, name and mimeType of a file; few of other resources', 'is four fields when none are asked for'],
    ['fields: grammar', 'a/b, a(b,c), *', 'is read with its paths, parentheses and stars'],
    ['fields: selection', 'just what is named', 'gives exactly the fields that it names, for every resource'],
  ),
  ...assumed('§1 Common rules "Always send fields"', [
    'fields: unknown',
    '400 invalidParameter, location fields',
    'refuses fields that do not exist: %s',
  ]),
  ...documented(
    '§3 "Calls"',
    ['pages', 'pageToken until there is none', 'is paged without loss or repetition, whatever its order'],
    ['pages: size', '1 to 1000', 'takes page sizes from 1 to 1000'],
  ),
  ...assumed(
    '§3 "Calls"',
    ['pages: tokens', 'bound to their query; 400 invalid otherwise', 'binds a page token to its query'],
    ['orderBy: none', 'the latest first', 'has the latest first, or the order that is asked for'],
  ),
  ...documented('§4 "OrderBy"', [
    'orderBy',
    'the keys of §4, each also desc, joined by commas; others 400 invalid',
    'has the latest first, or the order that is asked for',
  ]),
  ...documented('§1 Common rules "driveId iff"', [
    'corpora and driveId',
    '400 unless both or neither',
    'needs a driveId if and only if its corpora is drive',
  ]),
  ...documented('§1 Common rules "corpora=user"', [
    'corpora: shared drives',
    'only with the flags; corpora=user has what was opened, made or given',
    'shows what lies in shared drives only when asked to',
  ]),
  ...documented('§1 Common rules "A user who has only a folder"', [
    'corpora=drive for no member',
    '404, while in parents without corpora finds what is in the folder',
    'finds a folder that was shared out of a drive, though not the drive',
  ]),
  ...assumed('§1 Common rules "corpora=user"', [
    'corpora: missing flags',
    '400 invalidParameter without supportsAllDrives, 403 teamDrivesNotIncluded without includeItemsFromAllDrives',
    'shows what lies in shared drives only when asked to',
  ]),
  ...assumed('§9.6', [
    'corpora=domain',
    'what is shared with the organization so that it can be found',
    'holds what the organization shares when its corpora is domain',
  ]),
  ...documented('§1 SearchFiles "short and even empty pages"', [
    'short pages',
    'with a switch, the first one empty',
    'gives empty and short pages, when told to',
  ]),
  ...documented('§2 "Index lag"', [
    'index lag',
    'with a switch lists do not have what is new or changed',
    'lags behind changes, when told to',
  ]),
  ...assumed('§3 "Root is known"', ['roots', 'are in no list', 'never holds the roots']),
]
