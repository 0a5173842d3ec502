import type { Store } from '@mcp-toolkits/store'
import { about, generateIds } from './about.ts'
import { type Caller, driveReaders, readers, type Scope, writers } from './oauth/access-tokens.ts'
import { getDrive, listDrives } from './drives.ts'
import { parseBody } from './files/body.ts'
import { createItem } from './files/create.ts'
import { download } from './files/content.ts'
import { listFiles } from './files/list.ts'
import { emptyTrash, removeItem } from './files/remove.ts'
import { fileMask, shownFile } from './files/resource.ts'
import { updateFile } from './files/update.ts'
import { masked } from './field-masks.ts'
import { getOne, listOf, maskOf } from './permissions/read.ts'
import { bodyOf, createPermission, deletePermission, updatePermission } from './permissions/write.ts'
import type { Session } from './session.ts'
import { units } from './units.ts'

/** A method of the API. */
export interface Endpoint {
  /** As Google's documentation calls it: `files.list`. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  readonly path: string
  readonly scopes: readonly Scope[]
  readonly units: (session: Session) => number
  /** Answers with JSON, with a response of its own, or with nothing. */
  readonly answer: (session: Session, request: Asked) => unknown
  /** Who calls, where the address itself says so and no token is needed. */
  readonly caller?: (store: Store, at: { readonly url: URL; readonly now: number }) => Caller
}

/** A request as an endpoint sees it. */
export interface Asked {
  /** The named parts of the path. */
  readonly part: (name: string) => string
  /** The body as text. */
  readonly body: () => string
  readonly bytes: Uint8Array
  readonly headers: Headers
  readonly url: URL
  readonly method: string
}

export const costing = (cost: number) => () => cost

const isMedia = ({ params }: Session) => params.text('alt') === 'media'

/** What deletes contents once the change is stored. */
function removing(session: Session, method: string, work: () => { id: string; contents: readonly (string | null)[] }): void {
  session.contents.remove(session.change(method, work).contents)
}

const files: readonly Endpoint[] = [
  { name: 'files.list', method: 'GET', path: '/files', scopes: readers, units: costing(units.list), answer: listFiles },
  {
    name: 'files.create',
    method: 'POST',
    path: '/files',
    scopes: writers,
    units: costing(units.edit),
    answer(session, { body }) {
      fileMask(session)
      return shownFile(
        session,
        session.change('files.create', () => createItem(session, parseBody(body(), 'create'))),
      )
    },
  },
  {
    name: 'files.generateIds',
    method: 'GET',
    path: '/files/generateIds',
    scopes: writers,
    units: costing(units.other),
    answer: generateIds,
  },
  {
    name: 'files.emptyTrash',
    method: 'DELETE',
    path: '/files/trash',
    scopes: ['drive'],
    units: costing(units.edit),
    answer(session) {
      removing(session, 'files.emptyTrash', () => ({ id: 'trash', contents: emptyTrash(session) }))
    },
  },
  {
    name: 'files.get',
    method: 'GET',
    path: '/files/:fileId',
    scopes: readers,
    units: (session) => (isMedia(session) ? units.download : units.get),
    answer(session, { part, headers }) {
      fileMask(session)
      const item = session.find(part('fileId'))
      return isMedia(session) ? download(session, item, headers) : shownFile(session, item)
    },
  },
  {
    name: 'files.update',
    method: 'PATCH',
    path: '/files/:fileId',
    scopes: writers,
    units: costing(units.edit),
    answer(session, { part, body }) {
      fileMask(session)
      const change = () => updateFile(session, part('fileId'), { body: parseBody(body(), 'update') })
      return shownFile(session, session.change('files.update', change))
    },
  },
  {
    name: 'files.delete',
    method: 'DELETE',
    path: '/files/:fileId',
    scopes: writers,
    units: costing(units.edit),
    answer(session, { part }) {
      removing(session, 'files.delete', () => removeItem(session, part('fileId')))
    },
  },
]

const permissions: readonly Endpoint[] = [
  {
    name: 'permissions.list',
    method: 'GET',
    path: '/files/:fileId/permissions',
    scopes: readers,
    units: costing(units.list),
    answer: (session, { part }) => listOf(session, part('fileId')),
  },
  {
    name: 'permissions.get',
    method: 'GET',
    path: '/files/:fileId/permissions/:permissionId',
    scopes: readers,
    units: costing(units.get),
    answer: (session, { part }) => getOne(session, part('fileId'), part('permissionId')),
  },
  {
    name: 'permissions.create',
    method: 'POST',
    path: '/files/:fileId/permissions',
    scopes: writers,
    units: costing(units.edit),
    answer(session, { part, body }) {
      const mask = maskOf(session)
      return masked(
        session.change('permissions.create', () => noted(part('fileId'), createPermission(session, part('fileId'), bodyOf(body())))).made,
        mask,
      )
    },
  },
  {
    name: 'permissions.update',
    method: 'PATCH',
    path: '/files/:fileId/permissions/:permissionId',
    scopes: writers,
    units: costing(units.edit),
    answer(session, { part, body }) {
      const mask = maskOf(session)
      const target = { fileId: part('fileId'), permissionId: part('permissionId') }
      return masked(
        session.change('permissions.update', () => noted(target.fileId, updatePermission(session, target, bodyOf(body())))).made,
        mask,
      )
    },
  },
  {
    name: 'permissions.delete',
    method: 'DELETE',
    path: '/files/:fileId/permissions/:permissionId',
    scopes: writers,
    units: costing(units.edit),
    answer(session, { part }) {
      session.change('permissions.delete', () => deletePermission(session, { fileId: part('fileId'), permissionId: part('permissionId') }))
    },
  },
]

/** A change of a permission is noted under the item. */
const noted = <T>(id: string, made: T) => ({ id, made })

/** The methods that take and answer metadata, below `/drive/v3`. */
export const endpoints: readonly Endpoint[] = [
  { name: 'about.get', method: 'GET', path: '/about', scopes: readers, units: costing(units.get), answer: about },
  ...files,
  ...permissions,
  { name: 'drives.list', method: 'GET', path: '/drives', scopes: driveReaders, units: costing(units.list), answer: listDrives },
  {
    name: 'drives.get',
    method: 'GET',
    path: '/drives/:driveId',
    scopes: driveReaders,
    units: costing(units.get),
    answer: (session, { part }) => getDrive(session, part('driveId')),
  },
]
