import { hash } from 'node:crypto'
import { canonicalJson, raceAbort, type Timer } from '@mcp-toolkits/core/base'
import { Internal, storageFailure, ToolError } from '@mcp-toolkits/core/errors'
import type { GuardedFetch } from '@mcp-toolkits/core/upstream'
import type { Destination, OutboxStore } from '../outbox/outbox-store.ts'
import { readFile } from './reading.ts'
import { type Backfill, type BackfillState, isUnfinished, noProgress, type Plan } from './record.ts'
import { sendPart, type SendOptions } from './sending.ts'
import { openText } from './source.ts'
import type { BackfillStore } from './store.ts'

export interface BackfillsOptions extends Omit<SendOptions, 'signal'> {
  readonly store: BackfillStore
  readonly leases: Pick<OutboxStore, 'acquireLease' | 'releaseLease'>
  readonly destination: Destination
  readonly fetch: GuardedFetch
  /** The file of this machine that the operator named in `call --input`. */
  readonly inputFile?: string | undefined
  /** Hears of problems that no call can report. */
  readonly onProblem: (error: unknown) => void
  readonly close: () => Promise<void>
}

/** Interval of looks for what other processes have left behind, in milliseconds, and of looks for their progress. */
const lookMs = 5_000
const pollMs = 250

/** Attempts to read a file, and the wait before the second one, in milliseconds; it doubles. */
const maxReads = 5
const rereadMs = 1_000

/** Times that a call waits: for rows that fit one request, and for more, in milliseconds. */
const maxWaitMs = 25_000
const patienceMs = 2_000

/** Reads files and sends their rows, in the background and across the lives of processes. One process at a time works for an account. */
export class Backfills {
  readonly #options: BackfillsOptions
  readonly #stop = new AbortController()
  readonly #readings = new Map<string, Promise<void>>()
  #round: Promise<void> | undefined
  #isWanted = false
  #timer: Timer | undefined
  #wakeAt = Infinity
  #changed = Promise.withResolvers<undefined>()

  constructor(options: BackfillsOptions) {
    this.#options = options
  }

  get store(): BackfillStore {
    return this.#options.store
  }

  /** The means to read files. */
  get files(): Pick<BackfillsOptions, 'fetch' | 'inputFile'> {
    return this.#options
  }

  /** Begins a backfill, or finds the one with that id, which an earlier call began. */
  async start(id: string, plan: Plan): Promise<void> {
    const { store, clock } = this.#options
    const now = Math.trunc(clock.now())
    const times = { createdAt: now, endedAt: undefined, nextAttemptAt: now }
    const counts = { fingerprint: undefined, parts: 0, nextPart: 0, progress: noProgress }
    await store.insert({ id, state: 'reading', plan, error: undefined, sameAs: undefined, ...times, ...counts })
    const backfill = await store.find(id)
    if (backfill?.state === 'reading') this.#beginReading(backfill)
    else this.wake()
  }

  /** The backfill once it has ended, or waits for longer than a call does; with those of the same rows in its place. */
  async settled(id: string, signal: AbortSignal): Promise<Backfill> {
    const { clock } = this.#options
    const started = clock.monotonic()
    for (;;) {
      const changed = this.#changed.promise
      const backfill = await this.find(id)
      const isShort = backfill.state === 'sending' && backfill.parts <= 1
      const restMs = started + (isShort ? maxWaitMs : patienceMs) - clock.monotonic()
      const waitMs = backfill.nextAttemptAt - clock.now()
      const isPostponed = waitMs > restMs || (backfill.error !== undefined && backfill.error.code !== 'rate_limited')
      if (!isUnfinished(backfill.state) || restMs <= 0 || isPostponed) return backfill
      await this.#change(changed, Math.min(pollMs, restMs), signal)
    }
  }

