import { createHash, type Hash } from 'node:crypto'
import { type Clock, type NamedRecords, parseJson, systemClock } from '@mcp-toolkits/core/base'
import { Forbidden, InvalidInput, Message, NotFound, quote, quoteIfNeeded, sentence, ToolError } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import type { DriveClient } from '../client.ts'
import { getItem } from '../files.ts'
import { byteSize, DriveItem, folderType, isGoogleType, kindOf } from '../items.ts'
import { isExported } from './exports.ts'
import { NotDownloadable, readMedia, type ByteRange, type MediaPart } from './media.ts'
import * as z from 'zod'

/** Maximum number of bytes in a chunk; files of at least this size are read in chunks. */
export const maxChunkBytes = 5_242_880

/** An item by id, with its record if already known. */
export interface ItemRef {
  readonly id: string
  readonly item?: DriveItem
}

/** A file, with its content if small. */
export interface FileWithBytes {
  readonly item: DriveItem
  readonly bytes?: Uint8Array
}

/**
 * A file with its bytes, checked against its record; without bytes if it has `maxChunkBytes` or more. Follows a shortcut. Reading by id
 * takes one round trip: record and content are requested in parallel. Throws `InvalidInput` for an item without bytes, and `Forbidden`
 * for an item that Drive withholds, however large.
 */
export async function readFile(drive: DriveClient, ref: ItemRef, scope: CallScope): Promise<FileWithBytes> {
  const { id, item } = await followShortcut(drive, ref, scope)
  const start = { id, start: 0, length: maxChunkBytes }
  if (item) {
    requireBytes(item)
    if (!isLarge(item))
      return isEmpty(item) ? { item, bytes: new Uint8Array() } : wholeFile(item, await readMedia(drive, { ...start, item }, scope))
    await throwIfWithheld(readMedia(drive, { ...start, length: 1, item }, scope))
    return { item }
  }
  const { signal } = scope
  const speculation = new AbortController()
  const abort = () => {
    speculation.abort(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  const started = Promise.withResolvers<undefined>()
  const onData = () => {
    started.resolve(undefined)
  }
  const looking = getItem(drive, id, scope)
  const reading = readMedia(drive, { ...start, item: looking, onData }, { ...scope, signal: speculation.signal })
  // The outcome of reading matters only once the record is known.
  reading.catch(() => undefined)
  try {
    const found = await looking
    if (found.shortcutDetails) return await readFile(drive, { id, item: found }, scope)
    requireBytes(found)
    if (!isLarge(found)) return wholeFile(found, await reading)
    await throwIfWithheld(Promise.race([reading, started.promise]))
    return { item: found }
  } finally {
    signal.removeEventListener('abort', abort)
    speculation.abort(new DOMException('Not needed.', 'AbortError'))
  }
}

/** The content with the record that it was checked against; the record alone if the file has grown since. */
function wholeFile(found: DriveItem, { item = found, bytes }: MediaPart): FileWithBytes {
  return isLarge(item) ? { item } : { item, bytes }
}

/** Throws if Drive forbids the download, because it will also refuse every chunk. Any other error may be gone by then. */
async function throwIfWithheld(reading: Promise<unknown>): Promise<void> {
  await reading.catch((error: unknown) => {
    if (!(error instanceof ToolError) || error instanceof Forbidden) throw error
  })
}

const isLarge = (item: DriveItem) => byteSize(item) >= maxChunkBytes
const isEmpty = (item: DriveItem) => byteSize(item) === 0

export interface FileChunk extends MediaPart {
  readonly fileId: string
  /** The bytes just before the chunk, which may contain the start of a character that the cut splits. */
  readonly before: Uint8Array
}

/** Maximum number of bytes of a UTF-8 character that can precede a cut. */
const maxBefore = 3

/** Reads a chunk of a file; takes one request if the id belongs to a file. Throws `InvalidInput` for an item without bytes. */
export async function readFileChunk(
  drive: DriveClient,
  { range, ...ref }: ItemRef & { readonly range: ByteRange },
  scope: CallScope,
): Promise<FileChunk> {
  const file = await followShortcut(drive, ref, scope)
  if (file.item) requireBytes(file.item)
  const length = Math.min(maxBefore, range.start)
  const wider = { start: range.start - length, length: range.length + length }
  const read = async ({ id, item }: ItemRef) => {
    const { bytes, ...part } = await readMedia(drive, { id, item, ...wider }, scope)
    return { ...part, fileId: id, before: bytes.subarray(0, length), bytes: bytes.subarray(length) }
  }
  try {
    return await read(file)
  } catch (error) {
    if (!(error instanceof NotDownloadable)) throw error
    const item = await getItem(drive, file.id, scope)
    const { id, item: target = item } = await followShortcut(drive, { id: file.id, item }, scope)
    requireBytes(target)
    if (id === file.id) throw error
    return read({ id, item: target })
  }
}

/** An item's record; for a shortcut, the record of its target. */
export async function itemBehind(drive: DriveClient, ref: ItemRef, scope: CallScope): Promise<DriveItem> {
  const { id, item } = await followShortcut(drive, { id: ref.id, item: ref.item ?? (await getItem(drive, ref.id, scope)) }, scope)
  return item ?? getItem(drive, id, scope)
}

/** A shortcut's target, looked up; anything else unchanged. */
async function followShortcut(drive: DriveClient, { id, item }: ItemRef, scope: CallScope): Promise<ItemRef> {
  if (!item?.shortcutDetails) return { id, ...(item && { item }) }
  const { targetId } = item.shortcutDetails
  const target = await getItem(drive, targetId, scope).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error
    throw new NotFound(
      `${quote(item.name)} is a shortcut to an item that no longer exists or that this access token cannot reach.`,
      error.details,
    )
  })
  return { id: targetId, item: target }
}

