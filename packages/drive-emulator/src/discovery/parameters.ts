/** A parameter as a discovery document describes it: https://developers.google.com/discovery/v1/reference/apis#method_parameters. */
export interface DiscoveryParameter {
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

/** The optional parameters in the query of each method: https://developers.google.com/workspace/drive/api/reference/rest/v3. */
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
  /^(?:supports|include(?!PermissionsForView|Labels)|enforce|use|ignore|keep|acknowledge|allow|copy|move|send|transfer|remove(?!Parents)|restrict)[A-Z]/

function parameter(name: string): DiscoveryParameter {
  if (integers.includes(name)) return { type: 'integer', format: 'int32', location: 'query' }
  return { type: flag.test(name) ? 'boolean' : 'string', location: 'query' }
}

/** The parameters of a method by name, those of its path first. */
export function parametersOf(method: string, path: string): Record<string, DiscoveryParameter> {
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
export const sharedParameters: Readonly<Record<string, DiscoveryParameter>> = Object.fromEntries(
  [
    'alt',
    'fields',
    'key',
    'oauth_token',
    'prettyPrint',
    'quotaUser',
    'access_token',
    'callback',
    'uploadType',
    'upload_protocol',
    '$.xgafv',
  ].map((name): [string, DiscoveryParameter] => [name, { type: name === 'prettyPrint' ? 'boolean' : 'string', location: 'query' }]),
)
