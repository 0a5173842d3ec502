import { createHash } from 'node:crypto'
import { type Clock, type NamedRecords, parseJson } from '@mcp-toolkits/core/base'
import * as z from 'zod'
import type { Mark } from './running-md5.ts'
import {
  latest,
  type OpenSession,
  type ResumeState,
  type ResumeStateQuery,
  type ResumeStateStore,
  recordMs,
  sessionMs,
  StoredSession,
} from './resume-state-files.ts'

/**
 * Record stored under the new file's intended id, which the file may already have. The record contains neither tokens nor the source's URL.
 */
const SharedState = z.object({
  session: StoredSession,
  /**
   * Time, in milliseconds since 1970, at which the last call that worked on the upload ended, or began if its end could not be recorded.
   */
  at: z.number(),
})
type SharedState = z.output<typeof SharedState>

export interface SharedResumeStatesOptions {
  /** The person's records of one kind. */
  readonly records: (kind: string) => NamedRecords
  /** Distinguishes vendors. */
  readonly vendor: string
  readonly clock: Clock
}

/** States shared by replicas. No other replica resumes a record until its holder releases it or dies. */
export class SharedResumeStates implements ResumeStateStore {
  readonly #options: SharedResumeStatesOptions

  constructor(options: SharedResumeStatesOptions) {
    this.#options = options
  }

  async peek(call: unknown): Promise<StoredSession | undefined> {
    const listed = await this.#recordsOf(call)
      .list()
      .catch(() => [])
    return latest(listed.map(({ text }) => readState(text)))
  }

  async take(call: unknown, query: ResumeStateQuery): Promise<ResumeState | undefined> {
    return this.#take(this.#recordsOf(call), query).catch(() => undefined)
  }

  async save(call: unknown, { id, session, at }: OpenSession): Promise<ResumeState | undefined> {
    const records = this.#recordsOf(call)
    try {
      await records.set(id, JSON.stringify({ session, at } satisfies SharedState), sessionMs)
      const held = await records.hold(id)
      return held === undefined ? undefined : this.#held(records, id, session)
    } catch {
      return undefined
    }
  }

  async remove(call: unknown, id: string): Promise<void> {
    await this.#recordsOf(call)
      .delete(id)
      .catch(() => undefined)
  }

  async #take(records: NamedRecords, query: ResumeStateQuery): Promise<ResumeState | undefined> {
    const listed = query.id === undefined ? await records.list() : []
    const wanted = listed.filter(({ text }) => this.#isWanted(readState(text), query)).map(({ name }) => name)
    for (const id of query.id === undefined ? wanted : [query.id]) {
      const text = await records.hold(id)
      const state = readState(text)
      if (state && this.#isWanted(state, query)) return this.#held(records, id, state.session)
      if (text !== undefined) await records.release(id)
    }
    return undefined
  }

  /** False, for a call without a record, if another call's record may still lead to the state. */
  #isWanted(state: SharedState | undefined, { id, etag }: ResumeStateQuery): boolean {
    if (!state || state.session.etag !== etag) return false
    const age = this.#options.clock.now() - state.at
    return id !== undefined || age < 0 || age >= recordMs
  }

  #held(records: NamedRecords, id: string, session: StoredSession): ResumeState {
    let current = session
    // The record is gone once the file is complete.
    const store = async () => {
      if ((await records.get(id)) === undefined) return false
      await records.set(id, JSON.stringify({ session: current, at: this.#options.clock.now() } satisfies SharedState), sessionMs)
      return true
    }
    let storing: Promise<unknown> = Promise.resolve()
    let released: Promise<void> | undefined
    const release = async () => {
      await storing
      if (await store()) await records.release(id)
    }
    const keep = async (mark: Mark) => {
      if (released) return
      current = { ...current, mark }
      await (storing = store().catch(() => undefined))
    }
    return {
      id,
      session,
      keep,
      release: () => (released ??= release().catch(() => undefined)),
      giveBack: () => (released ??= records.release(id).catch(() => undefined)),
    }
  }

  #recordsOf(call: unknown): NamedRecords {
    const digest = createHash('sha256').update(JSON.stringify([this.#options.vendor, call]))
    return this.#options.records(`upload ${digest.digest('base64url')}`)
  }
}

function readState(text: string | undefined): SharedState | undefined {
  return SharedState.safeParse(parseJson(text ?? '')).data
}
