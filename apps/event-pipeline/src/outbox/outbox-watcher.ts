import type { Clock, Timer } from '@mcp-toolkits/core/base'
import { StoreError } from '@mcp-toolkits/sqlite'
import { type Destination, leaseName, type OutboxStore } from './outbox-store.ts'
import { lookIntervalMs } from './workers.ts'

/** A problem in the background: a store's problem and its message, or the name of any other error. */
export interface Problem {
  readonly problem: string
  readonly reason?: string
}

export interface OutboxWatcherOptions {
  readonly store: OutboxStore
  readonly clock: Clock
  /** Called with an error in the background, which no call can report: with a problem of the store once until that works again. */
  readonly onProblem: (problem: Problem) => void
}

/** Sender of the entries of one destination. */
export interface WatchingWorker {
  readonly destination: Destination
  /** Called with the time until something may be due, in milliseconds. */
  readonly scheduleIn: (ms: number) => void
}

/**
 * Looks, for all delivery workers of a process, for entries that other processes have left in the outbox: they may end, or die, without
 * having sent everything. Entries that were delivered long ago are deleted.
 */
export class OutboxWatcher {
  readonly #options: OutboxWatcherOptions
  readonly #workers = new Map<string, WatchingWorker>()
  #timer: Timer | undefined
  /** The number of changes by other processes that were seen last. */
  #changes: number | undefined
  /** The problem of the store that was reported last, until it works again. */
  #storeProblem: string | undefined

  constructor(options: OutboxWatcherOptions) {
    this.#options = options
  }

  add(worker: WatchingWorker): void {
    this.#workers.set(leaseName(worker.destination), worker)
    this.#timer ??= this.#options.clock.timer(lookIntervalMs, () => {
      this.#timer?.restart()
      void this.#look()
    })
    this.#timer.unref()
  }

  /** With the last worker the looks end. */
  remove(worker: WatchingWorker): void {
    const name = leaseName(worker.destination)
    if (this.#workers.get(name) === worker) this.#workers.delete(name)
    if (this.#workers.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  report(error: unknown): void {
    const found = problemOf(error)
    if (found.problem === this.#storeProblem) return
    if (error instanceof StoreError) this.#storeProblem = found.problem
    this.#options.onProblem(found)
  }

  async #look(): Promise<void> {
    const { store } = this.#options
    try {
      await store.purge()
      const changes = await store.changes()
      this.#storeProblem = undefined
      if (changes === this.#changes) return
      this.#changes = changes
      for (const { destination, ms } of await store.waiting()) this.#workers.get(leaseName(destination))?.scheduleIn(ms)
    } catch (error) {
      if (this.#workers.size > 0) this.report(error)
    }
  }
}

/** Form in which the log shows an error in the background. */
export function problemOf(error: unknown): Problem {
  if (error instanceof StoreError) return { problem: error.problem, reason: error.message }
  return { problem: error instanceof Error ? error.name : typeof error }
}
