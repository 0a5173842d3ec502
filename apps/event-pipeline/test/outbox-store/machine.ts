import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { migrate, openDatabase, openReplica, storeMigrations } from '@mcp-toolkits/team/postgres'
import { onTestFinished } from 'vitest'
import { openOutboxStore } from '../../src/outbox/open-outbox-store.ts'
import type { OutboxStore } from '../../src/outbox/outbox-store.ts'
import { openPostgresOutbox } from '../../src/team/outbox/open.ts'

/** One outbox, as seen by the processes that share it. */
export interface OutboxMachine {
  readonly clock: ManualClock
  readonly start: () => Promise<OutboxProcess>
}

export interface OutboxProcess {
  readonly store: OutboxStore
  /** Kills the process; its unfinished work stays behind. */
  readonly kill: () => Promise<void>
}

/** An outbox in a new SQLite file. */
export async function sqliteOutbox(): Promise<OutboxMachine> {
  const directory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const clock = new ManualClock()
  return {
    clock,
    start: () => startWith(() => openOutboxStore({ file: path.join(directory, 'outbox.db'), clock, onSetAside: () => undefined })),
  }
}

export interface PostgresOutboxMachine extends OutboxMachine {
  readonly schema: string
}

/** An outbox in a new schema of a PostgreSQL database that uses the test's clock. */
export function postgresOutbox(url: string): Promise<PostgresOutboxMachine> {
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  const clock = new ManualClock()
  const now = () => `(timestamptz '2026-01-01 00:00Z' + ${clock.monotonic()} * interval '1 ms')`
  const openShared = async (ending: (() => Promise<void>)[]) => {
    const database = openDatabase({ url, schema, maxConnections: 4, now })
    await migrate(database, storeMigrations)
    const replica = await openReplica(database)
    ending.push(replica.close, () => database.close())
    return { database, replica, clock }
  }
  return Promise.resolve({
    clock,
    schema,
    start: () => startWith(async (ending) => openPostgresOutbox(await openShared(ending))),
  })
}

async function startWith(open: (ending: (() => Promise<void>)[]) => Promise<OutboxStore>): Promise<OutboxProcess> {
  const ending: (() => Promise<void>)[] = []
  const store = await open(ending)
  let isKilled = false
  const kill = async () => {
    if (isKilled) return
    isKilled = true
    await store.close()
    for (const end of ending) await end()
  }
  onTestFinished(kill)
  return { store, kill }
}
