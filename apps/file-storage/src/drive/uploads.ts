import { randomUUID } from 'node:crypto'
import { Conflict, NotFound } from '@mcp-toolkits/core'
import * as z from 'zod'
import { exchange } from '../transfer/exchange.ts'
import type { Patience } from '../transfer/patience.ts'
import type { DriveClient } from './client.ts'
import { failureOf, notFromDrive } from './failures.ts'
import { DriveItem, itemFields } from './items.ts'
import { pointingToPicker } from './picker.ts'
import { parsed, reasonsIn, sentenceIn } from './reasons.ts'

/** A file that is to be made. */
export interface NewFile {
  /** Made by `generateIds`, so that a repeat makes no second file. */
  readonly id: string
  readonly name: string
  readonly parent: string
  readonly mimeType: string
}

const StoredFile = DriveItem.extend({ explicitlyTrashed: z.boolean().optional() })
/** A file, and whether it was thrown away itself: below a trashed folder everything is in the trash. */
export type StoredFile = z.output<typeof StoredFile>

/** How far an upload is: the file, once all of it is there. */
export type UploadState = { readonly item: StoredFile } | { readonly stored: number }

/** The bytes that a request brings, and how long the whole is where that is known. */
export interface Chunk {
  readonly start: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly total: number | undefined
}

/** The upload is not known any more, so nothing of it is stored. */
export class SessionGone extends Conflict {}

/** There is, or was, an item with the id that the file was to have. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
export class IdTaken extends Conflict {}

/** Chunks are multiples of this, except for the last one. https://developers.google.com/workspace/drive/api/guides/manage-uploads#uploading */
export const chunkUnit = 262_144

/** How long a request with a body may take, in milliseconds: nothing is heard of it before all of it has arrived. */
const sendingMs = 8_000
const askingMs = 12_000

const storedFields = `${itemFields},createdTime,explicitlyTrashed`
const uploadPath = (kind: string) =>
  `upload/drive/v3/files?uploadType=${kind}&supportsAllDrives=true&fields=${encodeURIComponent(storedFields)}`

/** Makes a file with its content in one request. https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart */
export async function createWithContent(
  drive: DriveClient,
  { bytes, ...file }: NewFile & { readonly bytes: Uint8Array },
  patience: Patience,
): Promise<StoredFile> {
  const edge = `part-${randomUUID()}`
  const body = Buffer.concat([
    Buffer.from(`--${edge}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${metadataOf(file)}\r\n`),
    Buffer.from(`--${edge}\r\nContent-Type: ${file.mimeType}\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${edge}--\r\n`),
  ])
  const headers = { 'content-type': `multipart/related; boundary=${edge}` }
  return exchange(
    { send: (until) => drive.send(uploadPath('multipart'), { method: 'POST', headers, body, signal: until }), read: itemIn },
    { silentMs: Math.min(sendingMs, patience.left), signal: patience.signal },
  )
}

/** Begins an upload of several requests, and gives its address. https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
export async function beginUpload(
  drive: DriveClient,
  { length, ...file }: NewFile & { readonly length: number | undefined },
  patience: Patience,
): Promise<string> {
  const headers = {
    'content-type': 'application/json; charset=UTF-8',
    'x-upload-content-type': file.mimeType,
    ...(length !== undefined && { 'x-upload-content-length': String(length) }),
  }
  const body = metadataOf(file)
  return exchange(
    {
      send: (until) => drive.send(uploadPath('resumable'), { method: 'POST', headers, body, signal: until }),
      async read(response) {
        if (!response.ok) throw await refusalIn(response)
        const address = response.headers.get('location')
        if (address === null) throw notFromDrive(response.status)
        return address
      },
    },
    { silentMs: Math.min(askingMs, patience.left), signal: patience.signal },
  )
}

/** Sends a chunk to an upload. Throws `SessionGone`. */
export async function sendChunk(
  drive: DriveClient,
  { address, chunk }: { readonly address: string; readonly chunk: Chunk },
  patience: Patience,
): Promise<UploadState> {
  const { start, bytes, total } = chunk
  const range = `bytes ${bytes.byteLength > 0 ? `${start}-${start + bytes.byteLength - 1}` : '*'}/${total ?? '*'}`
  const init = { method: 'PUT', headers: { 'content-range': range }, body: bytes }
  return exchange(
    { send: (until) => drive.send(address, { ...init, signal: until }), read: stateIn },
    { silentMs: Math.min(bytes.byteLength > 0 ? sendingMs : askingMs, patience.left), signal: patience.signal },
  )
}

