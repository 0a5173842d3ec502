// The outbox of event-pipeline without a client, in SQLite or PostgreSQL, with a vendor that responds in the same turn and costs nothing.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openConnection } from '../../../apps/event-pipeline/src/connect.ts'
import { systemClock } from '../../../packages/core/src/base/clock.ts'
import { openSharedStore } from '../../../packages/team/src/postgres/index.ts'

export interface Engine {
  readonly name: string
  /** `postgres://…`; undefined for SQLite. */
  readonly url: string | undefined
}

/** Opens an unused outbox; `accepted` lists the times at which the vendor accepted events. */
export async function openOutbox({ url }: Engine) {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const clock = systemClock
  const schema = `bench_${randomUUID().replaceAll('-', '')}`
  const shared = url === undefined ? undefined : await openSharedStore({ url, schema, clock })
  const environment = { EVENT_PIPELINE_API_KEY: 'bench' }
  const accepted: number[] = []
  const fetch = () => {
    accepted.push(performance.now())
    return Promise.resolve(Response.json({}))
  }
  const settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment } as const
  const connection = await openConnection(settings, { fetch, clock, ...(shared && { shared }) })
  return {
    ...{ connection, shared, accepted, file: path.join(dataDirectory, 'event-pipeline', 'outbox.db') },
    async [Symbol.asyncDispose]() {
      await connection.close()
      await shared?.close()
      rmSync(dataDirectory, { recursive: true, force: true })
    },
  }
}
