import { watchMethods } from '../changes/channels.ts'
import { changeMethods } from '../changes/feed.ts'
import { commentMethods } from '../comments/comment-methods.ts'
import { sharedDriveMethods } from '../drives/shared-drive-methods.ts'
import { copyFile } from '../files/copy.ts'
import { exportFile } from '../files/exports.ts'
import { revisionMethods } from '../revisions/revisions.ts'
import type { Answers } from '../session/methods.ts'
import { appMethods } from './apps.ts'
/** Methods that the servers do not use. */
export const furtherMethods: Answers = {
  'files.copy': copyFile,
  'files.export': exportFile,
  ...revisionMethods,
  ...commentMethods,
  ...changeMethods,
  ...watchMethods,
  ...sharedDriveMethods,
  ...appMethods,
}