const otherWays = [
  sentence`${{ tool: 'FileStorage.ReadFile' }} gives its text, ${{ tool: 'FileStorage.ExportFile' }} another format.`,
  sentence`${{ without: 'FileStorage.ExportFile' }}With ${{ option: '--toolsets' }} content, this server can also read and export it.`,
]

function requireBytes(item: DriveItem): void {
  const { name, mimeType, webViewLink } = item
  if (mimeType === folderType) {
    const listed = sentence`${{ tool: 'FileStorage.GetFileTreeStructure' }} lists what is in it; download the files one by one.`
    throw new InvalidInput(Message.of(`${quote(name)} is a folder, and only files can be downloaded.`, listed))
  }
  if (!isGoogleType(mimeType)) return
  const kind = kindOf(mimeType)
  const type = kind === 'file' ? `of Google's own type ${quoteIfNeeded(mimeType)}` : `a Google ${kind}`
  const place = webViewLink === undefined ? 'in a browser' : `at ${webViewLink}`
  throw new InvalidInput(
    Message.of(
      `${quote(name)} is ${type}, which has no bytes to download. A person can open it ${place} and export it there (File > Download).`,
      ...(isExported(item) ? otherWays : []),
    ),
  )
}

/** URI that identifies content in a result; it cannot be fetched. */
export function contentUri(id: string, name?: string): string {
  return `google-drive:///${id}${name === undefined ? '' : `/${encodeURIComponent(name.toWellFormed())}`}`
}

/** Time, in milliseconds, for which a path stays bound to the file being downloaded. */
const sessionMs = 15 * 60_000
const maxSessions = 200

interface ChecksumState {
  readonly end: number
  readonly hash: Hash
}

/** The MD5 of a file whose chunks are read in order, computed without holding the whole file. The last chunk may be read again. */
export class RunningChecksum {
  readonly #states: readonly ChecksumState[]

  constructor(states: readonly ChecksumState[] = [{ end: 0, hash: createHash('md5') }]) {
    this.#states = states
  }

  /** Adds the chunk that begins at `start`; undefined if that is not the next chunk. */
  with(start: number, bytes: Uint8Array): RunningChecksum | undefined {
    const before = this.#states.find(({ end }) => end === start)
    return before && new RunningChecksum([before, { end: start + bytes.byteLength, hash: before.hash.copy().update(bytes) }])
  }

  /** MD5 of everything so far, in hexadecimal. */
  md5(): string | undefined {
    return this.#states.at(-1)?.hash.copy().digest('hex')
  }
}

/** A download session, as stored for other replicas. */
const StoredSession = z.object({
  fileId: z.string(),
  /** The content that the download started with; absent if the download did not start at the first byte. */
  contentId: z.string().optional(),
  /** The file's record, if it is known. */
  item: DriveItem.optional(),
  /** True if a call has returned the file's record, but none has read its content yet. */
  isAnnounced: z.literal(true).optional(),
})

/** A download that continues from call to call. */
export interface DownloadSession extends z.output<typeof StoredSession> {
  /** Absent unless this process has read all chunks so far. */
  readonly checksum?: RunningChecksum | undefined
}

/**
 * Download sessions: each binds a path to one file, so that later chunks need no new search, and remembers which content the first chunk
 * came from.
 */
export class DownloadSessions {
  readonly #clock: Clock
  readonly #records: NamedRecords | undefined
  #sessions = new Map<string, DownloadSession & { readonly expiresAt: number }>()

  /** @param records sessions shared by replicas; absent for a single server */
  constructor(clock: Clock = systemClock, records?: NamedRecords) {
    this.#clock = clock
    this.#records = records
  }

  async get(key: string): Promise<DownloadSession | undefined> {
    const found = this.#sessions.get(key)
    const own = found && found.expiresAt > this.#clock.now() ? found : undefined
    if (!this.#records) return own
    const stored = StoredSession.safeParse(parseJson((await this.#records.get(recordName(key))) ?? '')).data
    if (!stored) return undefined
    const isSame = own?.fileId === stored.fileId && own.contentId === stored.contentId
    return { ...stored, ...(isSame && { checksum: own.checksum }) }
  }

  async set(key: string, session: DownloadSession): Promise<void> {
    this.#remember(key, session)
    const { fileId, contentId, item, isAnnounced } = session
    await this.#records?.set(recordName(key), JSON.stringify({ fileId, contentId, item, isAnnounced }), sessionMs)
  }

  async delete(key: string): Promise<void> {
    this.#sessions.delete(key)
    await this.#records?.delete(recordName(key))
  }

  #remember(key: string, session: DownloadSession): void {
    const now = this.#clock.now()
    const others = [...this.#sessions].filter(([other, { expiresAt }]) => other !== key && expiresAt > now)
    this.#sessions = new Map([...others, [key, { ...session, expiresAt: now + sessionMs }] as const].slice(-maxSessions))
  }
}

/** Hashes a key, because record names are stored in the clear and a key contains a path. */
function recordName(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
