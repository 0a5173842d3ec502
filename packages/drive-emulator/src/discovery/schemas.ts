import {
  aboutShape,
  defineShape,
  driveListShape,
  type FieldShape,
  fileListShape,
  fileShape,
  generatedIdsShape,
  permissionListShape,
  permissionShape,
  sharedDriveShape,
} from '../field-masks.ts'
import {
  appListShape,
  appShape,
  changeListShape,
  changeShape,
  commentListShape,
  commentShape,
  replyListShape,
  replyShape,
  revisionListShape,
  revisionShape,
} from '../whole-shapes.ts'

const shapes: Readonly<Record<string, FieldShape>> = {
  About: aboutShape,
  App: appShape,
  AppList: appListShape,
  Change: changeShape,
  ChangeList: changeListShape,
  Channel: defineShape('kind id resourceId resourceUri token expiration type address payload params'),
  Comment: commentShape,
  CommentList: commentListShape,
  Drive: sharedDriveShape,
  DriveList: driveListShape,
  File: fileShape,
  FileList: fileListShape,
  GeneratedIds: generatedIdsShape,
  LabelList: defineShape('kind nextPageToken labels'),
  ListAccessProposalsResponse: defineShape('accessProposals nextPageToken'),
  Permission: permissionShape,
  PermissionList: permissionListShape,
  Reply: replyShape,
  ReplyList: replyListShape,
  Revision: revisionShape,
  RevisionList: revisionListShape,
  StartPageToken: defineShape('kind startPageToken'),
}

const listFields =
  /^(?:accessProposals|changes|comments|contentRestrictions|driveThemes|drives|files|folderColorPalette|icons|ids|items|labels|owners|parents|permissionDetails|permissionIds|permissions|replies|revisions|spaces|teamDrivePermissionDetails|teamDriveThemes)$/

/** Names the fields of a resource. It does not tell the types of their values, which a client of this document need not know. */
function toSchema(shape: FieldShape): object {
  const properties = Object.entries(shape).map(([name, inner]): [string, object] => {
    const value = Object.keys(inner).length === 0 ? { type: 'any' } : toSchema(inner)
    return [name, listFields.test(name) ? { type: 'array', items: value } : value]
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** The resources of the API. */
export const schemas: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(shapes).map(([id, shape]): [string, object] => [id, { id, ...toSchema(shape) }]),
)

const resources: Readonly<Record<string, string>> = {
  about: 'About',
  apps: 'App',
  changes: 'Change',
  channels: 'Channel',
  comments: 'Comment',
  drives: 'Drive',
  files: 'File',
  permissions: 'Permission',
  replies: 'Reply',
  revisions: 'Revision',
}

const responses: Readonly<Record<string, string | undefined>> = {
  'accessproposals.list': 'ListAccessProposalsResponse',
  'changes.getStartPageToken': 'StartPageToken',
  'changes.watch': 'Channel',
  'files.export': undefined,
  'files.generateIds': 'GeneratedIds',
  'files.listLabels': 'LabelList',
  'files.watch': 'Channel',
}

/** The resources that a method takes and returns. */
export function schemasOf(method: string): { readonly request?: { $ref: string }; readonly response?: { $ref: string } } {
  const [resource = '', verb = ''] = method.split('.')
  const own = resources[resource]
  const isEmpty = ['delete', 'emptyTrash', 'stop'].includes(verb)
  const response = Object.hasOwn(responses, method)
    ? responses[method]
    : isEmpty || own === undefined
      ? undefined
      : verb === 'list'
        ? `${own}List`
        : own
  const request = ['watch', 'stop'].includes(verb) ? 'Channel' : ['create', 'update', 'copy'].includes(verb) ? own : undefined
  return { ...(request !== undefined && { request: { $ref: request } }), ...(response !== undefined && { response: { $ref: response } }) }
}
