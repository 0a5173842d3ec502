import {
  defineShape,
  type FieldShape,
  fileShape,
  type Mask,
  applyMask,
  parseMask,
  sharedDriveShape,
  userShape,
} from '../http/field-masks.ts'
import { required } from '../http/errors.ts'
import type { Session } from '../session/session.ts'

export const revisionShape: FieldShape = defineShape(
  'kind id mimeType modifiedTime keepForever published publishedLink publishAuto publishedOutsideDomain originalFilename md5Checksum size',
  { lastModifyingUser: userShape, exportLinks: {} },
)
export const revisionListShape: FieldShape = defineShape('kind nextPageToken', { revisions: revisionShape })

export const replyShape: FieldShape = defineShape(
  'kind id createdTime modifiedTime htmlContent content deleted action assigneeEmailAddress mentionedEmailAddresses',
  { author: userShape },
)
export const replyListShape: FieldShape = defineShape('kind nextPageToken', { replies: replyShape })

export const commentShape: FieldShape = defineShape(
  'kind id createdTime modifiedTime htmlContent content deleted resolved anchor assigneeEmailAddress mentionedEmailAddresses',
  { author: userShape, quotedFileContent: defineShape('mimeType value'), replies: replyShape },
)
export const commentListShape: FieldShape = defineShape('kind nextPageToken', { comments: commentShape })

export const changeShape: FieldShape = defineShape('kind type changeType time removed fileId driveId teamDriveId', {
  file: fileShape,
  drive: sharedDriveShape,
  teamDrive: sharedDriveShape,
})
export const changeListShape: FieldShape = defineShape('kind nextPageToken newStartPageToken', { changes: changeShape })

const iconShape = defineShape('size category iconUrl')
export const appShape: FieldShape = defineShape(
  'kind id name objectType supportsCreate supportsImport supportsMultiOpen supportsOfflineCreate installed authorized useByDefault productUrl ' +
    'shortDescription longDescription openUrlTemplate createUrl createInFolderTemplate primaryMimeTypes secondaryMimeTypes primaryFileExtensions ' +
    'secondaryFileExtensions hasDriveWideScope productId',
  { icons: iconShape },
)
export const appListShape: FieldShape = defineShape('kind selfLink defaultAppIds', { items: appShape })

/** The mask for these fields, each as a whole. */
export const maskOf = (...fields: readonly string[]): ReadonlyMap<string, Mask> =>
  new Map(fields.map((field): [string, Mask] => [field, 'all']))

/** The mask of a request; a method without `absent` requires `fields`. */
export function readMask({ params }: Session, shape: FieldShape, absent?: Mask): Mask {
  const fields = params.text('fields')
  if (fields !== undefined) return parseMask(fields, shape)
  if (absent === undefined) throw required('fields', "The 'fields' parameter is required for this method.")
  return absent
}

/** A resource with the requested fields. */
export const respondWith = (session: Session, resource: object, { shape, absent }: { shape: FieldShape; absent?: Mask }): unknown =>
  applyMask(resource, readMask(session, shape, absent))