  /** Waits for a change by this process, or a little, because another one may work on it. */
  async #change(changed: Promise<undefined>, ms: number, signal: AbortSignal): Promise<void> {
    const elapsed = Promise.withResolvers<undefined>()
    const timer = this.#options.clock.timer(ms, () => {
      elapsed.resolve(undefined)
    })
    try {
      await raceAbort(Promise.race([changed, elapsed.promise]), signal)
    } finally {
      timer.cancel()
    }
  }

  /** Throws for an id that no backfill of the account has. */
  async find(id: string): Promise<Backfill> {
    const found = await this.#options.store.find(id)
    const backfill = found?.sameAs === undefined ? found : ((await this.#options.store.find(found.sameAs)) ?? found)
    if (!backfill) throw new Internal(`The backfill ${id} is gone.`)
    return backfill
  }

  /** Ends a backfill; false if it had ended. A request that is on its way is not called back. */
  async cancel(backfill: Backfill): Promise<boolean> {
    const { store, clock } = this.#options
    for (;;) {
      const present = await this.find(backfill.id)
      if (!isUnfinished(present.state) && present.state !== 'stopped') return false
      const next: Backfill = { ...present, state: 'cancelled', endedAt: clock.now() }
      if (!(await store.save(next, [present.state]))) continue
      await store.dropParts(backfill.id, present.parts)
      this.#notify()
      return true
    }
  }

  /** Works on what is left, now and whenever another process leaves something behind. */
  wake(): void {
    this.#isWanted = true
    if (this.#stop.signal.aborted || this.#round) return
    this.#round = this.#run()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#options.onProblem(error)
      })
      .finally(() => {
        this.#round = undefined
        if (this.#isWanted) this.wake()
        else this.#wakeIn(lookMs)
      })
  }

  async hasWork(): Promise<boolean> {
    return this.#round !== undefined || this.#readings.size > 0 || (await this.#options.store.unfinished()).length > 0
  }

  async close(): Promise<void> {
    this.#stop.abort(new DOMException('The server is closing.', 'AbortError'))
    this.#timer?.cancel()
    await Promise.all([this.#round, ...this.#readings.values()])
    await this.#options.close()
  }

  #wakeIn(ms: number): void {
    const { clock } = this.#options
    const at = clock.monotonic() + ms
    if (this.#stop.signal.aborted || at >= this.#wakeAt) return
    this.#timer?.cancel()
    this.#wakeAt = at
    this.#timer = clock.timer(ms, () => {
      this.#wakeAt = Infinity
      this.wake()
    })
    this.#timer.unref()
  }

  #notify(): void {
    this.#changed.resolve(undefined)
    this.#changed = Promise.withResolvers()
  }

  async #run(): Promise<void> {
    const { leases, destination, store } = this.#options
    this.#isWanted = false
    if ((await store.unfinished()).length === 0) return
    const lease = leaseOf(destination, 'send')
    if (!(await leases.acquireLease(lease))) return
    try {
      while (!this.#stop.signal.aborted && (await this.#sendOnce())) this.#notify()
    } finally {
      await leases.releaseLease(lease)
    }
  }

  /** Sends one request of each backfill, so that a long one keeps no other waiting; false if none was due. */
  async #sendOnce(): Promise<boolean> {
    let isBusy = false
    for (const backfill of await this.#options.store.unfinished()) {
      const waitMs = backfill.nextAttemptAt - this.#options.clock.now()
      if (backfill.state === 'reading') this.#beginReading(backfill)
      else if (waitMs > 0) this.#wakeIn(waitMs)
      else isBusy = (await this.#send(backfill)) || isBusy
    }
    return isBusy
  }

  async #send(backfill: Backfill): Promise<boolean> {
    const { store, clock } = this.#options
    const { id, nextPart } = backfill
    const next = await this.#sendNext(backfill)
    if (!(await store.save(next, ['sending']))) return true
    if (next.nextPart > nextPart || next.state === 'done') await store.dropParts(id, next.nextPart)
    if (next.nextAttemptAt > clock.now()) this.#wakeIn(next.nextAttemptAt - clock.now())
    this.#notify()
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
      })
      .finally(() => {
        this.#readings.delete(backfill.id)
        this.#notify()
        this.wake()
      })
    this.#readings.set(backfill.id, reading)
  }

  /** Reads a file unless another process does. */
  async #readAlone(backfill: Backfill): Promise<void> {
    const { leases, destination, store, clock } = this.#options
    const lease = leaseOf(destination, backfill.id)
    if (!(await leases.acquireLease(lease))) return
    try {
      await this.#read(backfill)
    } catch (error) {
      this.#stop.signal.throwIfAborted()
      const failure = error instanceof ToolError ? error : storageFailure(error)
      const failed = {
        ...backfill,
        state: 'failed',
        endedAt: clock.now(),
        error: failure ?? new Internal('The file could not be read.'),
      } as const
      await store.save(failed, ['reading'])
      await store.dropParts(backfill.id, allParts)
      if (!failure) throw error
    } finally {
      await leases.releaseLease(lease)
    }
  }

  async #read(backfill: Backfill): Promise<void> {
    const { store } = this.#options
    const { progress, parts } = await this.#readOften(backfill)
    const { source, ...way } = backfill.plan
    const fingerprint = hash('sha256', canonicalJson({ digest: progress.digest, ...way }), 'hex')
    const plan = { ...way, source: 'text' in source ? { text: '' } : source }
    const read: Backfill = { ...backfill, state: 'sending', fingerprint, parts, plan, progress: { ...noProgress, ...progress } }
    const same = await store.same(read, false)
    if (same) return this.#continue(read, same, ['reading'])
    await store.save(read, ['reading'])
    const older = await store.same(read, true)
    if (older) await this.#continue(read, older, ['sending'])
  }

  /** Another backfill has the same rows: it goes on if it was stopped. */
  async #continue(backfill: Backfill, same: Backfill, from: readonly BackfillState[]): Promise<void> {
    const { store, clock } = this.#options
    await store.save({ ...backfill, state: 'repeated', endedAt: clock.now(), sameAs: same.id }, from)
    await store.dropParts(backfill.id, allParts)
    if (same.state === 'stopped')
      await store.save({ ...same, state: 'sending', endedAt: undefined, error: undefined, nextAttemptAt: clock.now() }, ['stopped'])
  }

  /** Reads all before anything is sent, so that a connection that breaks leaves nothing half done. */
  async #readOften({ id, plan, createdAt }: Backfill): ReturnType<typeof readFile> {
    const { store, clock, fetch } = this.#options
    const { signal } = this.#stop
    for (let tries = 1; ; tries += 1) {
      try {
        const source = await openText(plan.source, { fetch, signal })
        return await readFile({ plan, source, now: createdAt, signal, onPart: (number, lines) => store.addPart(id, number, lines) })
      } catch (error) {
        const isRetryable = error instanceof ToolError && error.code === 'unavailable' && error.details.retryable !== false
        if (!isRetryable || tries === maxReads) throw error
        await clock.sleep(rereadMs * 2 ** (tries - 1), signal)
      }
    }
  }
}

/** More than any backfill has. */
const allParts = 2 ** 31 - 1

/** The lease of an account's sender, or of the reader of one file. */
const leaseOf = (destination: Destination, work: string): Destination => ({
  ...destination,
  origin: `backfill ${work} ${destination.origin}`,
})
