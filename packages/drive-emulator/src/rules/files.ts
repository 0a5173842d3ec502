import { assumed, documented } from '@mcp-toolkits/emulator'
import {
  errorGuide,
  folderGuide,
  generateIdsReference,
  roleGuide,
  sharedDriveGuide,
  sharingGuide,
  shortcutGuide,
  updateReference,
  uploadGuide,
} from './vendor-pages.ts'

/** Creating, changing, moving and deleting items. */
export const filesRules = {
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
  'files/duplicate-parent': documented(errorGuide, 'The same parent again is 400 invalid; a second parent is 403 cannotAddParent.'),
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
