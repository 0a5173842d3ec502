import type { Clock, Timer } from '@mcp-toolkits/core/base'
import { ToolError } from '@mcp-toolkits/core/errors'
import { withCallScope, withoutTool } from '@mcp-toolkits/core/tool'
import { noTelemetry, type Telemetry } from '@mcp-toolkits/core/upstream'
import type { PipelinesClient, PostRequest } from '../pipelines/client.ts'
import { decideDelivery, type Interruption, isFailingAlone, unlessForgotten } from './delivery-policy.ts'
import type { KeyConfirmation } from './key-confirmation.ts'
import type { Destination, Entry, OutboxStore } from './outbox-store.ts'
import type { OutboxWatcher } from './outbox-watcher.ts'
import { lookIntervalMs } from './workers.ts'

/** Timeout, in milliseconds, for all background attempts to send one entry. */
const backgroundBudgetMs = 25_000

/** Minimum and maximum time, in milliseconds, between checks for due entries. */
const minWakeMs = 50
const maxWakeMs = 60_000

/** Pause, in milliseconds, before a failed write is retried. */
const rewriteMs = 1_000

/**
 * Initial and maximum background pause, in milliseconds, after a delivery that will be retried: the next delivery would probably fail too.
 */
const firstPauseMs = 1_000
const maxPauseMs = 30_000

/** Maximum number of lanes: loops that send entries in parallel in the background, each for different people. */
const maxLanes = 8

/** Interval, in milliseconds, at which a worker tries to acquire the lease. */
const leaseIntervalMs = 500

export interface DeliveryWorkerOptions {
  readonly store: OutboxStore
  readonly client: PipelinesClient
  readonly destination: Destination
  /** Checks the key before non-strict events. Absent if the key cannot be wrong. */
  readonly confirmation?: KeyConfirmation | undefined
  /** Looks for work left by other processes, and reports problems that no call can report. */
  readonly watcher: OutboxWatcher
  readonly clock: Clock
  readonly telemetry?: Telemetry | undefined
  /** Called for entries that will be retried, and for those parked because the vendor fails only on them. */
  readonly onFailure: (entry: number, outcome: 'queued' | 'parked', failure: FailureReason) => void
}

/** The reason an attempt failed. */
export interface FailureReason {
  readonly last_error: string
  readonly http_status?: number
}

export interface DeliveryOptions {
  readonly signal: AbortSignal
  readonly budgetMs: number
  /** True if other calls are also waiting for the entry, so it is delivered even if this call gives up. */
  readonly isShared: () => boolean
  /** `ignore` sends the entry even while the vendor accepts no requests. `refuse` by default. */
  readonly holds?: PostRequest['holds']
}

