import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject, numberAt, parseJson, type ReceivedRequest, stringAt } from '@mcp-toolkits/emulator'
import type { WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import type { Store } from '@mcp-toolkits/sqlite'
import type { EntityModule, FieldResolver } from '../engine/entity-module.ts'
import { badArgument } from '../errors.ts'
import { recordWriter } from '../store/record-entity.ts'

const folder = '/uploads/'
const writer = recordWriter('upload')

/** Maximum file size, in bytes; the vendor does not document its limit. */
const maxSize = 50 * 1024 ** 2

/** Reserves a place for a file, and returns the upload's URL and headers. */
const fileUpload: FieldResolver = (_, args, { store, origin, files, at }) => {
  const [filename, contentType, size] = [stringAt(args, 'filename'), stringAt(args, 'contentType'), numberAt(args, 'size')]
  if (size < 1 || size > maxSize) throw badArgument(`size must be from 1 to ${maxSize} bytes.`)
  const [id, signature] = [randomUUID(), randomUUID()]
  const isPublic = args['makePublic'] === true ? 1 : 0
  writer.insert(store, { id, createdAt: at, updatedAt: at, archivedAt: null, filename, contentType, size, signature, isPublic })
  const path = `${folder}${id}/${encodeURIComponent(filename)}`
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`
  const headers = [
    { key: 'x-goog-content-length-range', value: `${size},${size}` },
    { key: 'Content-Disposition', value: disposition },
  ]
  return {
    uploadFile: {
      filename,
      contentType,
      size,
      assetUrl: files() + path,
      uploadUrl: `${origin()}${path}?signature=${signature}`,
      headers,
      metaData: args['metaData'] ?? null,
    },
  }
}

/** Stores a file and returns its path, which the caller can use at any origin. */
export function keepFile(
  store: Store,
  file: { readonly id: string; readonly name: string; readonly type: string; readonly text: string; readonly at: string },
): string {
  const { id, name: filename, type: contentType, text, at } = file
  const content = Buffer.from(text)
  const kept = { filename, contentType, size: content.byteLength, content: content.toString('base64'), signature: '', isPublic: 0 }
  writer.insert(store, { id, createdAt: at, updatedAt: at, ...kept })
  return `${folder}${id}/${encodeURIComponent(filename)}`
}

/** The path of a stored file, given any address it ever had: the emulator may have moved. Undefined for other addresses. */
export function keptPath(store: Store, url: string): string | undefined {
  const [, path] = /^(?:https?:\/\/[^/]+(?:\/workspace)?)?(\/uploads\/[^?#]+)/.exec(url) ?? []
  const isKept = path !== undefined && store.rows({}, `select 1 ${ofUpload}`, { id: idIn(path) }).length > 0
  return isKept ? path : undefined
}

const fileUploadDangerouslyDelete: FieldResolver = (_, args, { store }) => {
  const path = keptPath(store, stringAt(args, 'assetUrl'))
  if (path === undefined) throw badArgument('assetUrl must be the address of an uploaded file.')
  writer.remove(store, idIn(path))
  return {}
}

export const uploads: EntityModule = { resolvers: { Mutation: { fileUpload, fileUploadDangerouslyDelete } } }

const ofUpload = "from records where id = :id and type = 'upload'"
const idIn = (path: string) => path.slice(folder.length).split('/')[0] ?? ''

/** Answers `PUT` and `GET` for files; undefined for other paths. Only a URL from `fileUpload` accepts a file, and only once. */
export async function answerUpload(
  request: ReceivedRequest,
  { store, isAuthorized }: { readonly store: Store; readonly isAuthorized: boolean },
): Promise<Response | undefined> {
  const { method, path } = request
  if (!path.startsWith(folder)) return undefined
  const id = idIn(path)
  const upload = readUpload(store, id)
  if (upload === undefined) return new Response('Not Found', { status: 404 })
  if (method === 'PUT') return store.write(() => put(store, { id, upload, request }))
  if (method !== 'GET' && method !== 'HEAD')
    return new Response('Method Not Allowed', { status: 405, headers: { allow: 'GET, HEAD, PUT' } })
  if (!isAuthorized && upload['isPublic'] !== 1) return new Response('Unauthorized', { status: 401 })
  return fileOf(upload)
}

function fileOf(upload: JsonObject): Response {
  const { content } = upload
  if (typeof content !== 'string') return new Response('Not Found', { status: 404 })
  return new Response(Buffer.from(content, 'base64'), {
    headers: { 'content-type': stringAt(upload, 'contentType'), 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' },
  })
}

/** Serves a stored file as a page, which needs no credential. */
export const filePage = (store: Store): WorkspacePage => ({
  path: `${folder}:id/*`,
  show({ part }) {
    const upload = readUpload(store, part('id'))
    return upload && fileOf(upload)
  },
})

function readUpload(store: Store, id: string): JsonObject | undefined {
  const found = store.rows({ data: (value) => typeof value === 'string' }, `select data ${ofUpload}`, { id })[0]
  const parsed = found && parseJson(found.data)
  return isObject(parsed) ? parsed : undefined
}

function put(
  store: Store,
  { id, upload, request }: { readonly id: string; readonly upload: JsonObject; readonly request: ReceivedRequest },
): Response {
  const { url, headers, body } = request
  const refuse = (why: string) => new Response(`${why}\n`, { status: 403 })
  if (url.searchParams.get('signature') !== upload['signature'] || typeof upload['content'] === 'string')
    return refuse('The upload URL is not valid, or has already been used.')
  if (headers.get('content-type') !== upload['contentType']) return refuse(`Content-Type must be ${stringAt(upload, 'contentType')}.`)
  if (body.byteLength !== upload['size']) return refuse(`The file must have ${numberAt(upload, 'size')} bytes.`)
  writer.update(store, id, { content: Buffer.from(body).toString('base64') })
  return new Response(null, { status: 200 })
}