/** How far an upload is. Throws `SessionGone`. */
export async function askUpload(
  drive: DriveClient,
  { address, total }: { readonly address: string; readonly total: number | undefined },
  patience: Patience,
): Promise<UploadState> {
  return sendChunk(drive, { address, chunk: { start: 0, bytes: new Uint8Array(), total } }, patience)
}

/** A file by its id, as it is now. */
export async function getStored(drive: DriveClient, id: string, patience: Patience): Promise<StoredFile> {
  const params = { fileId: id, supportsAllDrives: true, fields: storedFields }
  const call = { method: 'files.get', answer: StoredFile, budgetMs: patience.left } as const
  return drive.call({ ...call, send: (api, sending) => api.files.get(params, sending) }, patience.signal)
}

/** Deletes a file for good: one of ours that is not what it should be. */
export async function deleteFile(drive: DriveClient, id: string, patience: Patience): Promise<void> {
  await changeStored(drive, { id, method: 'DELETE' }, patience)
}

/** Puts a file into the trash, which more people may do than delete it. */
export async function throwAway(drive: DriveClient, id: string, patience: Patience): Promise<void> {
  await changeStored(drive, { id, method: 'PATCH', body: '{"trashed":true}' }, patience)
}

async function changeStored(
  drive: DriveClient,
  { id, ...change }: { readonly id: string; readonly method: string; readonly body?: string },
  patience: Patience,
): Promise<void> {
  const headers = { 'content-type': 'application/json; charset=UTF-8' }
  await exchange(
    {
      send: (until) => drive.send(`drive/v3/files/${id}?supportsAllDrives=true&fields=id`, { ...change, headers, signal: until }),
      async read(response) {
        if (!response.ok) throw await refusalIn(response)
      },
    },
    { silentMs: Math.min(askingMs, patience.left), signal: patience.signal },
  )
}

/** A name of a type of its own is what keeps Drive from making a document of the file. */
function metadataOf({ id, name, parent, mimeType }: NewFile): string {
  return JSON.stringify({ id, name, parents: [parent], mimeType })
}

async function stateIn(response: Response): Promise<UploadState> {
  if (response.status === 308) {
    const [, last] = /^bytes=0-(\d+)$/.exec(response.headers.get('range') ?? '') ?? []
    return { stored: last === undefined ? 0 : Number(last) + 1 }
  }
  if (response.status === 404 || response.status === 410) {
    throw new SessionGone('Google Drive does not know the upload any more.')
  }
  return { item: await itemIn(response) }
}

async function itemIn(response: Response): Promise<StoredFile> {
  if (!response.ok) throw await refusalIn(response)
  const item = StoredFile.safeParse(parsed(await response.text()))
  if (!item.success) throw notFromDrive(response.status)
  return item.data
}

async function refusalIn(response: Response): Promise<Error> {
  const text = await response.text()
  const failure = failureOf(response, text)
  if (response.status === 409 && saysTaken(parsed(text))) return new IdTaken(failure.message)
  return failure instanceof NotFound ? pointingToPicker(failure) : failure
}

/** Other conflicts are no word about the id. */
const saysTaken = (body: unknown) =>
  reasonsIn(body).includes('fileidinuse') || /already exists with the provided id/i.test(sentenceIn(body))
