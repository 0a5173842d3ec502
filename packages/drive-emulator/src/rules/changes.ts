import { assumed, documented, type DriveBehaviour } from './basis.ts'

export const changes: readonly DriveBehaviour[] = [
  ...documented(
    '§0.10',
    [
      'ids',
      'from generateIds, for files and folders; 409 fileIdInUse for a used one',
      'takes an id from generateIds for a file or a folder, once',
    ],
    ['ids: shortcuts and documents', 'refused', 'refuses ids for shortcuts and Google documents, and ids of other makes'],
  ),
  ...assumed('§0.10', ['ids: of deleted items', 'stay used', 'takes an id from generateIds for a file or a folder, once']),
  ...documented(
    '§1 CreateFolder',
    ['same names', 'allowed', 'makes a second folder of the same name without a word'],
    ['parents', 'must be one folder that may be written to', 'refuses parents that are no folder, not there, not writable, or several'],
    ['no parent', 'means the root of My Drive', 'makes a folder, an empty file and a document'],
  ),
  ...assumed(
    '§1 CreateFolder',
    [
      'read-only fields',
      '403 fieldNotWritable; what Drive does not know is ignored',
      'does not write what is read-only, nor values of a wrong type',
    ],
    ['empty names', 'become Untitled in a create', 'makes a folder, an empty file and a document'],
  ),
  ...documented(
    '§1 RenameFile',
    ['shortcuts', 'are renamed themselves', 'renames a shortcut itself, not its target'],
    ['roots of drives', 'cannot be changed', 'leaves the roots of drives as they are'],
  ),
  ...assumed('§1 RenameFile', [
    'modifiedTime',
    'changes with the name, the description and the content',
    'changes what it is told to and nothing else',
  ]),
  ...documented(
    '§1 MoveFile',
    ['move and rename', 'in one request', 'moves and renames in one request'],
    [
      'duplicate parent, second parent',
      '400 invalid and 403 cannotAddParent',
      'refuses a parent twice, a second parent, and no parent at all',
    ],
    ['cycle', '400 badRequest', 'refuses to make a cycle'],
    [
      'into a shared drive',
      'files only: 403 teamDrivesFolderMoveInNotSupported',
      'moves a file into a shared drive, but not a folder, and none out for who may not',
    ],
    ['move and access', 'what the new folder grants counts', 'takes over who may see an item from where it is moved to'],
  ),
  ...assumed('§9.3', ['removeParents alone', '403 cannotRemoveParent', 'refuses a parent twice, a second parent, and no parent at all']),
  ...assumed(
    '§2 "Trashed items"',
    [
      'trash',
      'takes what is below with it, which is not explicitly trashed',
      'trashes a folder with what is in it, and takes it out again',
    ],
    ['delete', 'for good, with what the account owns below', 'deletes for good, with all that is below, and empties the trash'],
  ),
  ...documented('§1 MoveFile "capabilities"', [
    'capabilities',
    'follow from the role and the place',
    'tells what the account may do, and refuses the rest',
  ]),
  ...documented('§2 Algorithm "shortcutDetails"', [
    'shortcutDetails',
    'the target with its type; no shortcut to a shortcut',
    'makes a shortcut that knows the type of its target',
  ]),
  ...documented('§1 Retry table "storageQuotaExceeded"', [
    'storage',
    '403 storageQuotaExceeded above the limit, which a pooled account has not',
    'refuses more than the storage holds',
  ]),
]
