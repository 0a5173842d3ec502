import type { DatabaseSync } from 'node:sqlite'
import { isLocked, lockTimeoutMs, StoreLocked, toStoreError } from './errors.ts'

/** Delays, in milliseconds, between attempts to get the lock. Other processes hold it for about one batch. */
const retryDelaysMs = [1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]
const maxRetryDelayMs = 20

/** Time, in milliseconds, for which a transaction accepts writes, so that other processes and the event loop get a turn. */
const maxBatchMs = 10

/** Number of batches, after a wait for the lock, that are each followed by a pause; and the length of the pause, in milliseconds. */
const maxPauses = 16
const pauseMs = 5

/** Maximum number of event loop turns that a transaction waits for more writes. */
const maxGatherTurns = 8

/** Time, in milliseconds, that a write in steps blocks the event loop before it yields. */
const sliceMs = 8

/** Time, in milliseconds, after which a write in steps takes longer slices, to end sooner: it keeps other processes waiting. */
const maxShortSlicesMs = 1_000
const longSliceMs = 30

/** Size of the log, in pages, at which a commit copies the log into the database: SQLite's default. */
const autoCheckpointPages = 1_000

/** Time, in milliseconds, that deferred writes wait to join another write. */
const deferMs = 100
/** Pending writes at which `defer` flushes: timers do not run while a program blocks the event loop. */
const maxPending = 256

/** A store's clock, which does not depend on the machine's date. */
export interface StoreClock {
  /** Milliseconds since an arbitrary point in the past. */
  readonly monotonic: () => number
  readonly sleep: (ms: number) => Promise<void>
}

export interface WriteQueueOptions {
  readonly database: DatabaseSync
  /** Path of the database, for messages. */
  readonly file: string
  readonly clock: StoreClock
  readonly synchronous: 'full' | 'normal'
  /** Throws if a commit would be lost. */
  readonly checkFile: () => void
}

/** Work that can be interrupted wherever it yields, and that returns a result. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Runs all steps without a break. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

export interface WriteOptions {
  /** False for a write that may be lost if the power fails, but not if the process is killed. True by default. */
  readonly isDurable?: boolean
}

interface PendingWrite {
  /** Runs the work and returns a function that delivers the result to the caller. */
  readonly run: () => () => void
  /** The same work in steps, with turns of the event loop between them. */
  readonly startSteps?: () => Steps<() => void>
  readonly signal?: AbortSignal | undefined
  readonly reject: (error: unknown) => void
  /** True if the write's commit waits for the disk. */
  readonly isDurable: boolean
  /** Time, in milliseconds, spent waiting for another process's lock. */
  waitedMs: number
  /** Set after a failed transaction, so that only the write that caused the failure fails. */
  needsOwnTransaction: boolean
}

