import { randomUUID } from 'node:crypto'
import type { RequestHead } from '@mcp-toolkits/emulator'
import type { Body } from '../content/content.ts'
import { parseBody } from '../files/body.ts'
import { parseFileMask, respondWithFile } from '../files/resource.ts'
import { createItem, updateFile, type UploadedContent } from '../files/write.ts'
import { badRequest, fileNotFound, invalidValue } from '../http/errors.ts'
import { saveRevision } from '../store/revisions.ts'
import { defineMethods, type DriveEndpoint, type EndpointRequest } from '../session/methods.ts'
import type { Session } from '../session/session.ts'
import { type Item, itemById } from '../store/items.ts'
import { checkLength, type MultipartBody, parseContentRange, parseMultipart } from './requests.ts'
import {
  insertSession,
  parseFirstRequest,
  recordFile,
  recordReceived,
  removeExpired,
  removeSession,
  sessionById,
  sessionCaller,
  type UploadSession,
} from './sessions.ts'

const maxSearchableBytes = 1_000_000

/** Starts or completes an upload for a new file, or for new content of `fileId`. */
export async function beginUpload(session: Session, request: EndpointRequest, fileId: string | null): Promise<unknown> {
  parseFileMask(session)
  const { headers, bytes } = request
  const kind = session.params.text('uploadType')
  const type = headers.get('content-type')
  if (kind === 'resumable') return startSession(session, request, fileId)
  if (kind === 'multipart') {
    const { metadata, ...content } = parseMultipart(bytes, type)
    return respondWithFile(session, await saveFile(session, { metadata, fileId, upload: storeBytes(session, content) }))
  }
  if (kind !== 'media') throw invalidValue('uploadType')
  const upload = await storeBody(session, request.stream, type ?? undefined)
  return respondWithFile(session, await saveFile(session, { metadata: '{}', fileId, upload }))
}

async function storeBody(session: Session, body: Body, type: string | undefined): Promise<UploadedContent> {
  const { contents } = session
  const draft = randomUUID()
  try {
    const size = await contents.write(draft, body)
    return await finishDraft(session, draft, size, type)
  } finally {
    contents.drop(draft)
  }
}

/** Creates a file from bytes and runs `then` in the same transaction. */
export function storeFile(session: Session, { metadata, ...content }: MultipartBody, then: (id: string) => void): Promise<Item> {
  return saveFile(session, { metadata, fileId: null, upload: storeBytes(session, content) }, then)
}

function storeBytes({ contents }: Session, { media, type }: Pick<MultipartBody, 'media' | 'type'>): UploadedContent {
  return { ...contents.put(media), type: toMimeType(type), text: textOf(type, media.subarray(0, maxSearchableBytes)) }
}

/** A new file, or new content of `fileId`. */
interface Saved {
  readonly metadata: string
  readonly fileId: string | null
  readonly upload: UploadedContent
}

/** Creates or updates the file, then deletes unused content. */
async function saveFile(session: Session, saved: Saved, then?: (id: string) => void): Promise<Item> {
  const { contents, store, now } = session
  const { fileId, upload } = saved
  let unused: readonly (string | null)[] = []
  try {
    const created = await session.change(fileId === null ? 'files.create' : 'files.update', () => {
      const previous = fileId === null ? undefined : itemById(store, fileId)
      const item = createOrUpdateItem(session, saved)
      unused = previous === undefined ? [] : saveRevision(store, previous, now)
      then?.(item.id)
      return item
    })
    contents.remove([...unused, ...(created.content === upload.key ? [] : [upload.key])])
    return created
  } catch (error) {
    contents.remove([upload.key])
    throw error
  }
}

function createOrUpdateItem(session: Session, { metadata, fileId, upload }: Saved): Item {
  if (fileId === null) return createItem(session, parseBody(metadata, 'create'), upload)
  return updateFile(session, fileId, { body: parseBody(metadata, 'update'), upload })
}

const toMimeType = (type: string | undefined) => {
  const [essence = ''] = (type ?? '').split(';')
  return essence.trim() === '' ? undefined : essence.trim().toLowerCase()
}

const isText = (type: string | undefined) => /^(text\/|application\/json)/.test(type ?? '')

const textOf = (type: string | undefined, bytes: Uint8Array) => (isText(type) ? new TextDecoder().decode(bytes) : '')

/** Starts a session. Like Drive, validates the whole request at this point. */
async function startSession(session: Session, { headers, bytes, url }: EndpointRequest, fileId: string | null): Promise<Response> {
  const { store, now, caller, contents } = session
  const metadata = new TextDecoder().decode(bytes)
  const type = headers.get('x-upload-content-type')
  const length = headers.get('x-upload-content-length')
  if (length !== null && !/^\d{1,15}$/.test(length)) throw badRequest('Bad X-Upload-Content-Length.')
  const total = length === null ? null : Number(length)
  await validateBeforeUpload(session, {
    metadata,
    fileId,
    upload: { key: 'validation', md5: '', size: total ?? 0, type: toMimeType(type ?? undefined), text: '' },
  })
  const { id, expired } = await store.write(() => ({
    expired: removeExpired(store, now),
    id: insertSession(store, { now, fileId, total, request: { metadata, type, scopes: caller.scopes, person: caller.viewer.id } }),
  }))
  expired.forEach(contents.drop)
  const location = new URL(url)
  location.searchParams.set('upload_id', id)
  return new Response(null, { headers: { location: location.href, 'x-guploader-uploadid': id, 'content-length': '0' } })
}

