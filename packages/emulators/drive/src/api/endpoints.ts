import type { Store } from '@mcp-toolkits/sqlite'
import { getDrive, listDrives } from '../drives/drives.ts'
import { invalidParameter, required } from '../http/errors.ts'
import { aboutShape, applyMask, generatedIdsShape, parseMask } from '../http/field-masks.ts'
import { parseBody } from '../files/body.ts'
import type { Body } from '../content/content.ts'
import { download } from '../files/download.ts'
import { listFiles } from '../files/list.ts'
import { parseFileMask, respondWithFile } from '../files/resource.ts'
import { createItem, deleteItem, emptyTrash, updateFile } from '../files/write.ts'
import { newIds } from '../store/ids.ts'
import { type Caller, driveReadScopes, readScopes, type Scope, writeScopes } from '../oauth/tokens.ts'
import { getPermission, getPermissionList, parsePermissionMask } from '../sharing/permission-resource.ts'
import {
  changePermissions,
  createPermission,
  deletePermission,
  parsePermissionBody,
  updatePermission,
} from '../sharing/permission-write.ts'
import { quotaUnits, usageOf } from '../http/quota.ts'
import type { Session } from '../session/session.ts'

/** A method of the API. */
export interface DriveEndpoint {
  /** The method's name in Google's documentation: `files.list`. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  readonly path: string
  readonly scopes: readonly Scope[]
  readonly units: (session: Session) => number
  /** Returns JSON, a complete response, or undefined for an empty one. */
  readonly answer: (session: Session, request: EndpointRequest) => unknown
  /** The caller, for endpoints whose URL authenticates the request. */
  readonly caller?: (store: Store, at: { readonly url: URL; readonly now: number }) => Caller
}

/** A request as an endpoint sees it. */
export interface EndpointRequest {
  /** The named parts of the path. */
  readonly part: (name: string) => string
  /** The body as text. */
  readonly body: () => string
  readonly bytes: Uint8Array
  /** The body of a content upload. */
  readonly stream: Body
  readonly headers: Headers
  readonly url: URL
  readonly method: string
}

export const withCost = (cost: number) => () => cost

const wantsMedia = ({ params }: Session) => params.text('alt') === 'media'

/** Deletes stored content after the transaction. */
async function deleteEndpoint(
  session: Session,
  method: string,
  work: () => { id: string; contents: readonly (string | null)[] },
): Promise<void> {
  const { contents } = await session.change(method, work)
  session.contents.remove(contents)
}

const files: readonly DriveEndpoint[] = [
  { name: 'files.list', method: 'GET', path: '/files', scopes: readScopes, units: withCost(quotaUnits.list), answer: listFiles },
  {
    name: 'files.create',
    method: 'POST',
    path: '/files',
    scopes: writeScopes,
    units: withCost(quotaUnits.edit),
    async answer(session, { body }) {
      parseFileMask(session)
      return respondWithFile(session, await session.change('files.create', () => createItem(session, parseBody(body(), 'create'))))
    },
  },
  {
    name: 'files.generateIds',
    method: 'GET',
    path: '/files/generateIds',
    scopes: writeScopes,
    units: withCost(quotaUnits.other),
    answer: generateIds,
  },
  {
    name: 'files.emptyTrash',
    method: 'DELETE',
    path: '/files/trash',
    scopes: ['drive'],
    units: withCost(quotaUnits.edit),
    async answer(session) {
      await deleteEndpoint(session, 'files.emptyTrash', () => ({ id: 'trash', contents: emptyTrash(session) }))
    },
  },
  {
    name: 'files.get',
    method: 'GET',
    path: '/files/:fileId',
    scopes: readScopes,
    units: (session) => (wantsMedia(session) ? quotaUnits.download : quotaUnits.get),
    answer(session, { part, headers }) {
      parseFileMask(session)
      const item = session.find(part('fileId'))
      return wantsMedia(session) ? download(session, item, headers) : respondWithFile(session, item)
    },
  },
  {
    name: 'files.update',
    method: 'PATCH',
    path: '/files/:fileId',
    scopes: writeScopes,
    units: withCost(quotaUnits.edit),
    async answer(session, { part, body }) {
      parseFileMask(session)
      const change = () => updateFile(session, part('fileId'), { body: parseBody(body(), 'update') })
      return respondWithFile(session, await session.change('files.update', change))
    },
  },
  {
    name: 'files.delete',
    method: 'DELETE',
    path: '/files/:fileId',
    scopes: writeScopes,
    units: withCost(quotaUnits.edit),
    async answer(session, { part }) {
      await deleteEndpoint(session, 'files.delete', () => deleteItem(session, part('fileId')))
    },
  },
]

