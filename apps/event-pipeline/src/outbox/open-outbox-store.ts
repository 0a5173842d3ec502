import { statSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '@mcp-toolkits/core/base'
import {
  type AsyncStore,
  fileIdentity,
  openAsyncStore,
  openProcessLock,
  type ProcessLock,
  setAsideFile,
  StoreError,
} from '@mcp-toolkits/sqlite'
import { migrations } from './sqlite/migrations.ts'
import { type OutboxStore, throwOutboxLocked } from './outbox-store.ts'
import { SqliteOutboxStore } from './sqlite/store.ts'
import { WorkerRegistration } from './workers.ts'

export interface OpenOutboxOptions {
  readonly file: string
  readonly clock: Clock
  /** Called with a damaged file's new path after it was moved out of the way. */
  readonly onSetAside: (path: string) => void
}

/**
 * Opens the outbox in a file. A damaged or emptied file is moved aside and replaced, so its content can still be recovered and
 * new events are still accepted.
 */
export async function openOutboxStore({ file, clock, onSetAside }: OpenOutboxOptions): Promise<OutboxStore> {
  const identity = fileIdentity(file)
  let store: AsyncStore | undefined
  let lock: ProcessLock | undefined
  try {
    if (await isEmptied(file, clock)) throw new StoreError('corrupt', file, `${file} was emptied.`)
    store = await openAsyncStore({ file, migrations, clock })
    lock = openProcessLock(path.join(path.dirname(file), 'locks'))
    const outbox = new SqliteOutboxStore(store, new WorkerRegistration(lock), clock)
    await outbox.purge()
    return outbox
  } catch (error) {
    await store?.close()
    lock?.close()
    if (!(error instanceof StoreError) || error.problem !== 'corrupt') return throwOutboxLocked(error)
    // Another server that started at the same time may already have replaced the file, and be using the new one.
    if (fileIdentity(file) === identity) {
      const moved = setAsideFile(file, clock.now())
      if (moved === undefined) throw error
      onSetAside(moved)
    }
    return openOutboxStore({ file, clock, onSetAside })
  }
}

/** Time, in milliseconds, for which a new file may stay empty before its creator writes to it. */
const creationMs = 500

/** True for an emptied file: SQLite would mistake it for a new database and delete the log next to it. */
async function isEmptied(file: string, clock: Clock): Promise<boolean> {
  const isEmpty = () => statSync(file, { throwIfNoEntry: false })?.size === 0
  if (!isEmpty()) return false
  await clock.sleep(creationMs)
  return isEmpty()
}
