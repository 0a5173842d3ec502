import { hash } from 'node:crypto'
import { canonicalJson } from '@mcp-toolkits/core/base'
import { Internal, storageFailure, ToolError } from '@mcp-toolkits/core/errors'
import type { GuardedFetch } from '@mcp-toolkits/core/upstream'
import { backoff } from '../outbox/delivery-policy.ts'
import type { Destination, OutboxStore } from '../outbox/outbox-store.ts'
import { checkFile, type CheckingCall } from './file/plan.ts'
import { type ReadFile, readFile } from './file/reading.ts'
import { openText } from './file/source.ts'
import { allParts, type Backfill, type BackfillState, goingOn, isHalted, noProgress, type Plan, textPart } from './record.ts'
import { Rounds } from './rounds.ts'
import { sendPart, type SendOptions } from './sending.ts'
import type { BackfillStore } from './store.ts'

/** Reads an account's files and sends their rows, in this process or one of its threads. */
export interface BackfillWork {
  /** Does the remaining work now, and any that another process leaves behind. */
  readonly wake: () => void
  readonly isBusy: () => boolean
  /** Reads a file as if to send it, but sends nothing. */
  readonly check: (plan: Plan, call: CheckingCall) => Promise<ReadFile>
  /** Leaves the remaining work to the next process. */
  readonly close: () => Promise<void>
}

export interface BackfillWorkOptions extends Omit<SendOptions, 'signal'> {
  readonly store: BackfillStore
  readonly leases: Pick<OutboxStore, 'acquireLease' | 'releaseLease'>
  readonly destination: Destination
  readonly fetch: GuardedFetch
  /** Called when a backfill makes progress. */
  readonly onChange: () => void
  /** Receives problems that no call can report. */
  readonly onProblem: (error: unknown) => void
}

/** Maximum number of attempts to read a file, and the wait before the second attempt, in milliseconds, which doubles each time. */
const maxReads = 5
const rereadMs = 1_000

/** Reads files and sends their rows. Only one process or thread works for an account at a time. */
export class BackfillWorker implements BackfillWork {
  readonly #options: BackfillWorkOptions
  readonly #stop = new AbortController()
  readonly #readings = new Map<string, Promise<void>>()
  readonly #rounds: Rounds

  constructor(options: BackfillWorkOptions) {
    this.#options = options
    this.#rounds = new Rounds({ ...options, run: () => this.#run(), onEnd: options.onChange })
  }

  wake(): void {
    this.#rounds.wake()
  }

  isBusy(): boolean {
    return this.#rounds.isBusy || this.#readings.size > 0
  }