/** Sends entries that calls are waiting for and, in the background, those that are due; records outcomes. */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions
  readonly #stop = new AbortController()
  /** Failed writes to the store, to be retried. */
  #failedWrites: (() => Promise<unknown>)[] = []
  #rewrite: Timer | undefined
  #rewriting: Promise<void> | undefined
  #wakeAt = Infinity
  /** Background pauses since the last successful delivery. */
  #pauses = 0
  #pausedUntil = -Infinity
  #timer: Timer | undefined
  #round: Promise<void> | undefined
  #isLooking = false
  #isLookWanted = false

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options
  }

  get destination(): Destination {
    return this.#options.destination
  }

  /** Sends a claimed entry, records the outcome and returns the vendor's status. Throws the error if the entry was not accepted. */
  async deliver(entry: Entry, { signal, budgetMs, isShared, holds = 'refuse' }: DeliveryOptions): Promise<number> {
    const { store, client, confirmation, clock } = this.#options
    const { call: name, body = '', isStrict: strict, isIdentified: isRepeatable } = entry
    const post = withCallScope({ signal, clock, ms: budgetMs }, async (scope) => {
      if (!strict) await confirmation?.ensure(scope, holds)
      return client.post({ name, body, strict, isRepeatable, holds, scope })
    })
    const httpStatus = await post.catch(async (error: unknown) => {
      await this.record(async () => confirmation?.reconsider(error))
      await this.record(() => this.#recordFailure(entry, error, { signal, isShared }))
      throw error
    })
    this.#pauses = 0
    this.#pausedUntil = -Infinity
    if (strict) await this.record(async () => confirmation?.confirm())
    await this.record(() => store.recordDelivered(entry.id, httpStatus))
    return httpStatus
  }

  async #recordFailure(failed: Entry, error: unknown, { signal, isShared }: Pick<DeliveryOptions, 'signal' | 'isShared'>): Promise<void> {
    const { id } = failed
    const { store, clock, onFailure } = this.#options
    const interruption: Interruption = this.#stop.signal.aborted ? 'closing' : signal.aborted ? 'cancelled' : undefined
    const failure = error instanceof ToolError ? error : undefined
    const isAlone = failure !== undefined && (await isFailingAlone(store, failed, failure, clock.now()))
    const decision = await store.recordFailure(id, failure, (entry) =>
      unlessForgotten(
        entry,
        decideDelivery(error, { ...entry, isAnswered: entry.isAnswered || isShared(), isFailingAlone: isAlone }, interruption),
      ),
    )
    if (!decision || !failure || (decision.state !== 'open' && !isAlone)) return
    if (decision.state === 'open') this.#pause()
    const { httpStatus } = failure.details
    const reason = { last_error: failure.message, ...(httpStatus !== undefined && { http_status: httpStatus }) }
    onFailure(id, decision.state === 'open' ? 'queued' : 'parked', reason)
  }

  /** Pauses for less than the backoff of an entry that keeps failing, so that other entries are tried first. */
  #pause(): void {
    if (this.#pauseMs() > 0) return
    this.#pausedUntil = this.#options.clock.monotonic() + Math.min(maxPauseMs, firstPauseMs * 2 ** this.#pauses)
    this.#pauses += 1
  }

  #pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.#options.clock.monotonic())
  }

  /** Writes to the store, retrying later on failure: a disk problem must not hide the vendor's response. */
  async record(write: () => Promise<unknown>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.#options.watcher.report(error)
      if (this.#stop.signal.aborted) return
      this.#failedWrites.push(write)
      this.#rewrite ??= this.#options.clock.timer(rewriteMs, () => {
        this.#rewriting = this.#retryWrites()
      })
      this.#rewrite.unref()
    }
  }

  async #retryWrites(): Promise<void> {
    this.#rewrite = undefined
    const writes = this.#failedWrites
    this.#failedWrites = []
    for (const write of writes) await this.record(write)
    this.#rewriting = undefined
  }

  /** Sends one entry for an operator, even while the vendor asks us to slow down, unless an older entry must be sent first. */
  async deliverOne(id: number): Promise<void> {
    const entry = await this.#options.store.claim(id, 'operator')
    if (entry) await this.#deliverInBackground(entry, 'ignore')
  }

  /** Delivers an entry; true if the vendor accepted it. */
  async #deliverInBackground(entry: Entry, holds: PostRequest['holds'] = 'refuse'): Promise<boolean> {
    const { signal } = this.#stop
    const { telemetry = noTelemetry } = this.#options
    if (signal.aborted) {
      await this.#options.store.recordFailure(entry.id, undefined, (each) => unlessForgotten(each, { state: 'open', backoffMs: 0 }))
      return false
    }
    const delivery = withoutTool(() =>
      telemetry.inBackground(() => this.deliver(entry, { signal, budgetMs: backgroundBudgetMs, isShared: () => false, holds })),
    )
    return delivery.then(
      () => true,
      () => false,
    )
  }

  /** Schedules background delivery of entries due now or later. */
  wake(): void {
    if (this.#stop.signal.aborted) return
    void this.#schedule()
    this.#options.watcher.add(this)
  }

  /** Looks for due entries. Calls that end during a search share the next search. */
  async #schedule(): Promise<void> {
    this.#isLookWanted = true
    if (this.#isLooking) return
    this.#isLooking = true
    while (this.#isLookWanted) {
      this.#isLookWanted = false
      await this.#scheduleNext()
    }
    this.#isLooking = false
  }

  async #scheduleNext(): Promise<void> {
    const dueMs = await this.#untilNextDue()
    if (dueMs !== undefined) this.scheduleIn(dueMs)
  }

  /** Schedules a delivery in `dueMs` milliseconds, or when the pause ends if that is later. */
  scheduleIn(dueMs: number): void {
    if (this.#stop.signal.aborted) return
    const { clock } = this.#options
    const ms = Math.min(maxWakeMs, Math.max(minWakeMs, dueMs, this.#pauseMs()))
    const at = clock.monotonic() + ms
    // An earlier timer is kept; otherwise frequent calls could postpone it forever.
    if (this.#wakeAt <= at) return
    this.#timer?.cancel()
    this.#wakeAt = at
    this.#timer = clock.timer(ms, () => {
      this.#wakeAt = Infinity
      void this.#deliver({ pauses: true })
    })
    this.#timer.unref()
  }

  async #untilNextDue(): Promise<number | undefined> {
    const { store, destination } = this.#options
    if (this.#stop.signal.aborted) return undefined
    try {
      return await store.untilNextDue(destination)
    } catch (error) {
      this.#options.watcher.report(error)
      return lookIntervalMs
    }
  }

  /** Tries each due entry once, oldest first per person, as soon as this worker has the lease. */
  deliverDue(): Promise<void> {
    return this.#deliver({ pauses: false })
  }

  #deliver(options: { readonly pauses: boolean }): Promise<void> {
    this.#round ??= this.#runRound(options)
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#options.watcher.report(error)
      })
      .finally(() => {
        this.#round = undefined
        this.wake()
      })
    return this.#round
  }

  async #runRound({ pauses }: { readonly pauses: boolean }): Promise<void> {
    const { store, destination } = this.#options
    const { signal } = this.#stop
    if (!(await this.#isAnyDue())) return
    const watch = await store.watch()
    while (!(await store.acquireLease(destination))) {
      await watch.next(leaseIntervalMs, signal)
      if (!(await this.#isAnyDue())) return
    }
    try {
      await this.#runLanes(pauses)
    } finally {
      await store.releaseLease(destination)
    }
  }

  /** Sends due entries: in one lane until the vendor has accepted an entry, then in several parallel lanes, each for different people. */
  async #runLanes(pauses: boolean): Promise<void> {
    const { store, destination } = this.#options
    const others: Promise<void>[] = []
    const runLane = async (): Promise<void> => {
      while (!this.#stop.signal.aborted) {
        const entry = await store.claimNext(destination)
        if (!entry) return
        const isDelivered = await this.#deliverInBackground(entry)
        if (pauses && this.#pauseMs() > 0) return
        if (isDelivered && others.length === 0) for (let lane = 1; lane < maxLanes; lane += 1) others.push(runLane())
      }
    }
    const first = runLane()
    await first.catch(() => undefined)
    // The lease lasts until all lanes have ended.
    const ends = await Promise.allSettled([first, ...others])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  async #isAnyDue(): Promise<boolean> {
    const { store, destination } = this.#options
    return (await store.untilNextDue(destination)) === 0
  }

  /** True if the worker is sending in the background, or if an entry is waiting for its attempt. */
  async hasWork(): Promise<boolean> {
    const { store, destination } = this.#options
    // The store does not count entries being sent, so the worker is also checked, and twice, because a round may have begun meanwhile.
    return this.#isBusy || (await store.untilNextDue(destination)) !== undefined || this.#isBusy
  }

  get #isBusy(): boolean {
    return this.#round !== undefined || this.#rewriting !== undefined || this.#failedWrites.length > 0
  }

  /** Stops background work; unsent entries stay open. */
  async close(): Promise<void> {
    this.#stop.abort(new DOMException('The server is closing.', 'AbortError'))
    this.#options.watcher.remove(this)
    for (const timer of [this.#timer, this.#rewrite]) timer?.cancel()
    await Promise.all([this.#round, this.#rewriting])
  }
}
