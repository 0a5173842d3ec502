import { dirname, join } from 'node:path'
import type { Clock, Timer } from '@mcp-toolkits/core/base'
import type { IdempotencyStore, OperationRequest } from '@mcp-toolkits/core/tool'
import {
  type AsyncStore,
  integer,
  openProcessLock,
  openReplaceableStore,
  presentMoment,
  type Store,
  StoreError,
} from '@mcp-toolkits/sqlite'
import { checkResultSize, withoutFree, type RecordEnd } from './keyed-records.ts'
import type { LocalStateOptions } from './local-state.ts'
import { carryOver, type Expiry, hasForeignBoot, migrations, OperationRecords } from './idempotency-records.ts'

/** Minimum interval at which the database's log is emptied, in milliseconds. */
const emptyLogMs = 60_000

/** Pause, in milliseconds, between two deletions, so that other processes can use the database. */
const pauseMs = 20

/** Interval at which expired records are deleted even if there are no operations, in milliseconds. */
const cleanIntervalMs = 10 * 60_000

/**
 * Opens the operation records in a SQLite file shared by one machine's processes. When a store closes, or its process dies, the next
 * identical calls take over its unfinished operations. This function and the store's methods throw `StoreError` for an unusable file. A
 * damaged database is moved aside, even if the damage is found later, and one caller gets an error, because repeats of earlier calls are no
 * longer recognized.
 */
export async function openIdempotencyStore({ file, clock, boot }: LocalStateOptions): Promise<IdempotencyStore> {
  const { store, reportLoss } = await openDatabase({ file, clock })
  try {
    const present = () => presentMoment(clock, boot)
    if (await store.read((tables) => hasForeignBoot(tables, present()))) await store.writeInSteps((tables) => carryOver(tables, present()))
    reportLoss()
    const lock = openProcessLock(join(dirname(file), 'locks'))
    const records = new OperationRecords(lock, present)
    const cleaner = new Cleaner(store, records, clock)
    /** Ends an operation. If its end cannot be written, the next `begin` writes it. */
    const end = async (id: string, how: RecordEnd, isDurable: boolean) => {
      if (!records.isOwn(id)) return
      const write = (tables: Store) => {
        records.end(tables, id, how)
      }
      await store.write(write, { isDurable }).catch((error: unknown) => {
        records.keepEnd(id, how)
        throw error
      })
      records.forgetEnds([[id, how]])
    }
    const take = async <Outcome>(takeIn: (tables: Store) => Outcome): Promise<Outcome> => {
      const { ends, outcome, expiry } = await store.write((tables) => {
        reportLoss()
        return { ends: records.writeEnds(tables), outcome: takeIn(tables), expiry: records.expire(tables) }
      })
      records.forgetEnds(ends)
      cleaner.clean(expiry)
      return outcome
    }
    const earlier = (request: OperationRequest) =>
      store.read((tables) => {
        reportLoss()
        return records.earlier(tables, request)
      })
    cleaner.start()
    return {
      async begin(request) {
        const found = await earlier(request)
        return found?.kind === 'free' ? take((tables) => records.begin(tables, request)) : found
      },
      claim: (request, identity) => take((tables) => records.claim(tables, request, identity)),
      find: async (request) => withoutFree(await earlier(request)),
      async renew(id, identity) {
        await store.write((tables) => {
          records.renew(tables, id, identity)
        })
      },
      async assignKey(id, key) {
        await store.write((tables) => {
          records.assignKey(tables, id, key)
        })
      },
      async touch(id) {
        const touch = (tables: Store) => {
          records.touch(tables, id)
        }
        await store.write(touch, { isDurable: false })
      },
      async complete(id, result) {
        checkResultSize(result)
        await end(id, { result }, result !== undefined)
      },
      async abandon(id) {
        if (!records.isOwn(id)) return
        // Done before the write, so that the next identical call can take over even if the write fails.
        records.keepEnd(id, 'abandoned')
        await end(id, 'abandoned', false)
      },
      async close() {
        await cleaner.stop()
        // A finished operation whose end is not written would be taken over and repeated.
        if (records.hasEnds) await store.write((tables) => records.writeEnds(tables)).catch(() => undefined)
        await store.close()
        lock.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The database, and a function that throws once after damage, because the work that finds the damage may have no caller to tell. */
async function openDatabase({ file, clock }: LocalStateOptions) {
  let loss: StoreError | undefined
  const onReplaced = (moved = 'set aside') => {
    const text = `${file} was damaged and is now ${moved}. The idempotency keys of the last day and the records of unanswered calls are lost with it.`
    loss = new StoreError('set_aside', file, text)
  }
  const store = await openReplaceableStore({ file, migrations, clock, onReplaced })
  const reportLoss = () => {
    const error = loss
    loss = undefined
    if (error) throw error
  }
  return { store, reportLoss }
}

/**
 * Deletes expired records for good, in the background: after each `begin`, and every ten minutes. SQLite overwrites deleted rows, but its
 * log keeps them until emptied. After a problem, the next round tries again.
 */
class Cleaner {
  readonly #store: AsyncStore
  readonly #records: OperationRecords
  readonly #clock: Clock
  #emptiedAt = -Infinity
  #isLogDirty = false
  #isStopped = false
  #cleaning: Promise<void> | undefined
  #timer: Timer | undefined

  constructor(store: AsyncStore, records: OperationRecords, clock: Clock) {
    this.#store = store
    this.#records = records
    this.#clock = clock
  }

  /** Starts the regular deletions; `stop` ends them. */
  start(): void {
    const timer = this.#clock.timer(cleanIntervalMs, () => {
      this.clean({ deleted: 0, hasMore: true })
      timer.restart()
    })
    timer.unref()
    this.#timer = timer
  }

  /** Deletes the expired records left by a `begin`. */
  clean({ deleted, hasMore }: Expiry): void {
    this.#isLogDirty ||= deleted > 0
    if (!hasMore && !this.#isLogDirty) return
    this.#cleaning ??= this.#clean(hasMore)
      .catch(() => undefined)
      .finally(() => (this.#cleaning = undefined))
  }

  /** Ends the deletions. Resolves when any running transaction has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#cleaning
  }

  async #clean(hasMore: boolean): Promise<void> {
    for (let goesOn = hasMore; goesOn && !this.#isStopped;) {
      await this.#clock.sleep(pauseMs)
      const expiry = await this.#store.write((tables) => this.#records.expire(tables), { isDurable: false })
      this.#isLogDirty ||= expiry.deleted > 0
      goesOn = expiry.hasMore
    }
    if (this.#isLogDirty && this.#clock.monotonic() - this.#emptiedAt >= emptyLogMs) await this.#emptyLog()
  }

  /** https://www.sqlite.org/pragma.html#pragma_wal_checkpoint */
  async #emptyLog(): Promise<void> {
    const [row] = await this.#store.read((tables) => tables.rows({ busy: integer }, 'pragma wal_checkpoint(truncate)'))
    if (row?.busy !== 0) return
    this.#isLogDirty = false
    this.#emptiedAt = this.#clock.monotonic()
  }
}
