import { dirname, join } from 'node:path'
import type { Clock, Timer } from '@mcp-toolkits/core/base'
import type { IdempotencyStore } from '@mcp-toolkits/core/tool'
import {
  type AsyncStore,
  fileIdentity,
  integer,
  openAsyncStore,
  openProcessLock,
  presentMoment,
  setAsideFile,
  type Store,
  StoreError,
} from '@mcp-toolkits/sqlite'
import { checkResultSize, withoutFree, type RecordEnd } from './operation-protocol.ts'
import { carryOver, type Expiry, hasForeignBoot, migrations, OperationRecords } from './operation-records.ts'

/** Shortest interval at which the log of the database is emptied, in milliseconds. */
const emptyLogMs = 60_000

/** Time for other processes to use the database between two deletions, in milliseconds. */
const pauseMs = 20

/** Interval at which expired records are deleted while there are no operations, in milliseconds. */
const cleanIntervalMs = 10 * 60_000

export interface IdempotencyStoreOptions {
  /** Path of the database. The locks of the processes that use it are in a directory beside it. */
  readonly file: string
  readonly clock: Clock
  /** The boot of the machine, for tests. */
  readonly boot?: string
}

/**
 * Opens the records of operations in a SQLite file that the processes of one machine share. A store that closes leaves its unfinished
 * operations to the next identical calls, like a process that dies. Throws `StoreError` for files that cannot be used, and so do its
 * methods. A damaged database is moved out of the way, which is an error too: a repeat of an earlier call is no longer recognized, and
 * callers must know before they make one. Opened again, the store is a new one.
 */
export async function openIdempotencyStore(options: IdempotencyStoreOptions): Promise<IdempotencyStore> {
  const { file, clock } = options
  const identity = fileIdentity(file)
  try {
    return await openRecords(options)
  } catch (error) {
    if (!(error instanceof StoreError) || error.problem !== 'corrupt') throw error
    // Another server that started at the same time may have moved it already.
    const moved = fileIdentity(file) === identity ? setAsideFile(file, clock.now()) : undefined
    if (moved === undefined) throw error
    const text = `${file} was damaged and is now ${moved}. With it the idempotency keys of the last day and the calls without an answer are lost.`
    throw new StoreError('set_aside', file, text)
  }
}

async function openRecords({ file, clock, boot }: IdempotencyStoreOptions): Promise<IdempotencyStore> {
  const store = await openAsyncStore({ file, migrations, clock })
  try {
    const present = () => presentMoment(clock, boot)
    if (await store.read((tables) => hasForeignBoot(tables, present()))) await store.writeInSteps((tables) => carryOver(tables, present()))
    const lock = openProcessLock(join(dirname(file), 'locks'))
    const records = new OperationRecords(lock, present)
    const cleaner = new Cleaner(store, records, clock)
    /** An end that cannot be written is kept for the next begin. */
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
      const { ends, outcome, expiry } = await store.write((tables) => ({
        ends: records.writeEnds(tables),
        outcome: takeIn(tables),
        expiry: records.expire(tables),
      }))
      records.forgetEnds(ends)
      cleaner.clean(expiry)
      return outcome
    }
    cleaner.start()
    return {
      async begin(request) {
        const found = await store.read((tables) => records.earlier(tables, request))
        return found?.kind === 'free' ? take((tables) => records.begin(tables, request)) : found
      },
      claim: (request, identity) => take((tables) => records.claim(tables, request, identity)),
      find: async (request) => withoutFree(await store.read((tables) => records.earlier(tables, request))),
      async renew(id, identity) {
        await store.write((tables) => {
          records.renew(tables, id, identity)
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
        // At once: the next identical call takes it over, whether or not this can be written.
        records.keepEnd(id, 'abandoned')
        await end(id, 'abandoned', false)
      },
      async close() {
        await cleaner.stop()
        // A record that is only left behind would be repeated.
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

/**
 * Deletes expired records for good, in the background: after each begin, and from time to time without one. SQLite overwrites deleted rows,
 * but its log has them until it is emptied. Problems are left to the next time.
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

  /** Deletes from time to time until it is stopped. */
  start(): void {
    const timer = this.#clock.timer(cleanIntervalMs, () => {
      this.clean({ deleted: 0, hasMore: true })
      timer.restart()
    })
    timer.unref()
    this.#timer = timer
  }

  /** Goes on with the records that a begin has left. */
  clean({ deleted, hasMore }: Expiry): void {
    this.#isLogDirty ||= deleted > 0
    if (!hasMore && !this.#isLogDirty) return
    this.#cleaning ??= this.#clean(hasMore)
      .catch(() => undefined)
      .finally(() => (this.#cleaning = undefined))
  }

  /** Resolves when the transaction that has begun is over. */
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
