import { type Clock, raceAbort } from '@mcp-toolkits/core/base'
import { Internal } from '@mcp-toolkits/core/errors'
import type { CallContext } from '@mcp-toolkits/core/tool'
import type { CheckingCall } from './file/plan.ts'
import type { ReadFile } from './file/reading.ts'
import {
  allParts,
  type Backfill,
  type BackfillState,
  backfillStates,
  goingOn,
  isHalted,
  isInVain,
  isUnfinished,
  noProgress,
  type Plan,
  textPart,
} from './record.ts'
import type { BackfillStore } from './store.ts'
import { progressOf } from './view.ts'
import { type BackfillWork, hasUnfinished } from './work.ts'

export interface BackfillsOptions {
  readonly store: BackfillStore
  readonly clock: Clock
  /** The file on this machine that the operator named in `call --input`. */
  readonly inputFile?: string | undefined
  /** Opens the work, which calls `onChange` when a backfill makes progress. */
  readonly openWork: (onChange: () => void) => BackfillWork
  readonly close: () => Promise<void>
}

/** Interval, in milliseconds, at which to check for another process's progress. */
const pollMs = 250

/** Maximum time, in milliseconds, that a call waits: for a file that fits into one request, and for a longer one. */
const maxWaitMs = 25_000
const callWaitMs = 2_000

/** An account's event files, as calls see them. The files are read and sent in the background, across restarts. */
export class Backfills {
  readonly #options: BackfillsOptions
  readonly #work: BackfillWork
  #changed = Promise.withResolvers<undefined>()

  constructor(options: BackfillsOptions) {
    this.#options = options
    this.#work = options.openWork(() => {
      this.#notify()
    })
  }

  /** The backfills that a caller may see. */
  storeOf(owner: string | undefined): BackfillStore {
    return this.#options.store.of(owner)
  }

  get inputFile(): string | undefined {
    return this.#options.inputFile
  }

  /**
   * Begins a person's backfill, or resumes an earlier call's backfill with the same id. If nothing from a file was sent, it is read
   * again.
   */
  async start(id: string, plan: Plan, owner: string | undefined): Promise<void> {
    const { clock } = this.#options
    const store = this.storeOf(owner)
    const now = Math.trunc(clock.now())
    const { source } = plan
    const text = 'text' in source ? source.text : undefined
    const stored = { ...plan, source: text === undefined ? source : { text: '' } }
    const fresh = {
      fingerprint: undefined,
      parts: 0,
      nextPart: 0,
      progress: noProgress,
      plan: stored,
      error: undefined,
      nextAttemptAt: now,
    }
    // Reading waits until the text is stored.
    await store.insert({ id, createdAt: now, sameAs: undefined, ...fresh, state: 'failed', endedAt: now })
    const begun = await store.find(id)
    const original = begun?.sameAs === undefined ? begun : await store.find(begun.sameAs)
    if (original && isHalted(original.state)) await store.save(goingOn(original, now, id), [original.state])
    else if (begun && isInVain(begun)) {
      if (text !== undefined) await store.addPart(id, textPart, Buffer.from(text))
      await store.save({ ...begun, ...fresh, state: 'reading', endedAt: undefined }, [begun.state])
    }
    this.wake()
  }

  /**
   * Resolves with the backfill, or with the other one that has the same rows, once that has ended or must wait longer than a call can.
   * Reports progress to the caller.
   */
  async settled(
    id: string,
    { signal, patienceMs, progress, scope }: Pick<CallContext, 'signal' | 'patienceMs' | 'progress' | 'scope'>,
  ): Promise<Backfill> {
    const { clock } = this.#options
    const started = clock.monotonic()
    let told = ''
    for (;;) {
      const changed = this.changed()
      const backfill = await this.find(id)
      if (!isUnfinished(backfill.state)) return backfill
      const isShort = backfill.state === 'sending' && backfill.parts <= 1
      const waitedMs = clock.monotonic() - started
      const restMs = patienceMs === undefined ? Infinity : (isShort ? maxWaitMs : callWaitMs) - waitedMs
      const isPostponed = backfill.error !== undefined && backfill.error.code !== 'rate_limited'
      if (restMs <= 0 || (restMs < Infinity && (isPostponed || backfill.nextAttemptAt - clock.now() > restMs))) return backfill
      const step = progressOf(backfill)
      if (step[2] !== told) progress(...step)
      else if (patienceMs === undefined) scope.extend()
      told = step[2]
      await this.#change(changed, Math.min(pollMs, restMs), signal)
    }
  }

  /** Reads a file as if to send it, but sends nothing. */
  check(plan: Plan, call: CheckingCall): Promise<ReadFile> {
    return this.#work.check(plan, call)
  }

  /** Resolves when this process makes progress on a backfill. */
  changed(): Promise<undefined> {
    return this.#changed.promise
  }

  /** Waits for a change by this process, but only briefly, because another process may be working on the backfill. */
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

  /** Finds a backfill by id. Throws if the account has none with the id. */
  async find(id: string): Promise<Backfill> {
    const found = await this.#options.store.find(id)
    const backfill = found?.sameAs === undefined ? found : ((await this.#options.store.find(found.sameAs)) ?? found)
    if (!backfill) throw new Internal(`The backfill ${id} is gone.`)
    return backfill
  }

  /** Cancels a backfill; false if it had already ended. A request in flight is not aborted. */
  async cancel({ id }: Backfill): Promise<boolean> {
    const isEnded = await this.#end(id, 'cancelled', (state) => isUnfinished(state) || isHalted(state))
    if (isEnded) await this.#options.store.dropParts(id, allParts)
    return isEnded
  }

  /**
   * Stops a backfill, but keeps its rows until a repeated call resumes it. Another backfill with the same rows belongs to a different call,
   * so it continues unless this backfill's call had resumed it.
   */
  async halt(id: string): Promise<void> {
    if (await this.#end(id, 'stopped', isUnfinished)) return
    const backfill = await this.find(id)
    if (backfill.resumedBy === id) await this.#end(backfill.id, 'stopped', isUnfinished)
  }

  async #end(id: string, state: 'cancelled' | 'stopped', isEndable: (state: BackfillState) => boolean): Promise<boolean> {
    const { store, clock } = this.#options
    const isEnded = await store.end(id, { state, endedAt: clock.now(), from: backfillStates.filter(isEndable) })
    if (isEnded) this.#notify()
    return isEnded
  }

  /** Does the remaining work now, and any that another process leaves behind. */
  wake(): void {
    this.#work.wake()
  }

  async hasWork(): Promise<boolean> {
    return this.#work.isBusy() || (await hasUnfinished(this.#options.store))
  }

  async close(): Promise<void> {
    await this.#work.close()
    await this.#options.close()
  }

  #notify(): void {
    this.#changed.resolve(undefined)
    this.#changed = Promise.withResolvers()
  }
}
