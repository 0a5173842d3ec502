import { type EndpointRequest, withCost, type DriveEndpoint } from '../endpoints.ts'
import { parseBody } from '../files/body.ts'
import type { StoredContent } from '../files/content.ts'
import { createItem, type UploadedContent } from '../files/create.ts'
import { parseFileMask, respondWithFile } from '../files/resource.ts'
import { updateFile } from '../files/update.ts'
import { type Item, itemById } from '../items.ts'
import { writeScopes } from '../oauth/access-tokens.ts'
import { badRequest, fileNotFound, invalidValue } from '../errors.ts'
import type { Session } from '../session.ts'
import { quotaUnits } from '../quota.ts'
import { type ContentRange, parseContentRange, parseMultipart, type MultipartBody } from './requests.ts'
import {
  recordReceived,
  parseFirstRequest,
  sessionCaller,
  recordFile,
  insertSession,
  removeExpired,
  removeSession,
  sessionById,
  type UploadSession,
} from './sessions.ts'

/** Bytes of a text that are searchable. */
const maxSearchableBytes = 1_000_000

/** Starts or completes an upload for a new file, or for new content of `fileId`. */
export function beginUpload(session: Session, request: EndpointRequest, fileId: string | null): unknown {
  parseFileMask(session)
  const { headers, bytes } = request
  const kind = session.params.text('uploadType')
  const type = headers.get('content-type')
  if (kind === 'resumable') return startSession(session, request, fileId)
  if (kind === 'multipart') return uploadInOneRequest(session, parseMultipart(bytes, type), fileId)
  if (kind === 'media') return uploadInOneRequest(session, { metadata: '{}', media: bytes, type: type ?? undefined }, fileId)
  throw invalidValue('uploadType')
}

function uploadInOneRequest(session: Session, { metadata, ...content }: MultipartBody, fileId: string | null) {
  return respondWithFile(session, saveFile(session, { metadata, fileId, upload: storeBytes(session, content) }))
}

/** Creates a file from bytes and runs `then` in the same transaction. */
export function storeFile(session: Session, { metadata, ...content }: MultipartBody, then: (id: string) => void): Item {
  return saveFile(session, { metadata, fileId: null, upload: storeBytes(session, content), then })
}

function storeBytes({ contents }: Session, { media, type }: Pick<MultipartBody, 'media' | 'type'>): UploadedContent {
  return { ...contents.put(media), type: toMimeType(type), text: textOf(type, media.subarray(0, maxSearchableBytes)) }
}

/** Creates or updates the file, then deletes the content that is no longer used. */
function saveFile(
  session: Session,
  what: { metadata: string; fileId: string | null; upload: UploadedContent; then?: (id: string) => void },
): Item {
  const { contents, store } = session
  const { metadata, fileId, upload, then } = what
  const previousContent = fileId === null ? undefined : itemById(store, fileId)?.content
  try {
    const created = session.change(fileId === null ? 'files.create' : 'files.update', () => {
      const item = createOrUpdateItem(session, metadata, { fileId, upload })
      then?.(item.id)
      return item
    })
    contents.remove([previousContent ?? null, ...(created.content === upload.key ? [] : [upload.key])])
    return created
  } catch (error) {
    contents.remove([upload.key])
    throw error
  }
}

function createOrUpdateItem(
  session: Session,
  metadata: string,
  { fileId, upload }: { fileId: string | null; upload: UploadedContent },
): Item {
  if (fileId === null) return createItem(session, parseBody(metadata, 'create'), upload)
  return updateFile(session, fileId, { body: parseBody(metadata, 'update'), upload })
}

const toMimeType = (type: string | undefined) => {
  const [essence = ''] = (type ?? '').split(';')
  return essence.trim() === '' ? undefined : essence.trim().toLowerCase()
}

const isText = (type: string | undefined) => /^(text\/|application\/json)/.test(type ?? '')

const textOf = (type: string | undefined, bytes: Uint8Array) => (isText(type) ? new TextDecoder().decode(bytes) : '')

/** Drive validates the whole request when the session starts. */
function startSession(session: Session, { headers, bytes, url }: EndpointRequest, fileId: string | null): Response {
  const { store, now, caller, contents } = session
  removeExpired(store, now).forEach(contents.drop)
  const metadata = new TextDecoder().decode(bytes)
  const type = headers.get('x-upload-content-type')
  const length = headers.get('x-upload-content-length')
  if (length !== null && !/^\d{1,15}$/.test(length)) throw badRequest('Bad X-Upload-Content-Length.')
  const total = length === null ? null : Number(length)
  validateBeforeUpload(session, {
    metadata,
    fileId,
    upload: { key: 'validation', md5: '', size: total ?? 0, type: toMimeType(type ?? undefined), text: '' },
  })
  const id = insertSession(store, { now, fileId, total, request: { metadata, type, scopes: caller.scopes } })
  const location = new URL(url)
  location.searchParams.set('upload_id', id)
  return new Response(null, { headers: { location: location.href, 'x-guploader-uploadid': id, 'content-length': '0' } })
}