/** Makes the change and rolls it back, so that its errors are thrown before the upload. */
async function validateBeforeUpload(session: Session, saved: Saved): Promise<void> {
  const rollback = new Error('Rolled back after validation.')
  try {
    await session.store.write(() => {
      createOrUpdateItem(session, saved)
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
  }
}

/** Receives a chunk, or reports the upload's status. */
async function continueUpload(session: Session, { headers, stream }: EndpointRequest): Promise<unknown> {
  const { store, now, params, contents, quirks } = session
  const upload = sessionById(store, { id: params.text('upload_id') ?? null, now })
  const completed = findCompleted(session, upload)
  if (completed !== undefined) return respondWithFile(session, await completed)
  const range = parseContentRange(headers.get('content-range'))
  if (range.start !== null && range.start !== upload.received) throw badRequest(`The next byte of this upload is ${upload.received}.`)
  // Bytes after `received` do not count, so the next request may overwrite them.
  const length = await contents.write(upload.id, stream, { position: upload.received, limit: range.length ?? Infinity })
  checkLength(range, length)
  const announced = range.length === null ? length : range.total
  checkTotal(upload, announced)
  const isCut = length > quirks.partialBytes && quirks.partialChunks > 0
  if (isCut) quirks.partialChunks -= 1
  const received = upload.received + (isCut ? quirks.partialBytes : length)
  if (length > 0 && !(await recordReceived(store, upload, received))) throw badRequest('Another request sent these bytes.')
  // Another request may have completed the upload while this body arrived.
  const completedMeanwhile = findCompleted(session, sessionById(store, { id: upload.id, now }))
  if (completedMeanwhile !== undefined) return respondWithFile(session, await completedMeanwhile)
  const total = announced ?? upload.total
  return received === total && !isCut ? completeUpload(session, upload, total) : progressResponse(received)
}

function checkTotal(upload: UploadSession, total: number | null): void {
  if (total === null) return
  if (upload.total !== null && total !== upload.total) throw badRequest('The total length differs from the one announced.')
  if (total < upload.received) throw badRequest('The total length is less than what has arrived.')
}

/** Reports progress, without a Range header before the first byte has arrived. */
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
    await store.write(() => {
      removeSession(store, upload.id)
    })
    throw error
  } finally {
    pendingCompletions.delete(upload.id)
  }
}

async function createOrUpdate(session: Session, upload: UploadSession, total: number): Promise<Item> {
  const { metadata, type } = parseFirstRequest(upload)
  const stored = await finishDraft(session, upload.id, total, type ?? undefined)
  return saveFile(session, { metadata, fileId: upload.fileId, upload: stored }, (id) => {
    recordFile(session.store, upload.id, id)
  })
}

async function finishDraft({ contents }: Session, draft: string, size: number, type: string | undefined): Promise<UploadedContent> {
  const stored = await contents.finish(draft, size)
  const text = isText(type) ? textOf(type, await contents.sample(stored.key, maxSearchableBytes)) : ''
  return { ...stored, type: toMimeType(type), text }
}

/** The file from an upload that is complete or about to be; undefined for any other upload. */
function findCompleted({ store, pendingCompletions }: Session, { id, madeId }: UploadSession): Item | Promise<Item> | undefined {
  if (madeId === null) return pendingCompletions.get(id)
  const item = itemById(store, madeId)
  if (item === undefined) throw fileNotFound(madeId)
  return item
}

/** Cancels an upload. Drive returns 499. */
async function cancelUpload({ store, now, params, contents }: Session): Promise<Response> {
  const { id } = sessionById(store, { id: params.text('upload_id') ?? null, now })
  await store.write(() => {
    removeSession(store, id)
  })
  contents.drop(id)
  return new Response(null, { status: 499 })
}

/** Receives chunks with any method: some clients send POST. */
export const chunkUploadEndpoint: DriveEndpoint = {
  name: 'upload.chunk',
  method: 'PUT',
  path: '/files',
  scopes: ['drive', 'drive.file'],
  units: () => 0,
  caller: (store, { url, now }) => sessionCaller(store, { id: url.searchParams.get('upload_id'), now }),
  answer: (session, request) => (request.method === 'DELETE' ? cancelUpload(session) : continueUpload(session, request)),
}

/** Content methods, under `/upload/drive/v3`. */
export const uploadEndpoints: readonly DriveEndpoint[] = defineMethods({
  'files.create': (session, request) => beginUpload(session, request, null),
  'files.update': (session, request) => beginUpload(session, request, request.part('fileId')),
})

/** True if content is read piece by piece, unlike a multipart body, which Drive allows for files up to 5 MB. */
export function isContentUpload({ path, url }: RequestHead): boolean {
  const { searchParams } = url
  return path.startsWith('/upload/') && (searchParams.has('upload_id') || searchParams.get('uploadType') === 'media')
}
