import type { DriveEndpoint } from '../endpoints.ts'
import { parametersOf, sharedParameters } from './parameters.ts'
import { schemas, schemasOf } from './schemas.ts'

const scopePrefix = 'https://www.googleapis.com/auth'

const scopeTexts = {
  [`${scopePrefix}/drive`]: { description: 'See, edit, create, and delete all of your files' },
  [`${scopePrefix}/drive.file`]: { description: 'See, edit, create, and delete only the files that you use with this app' },
  [`${scopePrefix}/drive.readonly`]: { description: 'See and download all your files' },
}

/**
 * A discovery document of the methods that the emulator has, with `rootUrl` as their address:
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
    description: 'The emulator of MCP Toolkits: the methods that it has.',
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
