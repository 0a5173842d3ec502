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
  /** Called with the new path of a damaged file that was moved out of the way. */
  readonly onSetAside: (path: string) => void
}

/**
 * Opens the outbox in a file. A damaged or emptied file is moved out of the way and a new one takes its place: its content can still be
 * recovered, and new events are not refused because of it.
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
    // Another server that started at the same time may have done so already, and use the new file.
    if (fileIdentity(file) === identity) {
      const moved = setAsideFile(file, clock.now())
      if (moved === undefined) throw error
      onSetAside(moved)
    }
    return openOutboxStore({ file, clock, onSetAside })
  }
}

/** Time for which a new file may be empty, until the process that creates it has written to it, in milliseconds. */
const creationMs = 500

/** SQLite would take an emptied file for a new database, and delete the log beside it. */
async function isEmptied(file: string, clock: Clock): Promise<boolean> {
  const isEmpty = () => statSync(file, { throwIfNoEntry: false })?.size === 0
  if (!isEmpty()) return false
  await clock.sleep(creationMs)
  return isEmpty()
}
