import { Conflict, InvalidInput, Message, NotFound, sentence } from '@mcp-toolkits/core/errors'
import { type CallContext, withContent, withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool, type Context } from '../context.ts'
import {
  contentUri,
  type FileChunk,
  maxChunkBytes,
  readFile,
  readFileChunk,
  RunningChecksum,
  type DownloadSession,
} from '../drive/content/downloads.ts'
import { byteSize, Item, toItem } from '../drive/items.ts'
import { rejectRoot, sayIfTrashed, withTarget, type ItemQuery } from '../resolve/resolve.ts'
import * as vocabulary from '../vocabulary/parameters.ts'
import { fileText } from '../drive/content/file-text.ts'
import { fileQuery, lookupOf, pathOrId, sharedDriveId } from './parameters.ts'

export const downloadFile = defineTool({
  name: 'DownloadFile',
  title: 'Download a file',
  description: Message.of(
    'Download a file, document, PDF or image from Google Drive: get, fetch, read, save or export its contents. Text comes as text, the rest as base64. Not for folders or Google documents.',
    sentence`For 5 MiB or more, use ${{ tool: 'FileStorage.DownloadFileChunk' }}.`,
  ),
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  input: z.strictObject({ file_path_or_id: withVocabulary(pathOrId('File'), vocabulary.file), shared_drive_id: sharedDriveId }),
  output: z.object({
    file: Item,
    total_size: z.int(),
    md5_checksum: z.string().optional(),
    requires_chunked_download: z.boolean(),
    chunk_size: z.int().optional(),
    total_chunks: z.int().optional(),
    text: z.string().optional(),
  }),
  example: { file_path_or_id: 'Team/Working agreement.md' },
  async run(args, context, call) {
    const { drive, downloads } = context
    const lookup = lookupOf(context, call)
    const query = await fileQuery(args, lookup)
    return withTarget(query, lookup, async (target) => {
      rejectRoot(target, 'downloaded')
      const { item, bytes } = await readFile(drive, target, call.scope)
      sayIfTrashed(item, call.notice)
      const size = byteSize(item)
      const data = {
        file: toItem(item),
        total_size: size,
        ...(item.md5Checksum !== undefined && { md5_checksum: item.md5Checksum }),
        requires_chunked_download: bytes === undefined,
        ...(bytes === undefined && { chunk_size: maxChunkBytes, total_chunks: Math.ceil(size / maxChunkBytes) }),
      }
      if (bytes) {
        const shown = fileText({ bytes, mimeType: item.mimeType, start: 0, isLast: true })
        if (shown.notice !== undefined) call.notice(shown.notice)
        return withContent({ ...data, ...shown.data }, { uri: contentUri(item.id, item.name), mimeType: item.mimeType, bytes })
      }
      await downloads.set(sessionKey(query), { fileId: item.id, item, isAnnounced: true })
      return data
    })
  },
})

