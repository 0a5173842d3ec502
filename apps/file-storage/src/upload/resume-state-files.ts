import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { type Clock, once, parseJson, systemClock } from '@mcp-toolkits/core/base'
import * as z from 'zod'
import { Mark } from './running-md5.ts'

export const StoredSession = z.object({
  /** URL where Drive accepts the rest; valid for a week. */
  address: z.string(),
  mimeType: z.string(),
  /** The source's strong ETag, or the date of its last change. */
  etag: z.string(),
  /** The last mark in the stored bytes, from which reading continues; earlier versions stored no mark and reread everything. */
  mark: Mark.optional(),
})
export type StoredSession = z.output<typeof StoredSession>

/** The content of a state file in the data directory; it includes neither tokens nor the source's URL. */
const StoredState = z.object({
  /** The new file's intended id, which it may already have. */
  id: z.string(),
  /** The session; earlier versions also stored states without a session. */
  session: StoredSession.optional(),
  /**
   * Time, in milliseconds since 1970, at which the last call that worked on the upload ended, or began if its end could not be recorded.
   */
  at: z.number(),
  /** True if an operation's record contains the id, so an identical call need not look here for ten minutes. */
  hasRecord: z.boolean().default(false),
  /** Absent until known. */
  owner: z.string().optional(),
})
type StoredState = z.output<typeof StoredState>

/** The state of an unfinished upload. Only the process that holds it resumes the upload. */
export interface ResumeState {
  readonly id: string
  /** The session to resume; undefined if the source has changed. */
  readonly session: StoredSession | undefined
  /** Stores the session's progress, unless the state was released. Never rejects. */
  readonly keep: (mark: Mark) => Promise<void>
  /** Leaves the state to the next identical call; only the first call has an effect. */
  readonly release: () => Promise<void>
  /**
   * Restores the state to how it was when taken. Needed if no record contains its id: otherwise a retry would not look for the state. Call
   * it only before `keep`.
   */
  readonly giveBack: () => Promise<void>
}

export interface OpenSession extends Pick<StoredState, 'id' | 'at'> {
  readonly session: StoredSession
}

export interface ResumeStateQuery {
  /** The file's id; if absent, finds the state of a call without a record. */
  readonly id?: string
  /** Identifies the source's current content. */
  readonly etag: string | undefined
}

/**
 * Stores the state of unfinished uploads. A state that cannot be stored or read is not an error: the upload then starts from the beginning.
 */
export interface ResumeStateStore {
  /**
   * The last session that an identical call may resume, found before the source is contacted. Only `take` decides which session is resumed.
   */
  readonly peek: (call: unknown) => Promise<StoredSession | undefined>
  /**
   * Takes the state of an identical call that has ended or whose process is dead. A state that does not match this source is left alone.
   */
  readonly take: (call: unknown, query: ResumeStateQuery) => Promise<ResumeState | undefined>
  /** Stores a session, replacing any other session for the same file, and holds it. */
  readonly save: (call: unknown, open: OpenSession) => Promise<ResumeState | undefined>
  /** Removes the stored state of a file. */
  readonly remove: (call: unknown, id: string) => Promise<void>
}

/** Time, in milliseconds, for which a session can be resumed. */
export const sessionMs = 24 * 60 * 60_000
/** Time, in milliseconds, for which an operation's record is kept. */
export const recordMs = 10 * 60_000

export interface FileResumeStatesOptions {
  readonly directory: string
  /** Opens the lock that shows which processes are alive; called with the first stored or taken state. */
  readonly lock: () => Promise<{ readonly id: string; readonly isAlive: (id: string) => boolean }>
  /** Identifies the drive's owner; a function if this takes a request, which is sent only when needed. */
  readonly owner: string | (() => Promise<string>)
  /** Distinguishes vendors. */
  readonly vendor: string
  readonly clock?: Clock
}

/**
 * States as files. A file's name identifies its call, its new file and, while a process holds it, the id of that process's lock. Taking a
 * file means renaming it, which only one process can do.
 */
export class FileResumeStates implements ResumeStateStore {
  readonly #options: FileResumeStatesOptions
  readonly #clock: Clock
  readonly #findOwner: () => Promise<string | undefined>
  #owner: string | undefined

