import { NotFound, ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core'
import type { GuardedFetch } from '@mcp-toolkits/core/guarded-fetch'
import type { Identities } from '@mcp-toolkits/core/identities'
import type { DriveClient } from '../drive/client.ts'
import { sizeOf } from '../drive/contents.ts'
import { getItem } from '../drive/files.ts'
import type { DriveItem } from '../drive/items.ts'
import { beginUpload, createWithContent, deleteFile, IdTaken, SessionGone, type NewFile } from '../drive/uploads.ts'
import { Silence } from '../transfer/exchange.ts'
import { patiently } from '../transfer/patience.ts'
import type { KeptUpload, KeptUploads } from './kept-uploads.ts'
import { mediaTypeOf } from './media-type.ts'
import { largestChunk, sendRest, stateOf, type Session } from './session.ts'
import { Source } from './source.ts'
import { Window } from './window.ts'

/** What uploads work with. */
export interface Uploading {
  readonly drive: DriveClient
  /** Fetches from strangers; knows nothing of our token. */
  readonly fetchSource: GuardedFetch
  /** The ids under which files are made. */
  readonly newItems: Identities
  readonly keptUploads: KeptUploads
}

export interface WantedFile {
  readonly name: string
  readonly parent: string
  readonly sourceUrl: string
  /** What the caller says that it is. */
  readonly mimeType: string | undefined
}

export type UploadCall = Pick<Session, 'onStored' | 'signal'>

/** What came of an upload. */
export interface Uploaded {
  readonly item: DriveItem
  /** What an earlier attempt of the same call has to do with it: it made the file, or a part of it. */
  readonly earlier?: 'began it' | 'made it' | 'made it of another content'
}

/** Files up to this many bytes take one request. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
const largestAtOnce = 5 * 1024 * 1024
/** How often an upload that Drive has forgotten is begun. */
const mostBeginnings = 3

/** Makes one file with the content behind a URL, however often anything is sent. Throws typed errors. */
export async function upload(file: WantedFile, { newItems, keptUploads, ...uploading }: Uploading, call: UploadCall): Promise<Uploaded> {
  const identical = ['UploadFile', file]
  for (;;) {
    const made = await newItems.using(
      identical,
      async (identity) => {
        const kept = keptUploads.take(identical, identity)
        const keep = (left: KeptUpload) => {
          keptUploads.keep(identical, left)
        }
        const attempting = { ...uploading, ...call, id: kept?.id ?? identity, keep }
        const result = await begunAnew(file, attempting, kept)
        // A cancelled call that ended after this one took up its identity may have left it once more.
        keptUploads.forget(identical, attempting.id)
        return result
      },
      call.signal,
    )
    // The file was made by an earlier call and thrown away since, so its id is of no more use.
    if (made !== 'thrown away') return made
  }
}

interface Attempting extends Omit<Uploading, 'newItems' | 'keptUploads'>, UploadCall {
  /** What the file will have. */
  readonly id: string
  /** Leaves the upload to the next call that is identical. */
  readonly keep: (left: KeptUpload) => void
}

async function begunAnew(file: WantedFile, attempting: Attempting, kept: KeptUpload | undefined): Promise<Uploaded | 'thrown away'> {
  let left = kept
  for (let beginnings = 1; beginnings <= mostBeginnings; beginnings += 1) {
    try {
      return await new Attempt(file, attempting).run(left)
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error
      left = undefined
    }
  }
  throw new Unavailable('Google Drive has forgotten the upload several times before it was complete. Make the call again.')
}

/** One run through the source. */
class Attempt {
  readonly #file: WantedFile
  readonly #with: Attempting
  /** What the next call could go on with. */
  #left: Omit<KeptUpload, 'etag'> | undefined

  constructor(file: WantedFile, attempting: Attempting) {
    this.#file = file
    this.#with = attempting
  }

  async run(kept: KeptUpload | undefined): Promise<Uploaded | 'thrown away'> {
    const { fetchSource, signal, keep } = this.#with
    const source = await Source.open({ fetch: fetchSource, url: this.#file.sourceUrl, signal }).catch((error: unknown) => {
      if (kept) keep(kept)
      throw error
    })
    try {
      if (kept === undefined || kept.etag !== source.etag) return { item: await this.#checked(await this.#begun(source), source) }
      return { item: await this.#checked(await this.#continued(kept, source), source), earlier: 'began it' }
    } catch (error) {
      if (error instanceof IdTaken) return await this.#madeBefore(source)
      const mayPass = error instanceof Unauthenticated || (error instanceof ToolError && error.toJSON().retryable)
      if ((signal.aborted || mayPass) && this.#left && source.etag !== undefined) keep({ ...this.#left, etag: source.etag })
      throw error
    } finally {
      await source.close()
    }
  }

  async #begun(source: Source): Promise<DriveItem> {
    const { drive, signal, id } = this.#with
    const { name, parent, mimeType: given } = this.#file
    const window = new Window(largestChunk)
    await window.fill(source)
    const { url, headers } = source
    const mimeType = mediaTypeOf({ given, header: headers.get('content-type'), fileName: name, url, beginning: window.first() })
    const file = { id, name, parent, mimeType }
    const item = window.isLast && window.end <= largestAtOnce ? await this.#atOnce(file, window) : undefined
    if (item) return item
    const length = window.isLast ? window.end : source.length
    const address = await patiently(signal, () => beginUpload(drive, { ...file, length }, signal))
    this.#left = { id, address, mimeType }
    return sendRest(this.#session(address), source, window)
  }

  /** Nothing where the connection is too slow for all of it at once. */
  async #atOnce(file: NewFile, window: Window): Promise<DriveItem | undefined> {
    const { drive, signal, onStored } = this.#with
    try {
      const make = () => createWithContent(drive, { ...file, bytes: window.first() }, signal).catch(rethrowSilence)
      const item = await patiently(signal, make)
      onStored(window.end, window.end)
      return item
    } catch (error) {
      if (error instanceof TooSlow) return undefined
      throw error
    }
  }

  async #continued({ address, id, mimeType }: KeptUpload, source: Source): Promise<DriveItem> {
    this.#left = { id, address, mimeType }
    const session = this.#session(address)
    const state = await stateOf(session)
    // The bytes that are stored are read all the same: the md5 of the whole is known no other way.
    if ('item' in state) {
      await source.drain()
      return state.item
    }
    await source.skip(state.stored)
    if (state.stored > 0) session.onStored(state.stored, source.length)
    return sendRest(session, source, new Window(largestChunk, state.stored))
  }

  #session(address: string): Session {
    const { drive, onStored, signal } = this.#with
    return { drive, address, onStored, signal }
  }

  /** The file, if it is what the source has. Another one is deleted. */
  async #checked(item: DriveItem, source: Source): Promise<DriveItem> {
    if (isOf(item, source)) return item
    const { drive, signal } = this.#with
    this.#left = undefined
    await deleteFile(drive, item.id, signal)
    throw new Unavailable('What Google Drive stored did not match the md5 of what was sent, so it was deleted. Make the call again.')
  }

  /** The id is ours alone, so whatever has it is what an earlier attempt of ours made. */
  async #madeBefore(source: Source): Promise<Uploaded | 'thrown away'> {
    const { drive, signal, id } = this.#with
    const item = await getItem(drive, id, signal).catch((error: unknown) => {
      if (error instanceof NotFound) return undefined
      throw error
    })
    if (!item || item.trashed === true) return 'thrown away'
    await source.drain()
    return { item, earlier: isOf(item, source) ? 'made it' : 'made it of another content' }
  }
}

/** All at once is too much for this connection. */
class TooSlow extends Error {}

function rethrowSilence(error: unknown): never {
  throw error instanceof Silence ? new TooSlow() : error
}

function isOf(item: DriveItem, source: Source): boolean {
  return sizeOf(item) === source.bytes && (item.md5Checksum === undefined || item.md5Checksum === source.md5())
}
