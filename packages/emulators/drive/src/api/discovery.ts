import { changeListShape, changeShape } from '../changes/feed.ts'
import { commentListShape, commentShape, replyListShape, replyShape } from '../comments/comment-methods.ts'
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
} from '../http/field-masks.ts'
import { revisionListShape, revisionShape } from '../revisions/revisions.ts'
import type { DriveEndpoint } from '../session/methods.ts'
import { appListShape, appShape } from './apps.ts'

const scopePrefix = 'https://www.googleapis.com/auth'

const scopeTexts = {
  [`${scopePrefix}/drive`]: { description: 'See, edit, create, and delete all of your files' },
  [`${scopePrefix}/drive.file`]: { description: 'See, edit, create, and delete only the files that you use with this app' },
  [`${scopePrefix}/drive.readonly`]: { description: 'See and download all your files' },
}

/**
 * A discovery document for the emulated methods, with `rootUrl` as their address:
 * https://developers.google.com/discovery/v1/reference/apis.
 */
export function discoveryDocument(endpoints: readonly DriveEndpoint[], rootUrl: string): object {
  const resources = new Map<string, Record<string, object>>()
  for (const endpoint of endpoints) {
    const [resource = '', method = ''] = endpoint.name.split('.')
    resources.set(resource, { ...resources.get(resource), [method]: describeMethod(endpoint) })
  }
  return {
    kind: 'discovery#restDescription',
    id: 'drive:v3',
    name: 'drive',
    version: 'v3',
    revision: '20260916',
    title: 'Google Drive API',
    description: "The methods that MCP Toolkits' Google Drive emulator has.",
    ownerDomain: 'localhost',
    ownerName: 'MCP Toolkits',
    documentationLink: 'https://developers.google.com/workspace/drive/api/reference/rest/v3',
    protocol: 'rest',
    rootUrl,
    servicePath: 'drive/v3/',
    baseUrl: `${rootUrl}drive/v3/`,
    basePath: '/drive/v3/',
    batchPath: 'batch/drive/v3',
    parameters: sharedParameters,
    auth: { oauth2: { scopes: scopeTexts } },
    schemas,
    resources: Object.fromEntries([...resources].map(([name, methods]): [string, object] => [name, { methods }])),
  }
}

const uploads: Readonly<Record<string, string>> = {
  'files.create': '/upload/drive/v3/files',
  'files.update': '/upload/drive/v3/files/{fileId}',
}

function describeMethod({ name, method, path, scopes }: DriveEndpoint): object {
  const parameters = parametersOf(name, path)
  const required = Object.entries(parameters).filter((entry) => entry[1].required === true)
  const upload = uploads[name]
  return {
    id: `drive.${name}`,
    path: path.slice(1).replaceAll(/:([A-Za-z]+)/g, '{$1}'),
    httpMethod: method,
    parameters,
    parameterOrder: required.map(([parameter]) => parameter),
    scopes: scopes.map((scope) => `${scopePrefix}/${scope}`),
    ...schemasOf(name),
    ...(upload !== undefined && {
      supportsMediaUpload: true,
      mediaUpload: {
        accept: ['*/*'],
        maxSize: '5242880000000',
        protocols: { simple: { multipart: true, path: upload }, resumable: { multipart: true, path: upload } },
      },
    }),
    ...(['files.get', 'files.export', 'revisions.get'].includes(name) && { supportsMediaDownload: true }),
  }
}

/** A parameter in a discovery document: https://developers.google.com/discovery/v1/reference/apis#method_parameters. */
interface DiscoveryParameter {
  readonly type: 'string' | 'integer' | 'boolean'
  readonly location: 'path' | 'query'
  readonly required?: true
  readonly format?: 'int32'
}

const drives = 'supportsAllDrives supportsTeamDrives'
const views = `includePermissionsForView includeLabels ${drives}`
const pages = 'pageSize pageToken'
const admin = 'useDomainAdminAccess'
const changes = `driveId includeCorpusRemovals includeItemsFromAllDrives includeRemoved includeTeamDriveItems pageSize restrictToMyDrive spaces teamDriveId ${views}`
const written = `enforceSingleParent ignoreDefaultVisibility keepRevisionForever ocrLanguage useContentAsIndexableText ${views}`

