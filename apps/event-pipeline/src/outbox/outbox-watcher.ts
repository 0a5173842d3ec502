import type { Clock, Timer } from '@mcp-toolkits/core/base'
import { StoreError } from '@mcp-toolkits/sqlite'
import { type Destination, leaseName, type OutboxStore } from './outbox-store.ts'
import { lookIntervalMs } from './workers.ts'

/** A background problem: a store problem with its message, or the name of any other error. */
export interface Problem {
  readonly problem: string
  readonly reason?: string
}

export interface OutboxWatcherOptions {
  readonly store: OutboxStore
  readonly clock: Clock
  /**
   * Called with background errors, which no call can report; a store problem is not reported again until the store has worked in between.
   */
  readonly onProblem: (problem: Problem) => void
}

/** The sender of a destination's entries. */
export interface WatchingWorker {
  readonly destination: Destination
  /** Called with the time, in milliseconds, until something may be due. */
  readonly scheduleIn: (ms: number) => void
}

/**
 * Looks, on behalf of a process's delivery workers, for entries in the outbox that other processes left unsent when they exited. Also
 * deletes entries delivered long ago.
 */
export class OutboxWatcher {
  readonly #options: OutboxWatcherOptions
  readonly #workers = new Map<string, WatchingWorker>()
  #timer: Timer | undefined
  /** The last seen count of other processes' changes. */
  #changes: number | undefined
  /** The last reported store problem, until the store works again. */
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

  /** Removes a worker; watching ends with the last one. */
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

/** A background error, as shown in the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof StoreError) return { problem: error.problem, reason: error.message }
  return { problem: error instanceof Error ? error.name : typeof error }
}
