import { Conflict, InvalidInput, NotFound, withContent } from '@mcp-toolkits/core'
import type { CallScope } from '@mcp-toolkits/core/call-scope'
import { Message, sentence } from '@mcp-toolkits/core/message'
import * as z from 'zod'
import { defineTool, type Context } from '../context.ts'
import { maxChunkBytes, readFile, readFileChunk, RunningChecksum, type DownloadSession } from '../drive/downloads.ts'
import { byteSize, Item, toItem } from '../drive/items.ts'
import type { MediaPart } from '../drive/media.ts'
import { parseDriveId, rejectRoot, withTarget, type ItemQuery } from '../resolve.ts'
import { pathOrId, sharedDriveId } from './parameters.ts'

const forPrograms =
  'The content is an embedded resource (base64) for the person, large and not meant for a language model: a program decodes and saves it.'

export const downloadFile = defineTool({
  name: 'DownloadFile',
  title: 'Download a file',
  description: Message.of(
    'The content of a file of less than 5 MiB.',
    sentence`Of a larger one only what ${{ tool: 'FileStorage.DownloadFileChunk' }} needs: requires_chunked_download is true.`,
    forPrograms,
    'Folders and Google documents have no content of that kind. A shortcut is followed.',
  ),
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
  async run(args, context, { scope }) {
    const { drive, paths, downloads } = context
    const query = toQuery(args)
    return withTarget(query, { drive, paths, scope }, async (target) => {
      rejectRoot(target, query.driveId, 'downloaded')
      const { item, bytes } = await readFile(drive, target, scope)
      const size = byteSize(item)
      const data = {
        file: toItem(item),
        total_size: size,
        ...(item.md5Checksum !== undefined && { md5_checksum: item.md5Checksum }),
        requires_chunked_download: bytes === undefined,
        ...(bytes === undefined && { chunk_size: maxChunkBytes, total_chunks: Math.ceil(size / maxChunkBytes) }),
        ...(target.notice !== undefined && { notice: target.notice }),
      }
      if (bytes) return withContent(data, { uri: uriOf(item.id, item.name), mimeType: item.mimeType, bytes })
      downloads.set(sessionKey(query), { fileId: item.id, item, isAnnounced: true })
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
    chunk_size: z.int().min(1).max(maxChunkBytes).default(maxChunkBytes).describe('Bytes of the chunk.'),
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
  async run(args, context, { scope }) {
    const { start_byte: start, chunk_size: length } = args
    const query = toQuery(args)
    const chunk = await readChunk(query, { context, scope, range: { start, length } })
    const { fileId, total, bytes, contentId, mimeType } = chunk
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
    const fragment = isFinal && start === 0 ? '' : `#bytes=${start}-${next - 1}`
    return withContent(data, { uri: uriOf(fileId) + fragment, mimeType, bytes })
  },
})

/** A URI that identifies content in a result; it cannot be fetched. */
function uriOf(id: string, name?: string): string {
  return `google-drive:///${id}${name === undefined ? '' : `/${encodeURIComponent(name.toWellFormed())}`}`
}

interface FileArguments {
  readonly file_path_or_id: string
  readonly shared_drive_id?: string | undefined
}

function toQuery({ file_path_or_id: text, shared_drive_id: driveId }: FileArguments): ItemQuery {
  return { text, parameter: 'file_path_or_id', driveId: parseDriveId(driveId) }
}

function sessionKey({ text, driveId }: ItemQuery): string {
  return JSON.stringify([driveId ?? null, text])
}

interface ChunkContext {
  readonly context: Context
  readonly scope: CallScope
  readonly range: { readonly start: number; readonly length: number }
}

type Chunk = MediaPart & { readonly fileId: string }

async function readChunk(query: ItemQuery, request: ChunkContext): Promise<Chunk> {
  const { downloads } = request.context
  const { start } = request.range
  const key = sessionKey(query)
  const session = downloads.get(key)
  // A first chunk starts another download, which may be of another file, unless the previous one was only announced.
  const isContinuation = session && (start > 0 || session.isAnnounced === true)
  const chunk = await (isContinuation ? readSameFile(query, session, request) : readResolvedFile(query, request))
  const { fileId, contentId, item, bytes, total } = chunk
  const isFirst = start === 0
  if (!isFirst && session && hasChanged(session, chunk)) throw chunksDoNotFit('The file has changed since its first chunk was read')
  const checksum = (isFirst ? new RunningChecksum() : session?.checksum)?.with(start, bytes)
  const md5 = item?.md5Checksum ?? chunk.md5
  if (start + bytes.byteLength === total && checksum && md5 !== undefined && checksum.md5() !== md5) {
    throw chunksDoNotFit('The chunks together do not have the md5 of the file')
  }
  downloads.set(key, { fileId, contentId: isFirst ? contentId : session?.contentId, item: item ?? session?.item, checksum })
  return chunk
}

/** Whether a chunk comes from another content than the first one did. */
function hasChanged(session: DownloadSession, { contentId, item }: Chunk): boolean {
  const differ = (first: string | undefined, now: string | undefined) => first !== undefined && now !== undefined && first !== now
  return differ(session.contentId, contentId) || differ(session.item?.md5Checksum, item?.md5Checksum)
}

/** A chunk of the file that the reference means now. */
function readResolvedFile(query: ItemQuery, { context: { drive, paths }, scope, range }: ChunkContext): Promise<Chunk> {
  return withTarget(query, { drive, paths, scope }, (target) => {
    rejectRoot(target, query.driveId, 'downloaded')
    return readFileChunk(drive, { ...target, range }, scope)
  })
}

/** A chunk of the file from earlier chunks; if it is gone, the reference is resolved again. */
function readSameFile(query: ItemQuery, { fileId: id, item }: DownloadSession, request: ChunkContext): Promise<Chunk> {
  const { context, scope, range } = request
  return readFileChunk(context.drive, { id, ...(item && { item }), range }, scope).catch(async (error: unknown) => {
    if (!(error instanceof NotFound)) throw error
    context.downloads.delete(sessionKey(query))
    const chunk = await readResolvedFile(query, request)
    if (range.start === 0 || chunk.fileId === id) return chunk
    throw chunksDoNotFit('The file that the earlier chunks came from is gone, and another is in its place')
  })
}

function chunksDoNotFit(reason: string): Conflict {
  return new Conflict(`${reason}, so the chunks do not fit together. Begin again at the first byte.`, {
    next: { change: { start_byte: 0 } },
  })
}