const permissions: readonly DriveEndpoint[] = [
  {
    name: 'permissions.list',
    method: 'GET',
    path: '/files/:fileId/permissions',
    scopes: readScopes,
    units: withCost(quotaUnits.list),
    answer: (session, { part }) => getPermissionList(session, part('fileId')),
  },
  {
    name: 'permissions.get',
    method: 'GET',
    path: '/files/:fileId/permissions/:permissionId',
    scopes: readScopes,
    units: withCost(quotaUnits.get),
    answer: (session, { part }) => getPermission(session, part('fileId'), part('permissionId')),
  },
  {
    name: 'permissions.create',
    method: 'POST',
    path: '/files/:fileId/permissions',
    scopes: writeScopes,
    units: withCost(quotaUnits.edit),
    async answer(session, { part, body }) {
      const mask = parsePermissionMask(session)
      const fileId = part('fileId')
      const create = () => createPermission(session, fileId, parsePermissionBody(body()))
      return applyMask(await changePermissions(session, 'permissions.create', fileId, create), mask)
    },
  },
  {
    name: 'permissions.update',
    method: 'PATCH',
    path: '/files/:fileId/permissions/:permissionId',
    scopes: writeScopes,
    units: withCost(quotaUnits.edit),
    async answer(session, { part, body }) {
      const mask = parsePermissionMask(session)
      const target = { fileId: part('fileId'), permissionId: part('permissionId') }
      const update = () => updatePermission(session, target, parsePermissionBody(body()))
      return applyMask(await changePermissions(session, 'permissions.update', target.fileId, update), mask)
    },
  },
  {
    name: 'permissions.delete',
    method: 'DELETE',
    path: '/files/:fileId/permissions/:permissionId',
    scopes: writeScopes,
    units: withCost(quotaUnits.edit),
    async answer(session, { part }) {
      const target = { fileId: part('fileId'), permissionId: part('permissionId') }
      await changePermissions(session, 'permissions.delete', target.fileId, () => {
        deletePermission(session, target)
      })
    },
  },
]

/** Metadata methods, below `/drive/v3`. */
export const endpoints: readonly DriveEndpoint[] = [
  { name: 'about.get', method: 'GET', path: '/about', scopes: readScopes, units: withCost(quotaUnits.get), answer: about },
  ...files,
  ...permissions,
  { name: 'drives.list', method: 'GET', path: '/drives', scopes: driveReadScopes, units: withCost(quotaUnits.list), answer: listDrives },
  {
    name: 'drives.get',
    method: 'GET',
    path: '/drives/:driveId',
    scopes: driveReadScopes,
    units: withCost(quotaUnits.get),
    answer: (session, { part }) => getDrive(session, part('driveId')),
  },
]

/** `GET /drive/v3/about`, the only method that requires `fields`. */
export function about(session: Session): unknown {
  const { store, params, storageLimit, user, surface } = session
  const fields = params.text('fields')
  if (fields === undefined) throw required('fields', "The 'fields' parameter is required for this method.")
  const mask = parseMask(fields, aboutShape)
  const usage = usageOf(store, store.viewer.id)
  return applyMask(
    {
      kind: 'drive#about',
      user: user(store.viewer.id),
      storageQuota: {
        ...(storageLimit !== null && { limit: String(storageLimit) }),
        usage: String(usage.bytes),
        usageInDrive: String(usage.bytes),
        usageInDriveTrash: String(usage.trashed),
      },
      maxUploadSize: '5242880000000',
      appInstalled: true,
      canCreateDrives: true,
      canCreateTeamDrives: true,
      folderColorPalette: ['#ac725e', '#0f9d58', '#4986e7'],
      importFormats: { 'text/plain': ['application/vnd.google-apps.document'] },
      exportFormats: surface?.exportFormats ?? { 'application/vnd.google-apps.document': ['text/plain', 'application/pdf'] },
      maxImportSizes: { 'application/vnd.google-apps.document': '10485760' },
    },
    mask,
  )
}

/** `GET /drive/v3/files/generateIds` */
export async function generateIds({ params, store }: Session): Promise<unknown> {
  const count = params.whole('count', { usual: 10, largest: 1000 })
  const space = params.text('space') ?? 'drive'
  if (space !== 'drive') throw invalidParameter('space', `Invalid value '${space}'. Allowed values are: [drive]`)
  if ((params.text('type') ?? 'files') !== 'files') throw invalidParameter('type', 'Ids can be generated for files only.')
  const fields = params.text('fields')
  const answer = { kind: 'drive#generatedIds', space, ids: await store.write(() => newIds(store, count)) }
  return applyMask(answer, fields === undefined ? 'all' : parseMask(fields, generatedIdsShape))
}
