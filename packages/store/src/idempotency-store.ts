import { dirname, join } from 'node:path'
import { type IdempotencyStore, maxResultBytes } from '@mcp-toolkits/core/idempotency'
import { type AsyncStore, type AsyncStoreOptions, openAsyncStore } from './async-store.ts'
import { integer } from './columns.ts'
import { type MomentClock, presentMoment } from './moment.ts'
import { carryOver, hasForeignBoot, maxExpired, migrations, OperationRecords } from './operation-records.ts'
import { openProcessLock } from './process-lock.ts'
import type { Store } from './store.ts'

/** How often the log of the database is emptied at most, in milliseconds. */
const emptyLogMs = 60_000

export interface IdempotencyStoreOptions {
  /** Path of the database. The locks of the processes that use it are in a directory beside it. */
  readonly file: string
  readonly clock: AsyncStoreOptions['clock'] & MomentClock
  /** The boot of the machine, for tests. */
  readonly boot?: string
}

/**
 * Opens the records of operations in a SQLite file that the processes of one machine share. A store that closes leaves what it has not
 * completed to the next identical calls, as a process that dies. Throws `StoreError` for files that cannot be used, and so do its methods.
 */
export async function openIdempotencyStore({ file, clock, boot }: IdempotencyStoreOptions): Promise<IdempotencyStore> {
  const store = await openAsyncStore({ file, migrations, clock })
  try {
    const present = () => presentMoment(clock, boot)
    if (await store.read((tables) => hasForeignBoot(tables, present()))) await store.writeInSteps((tables) => carryOver(tables, present()))
    const lock = openProcessLock(join(dirname(file), 'locks'))
    const records = new OperationRecords(lock, present)
    const cleaner = new Cleaner(store, records, clock)
    return {
      async begin(request, mint) {
        // Looks before it mints, which may take a request to the vendor. What it finds may be gone at the write.
        let identity = (await store.read((tables) => records.earlier(tables, request))) ? undefined : await mint()
        for (;;) {
          const [outcome, expired] = await store.write(
            (tables) => [records.begin(tables, request, identity), records.expire(tables)] as const,
          )
          await cleaner.clean(expired)
          if (outcome) return outcome
          identity = await mint()
        }
      },
      find: (request) =>
        store.read((tables) => {
          const earlier = records.earlier(tables, request)
          return earlier?.kind === 'free' ? undefined : earlier
        }),
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
        if (result !== undefined && Buffer.byteLength(result) > maxResultBytes)
          throw new RangeError(`A result of more than ${maxResultBytes} bytes is not stored.`)
        await store.write(
          (tables) => {
            records.complete(tables, id, result ?? '')
          },
          { isDurable: result !== undefined },
        )
      },
      async abandon(id) {
        const abandon = (tables: Store) => {
          records.abandon(tables, id)
        }
        await store.write(abandon, { isDurable: false })
      },
      async close() {
        await store.close()
        lock.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Deletes what has expired for good. SQLite overwrites deleted rows, but its log has them until it is emptied. */
class Cleaner {
  readonly #store: AsyncStore
  readonly #records: OperationRecords
  readonly #clock: MomentClock
  #emptiedAt = -Infinity
  #isLogDirty = false

  constructor(store: AsyncStore, records: OperationRecords, clock: MomentClock) {
    this.#store = store
    this.#records = records
    this.#clock = clock
  }

  /** Finishes what a write has begun that deleted so many records. Problems are left to the next write: this one has succeeded. */
  async clean(expired: number): Promise<void> {
    this.#isLogDirty ||= expired > 0
    try {
      if (expired === maxExpired) await this.#expireRest()
      if (this.#isLogDirty && this.#clock.monotonic() - this.#emptiedAt >= emptyLogMs) await this.#emptyLog()
    } catch {
      // The record that was begun is on disk.
    }
  }

  async #expireRest(): Promise<void> {
    const records = this.#records
    await this.#store.writeInSteps(function* (tables) {
      while (records.expire(tables) === maxExpired) yield
    })
  }

  /** https://www.sqlite.org/pragma.html#pragma_wal_checkpoint */
  async #emptyLog(): Promise<void> {
    const [row] = await this.#store.read((tables) => tables.rows({ busy: integer }, 'pragma wal_checkpoint(truncate)'))
    if (row?.busy !== 0) return
    this.#isLogDirty = false
    this.#emptiedAt = this.#clock.monotonic()
  }
}