/** Each method's optional query parameters: https://developers.google.com/workspace/drive/api/reference/rest/v3. */
const optional: Readonly<Record<string, string>> = {
  'accessproposals.list': pages,
  'apps.list': 'appFilterExtensions appFilterMimeTypes languageCode',
  'changes.getStartPageToken': `driveId teamDriveId ${drives}`,
  'changes.list': changes,
  'changes.watch': changes,
  'comments.get': 'includeDeleted',
  'comments.list': `includeDeleted startModifiedTime ${pages}`,
  'drives.delete': `allowItemDeletion ${admin}`,
  'drives.get': admin,
  'drives.list': `q ${pages} ${admin}`,
  'drives.update': admin,
  'files.copy': `enforceSingleParent ignoreDefaultVisibility keepRevisionForever ocrLanguage ${views}`,
  'files.create': written,
  'files.delete': `enforceSingleParent ${drives}`,
  'files.emptyTrash': 'driveId enforceSingleParent',
  'files.generateIds': 'count space type',
  'files.get': `acknowledgeAbuse ${views}`,
  'files.list': `corpora corpus driveId includeItemsFromAllDrives includeTeamDriveItems orderBy q spaces teamDriveId ${pages} ${views}`,
  'files.listLabels': 'maxResults pageToken',
  'files.update': `addParents removeParents ${written}`,
  'files.watch': `acknowledgeAbuse ${views}`,
  'permissions.create': `emailMessage enforceExpansiveAccess enforceSingleParent moveToNewOwnersRoot sendNotificationEmail transferOwnership ${admin} ${drives}`,
  'permissions.delete': `enforceExpansiveAccess ${admin} ${drives}`,
  'permissions.get': `${admin} ${drives}`,
  'permissions.list': `includePermissionsForView ${pages} ${admin} ${drives}`,
  'permissions.update': `enforceExpansiveAccess removeExpiration transferOwnership ${admin} ${drives}`,
  'replies.get': 'includeDeleted',
  'replies.list': `includeDeleted ${pages}`,
  'revisions.get': 'acknowledgeAbuse',
  'revisions.list': pages,
}

const required: Readonly<Record<string, string>> = {
  'changes.list': 'pageToken',
  'changes.watch': 'pageToken',
  'drives.create': 'requestId',
  'files.export': 'mimeType',
}

const integers = ['pageSize', 'count', 'maxResults']
const flag =
  /^(?:supports|include(?!PermissionsForView|Labels)|enforce|use|ignore|keep|acknowledge|allow|copy|move|pretty|send|transfer|remove(?!Parents)|restrict)[A-Z]/

function parameter(name: string): DiscoveryParameter {
  if (integers.includes(name)) return { type: 'integer', format: 'int32', location: 'query' }
  return { type: flag.test(name) ? 'boolean' : 'string', location: 'query' }
}

/** A method's parameters by name, those in its path first. */
function parametersOf(method: string, path: string): Record<string, DiscoveryParameter> {
  const inPath = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']): [string, DiscoveryParameter] => [
    name,
    { type: 'string', location: 'path', required: true },
  ])
  const words = (list: string | undefined) => (list === undefined ? [] : list.split(' '))
  const wanted = words(required[method]).map((name): [string, DiscoveryParameter] => [name, { ...parameter(name), required: true }])
  const rest = words(optional[method]).map((name): [string, DiscoveryParameter] => [name, parameter(name)])
  return Object.fromEntries([...inPath, ...wanted, ...rest])
}

/** The parameters that every method takes. */
const sharedParameters = Object.fromEntries(
  'alt fields key oauth_token prettyPrint quotaUser access_token callback uploadType upload_protocol $.xgafv'
    .split(' ')
    .map((name): [string, DiscoveryParameter] => [name, parameter(name)]),
)

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

/** Names a resource's fields, without the types of their values, which clients of this document do not need. */
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

/** The resource that methods such as `replies.list` are about: `Reply`. */
function resourceOf(collection: string): string | undefined {
  const singular = collection.replace(/ies$/, 'y').replace(/s$/, '')
  const name = singular.charAt(0).toUpperCase() + singular.slice(1)
  return Object.hasOwn(shapes, name) ? name : undefined
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
function schemasOf(method: string): { readonly request?: { $ref: string }; readonly response?: { $ref: string } } {
  const [resource = '', verb = ''] = method.split('.')
  const own = resourceOf(resource)
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