export const downloadFileChunk = defineTool({
  name: 'DownloadFileChunk',
  title: 'Download a chunk of a file',
  description: Message.of(
    'Download a large (big, huge) file in chunks: get it part by part, a range of bytes per call. Start at start_byte 0; continue with next_start_byte until is_final_chunk. Text comes as text, the rest as base64.',
    sentence`Under 5 MiB, use ${{ tool: 'FileStorage.DownloadFile' }}.`,
  ),
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  input: z.strictObject({
    file_path_or_id: withVocabulary(pathOrId('File'), vocabulary.file),
    start_byte: withVocabulary(z.int().min(0), vocabulary.startByte).describe(
      'First byte, counted from 0: next_start_byte of the previous chunk.',
    ),
    chunk_size: withVocabulary(z.int().min(1).max(maxChunkBytes), vocabulary.chunkSize)
      .default(maxChunkBytes)
      .describe('Bytes per chunk; default and maximum: 5 MiB.'),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    file_id: z.string(),
    start_byte: z.int(),
    end_byte: z.int().nullable().describe('Inclusive.'),
    total_size: z.int(),
    is_final_chunk: z.boolean(),
    next_start_byte: z.int().nullable().describe('Null after the last chunk.'),
    progress_percent: z.int(),
    content_id: z.string().nullable(),
    text: z.string().optional(),
  }),
  example: { file_path_or_id: 'Team/Working agreement.md', start_byte: 0, chunk_size: 200 },
  async run(args, context, call) {
    const { start_byte: start, chunk_size: length } = args
    const query = await fileQuery(args, lookupOf(context, call))
    const chunk = await readChunk(query, { context, call, range: { start, length } })
    const { fileId, total, bytes, before, contentId, mimeType } = chunk
    if (start > total) {
      throw new InvalidInput(
        `"start_byte" is ${start}, past the end of the file: it has ${total} bytes. If all previous chunks were read, the download is complete.`,
      )
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
    const shown = fileText({ bytes, before, mimeType, start, isLast: isFinal })
    if (shown.notice !== undefined) call.notice(shown.notice)
    const fragment = isFinal && start === 0 ? '' : `#bytes=${start}-${next - 1}`
    return withContent({ ...data, ...shown.data }, { uri: contentUri(fileId) + fragment, mimeType, bytes })
  },
})

function sessionKey({ text, sharedDrive }: ItemQuery): string {
  return JSON.stringify([sharedDrive?.id ?? null, text])
}

interface ChunkContext {
  readonly context: Context
  readonly call: CallContext
  readonly range: { readonly start: number; readonly length: number }
}

async function readChunk(query: ItemQuery, request: ChunkContext): Promise<FileChunk> {
  const { downloads } = request.context
  const { start } = request.range
  const key = sessionKey(query)
  const session = await downloads.get(key)
  // A first chunk starts a new download, perhaps of a different file, unless DownloadFile has just announced this one.
  const isContinuation = session && (start > 0 || session.isAnnounced === true)
  const chunk = await (isContinuation ? readSameFile(query, session, request) : readResolvedFile(query, request))
  const { fileId, contentId, item, bytes, total } = chunk
  const isFirst = start === 0
  if (!isFirst && session && hasChanged(session, chunk)) throw chunksDoNotFit('The file has changed since its first chunk was read')
  const checksum = (isFirst ? new RunningChecksum() : session?.checksum)?.with(start, bytes)
  const md5 = item?.md5Checksum ?? chunk.md5
  if (start + bytes.byteLength === total && checksum && md5 !== undefined && checksum.md5() !== md5) {
    throw chunksDoNotFit("The chunks' MD5 differs from the file's")
  }
  await downloads.set(key, { fileId, contentId: isFirst ? contentId : session?.contentId, item: item ?? session?.item, checksum })
  return chunk
}

/** True if a chunk is from different content than the first chunk. */
function hasChanged(session: DownloadSession, { contentId, item }: FileChunk): boolean {
  const differ = (first: string | undefined, now: string | undefined) => first !== undefined && now !== undefined && first !== now
  return differ(session.contentId, contentId) || differ(session.item?.md5Checksum, item?.md5Checksum)
}

/** Reads a chunk of the file that the reference currently resolves to. */
function readResolvedFile(query: ItemQuery, { context, call, range }: ChunkContext): Promise<FileChunk> {
  return withTarget(query, lookupOf(context, call), (target) => {
    rejectRoot(target, 'downloaded')
    return readFileChunk(context.drive, { ...target, range }, call.scope)
  })
}

/** Reads a chunk of the same file as earlier chunks; if the file is gone, the reference is resolved again. */
function readSameFile(query: ItemQuery, { fileId: id, item }: DownloadSession, request: ChunkContext): Promise<FileChunk> {
  const { context, call, range } = request
  return readFileChunk(context.drive, { id, ...(item && { item }), range }, call.scope).catch(async (error: unknown) => {
    if (!(error instanceof NotFound)) throw error
    await context.downloads.delete(sessionKey(query))
    const chunk = await readResolvedFile(query, request)
    if (range.start === 0 || chunk.fileId === id) return chunk
    throw chunksDoNotFit('The file that the earlier chunks came from is gone, and another is in its place')
  })
}

function chunksDoNotFit(reason: string): Conflict {
  return new Conflict(`${reason}, so the chunks do not fit together. Start again at start_byte 0.`, {
    next: { change: { start_byte: 0 } },
  })
}