  constructor(options: FileResumeStatesOptions) {
    const { owner, clock = systemClock } = options
    this.#options = options
    this.#clock = clock
    this.#owner = typeof owner === 'string' ? this.#digest(owner) : undefined
    const find = once(async () => (this.#owner ??= this.#digest(typeof owner === 'string' ? owner : await owner())))
    this.#findOwner = () => find().catch(() => undefined)
  }

  async peek(call: unknown): Promise<StoredSession | undefined> {
    const files = this.#files().filter((file) => parseName(file)?.call === this.#digest(call))
    const lock = files.length === 0 ? undefined : await this.#lock()
    if (!lock) return undefined
    const isFree = (file: string) => !lock.isAlive(parseName(file)?.holder ?? '')
    return latest(files.filter(isFree).map(readState))
  }

  async take(call: unknown, query: ResumeStateQuery): Promise<ResumeState | undefined> {
    const files = this.#files()
    const lock = files.length === 0 ? undefined : await this.#lock()
    if (!lock) return undefined
    for (const file of files) {
      const name = parseName(file)
      if (name?.holder !== undefined && lock.isAlive(name.holder)) continue
      const stored = readState(file)
      if (this.#isExpired(file, stored)) tryRemove(file)
      else if (stored && name?.call === this.#digest(call) && (await this.#isWanted(stored, query))) {
        const held = this.#path(call, stored.id, lock.id)
        if (!tryRename(file, held)) continue
        if (query.id === undefined) return this.#hold(call, held, stored, query)
        const recorded = { ...stored, at: this.#clock.now(), hasRecord: true }
        write(held, recorded)
        return this.#hold(call, held, recorded, query)
      }
    }
    return undefined
  }

  async save(call: unknown, { id, session, at }: OpenSession): Promise<ResumeState | undefined> {
    const lock = await this.#lock()
    if (!lock) return undefined
    this.#remove(call, id)
    const held = this.#path(call, id, lock.id)
    const stored = { owner: this.#owner, id, session, at, hasRecord: true }
    write(held, stored)
    return this.#hold(call, held, stored, session)
  }

  remove(call: unknown, id: string): Promise<void> {
    this.#remove(call, id)
    return Promise.resolve()
  }

  #remove(call: unknown, id: string): void {
    for (const file of this.#files()) {
      const name = parseName(file)
      if (name?.call === this.#digest(call) && name.id === id) tryRemove(file)
    }
  }

  #hold(call: unknown, held: string, taken: StoredState, { etag }: Pick<ResumeStateQuery, 'etag'>): ResumeState {
    const { id, session } = taken
    const released = this.#path(call, id)
    let state = taken
    let isHeld = true
    const leave = () => {
      if (isHeld && existsSync(held)) tryRename(held, released)
      isHeld = false
      return Promise.resolve()
    }
    if (state.owner === undefined) {
      // In the background: the bytes need not wait for the owner.
      void this.#findOwner().then((owner) => {
        state = { ...state, owner }
        if (isHeld ? existsSync(held) : tryRename(released, held)) write(held, state)
        if (!isHeld) tryRename(held, released)
      })
    }
    return {
      id,
      session: session?.etag === etag ? session : undefined,
      keep: (mark) => {
        if (state.session) state = { ...state, hasRecord: true, session: { ...state.session, mark } }
        if (isHeld && existsSync(held)) write(held, state)
        return Promise.resolve()
      },
      release: () => {
        if (isHeld && existsSync(held)) write(held, { ...state, at: this.#clock.now(), hasRecord: true })
        return leave()
      },
      giveBack: leave,
    }
  }

  async #isWanted({ id, session, at, hasRecord, owner }: StoredState, query: ResumeStateQuery): Promise<boolean> {
    const canContinue = session !== undefined && session.etag === query.etag
    if (query.id !== undefined) return canContinue && id === query.id
    const age = this.#clock.now() - at
    const isRecent = age >= 0 && age < recordMs
    if (hasRecord ? isRecent || !canContinue : !isRecent && !canContinue) return false
    return owner !== undefined && owner === (await this.#findOwner())
  }

  #isExpired(file: string, stored: StoredState | undefined): boolean {
    // A killed process may leave unreadable files.
    const { at, session } = stored ?? { at: undefinedOnError(() => lstatSync(file).mtimeMs) ?? Infinity, session: true }
    return at + (session ? sessionMs : recordMs) <= this.#clock.now()
  }

  #lock() {
    return this.#options.lock().catch(() => undefined)
  }

  #path(call: unknown, id: string, holder?: string): string {
    return path.join(this.#options.directory, `${[this.#digest(call), id, ...(holder === undefined ? [] : [holder])].join('.')}.json`)
  }

  #files(): string[] {
    const { directory } = this.#options
    return (undefinedOnError(() => readdirSync(directory)) ?? []).map((name) => path.join(directory, name))
  }

  #digest(value: unknown): string {
    return createHash('sha256')
      .update(JSON.stringify([this.#options.vendor, value]))
      .digest('hex')
  }
}

/** The newest state's session. */
export function latest(
  states: readonly ((Partial<Pick<StoredState, 'session'>> & Pick<StoredState, 'at'>) | undefined)[],
): StoredSession | undefined {
  const sorted = states.filter((state) => state !== undefined).sort((one, other) => other.at - one.at)
  return sorted.find(({ session }) => session !== undefined)?.session
}

/** The parts of a state file's name; undefined for other files. */
function parseName(file: string): { readonly call: string; readonly id: string; readonly holder: string | undefined } | undefined {
  const [, call, id, holder] = /^([\da-f]{64})\.([\w-]+)(?:\.([\da-f-]{36}))?\.json$/.exec(path.basename(file)) ?? []
  return call !== undefined && id !== undefined ? { call, id, holder } : undefined
}

/** Replaces a file atomically, so that a dying process leaves either the old or the new content. */
function write(file: string, state: StoredState): void {
  undefinedOnError(() => {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    tryRemove(`${file}.new`)
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600, flag: 'wx' })
    renameSync(`${file}.new`, file)
  })
}

/** Renames a file; false if that failed, for example because another process was faster. */
function tryRename(file: string, to: string): boolean {
  return undefinedOnError(() => (renameSync(file, to), true)) ?? false
}

/** Removes a file; false if that failed. */
function tryRemove(file: string): boolean {
  return undefinedOnError(() => (unlinkSync(file), true)) ?? false
}

function readState(file: string): StoredState | undefined {
  if (!file.endsWith('.json')) return undefined
  return StoredState.safeParse(parseJson(undefinedOnError(() => readOwnFile(file)) ?? '')).data
}

/** A file's text; symbolic links are not followed. */
function readOwnFile(file: string): string {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

function undefinedOnError<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
