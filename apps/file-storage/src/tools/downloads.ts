import { Conflict, InvalidInput, NotFound, withContent } from '@mcp-toolkits/core'
import * as z from 'zod'
import { defineTool, type Context } from '../context.ts'
import { fileContent, filePart, largestPart, sizeOf } from '../drive/contents.ts'
import type { Download } from '../drive/downloads.ts'
import { Item, shown } from '../drive/items.ts'
import type { Media } from '../drive/media.ts'
import { readDriveId } from '../drive/references.ts'
import { refuseTop, withTarget, type Wanted } from '../resolve.ts'
import { pathOrId, sharedDriveId } from './parameters.ts'

const forPrograms =
  'The content is an embedded resource (base64) for the person, large and not meant for a language model: a program decodes and saves it.'

export const downloadFile = defineTool({
  name: 'DownloadFile',
  title: 'Download a file',
  description: `The content of a file of less than 5 MiB. Of a larger one only what FileStorage.DownloadFileChunk needs: requires_chunked_download is true. ${forPrograms} Folders and Google documents have no content of that kind. A shortcut is followed.`,
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  input: z.strictObject({ file_path_or_id: pathOrId('The file'), shared_drive_id: sharedDriveId }),
  output: z.object({
    file: Item,
    total_size: z.int().describe('Bytes.'),
    md5_checksum: z.string().optional().describe('Of the whole content, in hexadecimal.'),
    requires_chunked_download: z.boolean().describe('True where the content has to be read in chunks; nothing of it is here then.'),
    chunk_size: z.int().optional().describe('Bytes of the largest chunk.'),
    total_chunks: z.int().optional(),
    notice: z.string().optional(),
  }),
  async run(args, context, { signal }) {
    const { drive, areas, downloads } = context
    const wanted = wantedIn(args)
    return withTarget(wanted, { drive, areas, signal }, async (target) => {
      refuseTop(target, wanted.driveId, 'downloaded')
      const { item, bytes } = await fileContent(drive, target, signal)
      const size = sizeOf(item)
      const data = {
        file: shown(item),
        total_size: size,
        ...(item.md5Checksum !== undefined && { md5_checksum: item.md5Checksum }),
        requires_chunked_download: bytes === undefined,
        ...(bytes === undefined && { chunk_size: largestPart, total_chunks: Math.ceil(size / largestPart) }),
        ...(target.notice !== undefined && { notice: target.notice }),
      }
      if (bytes) return withContent(data, { uri: uriOf(item.id, item.name), mimeType: item.mimeType, bytes })
      downloads.keep(referenceOf(wanted), { fileId: item.id, announced: true })
      return data
    })
  },
})

export const downloadFileChunk = defineTool({
  name: 'DownloadFileChunk',
  title: 'Download a part of a file',
  description: `One part of a file's content. Begin with start_byte 0 and go on with next_start_byte until is_final_chunk. If content_id differs between chunks, the file has changed: begin again. ${forPrograms}`,
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  input: z.strictObject({
    file_path_or_id: pathOrId('The file'),
    start_byte: z.int().min(0).describe('Where the chunk begins, counted from 0.'),
    chunk_size: z.int().min(1).max(largestPart).default(largestPart).describe('Bytes of the chunk.'),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    file_id: z.string(),
    start_byte: z.int(),
    end_byte: z.int().nullable().describe('The last byte of the chunk, itself included. Null where the chunk is empty.'),
    total_size: z.int().describe('Bytes of the whole file.'),
    is_final_chunk: z.boolean(),
    next_start_byte: z.int().nullable().describe('start_byte of the next chunk; null after the last.'),
    progress_percent: z.int().describe('0 to 100; 100 only at the end.'),
    content_id: z
      .string()
      .nullable()
      .describe('The same for all chunks as long as the content is the same. Null where the chunk is empty.'),
  }),
  async run(args, context, { signal }) {
    const { start_byte: start, chunk_size: length } = args
    const wanted = wantedIn(args)
    const { fileId, ...part } = await partOf(wanted, { context, signal, range: { start, length } })
    const { total, bytes, contentId, mimeType } = part
    if (start > total) {
      const text = `"start_byte" is ${start}, and the file has only ${total} bytes.`
      throw new InvalidInput(text, { next: { change: { start_byte: 0 } } })
    }
    const next = start + bytes.byteLength
    const isFinal = next >= total
    const data = {
      file_id: fileId,
      start_byte: start,
      end_byte: bytes.byteLength > 0 ? next - 1 : null,
      total_size: total,
      is_final_chunk: isFinal,
      next_start_byte: isFinal ? null : next,
      progress_percent: isFinal ? 100 : Math.floor((next / total) * 100),
      content_id: contentId ?? null,
    }
    const place = isFinal && start === 0 ? '' : `#bytes=${start}-${next - 1}`
    return withContent(data, { uri: `${uriOf(fileId)}${place}`, mimeType, bytes })
  },
})

/** Names content in a result; nobody can fetch it from there. */
function uriOf(id: string, name?: string): string {
  return `google-drive:///${id}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`
}

interface Named {
  readonly file_path_or_id: string
  readonly shared_drive_id?: string | undefined
}

function wantedIn({ file_path_or_id: text, shared_drive_id: driveId }: Named): Wanted {
  return { text, parameter: 'file_path_or_id', driveId: readDriveId(driveId) }
}

function referenceOf({ text, driveId }: Wanted): string {
  return JSON.stringify([driveId ?? null, text])
}

interface Reading {
  readonly context: Context
  readonly signal: AbortSignal
  readonly range: { readonly start: number; readonly length: number }
}

type Part = Media & { readonly fileId: string }

async function partOf(wanted: Wanted, reading: Reading): Promise<Part> {
  const { downloads } = reading.context
  const { start } = reading.range
  const reference = referenceOf(wanted)
  const known = downloads.find(reference)
  // A first chunk begins another download, which may be of another file, unless the one before was only announced.
  const goesOn = known && (start > 0 || known.announced === true)
  const part = await (goesOn ? partOfKnown(wanted, known, reading) : partAfresh(wanted, reading))
  if (start > 0) refuseOther(part, known)
  const { fileId, contentId } = part
  downloads.keep(reference, { fileId, contentId: start === 0 ? contentId : known?.contentId })
  return part
}

/** A part of what the reference means now. */
function partAfresh(wanted: Wanted, { context: { drive, areas }, signal, range }: Reading): Promise<Part> {
  return withTarget(wanted, { drive, areas, signal }, (target) => {
    refuseTop(target, wanted.driveId, 'downloaded')
    return filePart(drive, { ...target, range }, signal)
  })
}

/** A part of what the reference meant before; where that is gone, the reference is looked up once more. */
function partOfKnown(wanted: Wanted, { fileId: id }: Download, reading: Reading): Promise<Part> {
  const { context, signal, range } = reading
  return filePart(context.drive, { id, range }, signal).catch(async (error: unknown) => {
    if (!(error instanceof NotFound)) throw error
    context.downloads.forget(referenceOf(wanted))
    const part = await partAfresh(wanted, reading)
    if (range.start > 0 && part.fileId !== id) refuseMixed('The file that the chunks before came from is gone, and another is in its place')
    return part
  })
}

function refuseOther({ contentId }: Media, known: Download | undefined): void {
  if (contentId === undefined || known?.contentId === undefined || known.contentId === contentId) return
  refuseMixed('The file has changed since its first chunk was read')
}

function refuseMixed(why: string): never {
  throw new Conflict(`${why}, so the chunks do not fit together. Begin again at the first byte.`, { next: { change: { start_byte: 0 } } })
}