/** Runs the change and rolls it back, to throw what it would throw. */
function validateBeforeUpload(
  session: Session,
  { metadata, ...what }: { metadata: string; fileId: string | null; upload: UploadedContent },
): void {
  const rollback = new Error('Rolled back after validation.')
  try {
    session.store.write(() => {
      createOrUpdateItem(session, metadata, what)
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
  }
}

/** Receives a chunk, or reports the upload's status. */
export async function continueUpload(session: Session, { headers, bytes }: EndpointRequest): Promise<unknown> {
  const { store, now, params, contents, quirks } = session
  const upload = sessionById(store, { id: params.text('upload_id') ?? null, now })
  if (upload.madeId !== null) return completedResponse(session, upload.madeId)
  const pending = session.pendingCompletions.get(upload.id)
  if (pending !== undefined) return respondWithFile(session, await pending)
  const range = parseContentRange(headers.get('content-range'), bytes.byteLength)
  checkOffset(upload, range)
  const isCut = range.length > quirks.partialBytes && quirks.partialChunks > 0
  if (isCut) quirks.partialChunks -= 1
  const accepted = isCut ? bytes.subarray(0, quirks.partialBytes) : bytes
  const received = upload.received + accepted.byteLength
  if (accepted.byteLength > 0) {
    await contents.write(upload.id, accepted, upload.received)
    if (!recordReceived(store, upload, received)) throw badRequest('Another request sent these bytes.')
  }
  const total = range.total ?? upload.total
  return received === total && !isCut ? completeUpload(session, upload, total) : progressResponse(received)
}

function checkOffset(upload: UploadSession, { start, total }: ContentRange): void {
  if (start !== null && start !== upload.received) throw badRequest(`The next byte of this upload is ${upload.received}.`)
  if (total !== null && upload.total !== null && total !== upload.total)
    throw badRequest('The total length differs from the one announced.')
  if (total !== null && total < upload.received) throw badRequest('The total length is less than what has arrived.')
}

/** There is no Range header before the first byte has arrived. */
const progressResponse = (received: number) =>
  new Response(null, { status: 308, headers: { 'content-length': '0', ...(received > 0 && { range: `bytes=0-${received - 1}` }) } })

/** Completes the upload. Concurrent requests share the result. */
async function completeUpload(session: Session, upload: UploadSession, total: number): Promise<unknown> {
  const { store, pendingCompletions } = session
  const pending = createOrUpdate(session, upload, total)
  pendingCompletions.set(upload.id, pending)
  try {
    return respondWithFile(session, await pending)
  } catch (error) {
    // The draft has been moved, so the upload cannot be continued.
    removeSession(store, upload.id)
    throw error
  } finally {
    pendingCompletions.delete(upload.id)
  }
}

async function createOrUpdate(session: Session, upload: UploadSession, total: number): Promise<Item> {
  const { contents, store } = session
  const { metadata, type: given } = parseFirstRequest(upload)
  const type = given ?? undefined
  const stored: StoredContent = await contents.finish(upload.id, total)
  const text = isText(type) ? textOf(type, await contents.sample(stored.key, maxSearchableBytes)) : ''
  const then = (id: string) => {
    recordFile(store, upload.id, id)
  }
  return saveFile(session, { metadata, fileId: upload.fileId, upload: { ...stored, type: toMimeType(type), text }, then })
}

function completedResponse(session: Session, id: string): unknown {
  const item = itemById(session.store, id)
  if (item === undefined) throw fileNotFound(id)
  return respondWithFile(session, item)
}

/** Cancels an upload. Drive answers 499. */
export function cancelUpload({ store, now, params, contents }: Session): Response {
  const { id } = sessionById(store, { id: params.text('upload_id') ?? null, now })
  removeSession(store, id)
  contents.drop(id)
  return new Response(null, { status: 499 })
}

const findSessionByUrl: DriveEndpoint['caller'] = (store, { url, now }) =>
  sessionCaller(store, { id: url.searchParams.get('upload_id'), now })

/** Receives chunks with any method: some clients send POST. */
export const chunkUploadEndpoint: DriveEndpoint = {
  name: 'upload.chunk',
  method: 'PUT',
  path: '/files',
  scopes: writeScopes,
  units: withCost(0),
  caller: findSessionByUrl,
  answer: (session, request) => (request.method === 'DELETE' ? cancelUpload(session) : continueUpload(session, request)),
}

/** Content methods, below `/upload/drive/v3`. */
export const uploadEndpoints: readonly DriveEndpoint[] = [
  {
    name: 'files.create',
    method: 'POST',
    path: '/files',
    scopes: writeScopes,
    units: withCost(quotaUnits.edit),
    answer: (session, request) => beginUpload(session, request, null),
  },
  {
    name: 'files.update',
    method: 'PATCH',
    path: '/files/:fileId',
    scopes: writeScopes,
    units: withCost(quotaUnits.edit),
    answer: (session, request) => beginUpload(session, request, request.part('fileId')),
  },
]
