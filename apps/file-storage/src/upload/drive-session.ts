import type { Clock } from '@mcp-toolkits/core/base'
import { Conflict, InvalidInput, ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core/errors'
import { withCallScope, type CallScope } from '@mcp-toolkits/core/tool'
import { type Attempts, isTransient, ResponseTimeout, withRetry } from '@mcp-toolkits/core/upstream'
import { completeResponse, type DriveClient } from '../drive/client.ts'
import { notDriveResponse, uploadErrorFrom } from '../drive/errors.ts'
import { bodySilenceMs, newFileMetadata, readCreatedItem, requestSilenceMs, uploadPath, type NewFile } from '../drive/files.ts'
import type { DriveItem } from '../drive/items.ts'
import { chunkUnit } from './running-md5.ts'
import type { Source } from './source.ts'

/** Drive's resumable upload: https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
export interface SessionOptions {
  readonly drive: DriveClient
  /** URL where Drive accepts the bytes. */
  readonly address: string
  readonly attempts: Attempts
  readonly scope: CallScope
  /** Called and awaited with the number of bytes stored and, if known, the total. */
  readonly onStored: (bytes: number, total: number | undefined) => void | Promise<void>
  /** Initial chunk size, a multiple of `chunkUnit`, for a connection that is too slow for the maximum. */
  readonly firstChunkBytes?: number | undefined
}

/** The file once complete, or the number of bytes stored. */
export type SessionStatus = { readonly item: DriveItem } | { readonly stored: number }

/** Error if Drive no longer knows the session, so nothing from the upload is stored. */
export class SessionExpired extends Conflict {}

export const lostPart = () => new SessionExpired('Google Drive lost part of the upload.')

/** Number of bytes that are sent at once, and kept for a retry. */
const windowBytes = 32 * chunkUnit

/** Number of bytes that are kept in memory: the window, and as many read ahead of it. */
const heldBytes = 2 * windowBytes

/** Time, in milliseconds, after which less than a window is sent, so that fewer bytes must be reread later. */
const slowMs = 5_000

/** Content that was read from the source but that Drive may not have stored yet, plus the bytes read ahead. */
export class ChunkWindow {
  #buffer: Uint8Array<ArrayBuffer> | undefined
  /** Number of bytes in the buffer. */
  #length = 0
  /** Bytes from the source that did not fit into the buffer. */
  #overflow: Uint8Array | undefined
  #hasEnded = false
  /** The current read, for the window and the bytes ahead of it. */
  #reading: Promise<void> | undefined
  /** The error that ended reading; thrown when the window needs more bytes. */
  #failure: { readonly error: unknown } | undefined
  /** Position of the first byte in the content. */
  start: number

  constructor(start = 0) {
    this.start = start
  }

