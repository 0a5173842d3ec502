import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
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
import { once } from '@mcp-toolkits/core/async'
import { systemClock, type Clock } from '@mcp-toolkits/core/clock'
import { parseJson } from '@mcp-toolkits/core/json'
import * as z from 'zod'

const StoredSession = z.object({
  /** Where Drive accepts the rest; valid for a week. */
  address: z.string(),
  mimeType: z.string(),
  /** The strong ETag of the source. */
  etag: z.string(),
})
export type StoredSession = z.output<typeof StoredSession>

/** The content of a file in the data directory. */
const StoredState = z.object({
  id: z.string(),
  session: StoredSession.optional(),
  at: z.number(),
  owner: z.string(),
})

/** What a repeat of an unfinished upload needs to continue it. It holds no token and no URL of the source. */
export interface ResumeState {
  /** The id that the file was to get, and may have. */
  readonly id: string
  /** The session to continue if the source is the same. */
  readonly session?: StoredSession | undefined
  /** When the upload ended, in milliseconds since 1970; absent while it runs. */
  readonly at?: number | undefined
}

/** Stores the state of unfinished uploads. A state that cannot be stored or read is no error: the upload then starts from the beginning. */
export interface ResumeStateStore {
  /** Removes and returns the state that an identical call of the same person left. */
  readonly take: (call: unknown) => Promise<ResumeState | undefined>
  /** Stores a state for the next identical call. */
  readonly save: (call: unknown, state: ResumeState) => Promise<void>
  /** Prepares for `save` while the upload runs, because a request may no longer be possible afterwards. */
  readonly prepare: () => Promise<void>
}

/** How long a session can be continued, in milliseconds. */
const sessionMs = 24 * 60 * 60_000
/** How long a repeated call counts as a repeat and not as a second upload, in milliseconds. */
const repeatMs = 10 * 60_000
/** At most this many states are cached; the oldest are dropped first. */
const maxStates = 1_000

/** Whether a repeat of the call uses the same file id even if the source has changed. */
export function isRecent({ at = Infinity }: ResumeState, now: number): boolean {
  return at + repeatMs > now
}

export interface FileResumeStatesOptions {
  readonly directory: string
  /** Identifies whose drive it is; a function when that takes a request, which is sent only when it matters. */
  readonly owner: string | (() => Promise<string>)
  /** Tells one vendor from another. */
  readonly vendor: string
  readonly clock?: Clock
}

interface CachedState {
  readonly call: string
  readonly state: ResumeState & { readonly at: number }
  /** The file with it; undefined until it is stored. */
  file: string | undefined
}

/** States in memory and, for other processes, each in a file. Removing the file is what gives a process the right to continue. */
export class FileResumeStates implements ResumeStateStore {
  readonly #options: FileResumeStatesOptions
  readonly #clock: Clock
  readonly #fetchOwner: () => Promise<string>
  #owner: string | undefined
  #cached: CachedState[] = []

  constructor(options: FileResumeStatesOptions) {
    const { owner, clock = systemClock } = options
    this.#options = options
    this.#clock = clock
    this.#owner = typeof owner === 'string' ? this.#digest(owner) : undefined
    this.#fetchOwner = once(async () => (typeof owner === 'string' ? owner : owner()))
  }

  async take(call: unknown): Promise<ResumeState | undefined> {
    this.#removeExpired()
    const digest = this.#digest(call)
    for (const cached of this.#cached.filter((each) => each.call === digest)) {
      this.#cached = this.#cached.filter((other) => other !== cached)
      // Another process may have taken the file.
      if (cached.file === undefined || hasRemoved(cached.file)) return cached.state
    }
    const files = this.#files().filter((file) => path.basename(file).startsWith(`${digest}.`))
    if (files.length === 0) return undefined
    await this.prepare()
    for (const file of files) {
      const stored = readState(file)
      // If two processes take it at the same moment, only one can remove it.
      if (stored && stored.owner === this.#owner && hasRemoved(file)) return { id: stored.id, session: stored.session, at: stored.at }
    }
    return undefined
  }

  async save(call: unknown, { id, session, at = this.#clock.now() }: ResumeState): Promise<void> {
    const cached: CachedState = { call: this.#digest(call), state: { id, session, at }, file: undefined }
    this.#cached = [...this.#cached, cached].slice(-maxStates)
    if (this.#owner === undefined) await this.prepare()
    if (this.#owner !== undefined && this.#cached.includes(cached)) cached.file = this.#write(cached, this.#owner)
  }

  async prepare(): Promise<void> {
    if (this.#owner !== undefined) return
    const owner = await this.#fetchOwner().catch(() => undefined)
    if (owner !== undefined) this.#owner = this.#digest(owner)
  }

  #write({ call, state }: CachedState, owner: string): string | undefined {
    const { directory } = this.#options
    return undefinedOnError(() => {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const file = path.join(directory, `${call}.${state.id}.json`)
      hasRemoved(`${file}.new`)
      writeFileSync(`${file}.new`, JSON.stringify({ ...state, owner }), { mode: 0o600, flag: 'wx' })
      renameSync(`${file}.new`, file)
      return file
    })
  }

  #files(): string[] {
    const { directory } = this.#options
    return (undefinedOnError(() => readdirSync(directory)) ?? []).map((name) => path.join(directory, name))
  }

  #removeExpired(): void {
    this.#cached = this.#cached.filter(({ state }) => !this.#isExpired(state))
    for (const file of this.#files()) {
      // A process that was killed leaves files that cannot be read.
      const writtenAt = undefinedOnError(() => lstatSync(file).mtimeMs) ?? Infinity
      if (this.#isExpired(readState(file) ?? { at: writtenAt - repeatMs + sessionMs })) hasRemoved(file)
    }
  }

  #isExpired({ session, at }: { readonly session?: StoredSession | undefined; readonly at: number }): boolean {
    return at + (session ? sessionMs : repeatMs) <= this.#clock.now()
  }

  #digest(value: unknown): string {
    return createHash('sha256')
      .update(JSON.stringify([this.#options.vendor, value]))
      .digest('hex')
  }
}

function hasRemoved(file: string): boolean {
  return undefinedOnError(() => (unlinkSync(file), true)) ?? false
}

function readState(file: string): z.output<typeof StoredState> | undefined {
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