  check(plan: Plan, call: CheckingCall): Promise<ReadFile> {
    return checkFile(plan, { ...this.#options, ...call })
  }

  async close(): Promise<void> {
    this.#stop.abort(new DOMException('The server is closing.', 'AbortError'))
    await Promise.all([this.#rounds.close(), ...this.#readings.values()])
  }

  async #run(): Promise<void> {
    const { leases, destination, store, onChange } = this.#options
    const unfinished = await store.unfinished()
    for (const backfill of unfinished) if (backfill.state === 'reading') this.#beginReading(backfill)
    const lease = leaseOf(destination, 'send')
    // Reacquired each time, because another process takes over if this one loses access to the store.
    const isSender = async () => !this.#stop.signal.aborted && (await leases.acquireLease(lease))
    if (unfinished.length === 0 || !(await isSender())) return
    try {
      while ((await this.#sendOnce()) && (await isSender())) onChange()
    } finally {
      await leases.releaseLease(lease)
    }
  }

  /** Sends one request from each backfill, so that a long backfill does not delay the rest; false if nothing was due. */
  async #sendOnce(): Promise<boolean> {
    let isBusy = false
    for (const backfill of await this.#options.store.unfinished()) {
      const waitMs = backfill.nextAttemptAt - this.#options.clock.now()
      if (backfill.state === 'reading') this.#beginReading(backfill)
      // A longer wait means that the clock has been set back since the wait was stored, so it counts as over.
      else if (waitMs > 0 && waitMs <= backoff.maxRetryAfterMs) this.#rounds.wakeIn(waitMs)
      else isBusy = (await this.#send(backfill)) || isBusy
    }
    return isBusy
  }

  async #send(backfill: Backfill): Promise<boolean> {
    const { store, clock, onChange } = this.#options
    const { id, nextPart } = backfill
    const next = await this.#sendNext(backfill)
    if (!(await store.save(next, ['sending'], nextPart))) {
      // The request was sent before the backfill was cancelled, so it counts.
      if (next.nextPart > nextPart) await store.save({ ...next, state: 'cancelled', endedAt: clock.now() }, ['cancelled'], nextPart)
      return true
    }
    if (next.nextPart > nextPart || next.state === 'done') await store.dropParts(id, next.state === 'done' ? allParts : next.nextPart)
    if (next.nextAttemptAt > clock.now()) this.#rounds.wakeIn(next.nextAttemptAt - clock.now())
    onChange()
    return true
  }

  async #sendNext(backfill: Backfill): Promise<Backfill> {
    const { store, clock } = this.#options
    const { id, nextPart, parts } = backfill
    const done: Backfill = { ...backfill, state: 'done', endedAt: clock.now() }
    if (nextPart >= parts) return done
    const lines = await store.part(id, nextPart)
    if (lines === undefined) return { ...done, state: 'failed', error: new Internal('The stored rows are gone.') }
    const next = await sendPart(backfill, lines, { ...this.#options, signal: this.#stop.signal })
    return next.state === 'sending' && next.nextPart >= parts ? { ...next, state: 'done', endedAt: clock.now() } : next
  }

  #beginReading(backfill: Backfill): void {
    if (this.#readings.has(backfill.id) || this.#stop.signal.aborted) return
    const reading = this.#readAlone(backfill)
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#options.onProblem(error)
        return false
      })
      .then((isRead) => {
        this.#readings.delete(backfill.id)
        this.#options.onChange()
        if (isRead) this.wake()
      })
    this.#readings.set(backfill.id, reading)
  }

  /** Reads a file; false if another process is reading it. */
  async #readAlone(backfill: Backfill): Promise<boolean> {
    const { leases, destination, store, clock } = this.#options
    const lease = leaseOf(destination, backfill.id)
    if (!(await leases.acquireLease(lease))) return false
    try {
      // Another process may have read the file since this one found it.
      if ((await store.find(backfill.id))?.state === 'reading') await this.#read(backfill)
      return true
    } catch (error) {
      this.#stop.signal.throwIfAborted()
      const outage = error instanceof ToolError ? undefined : storageFailure(error)
      // The file is read again once the store can be used.
      if (outage && outage.details.retryable !== false) throw error
      const failure = error instanceof ToolError ? error : outage
      const failed = {
        ...backfill,
        state: 'failed',
        endedAt: clock.now(),
        error: failure ?? new Internal('The file could not be read.'),
      } as const
      if (await store.save(failed, ['reading'])) await store.dropParts(backfill.id, allParts)
      else await this.#dropUnread(backfill.id)
      if (!failure) throw error
      return true
    } finally {
      await leases.releaseLease(lease)
    }
  }

  async #read(backfill: Backfill): Promise<void> {
    const { store } = this.#options
    const { progress, parts } = await this.#readOften(backfill)
    const fingerprint = hash('sha256', canonicalJson({ digest: progress.digest, ...backfill.plan, source: undefined }), 'hex')
    const read: Backfill = { ...backfill, state: 'sending', fingerprint, parts, progress: { ...noProgress, ...progress } }
    const same = await store.same(read, false)
    const isStored = same ? await this.#continue(read, same, ['reading']) : await store.save(read, ['reading'])
    if (!isStored) await this.#dropUnread(backfill.id)
    if (same || !isStored) return
    const older = await store.same(read, true)
    if (older) await this.#continue(read, older, ['sending'])
  }

  /** Resumes the other backfill with the same rows, if it was stopped. False if this backfill has since ended. */
  async #continue(backfill: Backfill, same: Backfill, from: readonly BackfillState[]): Promise<boolean> {
    const { store, clock } = this.#options
    const now = clock.now()
    // The other backfill resumes first: once this one is only a repeat, nothing would resume the other.
    const isResumed = isHalted(same.state) && (await store.save(goingOn(same, now, backfill.id), [same.state]))
    if (await store.save({ ...backfill, state: 'repeated', endedAt: now, sameAs: same.id }, from)) {
      await store.dropParts(backfill.id, allParts)
      return true
    }
    const resumed = ['reading', 'sending'] as const
    // Restores the other backfill's reason and counts, unless its sender has already continued.
    const isPutBack = isResumed && (await store.save({ ...same, endedAt: now }, resumed, same.nextPart))
    if (isResumed && !isPutBack) await store.end(same.id, { state: same.state, endedAt: now, from: resumed })
    return false
  }

  /** Drops the rows of a backfill that ended before its source was read in full: if resumed, it reads the source again. */
  async #dropUnread(id: string): Promise<void> {
    const { store } = this.#options
    if ((await store.find(id))?.fingerprint === undefined) await store.dropParts(id, textPart)
  }

  /** Reads everything first, so that a broken connection leaves nothing half finished. */
  async #readOften({ id, plan, createdAt }: Backfill): ReturnType<typeof readFile> {
    const { store, clock, fetch } = this.#options
    const { signal } = this.#stop
    for (let tries = 1; ; tries += 1) {
      try {
        const bytes = await store.part(id, textPart)
        const source = await openText(bytes ? { bytes } : plan.source, { fetch, signal })
        return await readFile({ plan, source, now: createdAt, signal, onPart: (number, lines) => store.addPart(id, number, lines) })
      } catch (error) {
        const isRetryable = error instanceof ToolError && error.code === 'unavailable' && error.details.retryable !== false
        if (!isRetryable || tries === maxReads) throw error
        await clock.sleep(rereadMs * 2 ** (tries - 1), signal)
      }
    }
  }
}

/** True while any backfill has work to do. */
export const hasUnfinished = async (store: BackfillStore): Promise<boolean> => (await store.unfinished()).length > 0

/** The lease for an account's sender or a file's reader. */
const leaseOf = (destination: Destination, work: string): Destination => ({
  ...destination,
  origin: `backfill ${work} ${destination.origin}`,
})
