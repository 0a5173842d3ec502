import { assumed, documented, type DriveBehaviour } from './basis.ts'

export const access: readonly DriveBehaviour[] = [
  ...documented('§0.1', [
    'scopes',
    'drives.list and drives.get need drive or drive.readonly; writes need drive or drive.file; 403 insufficientPermissions',
    'needs the scope of each method',
  ]),
  ...documented(
    '§8 "drive.file mode"',
    ['drive.file', 'only items that the app made or was given', 'with drive.file shows what the app made or was given, and nothing else'],
    [
      'drive.file: root',
      'GET of root is 404; parents that the app was not given are not told',
      'with drive.file hides the root and every parent that the app was not given',
    ],
  ),
  ...documented('https://developers.google.com/workspace/drive/api/guides/handle-errors', [
    'drive.file beside drive.readonly',
    'everything can be read, and only what the app made or was given be changed: 403 appNotAuthorizedToFile',
    'with drive.readonly beside drive.file changes no more than drive.file alone',
  ]),
  ...documented('§1 GenerateFilePickerUrl', [
    'drive.file: folders',
    'a folder that was given does not open what is in it',
    'with drive.file shows what the app made or was given, and nothing else',
  ]),
  ...assumed('§9.2', [
    'drive.file: root as a place',
    'root may be named as a parent and searched, though not read',
    'with drive.file lets an app put things into the root and find them there',
  ]),
  ...documented('§1 Retry table', [
    'token',
    '401 for one that is missing, unknown or expired',
    'is refused without a token, with an unknown one, and with one that has expired',
  ]),
  ...documented('§1 Common rules "Resource keys"', [
    'resource keys',
    'an old shared link is 404 without the key in X-Goog-Drive-Resource-Keys',
    'to an old shared link needs its key',
  ]),
  ...documented('§1 Retry table "Quota"', [
    'quota units',
    'get 5, list 100, edit 50, download 200, other 5; counted, not limited',
    'is counted in quota units',
  ]),
  ...assumed('§1 Retry table "Quota"', ['quota units: chunks', 'an upload costs one edit, its chunks nothing', 'takes a file in chunks']),
  ...documented('§1 Common rules "Errors"', [
    'errors',
    'a list of reasons, or with a switch ErrorInfo in details',
    'comes in both forms of errors',
  ]),
  ...assumed(
    '§1 Common rules "Reserved path segments"',
    [
      'other paths',
      'unknown paths, methods and reserved ids are 404 in the form of an error',
      'answers unknown paths and methods with 404 in the form of an error',
    ],
    [
      'reasons',
      'where drive.md has no word for a refusal the reason is ours, such as parentNotAFolder, cannotRemoveParent and cannotModifyInheritedPermission',
      'comes in both forms of errors',
    ],
    [
      'absent methods',
      'copy, export, changes, revisions, comments, labels and the making of drives are unknown paths',
      'answers unknown paths and methods with 404 in the form of an error',
    ],
    ['rate limits', 'none is enforced; a fault can answer in the vendor’s form', 'can be made up by a fault'],
    ['flags', 'anything but true and false is 400 invalidParameter', 'meets flags that are neither true nor false'],
  ),
]
