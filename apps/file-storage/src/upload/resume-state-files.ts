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
  /** Address at which Drive accepts the rest; valid for a week. */
  address: z.string(),
  mimeType: z.string(),
  /** The strong ETag of the source, or the date of its last change. */
  etag: z.string(),
  /** Place to which the source was read for the stored bytes; earlier versions kept no mark, and read everything again. */
  mark: Mark.optional(),
})
export type StoredSession = z.output<typeof StoredSession>

/** The content of a file in the data directory. It holds no token and no URL of the source. */
const StoredState = z.object({
  /** The id that the file was to get, and may have. */
  id: z.string(),
  /** Earlier versions stored states without one too. */
  session: StoredSession.optional(),
  /** When the last call that worked on it began or, if it could tell, ended; in milliseconds since 1970. */
  at: z.number(),
  /** True if the record of an operation has the id, so that an identical call does not need to look here for ten minutes. */
  hasRecord: z.boolean().default(false),
  /** Absent until it is known. */
  owner: z.string().optional(),
})
type StoredState = z.output<typeof StoredState>

/** The state of an unfinished upload. Only the process that holds it continues the upload. */
export interface ResumeState {
  readonly id: string
  /** The session to continue; undefined when the source has changed. */
  readonly session: StoredSession | undefined
  /** Stores how far the session got, unless it was released. Never rejects. */
  readonly keep: (mark: Mark) => Promise<void>
  /** Leaves it to the next identical call; only the first time does anything. */
  readonly release: () => Promise<void>
  /** Leaves it as it was taken, because no record got its id: a repeat would otherwise not look for it. Only before `keep`. */
  readonly giveBack: () => Promise<void>
}

/** A session that was just opened. */
export interface OpenSession extends Pick<StoredState, 'id' | 'at'> {
  readonly session: StoredSession
}

/** Search for a state. */
export interface ResumeStateQuery {
  /** That of the file with this id; that of a call without a record when absent. */
  readonly id?: string
  /** Identity of the content that the source has now. */
  readonly etag: string | undefined
}

/** Stores the state of unfinished uploads. A state that cannot be stored or read is no error: the upload then starts from the beginning. */
export interface ResumeStateStore {
  /** The last session that an identical call may continue, before the source is asked. Only `take` tells which one it is. */
  readonly peek: (call: unknown) => Promise<StoredSession | undefined>
  /** Takes the state of an identical call that has ended or whose process is dead. One that is of no use with this source is left. */
  readonly take: (call: unknown, query: ResumeStateQuery) => Promise<ResumeState | undefined>
  /** Stores a session, which replaces any other one for the same file, and holds it. */
  readonly save: (call: unknown, open: OpenSession) => Promise<ResumeState | undefined>
  /** Removes the stored state of a file. */
  readonly remove: (call: unknown, id: string) => Promise<void>
}

/** Time that a session can be continued, in milliseconds. */
export const sessionMs = 24 * 60 * 60_000
/** Time that the record of an operation can be found, in milliseconds. */
export const recordMs = 10 * 60_000

export interface FileResumeStatesOptions {
  readonly directory: string
  /** Shows which processes are alive; opened with the first state that is stored or taken. */
  readonly lock: () => Promise<{ readonly id: string; readonly isAlive: (id: string) => boolean }>
  /** Identifies whose drive it is; a function when that takes a request, which is sent only when it matters. */
  readonly owner: string | (() => Promise<string>)
  /** Tells one vendor from another. */
  readonly vendor: string
  readonly clock?: Clock
}

/**
 * States as files. The name of a file identifies its call and its new file and, while a process holds it, the id of that process's lock. To
 * rename it is to take it, and only one process can.
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
      // In the background, because the bytes need not wait for it.
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
    // A process that was killed leaves files that cannot be read.
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

/** The session of the newest state. */
export function latest(
  states: readonly ((Partial<Pick<StoredState, 'session'>> & Pick<StoredState, 'at'>) | undefined)[],
): StoredSession | undefined {
  const sorted = states.filter((state) => state !== undefined).sort((one, other) => other.at - one.at)
  return sorted.find(({ session }) => session !== undefined)?.session
}

/** Parts of a file's name; undefined for other files. */
function parseName(file: string): { readonly call: string; readonly id: string; readonly holder: string | undefined } | undefined {
  const [, call, id, holder] = /^([\da-f]{64})\.([\w-]+)(?:\.([\da-f-]{36}))?\.json$/.exec(path.basename(file)) ?? []
  return call !== undefined && id !== undefined ? { call, id, holder } : undefined
}

/** Replaces a file at once, so that a process that dies leaves the old or the new content. */
function write(file: string, state: StoredState): void {
  undefinedOnError(() => {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    tryRemove(`${file}.new`)
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600, flag: 'wx' })
    renameSync(`${file}.new`, file)
  })
}

/** Returns whether it succeeded: another process may have been faster. */
function tryRename(file: string, to: string): boolean {
  return undefinedOnError(() => (renameSync(file, to), true)) ?? false
}

/** Returns whether it succeeded. */
function tryRemove(file: string): boolean {
  return undefinedOnError(() => (unlinkSync(file), true)) ?? false
}

function readState(file: string): StoredState | undefined {
  if (!file.endsWith('.json')) return undefined
  return StoredState.safeParse(parseJson(undefinedOnError(() => readOwnFile(file)) ?? '')).data
}

/** The text of a file, which is not read through a symbolic link. */
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
