import type { Clock } from '@mcp-toolkits/core/base'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import { damagedOutboxes, outboxFile } from './upstream.ts'
import type { OutboxStore } from './outbox/outbox-store.ts'
import { OutboxWatcher } from './outbox/outbox-watcher.ts'

/** A process's open outbox, shared by the workers for all keys. */
export interface OutboxHandle {
  readonly store: OutboxStore
  readonly watcher: OutboxWatcher
  /** The key that API keys are hashed with. */
  readonly hashKey: string
  readonly storedIn: 'database' | 'data directory'
  /** Paths of damaged outboxes that were moved out of the way: at this start, and in total. */
  readonly setAside: readonly string[]
  readonly damaged: readonly string[]
  readonly close: () => Promise<void>
}

export interface OutboxHandleOptions {
  readonly shared: ConnectOptions['shared'] | undefined
  readonly log: ConnectOptions['log'] | undefined
  readonly clock: Clock
  readonly telemetry: ConnectOptions['telemetry'] | undefined
}

/**
 * Opens the outbox that the replicas share, or else the data directory's. The outbox's contents are measured until it is closed, whether
 * or not a connection is open. Throws `StoreError` and `OutboxLocked`.
 */
export async function openOutbox(settings: Settings, { shared, log, clock, telemetry }: OutboxHandleOptions): Promise<OutboxHandle> {
  const setAside: string[] = []
  const onSetAside = (moved: string) => {
    setAside.push(moved)
    log?.error('outbox', { problem: 'damaged', moved_to: moved })
  }
  const store = shared
    ? await (await import('./team/outbox/open.ts')).openSharedOutbox(shared, clock)
    : await (await import('./outbox/open-outbox-store.ts')).openOutboxStore({ file: outboxFile(settings), clock, onSetAside })
  try {
    const hashKey = await store.hashKey()
    const unwatch = telemetry?.watchBacklog(() => store.backlog())
    return {
      store,
      watcher: new OutboxWatcher({ store, clock, onProblem: (problem) => log?.error('outbox', { ...problem }) }),
      hashKey,
      storedIn: shared ? 'database' : 'data directory',
      setAside,
      damaged: shared ? [] : damagedOutboxes(settings),
      async close() {
        unwatch?.()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
