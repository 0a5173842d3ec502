import { randomUUID } from 'node:crypto'
import { Conflict, NotFound } from '@mcp-toolkits/core'
import { exchange } from '../transfer/exchange.ts'
import type { DriveClient } from './client.ts'
import { failureOf, notFromDrive } from './failures.ts'
import { DriveItem, itemFields } from './items.ts'
import { pointingToPicker } from './picker.ts'
import { parsed } from './reasons.ts'

/** A file that is to be made. */
export interface NewFile {
  /** Made by `generateIds`, so that a repeat makes no second file. */
  readonly id: string
  readonly name: string
  readonly parent: string
  readonly mimeType: string
}

/** How far an upload is: the file, once all of it is there. */
export type UploadState = { readonly item: DriveItem } | { readonly stored: number }

/** The bytes that a request brings, and how long the whole is where that is known. */
export interface Chunk {
  readonly start: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly total: number | undefined
}

/** The upload is not known any more, so nothing of it is stored. */
export class SessionGone extends Conflict {}

/** There is, or was, an item with the id that the file was to have. */
export class IdTaken extends Conflict {}

/** Chunks are multiples of this, except for the last one. https://developers.google.com/workspace/drive/api/guides/manage-uploads#uploading */
export const chunkUnit = 262_144

/** How long a request with a body may take, in milliseconds: nothing is heard of it before all of it has arrived. */
const sendingMs = 15_000
const askingMs = 12_000

const uploadFields = encodeURIComponent(`${itemFields},createdTime`)
const uploadPath = (kind: string) => `upload/drive/v3/files?uploadType=${kind}&supportsAllDrives=true&fields=${uploadFields}`

/** Makes a file with its content in one request. https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart */
export async function createWithContent(
  drive: DriveClient,
  { bytes, ...file }: NewFile & { readonly bytes: Uint8Array },
  signal: AbortSignal,
): Promise<DriveItem> {
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
    { silentMs: sendingMs, signal },
  )
}

/** Begins an upload of several requests, and gives its address. https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
export async function beginUpload(
  drive: DriveClient,
  { length, ...file }: NewFile & { readonly length: number | undefined },
  signal: AbortSignal,
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
    { silentMs: askingMs, signal },
  )
}

/** Sends a chunk to an upload. Throws `SessionGone`. */
export async function sendChunk(
  drive: DriveClient,
  { address, chunk }: { readonly address: string; readonly chunk: Chunk },
  signal: AbortSignal,
): Promise<UploadState> {
  const { start, bytes, total } = chunk
  const range = `bytes ${bytes.byteLength > 0 ? `${start}-${start + bytes.byteLength - 1}` : '*'}/${total ?? '*'}`
  const init = { method: 'PUT', headers: { 'content-range': range }, body: bytes }
  return exchange(
    { send: (until) => drive.send(address, { ...init, signal: until }), read: stateIn },
    { silentMs: bytes.byteLength > 0 ? sendingMs : askingMs, signal },
  )
}

/** How far an upload is. Throws `SessionGone`. */
export async function askUpload(
  drive: DriveClient,
  { address, total }: { readonly address: string; readonly total: number | undefined },
  signal: AbortSignal,
): Promise<UploadState> {
  return sendChunk(drive, { address, chunk: { start: 0, bytes: new Uint8Array(), total } }, signal)
}

/** Deletes a file for good: one of ours that is not what it should be. */
export async function deleteFile(drive: DriveClient, id: string, signal: AbortSignal): Promise<void> {
  await exchange(
    {
      send: (until) => drive.send(`drive/v3/files/${id}?supportsAllDrives=true`, { method: 'DELETE', signal: until }),
      async read(response) {
        if (!response.ok) throw await refusalIn(response)
      },
    },
    { silentMs: askingMs, signal },
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

async function itemIn(response: Response): Promise<DriveItem> {
  if (!response.ok) throw await refusalIn(response)
  const item = DriveItem.safeParse(parsed(await response.text()))
  if (!item.success) throw notFromDrive(response.status)
  return item.data
}

async function refusalIn(response: Response): Promise<Error> {
  const failure = failureOf(response, await response.text())
  if (response.status === 409) return new IdTaken(failure.message)
  return failure instanceof NotFound ? pointingToPicker(failure) : failure
}
