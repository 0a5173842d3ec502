import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connectTasks } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { acceptingKeys, elapse, type Pipeline, until } from '../pipeline.ts'
import { acceptedBy, backfillServer, csvOf, get, mapping, send } from './rows.ts'

/** Enough for three requests. */
const rows = 6_000
const file = { text: csvOf(rows), call: 'track', mapping }
const pollOptions = { timeout: 20_000 }

/** A server whose file has become a task before Customer.io answers its second request. */
async function sending() {
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

const delivered = { outcome: 'delivered', rows: { read: rows, accepted: rows, waiting: 0 } }

test('a file that takes longer is a task, whose result is that of its last row', async () => {
  const { task, release, clock, ...server } = await sending()
  const { status, statusMessage } = await task.snapshot()
  expect([status, statusMessage]).toEqual(['working', expect.stringMatching(/^\d+ of 6000 rows accepted$/)])
  release()
  await elapse(
    clock,
    until(async () => (await task.snapshot()).status === 'completed'),
  )
  expect(await task.result()).toMatchObject({ result: { structuredContent: delivered } })
  expect(acceptedBy(server)).toHaveLength(rows)
})

test('the arguments of a task are stored once, apart from its progress, and deleted with its end', async () => {
  const { task, release, clock, dataDirectory } = await sending()
  using database = new DatabaseSync(path.join(dataDirectory, 'event-pipeline', 'tasks.db'), { readOnly: true })
  const sizes = () => database.prepare('select kind, length(value) > 10000 as isLarge from expiring_records order by kind').all()
  expect(sizes()).toMatchObject([
    { kind: 'task', isLarge: 0 },
    { kind: 'work of a task', isLarge: 1 },
  ])
  release()
  await elapse(
    clock,
    until(async () => (await task.snapshot()).status === 'completed'),
  )
  await expect.poll(sizes, pollOptions).toMatchObject([
    { kind: 'size of a task', isLarge: 0 },
    { kind: 'task', isLarge: 0 },
  ])
})

test('the next process goes on with the file and its task, without a client', async () => {
  const { id, next, release, close, emulator, clock } = await sending()
  const closing = close()
  release()
  await closing
  const { resume, tasks } = await next()
  await resume()
  await elapse(
    clock,
    until(() => emulator.store.events().length >= rows),
  )
  const task = tasks.task(id)
  await elapse(
    clock,
    until(async () => (await task.snapshot()).status === 'completed'),
  )
  expect(await task.result()).toMatchObject({ result: { structuredContent: delivered } })
  expect(new Set(acceptedBy({ emulator })).size).toBe(rows)
  expect(acceptedBy({ emulator })).toHaveLength(rows)
})

test('a task that is cancelled stops its file and says how far it is, and the same call goes on with it', async () => {
  const { id, task, client, release, clock, call, emulator } = await sending()
  await task.cancel()
  release()
  await expect.poll(async () => (await task.snapshot()).status, pollOptions).toBe('cancelled')
  expect((await task.snapshot()).statusMessage).toMatch(
    new RegExp(`^Cancelled after \\d+ s, at: \\d+ of 6000 rows accepted\\. What .* stays\\. .* key ${id} continues it\\.$`),
  )
  await elapse(clock, clock.sleep(60_000), 5_000)
  expect(await call(get)).toMatchObject({ outcome: 'stopped' })
  expect(acceptedBy({ emulator }).length).toBeLessThan(rows)
  const execution = await elapse(clock, client.session.callTool(send, file, { metadata: { 'mcp-toolkits/idempotency-key': id } }))
  expect(await elapse(clock, execution.result())).toMatchObject({ result: { structuredContent: delivered } })
  expect(acceptedBy({ emulator })).toHaveLength(rows)
})

test('a task of a process that has ended is cancelled with its file', async () => {
  const { id, next, release, close, emulator, clock } = await sending()
  const closing = close()
  release()
  await closing
  const { tasks, call } = await next()
  emulator.faults.add({ times: 100, action: { kind: 'slow', milliseconds: 200 } })
  await tasks.task(id).cancel()
  await elapse(
    clock,
    until(async () => (await tasks.task(id).snapshot()).status === 'cancelled'),
  )
  expect(await call(get)).toMatchObject({ outcome: 'stopped' })
  const sent = emulator.store.events().length
  await elapse(clock, clock.sleep(60_000), 5_000)
  expect(emulator.store.events()).toHaveLength(sent)
  expect(sent).toBeLessThan(rows)
})

test('a repeat that goes on with a stopped file stops it again when its own task is cancelled', async () => {
  const { task, client, release, clock, call, emulator } = await sending()
  await task.cancel()
  release()
  await expect.poll(async () => (await task.snapshot()).status, pollOptions).toBe('cancelled')
  emulator.faults.add({ times: 100, action: { kind: 'slow', milliseconds: 400 } })
  const repeat = client.task(await elapse(clock, client.begin(send, file, 'another key')))
  await expect.poll(async () => (await call(get))['outcome'], pollOptions).toBe('queued')
  await repeat.cancel()
  await expect.poll(async () => (await repeat.snapshot()).status, pollOptions).toBe('cancelled')
  expect(await call(get)).toMatchObject({ outcome: 'stopped' })
  expect(acceptedBy({ emulator }).length).toBeLessThan(rows)
})
