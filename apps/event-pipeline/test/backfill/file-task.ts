import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connectTasks } from '@mcp-toolkits/testing'
import { onTestFinished } from 'vitest'
import { acceptingKeys, elapse, type Pipeline, until } from '../pipeline.ts'
import { backfillServer, longRows, send } from './rows.ts'

/** Enough rows for several requests. */
export const rows = 1_000
export const file = longRows(rows)

/** A server whose file has become a task before Customer.io answers its second request. */
export async function sending() {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'tasks-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
  let requests = 0
  const server: Pipeline = await backfillServer({
    dataDirectory,
    fetch: acceptingKeys(async (input, init) => {
      const response = await server.emulator.fetch(input, init)
      requests += 1
      if (requests > 1) await answered
      return response
    }),
  })
  const { emulator, clock } = server
  onTestFinished(() => server[Symbol.asyncDispose]())
  const client = await connectTasks(server.fetch)
  const beginning = client.begin(send, file)
  await elapse(
    clock,
    until(() => requests > 1),
  )
  const id = await elapse(clock, beginning)
  /** The next process on its data directory. */
  const next = async () => {
    const started = await backfillServer({ fetch: acceptingKeys(emulator.fetch), clock, dataDirectory })
    onTestFinished(() => started[Symbol.asyncDispose]())
    return { ...started, tasks: await connectTasks(started.fetch) }
  }
  const release = () => {
    answer(undefined)
  }
  return { ...server, client, task: client.task(id), id, next, release, dataDirectory }
}

export const delivered = { outcome: 'delivered', rows: { read: rows, accepted: rows, waiting: 0 } }
