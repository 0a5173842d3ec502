import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'

/** How long an upload that was not finished can be continued, in milliseconds. */
const keepMs = 24 * 60 * 60_000

const Kept = z.object({
  /** The id that the file will have. */
  id: z.string(),
  /** Where Drive takes the rest; it lives for a week. */
  address: z.string(),
  mimeType: z.string(),
  /** The strong ETag of the source. */
  etag: z.string(),
  until: z.number(),
})

/** An upload that was not finished. It holds no token and no URL of the source. */
export type KeptUpload = Omit<z.output<typeof Kept>, 'until'>

/**
 * The uploads that were cancelled or failed half way, each in a file of its own, so that the same call can go on with one in another
 * process too. Whoever takes one owns it. Nothing here is worth a failure: what cannot be kept or read is begun anew.
 */
export class KeptUploads {
  readonly #directory: string
  readonly #account: string

  /** `account` tells which account of which vendor the uploads are in. */
  constructor(directory: string, account: string) {
    this.#directory = directory
    this.#account = account
  }

  /** One that the same call has left, and that nobody else continues; if there are several, the one that was to be `id`. */
  take(call: unknown, id: string): KeptUpload | undefined {
    const prefix = `${this.#digest(call)}.`
    const names = orNothing(() => readdirSync(this.#directory)) ?? []
    const candidates = names.filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
    const own = `${prefix}${id}.json`
    for (const name of candidates.includes(own) ? [own, ...candidates] : candidates) {
      const file = path.join(this.#directory, name)
      const found = orNothing(() => Kept.parse(JSON.parse(readFileSync(file, 'utf8'))))
      // Of two that take it at the same moment, only one can remove it.
      const isOurs = orNothing(() => (unlinkSync(file), true))
      if (found && isOurs && found.until > Date.now()) return found
    }
    return undefined
  }

  /** Drops the one that was to be `id`, which is a file by now. */
  forget(call: unknown, id: string): void {
    orNothing(() => (unlinkSync(path.join(this.#directory, `${this.#digest(call)}.${id}.json`)), true))
  }

  keep(call: unknown, upload: KeptUpload): void {
    orNothing(() => {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      this.#removeOld()
      const file = path.join(this.#directory, `${this.#digest(call)}.${upload.id}.json`)
      writeFileSync(`${file}.new`, JSON.stringify({ ...upload, until: Date.now() + keepMs }), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    })
  }

  #removeOld(): void {
    for (const name of readdirSync(this.#directory)) {
      const file = path.join(this.#directory, name)
      const kept = orNothing(() => Kept.parse(JSON.parse(readFileSync(file, 'utf8'))))
      if (kept && kept.until <= Date.now()) orNothing(() => (unlinkSync(file), true))
    }
  }

  #digest(call: unknown): string {
    return createHash('sha256')
      .update(JSON.stringify([this.#account, call]))
      .digest('hex')
  }
}

function orNothing<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
