import { Worker } from 'node:worker_threads'
import { isObject, raceAbort } from '@mcp-toolkits/core/base'
import { errorFromJson, Internal } from '@mcp-toolkits/core/errors'
import { checkFile, type CheckingCall } from './file/plan.ts'
import type { ReadFile } from './file/reading.ts'
import type { Plan } from './record.ts'
import { Rounds } from './rounds.ts'
import { type BackfillWork, type BackfillWorkOptions, hasUnfinished } from './work.ts'

/**
 * The thread's heap, in MiB. A row's objects are short-lived, but in a main thread V8 lets the young generation grow to 128 MB while rows
 * pass through, and no setting in a running process prevents that.
 */
const heapMb = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 24 }

const isReadFile = (message: unknown): message is ReadFile => isObject(message) && isObject(message['progress'])

export interface BackfillThreadOptions extends Pick<BackfillWorkOptions, 'store' | 'fetch' | 'clock' | 'onChange' | 'onProblem'> {
  /** The thread's entry module and settings. */
  readonly module: URL
  readonly data: object
  /** Receives problems in the thread, already described. */
  readonly onReport: (problem: object) => void
}

/** A thread that reads files and sends their rows until none are left. Like another process, it shares the data directory. */
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

  /** Checks a call's text here, because it is short, and a file in a separate thread. */
  async check(plan: Plan, { signal, progress }: CheckingCall): Promise<ReadFile> {
    const { module, data, fetch, clock } = this.#options
    if ('text' in plan.source) return checkFile(plan, { fetch, clock, signal, progress })
    const worker = new Worker(module, { workerData: { ...data, plan }, resourceLimits: heapMb })
    const { promise, resolve, reject } = Promise.withResolvers<ReadFile>()
    worker.on('message', (message: unknown) => {
      if (typeof message === 'number') progress(message)
      else if (isReadFile(message)) resolve(message)
      else reject(errorFromJson(message) ?? new Internal('The file could not be checked.'))
    })
    worker.once('error', reject)
    try {
      return await raceAbort(promise, signal)
    } finally {
      await worker.terminate()
    }
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