  /** The position after the last byte. */
  get end(): number {
    return this.start + Math.min(windowBytes, this.#length)
  }

  /** True if the content ends with the window; known after `fill`. */
  get isLast(): boolean {
    return this.#hasEnded && this.#length <= windowBytes
  }

  /** The first bytes, at most `count`; valid until `moveTo`. */
  first(count = windowBytes): Uint8Array<ArrayBuffer> {
    return this.#memory().subarray(0, Math.min(count, windowBytes, this.#length))
  }

  /** The next chunk, of at most `count` bytes; valid until `moveTo`. */
  chunk(count: number): Uint8Array<ArrayBuffer> {
    return this.first(this.isLast ? count : Math.min(count, this.#length - (this.#length % chunkUnit)))
  }

  /**
   * Reads until the window is full or the content ends, and far enough to tell which. With a clock, reads less from a slow
   * or broken source, but at least a whole chunk, so that a later call can continue from there.
   */
  async fill(source: Pick<Source, 'read'>, clock?: Clock): Promise<void> {
    const started = clock?.monotonic() ?? 0
    const isCut = () => isTransient(this.#failure?.error) || (clock?.monotonic() ?? 0) - started >= slowMs
    while (!this.#hasEnded && this.#length <= windowBytes && !(clock && this.#length >= chunkUnit && isCut())) {
      if (this.#failure) throw this.#failure.error
      await this.#read(source)
    }
  }

  /** Reads ahead until `sending` settles, so that the source and Drive need not wait for each other. Never rejects. */
  async readAhead(source: Pick<Source, 'read'>, sending: Promise<unknown>): Promise<void> {
    const state = { isSending: true }
    const stop = () => {
      state.isSending = false
    }
    sending.then(stop, stop)
    while (state.isSending && !this.#hasEnded && !this.#failure && this.#length < heldBytes) await this.#read(source)
  }

  /** Reads on to `position`, if Drive is ahead of the source. Throws `SessionExpired` if the content ends first. */
  async advanceTo(position: number, source: Pick<Source, 'read'>, clock: Clock): Promise<void> {
    while (this.end < position && !this.isLast) {
      this.moveTo(this.end)
      await this.fill(source, clock)
    }
    if (this.end < position) throw lostPart()
    this.moveTo(position)
  }

  /** Drops everything before `position`. */
  moveTo(position: number): void {
    const dropped = position - this.start
    this.#memory().copyWithin(0, dropped, this.#length)
    this.#length -= dropped
    this.start = position
    const overflow = this.#overflow
    this.#overflow = undefined
    if (overflow) this.#append(overflow)
  }

  #read(source: Pick<Source, 'read'>): Promise<void> {
    this.#reading ??= this.#readPiece(source).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** Reads a piece from the source. Never rejects. */
  async #readPiece(source: Pick<Source, 'read'>): Promise<void> {
    try {
      const piece = await source.read()
      if (piece) this.#append(piece)
      else this.#hasEnded = true
    } catch (error) {
      this.#failure = { error }
    }
  }

  /** Copies a piece immediately and frees it, so that no more than the buffer is ever held. */
  #append(piece: Uint8Array): void {
    const fitting = piece.subarray(0, heldBytes - this.#length)
    this.#memory().set(fitting, this.#length)
    this.#length += fitting.byteLength
    if (fitting.byteLength < piece.byteLength) this.#overflow = piece.subarray(fitting.byteLength)
    else free(piece)
  }

  #memory(): Uint8Array<ArrayBuffer> {
    this.#buffer ??= new Uint8Array(heldBytes)
    return this.#buffer
  }
}

/** Frees the memory of unused bytes. Otherwise, thousands of pieces would pile up until V8's next young-generation collection. */
function free({ buffer, byteLength }: Uint8Array): void {
  const isWholeBuffer = byteLength === buffer.byteLength
  if (isWholeBuffer && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** A session's first request, and the content that it announces. */
interface SessionStart {
  readonly to: string
  readonly method: string
  /** The file's metadata, as JSON. */
  readonly body: string
  readonly mimeType: string
  readonly length: number | undefined
}

/** Starts a session for a new file, and returns its URL. */
export async function startSession(
  drive: DriveClient,
  { length, ...file }: NewFile & { readonly length: number | undefined },
  options: { readonly isRetry: boolean; readonly scope: CallScope },
): Promise<string> {
  const { mimeType } = file
  return openSession(drive, { to: uploadPath('resumable'), method: 'POST', body: newFileMetadata(file), mimeType, length }, options)
}

/** Starts a session, and returns its URL. */
export async function openSession(
  drive: DriveClient,
  { mimeType, length, ...start }: SessionStart,
  { isRetry, scope }: { readonly isRetry: boolean; readonly scope: CallScope },
): Promise<string> {
  const headers = {
    'content-type': 'application/json; charset=UTF-8',
    'x-upload-content-type': mimeType,
    ...(length !== undefined && { 'x-upload-content-length': String(length) }),
  }
  const read = async (response: Response) => {
    if (!response.ok) throw uploadErrorFrom(await completeResponse(response))
    const address = response.headers.get('location')
    if (address === null) throw notDriveResponse(response.status)
    return address
  }
  return drive.transfer({ ...start, headers, isRetry, silenceMs: requestSilenceMs, read }, scope)
}

/** Finds an earlier call's progress. Throws `SessionExpired` for a session that cannot be resumed. */
export async function resumeSession(session: SessionOptions): Promise<SessionStatus> {
  try {
    return await withRetry(session.attempts, () => queryStatus(session, undefined))
  } catch (error) {
    if (!(error instanceof ToolError) || error instanceof Unauthenticated || error.toJSON().retryable) throw error
    throw new SessionExpired('The upload cannot be resumed.')
  }
}

/** Timeout, in milliseconds, for asking Drive to drop a session. A session that is not dropped expires after a week. */
const cancellationMs = 3_000

/** Tells Drive to drop a session and its bytes; never throws. */
export async function cancelSession(
  { drive, scope: { signal, clock } }: Pick<SessionOptions, 'drive' | 'scope'>,
  address: string,
): Promise<void> {
  const read = () => Promise.resolve()
  const transfer = { to: address, method: 'DELETE', isRetry: false, silenceMs: cancellationMs, read }
  await withCallScope({ signal, clock, ms: cancellationMs }, (scope) => drive.transfer(transfer, scope)).catch(() => undefined)
}

export interface SentFile {
  readonly item: DriveItem
  /** True if Drive returned the file in response to the last bytes, so the file cannot have changed yet. */
  readonly isNew: boolean
}

/**
 * Sends the window and the rest of the source. After each chunk, Drive reports how much it has stored; after a broken connection or a
 * refusal, we ask. The missing part is resent. Throws `SessionExpired` if that part is no longer in the window.
 */
export async function sendContent(
  session: SessionOptions,
  source: Pick<Source, 'read' | 'length'>,
  window: ChunkWindow,
): Promise<SentFile> {
  const { attempts, scope, onStored, firstChunkBytes = windowBytes } = session
  let size = firstChunkBytes
  // A size that was too large once is not tried again.
  let maxSize = firstChunkBytes === windowBytes ? windowBytes : firstChunkBytes * 4
  for (;;) {
    await window.fill(source, scope.clock)
    attempts.restart()
    const total = window.isLast ? window.end : source.length
    const chunk = { start: window.start, bytes: window.chunk(size), total }
    const sending = sendChunk(session, chunk)
    void window.readAhead(source, sending)
    const sent = await sending
    if ('item' in sent) {
      const isComplete = chunk.start + chunk.bytes.byteLength === total
      await onStored(window.end, window.end)
      return { item: sent.item, isNew: isComplete && sent.error === undefined }
    }
    const { stored, error } = sent
    if (error instanceof ResponseTimeout) {
      maxSize = Math.max(chunkUnit, size / 2)
      size = Math.max(chunkUnit, size / 8)
    } else {
      size = Math.min(maxSize, size * 2)
    }
    if (stored < window.start) throw lostPart()
    if (stored > window.start) {
      attempts.progress()
      await window.advanceTo(stored, source, scope.clock)
      await onStored(stored, total)
    } else if (error === undefined) {
      const nothingStored = new Unavailable('Google Drive stored nothing that was sent to it.')
      if (!(await attempts.waitForNext(nothingStored))) throw nothingStored
    }
  }
}

interface Chunk {
  readonly start: number
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Size, in bytes, of the whole content, if known. */
  readonly total: number | undefined
}

interface SentChunk {
  readonly error?: unknown
}

/**
 * Sends one chunk; if no response arrives, asks how much is stored. `error` is the reason for the missing response. Drive may store a chunk
 * after its request has ended, and then refuse the next chunk because of its position: a refusal counts only if Drive has not stored more
 * than before.
 */
async function sendChunk(session: SessionOptions, chunk: Chunk): Promise<SessionStatus & SentChunk> {
  let failure: SentChunk | undefined
  const sent = await withRetry(session.attempts, async (): Promise<SessionStatus & SentChunk> => {
    try {
      if (!failure) return await putChunk(session, chunk)
    } catch (error) {
      failure = { error }
      if (!(error instanceof InvalidInput)) throw error
    }
    return { ...(await queryStatus(session, chunk.total)), ...failure }
  })
  if ('stored' in sent && sent.stored === chunk.start && sent.error instanceof InvalidInput) throw sent.error
  return sent
}

async function queryStatus(session: SessionOptions, total: number | undefined): Promise<SessionStatus> {
  return putChunk(session, { start: 0, bytes: new Uint8Array(), total })
}

async function putChunk({ drive, address, attempts, scope }: SessionOptions, { start, bytes, total }: Chunk): Promise<SessionStatus> {
  const hasBytes = bytes.byteLength > 0
  const range = `bytes ${hasBytes ? `${start}-${start + bytes.byteLength - 1}` : '*'}/${total ?? '*'}`
  const headers = { 'content-range': range, 'content-length': String(bytes.byteLength) }
  const request = { to: address, method: 'PUT', headers, body: bytes, isRetry: attempts.hasFailed }
  return drive.transfer({ ...request, silenceMs: hasBytes ? bodySilenceMs : requestSilenceMs, read: readStatus }, scope)
}

async function readStatus(response: Response): Promise<SessionStatus> {
  if (response.status === 308) {
    const [, last] = /^bytes=0-(\d+)$/.exec(response.headers.get('range') ?? '') ?? []
    return { stored: last === undefined ? 0 : Number(last) + 1 }
  }
  if (response.status === 404 || response.status === 410) throw new SessionExpired('Google Drive no longer knows the upload.')
  return { item: await readCreatedItem(response) }
}
