import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'

/** How long an upload that was not finished can be continued, in milliseconds. */
const sessionMs = 24 * 60 * 60_000
/** How long a repeat of a call is taken for that and not for a second upload, in milliseconds. */
const idMs = 10 * 60_000
/** At most so many are remembered; the oldest go first. */
const mostRemembered = 1_000

const KeptSession = z.object({
  /** Where Drive takes the rest; it lives for a week. */
  address: z.string(),
  mimeType: z.string(),
  /** The strong ETag of the source. */
  etag: z.string(),
})
export type KeptSession = z.output<typeof KeptSession>

const Kept = z.object({ id: z.string(), session: KeptSession.optional(), at: z.number() })
const KeptFile = Kept.extend({ owner: z.string() })

/** What a call without a known outcome has left. It holds no token and no URL of the source. */
export interface Left {
  /** The id that the file was to have, and may have. */
  readonly id: string
  /** An upload that can be continued if the source is the same. */
  readonly session?: KeptSession | undefined
  /** When it was left, in milliseconds since 1970; absent while it is at work. */
  readonly at?: number | undefined
}

interface Remembered {
  readonly call: string
  readonly kept: z.output<typeof Kept>
  /** Where it lies, once it does. */
  file: string | undefined
}

export interface KeptUploadsOptions {
  readonly directory: string
  /** Whose drive it is; asked for where it is not known, and only when something is kept or may be found. */
  readonly owner: string | (() => Promise<string>)
  /** Tells one vendor from another. */
  readonly vendor: string
}

/** Whether a repeat of the call would be the same upload, whatever became of the source. */
export const isRecent = ({ at = Infinity }: Left) => at + idMs > Date.now()

/**
 * What calls without a known outcome have left, so that the same call can go on: in memory, and each in a file of its own for other
 * processes. Whoever takes one owns it. Nothing here is worth a failure: what cannot be kept or read is begun anew.
 */
export class KeptUploads {
  readonly #directory: string
  readonly #vendor: string
  readonly #ask: () => Promise<string>
  #owner: string | undefined
  #asking: Promise<void> | undefined
  #remembered: Remembered[] = []

  constructor({ directory, owner, vendor }: KeptUploadsOptions) {
    this.#directory = directory
    this.#vendor = vendor
    this.#owner = typeof owner === 'string' ? this.#digest(owner) : undefined
    this.#ask = typeof owner === 'string' ? () => Promise.resolve(owner) : owner
  }

  /** What the same call of the same person has left, and nobody else continues. */
  async take(call: unknown): Promise<Left | undefined> {
    this.#removeOld()
    const digest = this.#digest(call)
    for (const each of this.#remembered.filter((remembered) => remembered.call === digest)) {
      this.#remembered = this.#remembered.filter((other) => other !== each)
      // What has become a file may be another process's by now.
      if (each.file === undefined || removed(each.file)) return each.kept
    }
    const files = this.#files().filter((file) => path.basename(file).startsWith(`${digest}.`))
    if (files.length === 0) return undefined
    await this.learnOwner()
    for (const file of files) {
      const found = contentOf(file)
      // Of two that take it at the same moment, only one can remove it.
      if (found && found.owner === this.#owner && removed(file)) return { id: found.id, session: found.session, at: found.at }
    }
    return undefined
  }

  /** Leaves it to the next call that is the same. Resolves when it lies where other processes find it, or cannot. */
  async keep(call: unknown, { id, session, at = Date.now() }: Left): Promise<void> {
    const remembered: Remembered = { call: this.#digest(call), kept: { id, session, at }, file: undefined }
    this.#remembered = [...this.#remembered, remembered].slice(-mostRemembered)
    if (this.#owner === undefined) await this.learnOwner()
    if (this.#owner !== undefined && this.#remembered.includes(remembered)) remembered.file = this.#write(remembered, this.#owner)
  }

  /** Finds out whose drive it is, so that something can be kept when nothing can be asked any more. */
  async learnOwner(): Promise<void> {
    if (this.#owner !== undefined) return
    this.#asking ??= this.#ask()
      .then((owner) => {
        this.#owner = this.#digest(owner)
      })
      .catch(() => undefined)
      .finally(() => {
        this.#asking = undefined
      })
    await this.#asking
  }

  #write({ call, kept }: Remembered, owner: string): string | undefined {
    return orNothing(() => {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      const file = path.join(this.#directory, `${call}.${kept.id}.json`)
      writeFileSync(`${file}.new`, JSON.stringify({ ...kept, owner }), { mode: 0o600 })
      renameSync(`${file}.new`, file)
      return file
    })
  }

  #files(): string[] {
    return (orNothing(() => readdirSync(this.#directory)) ?? []).map((name) => path.join(this.#directory, name))
  }

  #removeOld(): void {
    this.#remembered = this.#remembered.filter(({ kept }) => !isOver(kept))
    for (const file of this.#files()) {
      // A process that was killed leaves what nobody can read.
      const written = orNothing(() => statSync(file).mtimeMs) ?? Infinity
      if (isOver(contentOf(file) ?? { at: written - idMs + sessionMs })) removed(file)
    }
  }

  #digest(what: unknown): string {
    return createHash('sha256')
      .update(JSON.stringify([this.#vendor, what]))
      .digest('hex')
  }
}

const isOver = ({ session, at }: Pick<z.output<typeof Kept>, 'session' | 'at'>) => at + (session ? sessionMs : idMs) <= Date.now()

const removed = (file: string) => orNothing(() => (unlinkSync(file), true)) ?? false

const contentOf = (file: string) =>
  file.endsWith('.json') ? orNothing(() => KeptFile.parse(JSON.parse(readFileSync(file, 'utf8')))) : undefined

function orNothing<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
