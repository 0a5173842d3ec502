import path from 'node:path'
import type { Clock } from '@mcp-toolkits/core/clock'
import {
  type AsyncStore,
  fileIdentity,
  openAsyncStore,
  openProcessLock,
  type ProcessLock,
  setAsideFile,
  StoreError,
} from '@mcp-toolkits/store'
import { migrations } from './outbox-rows.ts'
import { type OutboxStore, throwOutboxLocked } from './outbox-store.ts'
import { SqliteOutboxStore } from './sqlite-outbox-store.ts'
import { WorkerRegistration } from './workers.ts'

export interface OpenOutboxOptions {
  readonly file: string
  readonly clock: Clock
  /** A database that several workers of this process share; a separate one for this worker when absent. */
  readonly database?: SharedDatabase | undefined
  /** Called with the new path of a damaged file that was moved out of the way. */
  readonly onSetAside: (path: string) => void
}

/** One open database for all workers of a process: each open one takes memory and files of its process. */
export class SharedDatabase {
  #opening: Promise<AsyncStore> | undefined

  /** The same for all, as a store that its user can close. */
  async open({ file, clock }: Pick<OpenOutboxOptions, 'file' | 'clock'>): Promise<AsyncStore> {
    this.#opening ??= openAsyncStore({ file, migrations, clock }).catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return { ...(await this.#opening), close: () => Promise.resolve() }
  }

  /** Closes it for all; the next one who needs it opens it again. */
  async close(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    await (await opening?.catch(() => undefined))?.close()
  }
}

/**
 * Opens the outbox in a file. A damaged file is moved out of the way and a new one takes its place: what is in it can still be
 * recovered, and new events are not refused because of it.
 */
export async function openOutboxStore(options: OpenOutboxOptions): Promise<OutboxStore> {
  const { file, clock, onSetAside } = options
  const identity = fileIdentity(file)
  let store: AsyncStore | undefined
  let lock: ProcessLock | undefined
  try {
    store = await (options.database?.open({ file, clock }) ?? openAsyncStore({ file, migrations, clock }))
    lock = openProcessLock(path.join(path.dirname(file), 'locks'))
    const outbox = new SqliteOutboxStore(store, new WorkerRegistration(lock), clock)
    await outbox.purge()
    return outbox
  } catch (error) {
    await store?.close()
    lock?.close()
    if (!(error instanceof StoreError) || error.problem !== 'corrupt') return throwOutboxLocked(error)
    await options.database?.close()
    // Another server that started at the same time may have done so already, and use the new file.
    if (fileIdentity(file) === identity) {
      const moved = setAsideFile(file, clock.now())
      if (moved === undefined) throw error
      onSetAside(moved)
    }
    return openOutboxStore(options)
  }
}
