import { Worker } from 'node:worker_threads'
import { type Clock, isObject } from '@mcp-toolkits/core/base'
import { Rounds } from './rounds.ts'
import type { BackfillStore } from './store.ts'
import { type BackfillWork, hasUnfinished } from './work.ts'

/**
 * Heap of the thread, in MiB. The objects of a row live for a moment, but V8 lets the part for new ones grow to 128 MB in a main thread while
 * rows pass through, and no setting of a running process limits it.
 */
const heapMb = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 40 }

export interface BackfillThreadOptions {
  /** Entry of the thread, and its settings. */
  readonly module: URL
  readonly data: object
  readonly store: BackfillStore
  readonly clock: Clock
  readonly onChange: () => void
  /** Hears of problems that no call can report. */
  readonly onProblem: (error: unknown) => void
  /** Hears of problems in the thread, already described. */
  readonly onReport: (problem: object) => void
}

/** A thread that reads files and sends their rows while there are any, as another process on the data directory would. */
export class BackfillThread implements BackfillWork {
  readonly #options: BackfillThreadOptions
  readonly #rounds: Rounds
  #worker: Worker | undefined

  constructor(options: BackfillThreadOptions) {
    this.#options = options
    this.#rounds = new Rounds({ ...options, run: () => this.#run() })
  }

  wake(): void {
    this.#worker?.postMessage('wake')
    this.#rounds.wake()
  }

  isBusy(): boolean {
    return this.#rounds.isBusy
  }

  async close(): Promise<void> {
    this.#worker?.postMessage('close')
    await this.#rounds.close()
  }

  async #run(): Promise<void> {
    const { module, data, store, onChange, onReport } = this.#options
    if (!(await hasUnfinished(store))) return
    const worker = new Worker(module, { workerData: data, resourceLimits: heapMb })
    this.#worker = worker
    worker.on('message', (message: unknown) => {
      if (isObject(message)) onReport(message)
      onChange()
    })
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    worker.once('error', reject)
    worker.once('exit', () => {
      resolve(undefined)
    })
    try {
      await promise
    } finally {
      this.#worker = undefined
    }
  }
}