/**
 * The writes of one process to one database. Waiting writes share a transaction, so that they wait for the disk only once. While another
 * process writes, the queue retries on a timer and does not block the event loop.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions
  #pending: PendingWrite[] = []
  #draining: Promise<void> | undefined
  #pausesLeft = 0
  /** Settles when the transaction of the current write in steps has ended. */
  #openWrite: Promise<void> | undefined
  #isBetweenSteps = false

  constructor(options: WriteQueueOptions) {
    this.#options = options
  }

  /** Runs `work` in a transaction, after all earlier writes, possibly several times. Throws `StoreError` or `work`'s errors. */
  write<T>(work: () => T, { isDurable = true }: WriteOptions = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const run = () => {
      const value = work()
      return () => {
        resolve(value)
      }
    }
    this.#pending.push({ run, reject, isDurable, waitedMs: 0, needsOwnTransaction: false })
    void this.#start()
    return promise
  }

  /**
   * Runs `work` in a separate transaction and lets the event loop run between the steps. This process makes no other write in between.
   * Aborting `signal` before the last step undoes everything and throws the signal's reason.
   */
  writeInSteps<T>(work: () => Steps<T>, signal?: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const startSteps = function* (): Steps<() => void> {
      const value = yield* work()
      return () => {
        resolve(value)
      }
    }
    const run = () => runSteps(startSteps())
    this.#pending.push({ run, startSteps, signal, reject, isDurable: true, waitedMs: 0, needsOwnTransaction: true })
    void this.#start()
    return promise
  }

  /** Settles when the open transaction has ended, so that reads see committed data; undefined if none is open. */
  get openWrite(): Promise<void> | undefined {
    return this.#openWrite
  }

  /** True if the open transaction belongs to a write in steps waiting for its next turn. */
  get isBetweenSteps(): boolean {
    return this.#isBetweenSteps
  }

  /** Runs `work` with the next write, or soon on its own. If it fails, or the process dies first, the work is silently lost. */
  defer(work: () => void): void {
    const run = () => {
      work()
      return () => undefined
    }
    this.#pending.push({ run, reject: () => undefined, isDurable: false, waitedMs: 0, needsOwnTransaction: false })
    if (this.#pending.length >= maxPending) this.flush()
    if (this.#pending.length === 1)
      setTimeout(() => {
        void this.#start()
      }, deferMs)
  }

  /** Runs pending writes until one would have to wait. */
  flush(): void {
    while (this.#pending.length > 0 && !this.#options.database.isTransaction && this.#runBatch());
  }

  /** Resolves when no write is pending. */
  async idle(): Promise<void> {
    while (this.#pending.length > 0 || this.#openWrite) await this.#start()
  }

  #start(): Promise<void> {
    return (this.#draining ??= this.#gather().then(() => this.#drain()))
  }

  /** Waits for as long as each turn of the event loop brings more writes, so that they share a transaction. */
  async #gather(): Promise<void> {
    const end = this.#options.clock.monotonic() + maxBatchMs
    const isInTime = () => this.#options.clock.monotonic() < end
    for (let turns = 0, count = -1; turns < maxGatherTurns && this.#pending.length > count && isInTime(); turns += 1) {
      count = this.#pending.length
      await yieldToEvents()
    }
  }

  async #drain(): Promise<void> {
    for (let attempts = 0; this.#pending.length > 0;) {
      const startSteps = this.#pending[0]?.startSteps
      if (startSteps ? await this.#runInSteps(startSteps) : this.#runBatch()) {
        attempts = 0
        await this.#pause()
      } else {
        await this.#waitForLock(retryDelaysMs[attempts] ?? maxRetryDelayMs)
        attempts += 1
      }
    }
    this.#draining = undefined
  }

  /** Gives the event loop, and other processes waiting for the lock, a turn. */
  async #pause(): Promise<void> {
    this.#pausesLeft = Math.max(0, this.#pausesLeft - 1)
    if (this.#pending.length > 0 && this.#pausesLeft > 0) await this.#options.clock.sleep(pauseMs)
    else await this.#gather()
  }

  async #waitForLock(ms: number): Promise<void> {
    this.#pausesLeft = maxPauses
    await this.#options.clock.sleep(ms)
    // Adds the time slept, because resetting the clock must neither shorten nor prolong the wait.
    for (const write of this.#pending) write.waitedMs += ms
    const isLate = ({ waitedMs }: PendingWrite) => waitedMs >= lockTimeoutMs
    const late = this.#pending.filter(isLate)
    this.#pending = this.#pending.filter((write) => !isLate(write))
    for (const { reject } of late) reject(new StoreLocked(this.#options.file))
  }

  /** Runs the next write as a transaction in slices; false if another process holds the lock. */
  async #runInSteps(startSteps: () => Steps<() => void>): Promise<boolean> {
    const { database, file } = this.#options
    try {
      database.exec('begin immediate')
    } catch (error) {
      if (isLocked(error)) return false
      this.#pending.shift()?.reject(toStoreError(error, file))
      return true
    }
    const write = this.#pending.shift()
    const { promise, resolve: end } = Promise.withResolvers<undefined>()
    this.#openWrite = promise.then(() => undefined)
    try {
      const resolve = await this.#runSlices(startSteps(), write?.signal)
      this.#options.checkFile()
      // The checkpoint runs in a separate turn.
      database.exec('pragma wal_autocheckpoint = 0; commit')
      resolve()
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      write?.reject(toStoreError(error, file))
    } finally {
      this.#openWrite = undefined
      end(undefined)
    }
    await yieldToEvents()
    this.#checkpoint()
    return true
  }

  /** Runs all steps, and yields to the event loop every few milliseconds. */
  async #runSlices<T>(steps: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
    const { clock } = this.#options
    const began = clock.monotonic()
    let sliceBegan = began
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      const now = clock.monotonic()
      if (now - sliceBegan < (now - began < maxShortSlicesMs ? sliceMs : longSliceMs)) continue
      this.#isBetweenSteps = true
      await yieldToEvents()
      this.#isBetweenSteps = false
      signal?.throwIfAborted()
      sliceBegan = clock.monotonic()
    }
  }

  #checkpoint(): void {
    const { database } = this.#options
    try {
      database.exec(`pragma wal_autocheckpoint = ${autoCheckpointPages}; pragma wal_checkpoint(passive)`)
    } catch {
      // Uncopied pages stay in the log until the next checkpoint, as after a commit.
    }
  }

  /** Runs pending writes as one transaction; false if another process holds the lock. */
  #runBatch(): boolean {
    const { database, synchronous } = this.#options
    // Set before the transaction, because SQLite cannot change it within one.
    const isRelaxed = synchronous === 'full' && !this.#pending.some(({ isDurable }) => isDurable)
    try {
      if (isRelaxed) database.exec('pragma synchronous = normal')
      database.exec('begin immediate')
      this.#runInTransaction(isRelaxed)
    } catch (error) {
      if (isLocked(error)) return false
      for (const { reject } of this.#pending.splice(0)) reject(toStoreError(error, this.#options.file))
    } finally {
      // After `close`, a deferred write is lost. It must not throw, because nothing would catch the error.
      if (isRelaxed && database.isOpen) database.exec('pragma synchronous = full')
    }
    return true
  }

  #runInTransaction(isRelaxed: boolean): void {
    const { database, file, clock, checkFile } = this.#options
    const done: { readonly write: PendingWrite; readonly resolve: () => void }[] = []
    const end = clock.monotonic() + maxBatchMs
    for (let write = this.#pending.shift(); write; write = this.#takeNext(write, end, isRelaxed)) {
      try {
        done.push({ write, resolve: this.#runInSavepoint(write) })
      } catch (error) {
        write.reject(toStoreError(error, file))
        // After some errors, such as a full disk, SQLite itself ends the transaction. Then the earlier writes run again.
        if (!database.isTransaction) {
          this.#repeat(done.map((entry) => entry.write))
          return
        }
      }
    }
    try {
      checkFile()
      database.exec('commit')
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      if (done.length > 1) this.#repeat(done.map((entry) => entry.write))
      else for (const { write } of done) write.reject(toStoreError(error, file))
      return
    }
    for (const { resolve } of done) resolve()
  }

  #takeNext(last: PendingWrite, end: number, isRelaxed: boolean): PendingWrite | undefined {
    const [next] = this.#pending
    if (last.needsOwnTransaction || next?.needsOwnTransaction === true || this.#options.clock.monotonic() >= end) return undefined
    // A write in this transaction has queued a durable write, which needs a transaction of its own.
    if (isRelaxed && next?.isDurable === true) return undefined
    return this.#pending.shift()
  }

  #runInSavepoint({ run }: PendingWrite): () => void {
    const { database } = this.#options
    database.exec('savepoint write')
    try {
      const resolve = run()
      database.exec('release write')
      return resolve
    } catch (error) {
      if (database.isTransaction) database.exec('rollback to write; release write')
      throw error
    }
  }

  #repeat(writes: readonly PendingWrite[]): void {
    for (const write of writes) write.needsOwnTransaction = true
    this.#pending.unshift(...writes)
  }
}

function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
