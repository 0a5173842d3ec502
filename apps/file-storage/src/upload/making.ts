import { Forbidden, InvalidInput, NotFound, ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core'
import type { GuardedFetch } from '@mcp-toolkits/core/guarded-fetch'
import type { DriveClient } from '../drive/client.ts'
import { folderMeant, inTrash, type FolderMeant } from '../drive/parents.ts'
import {
  beginUpload,
  chunkUnit,
  createWithContent,
  getStored,
  IdTaken,
  SessionGone,
  type NewFile,
  type StoredFile,
} from '../drive/uploads.ts'
import { Silence } from '../transfer/exchange.ts'
import { patiently, type Patience } from '../transfer/patience.ts'
import { isRecent, type KeptSession, type Left } from './kept-uploads.ts'
import { mediaTypeOf, type Media } from './media-type.ts'
import { largestChunk, sendRest, stateOf, type Session } from './session.ts'
import { Source } from './source.ts'
import { isOf, removeSpoiled, spoiledSince } from './spoiled.ts'
import { Window } from './window.ts'

export interface WantedFile {
  readonly name: string
  /** The id of the folder, or of a shortcut to it. */
  readonly parent: string
  readonly sourceUrl: string
  /** What the caller says that it is. */
  readonly mimeType: string | undefined
}

export interface MakingOptions extends Pick<Session, 'onStored'> {
  readonly drive: DriveClient
  /** Fetches from strangers; knows nothing of our token. */
  readonly fetchSource: GuardedFetch
  /** Makes ids under which no second file can be made. */
  readonly newId: () => Promise<string>
  /** Finds out whose drive it is, for when the upload has to be kept. */
  readonly learnOwner: () => Promise<void>
  /** Whether the parent is known to be a folder outside of the trash. */
  readonly isLookedUp: boolean
  /** Told that bytes came from the source. */
  readonly onBytes: () => void
  /** That of the whole call. */
  readonly patience: Patience
}

/** What came of an upload. */
export interface Uploaded {
  readonly item: StoredFile
  /** The id of the folder that it was put into, and the name of the shortcut that stood for it. */
  readonly into: Pick<FolderMeant, 'folder' | 'shortcut'>
  /** Whether the content is a page although nobody said so. */
  readonly isUnexpectedPage: boolean
  /** What an earlier attempt has to do with it: it made the file, or a part of it. */
  readonly earlier?: 'began it' | 'made it' | 'made it of another content' | undefined
}

/** Files up to this many bytes take one request. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
const largestAtOnce = 5 * 1024 * 1024
/** How often an upload that Drive has forgotten is begun. */
const mostBeginnings = 3
/** How often Drive is asked for a file that it says is there: what was just made may not be visible at once. */
const mostLooks = 4

/** One file that is being made, in one run through its source or several. */
export class Making {
  readonly #file: WantedFile
  readonly #with: MakingOptions
  /** Whether an earlier call may have made the file. */
  readonly #isRepeat: boolean
  /** The id that the file will have. */
  #id: string | undefined
  #into: Pick<FolderMeant, 'folder' | 'shortcut'>
  #media: Media | undefined
  /** What the next call could go on with. */
  left: Left | undefined

  constructor(file: WantedFile, options: MakingOptions, left: Left | undefined) {
    this.#file = file
    this.#with = options
    this.#into = { folder: file.parent }
    this.#isRepeat = left !== undefined
    this.left = left
  }

  async run(): Promise<Uploaded | 'thrown away'> {
    for (let beginnings = 1; beginnings <= mostBeginnings; beginnings += 1) {
      const made = await this.#throughSource()
      if (made !== 'forgotten') return made
    }
    throw new Unavailable('Google Drive has forgotten the upload several times before it was complete. Make the call again.')
  }

  async #throughSource(): Promise<Uploaded | 'thrown away' | 'forgotten'> {
    const { fetchSource, onBytes, patience } = this.#with
    const source = await Source.open({ fetch: fetchSource, url: this.#file.sourceUrl, patience, onBytes })
    try {
      const session = this.left?.session
      return session?.etag === source.etag && session ? await this.#continued(session, source) : await this.#begun(source)
    } catch (error) {
      if (error instanceof IdTaken) return await this.#madeBefore(source)
      this.#dropSession(error)
      if (error instanceof SessionGone) return 'forgotten'
      throw error
    } finally {
      await source.close()
    }
  }

  /** Only after what may pass can the same upload go on. */
  #dropSession(error: unknown): void {
    const isPassing = error instanceof Unauthenticated || (error instanceof ToolError && error.toJSON().retryable)
    const mayGoOn = this.#with.patience.signal.aborted || (isPassing && !(error instanceof SessionGone))
    if (this.left?.at === undefined && !mayGoOn) this.left &&= { id: this.left.id }
  }

  async #begun(source: Source): Promise<Uploaded | 'thrown away'> {
    const { newId } = this.#with
    const { name, mimeType: given, sourceUrl } = this.#file
    this.#id ??= this.left && isRecent(this.left) ? this.left.id : await newId()
    const window = new Window(largestChunk)
    await window.fill(source)
    const { url, headers } = source
    const media = mediaTypeOf({ given, header: headers.get('content-type'), fileName: name, sourceUrl, url, beginning: window.first() })
    this.#media = media
    const file = { id: this.#id, name, mimeType: media.type }
    const isSmall = window.isLast && window.end <= largestAtOnce
    const item = isSmall ? await this.#atOnce(file, window) : undefined
    if (item) return this.#checked({ item, isNew: true }, source)
    return this.#inParts(file, { source, window, firstSize: isSmall ? 2 * chunkUnit : undefined })
  }

  /** Nothing where the connection is too slow for all of it at once. */
  async #atOnce(file: Omit<NewFile, 'parent'>, window: Window): Promise<StoredFile | undefined> {
    const { drive, onStored, patience } = this.#with
    const before = this.left
    let withoutAnswer = 0
    this.left = { id: file.id }
    try {
      const item = await this.#inFolder((parent) =>
        createWithContent(drive, { ...file, parent, bytes: window.first() }, patience).catch((error: unknown) => {
          if (!isRefusal(error)) withoutAnswer += 1
          throw error instanceof Silence ? new TooSlow() : error
        }),
      )
      onStored(window.end, window.end)
      return item
    } catch (error) {
      if (error instanceof TooSlow) return undefined
      if (withoutAnswer === 0) this.left = before
      throw error
    }
  }

  async #inParts(
    file: Omit<NewFile, 'parent'>,
    { source, window, firstSize }: { readonly source: Source; readonly window: Window; readonly firstSize: number | undefined },
  ): Promise<Uploaded | 'thrown away'> {
    const { drive, patience, learnOwner } = this.#with
    await this.#lookUpFolder()
    const length = window.isLast ? window.end : source.length
    const address = await this.#inFolder((parent) => beginUpload(drive, { ...file, parent, length }, patience))
    const { etag } = source
    this.left = { id: file.id, session: etag === undefined ? undefined : { address, mimeType: file.mimeType, etag } }
    if (etag !== undefined) void learnOwner()
    return this.#checked(await sendRest({ ...this.#session(address), firstSize }, source, window), source)
  }

  /** A folder in the trash is told before much is sent; where little is, afterwards. */
  async #lookUpFolder(): Promise<void> {
    const { drive, patience, isLookedUp } = this.#with
    if (isLookedUp || this.#into.folder !== this.#file.parent) return
    const meant = await folderMeant(drive, this.#file.parent, patience.signal)
    if (meant.isTrashed) {
      throw new InvalidInput(
        `The folder ${this.#file.parent} is in the trash. Take it out of there, or pass another folder. Nothing was uploaded.`,
      )
    }
    this.#into = meant
  }

  /** Does it in the folder that is meant, which is looked at when Drive refuses what was named. */
  async #inFolder<Result>(make: (parent: string) => Promise<Result>): Promise<Result> {
    const { drive, patience, isLookedUp } = this.#with
    const { folder: named } = this.#into
    try {
      return await patiently(patience, () => make(named))
    } catch (error) {
      const mayBeShortcut = (error instanceof InvalidInput || error instanceof Forbidden) && !isLookedUp && named === this.#file.parent
      if (!mayBeShortcut) throw error
      const meant = await folderMeant(drive, named, patience.signal).catch((why: unknown) => {
        throw why instanceof InvalidInput ? why : error
      })
      if (meant.shortcut === undefined) throw error
      this.#into = meant
      return patiently(patience, () => make(meant.folder))
    }
  }

  async #continued(session: KeptSession, source: Source): Promise<Uploaded | 'thrown away'> {
    const { onStored } = this.#with
    const id = this.left?.id
    this.#id = id
    if (id !== undefined) this.left = { id, session }
    const sending = this.#session(session.address)
    const state = await stateOf(sending)
    if ('item' in state) return this.#madeBefore(source)
    // The bytes that are stored are read all the same: the md5 of the whole is known no other way.
    await source.skip(state.stored)
    if (state.stored > 0) onStored(state.stored, source.length)
    const sent = await sendRest(sending, source, new Window(largestChunk, state.stored))
    return this.#checked(sent, source, 'began it')
  }

  #session(address: string): Session {
    const { drive, onStored, patience } = this.#with
    return { drive, address, onStored, patience }
  }

  /** The file, if it is what the source has. Another one is removed, if it is certain that it is new. */
  async #checked(
    { item, isNew }: { readonly item: StoredFile; readonly isNew: boolean },
    source: Source,
    earlier?: Uploaded['earlier'],
  ): Promise<Uploaded> {
    if (item.id !== this.#id) {
      throw new Unavailable(
        'Google Drive answered with another file than the one that was sent, so it is not known whether that was stored. Make the call again: it makes no second file.',
      )
    }
    if (!isOf(item, source)) {
      // A repeat makes a new file.
      this.left = undefined
      throw isNew ? await removeSpoiled(this.#with.drive, item) : spoiledSince(item)
    }
    return this.#uploaded(item, earlier)
  }

  /** The id is ours alone, so whatever has it is what an earlier attempt of ours made. It may have been changed since. */
  async #madeBefore(source: Source): Promise<Uploaded | 'thrown away'> {
    const item = await this.#look()
    if (!item || item.explicitlyTrashed === true) {
      this.left = undefined
      return 'thrown away'
    }
    await source.drain()
    if (!isOf(item, source)) return this.#uploaded(item, 'made it of another content')
    return this.#uploaded(item, this.#isRepeat ? 'made it' : undefined)
  }

  async #look(): Promise<StoredFile | undefined> {
    const { drive, patience } = this.#with
    const id = this.#id ?? ''
    for (let looks = 1; ; looks += 1) {
      try {
        return await getStored(drive, id, patience)
      } catch (error) {
        if (!(error instanceof NotFound)) throw error
        if (looks === mostLooks) return undefined
        await patience.after(new Unavailable('Google Drive does not show the file yet. Make the call again.'))
      }
    }
  }

  #uploaded(item: StoredFile, earlier: Uploaded['earlier']): Uploaded {
    if (item.trashed === true && item.explicitlyTrashed !== true) throw inTrash(item)
    return { item, into: this.#into, isUnexpectedPage: this.#media?.isUnexpectedPage === true, earlier }
  }
}

/** All at once is too much for this connection. */
class TooSlow extends Error {}

/** Whether it says that nothing was made. */
const isRefusal = (error: unknown) => error instanceof ToolError && !(error instanceof Unavailable || error instanceof IdTaken)
