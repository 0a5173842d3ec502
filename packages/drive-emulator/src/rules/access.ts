import { assumed, documented } from '@mcp-toolkits/emulator'
import { authGuide, errorGuide, limitsGuide, resourceKeyGuide } from './vendor-pages.ts'

/** Who may ask for what. */
export const accessRules = {
  'access/scopes': documented(
    authGuide,
    'drives.list and drives.get need drive or drive.readonly, writes need drive or drive.file; otherwise 403 insufficientPermissions.',
  ),
  'access/drive-file': documented(authGuide, 'With drive.file an app sees only items that it created or was given.'),
  'access/drive-file-root': assumed(
    'With drive.file GET of root is 404, and parents that the app was not given are left out.',
    'seen by others against Drive',
  ),
  'access/drive-file-and-readonly': documented(
    errorGuide,
    'With drive.readonly beside drive.file everything is readable, and writes to other items are 403 appNotAuthorizedToFile.',
  ),
  'access/drive-file-folders': assumed('A folder that the app was given does not open its contents.', 'seen by others against Drive'),
  'access/drive-file-root-as-parent': assumed(
    'With drive.file the root may be named as a parent and searched, though not read.',
    'rclone relies on it',
  ),
  'access/token': documented(errorGuide, 'A missing, unknown or expired token is 401.'),
  'access/resource-keys': documented(resourceKeyGuide, 'An old shared link is 404 without its key in X-Goog-Drive-Resource-Keys.'),
  'access/quota-units': documented(
    limitsGuide,
    'A get costs 5 units, a list 100, an edit 50, a download 200, anything else 5; they are counted, not enforced.',
  ),
  'access/quota-units-of-chunks': assumed('An upload costs one edit and its chunks nothing.'),
  'access/error-forms': documented(errorGuide, 'Errors carry a list of reasons or, with a switch, ErrorInfo in details.'),
  'access/unknown-paths': assumed('Unknown paths, methods and reserved ids are 404 in the form of an error.'),
  'access/other-reasons': assumed(
    'Where Google documents no reason, ours are parentNotAFolder, cannotRemoveParent and cannotModifyInheritedPermission.',
  ),
  'access/absent-methods': assumed('copy, export, changes, revisions, comments, labels and creating drives are unknown paths.'),
  'access/rate-limits': assumed("No rate limit is enforced; a fault can answer in the vendor's form."),
  'access/flags': assumed('A flag other than true or false is 400 invalidParameter.'),
}
