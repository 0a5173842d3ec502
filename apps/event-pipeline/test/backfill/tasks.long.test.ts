import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { elapse, until } from '../pipeline.ts'
import { delivered, file, rows, sending } from './file-task.ts'
import { acceptedBy, get, send } from './rows.ts'

test('the arguments of a task are stored once, apart from its progress, and deleted when it ends', async () => {
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
  await expect.poll(sizes).toMatchObject([
    { kind: 'size of a task', isLarge: 0 },
    { kind: 'task', isLarge: 0 },
  ])
})

test('the next process continues the file and its task without a client', async () => {
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

test('a cancelled task stops its file and says how far it got, and the same call continues it', async () => {
  const { id, task, client, release, clock, call, emulator } = await sending()
  await task.cancel()
  release()
  await expect.poll(async () => (await task.snapshot()).status).toBe('cancelled')
  expect((await task.snapshot()).statusMessage).toMatch(
    new RegExp(`^Cancelled after \\d+ s, at: \\d+ of 1000 rows accepted\\. What .* remains\\. .* key ${id} continues it\\.$`),
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

test('a repeat that continues a stopped file stops it again when its own task is cancelled', async () => {
  const { task, client, release, clock, call, emulator } = await sending()
  await task.cancel()
  release()
  await expect.poll(async () => (await task.snapshot()).status).toBe('cancelled')
  emulator.faults.add({ times: 100, action: { kind: 'slow', milliseconds: 400 } })
  const repeat = client.task(await elapse(clock, client.begin(send, file, 'another key')))
  await expect.poll(async () => (await call(get))['outcome']).toBe('queued')
  await repeat.cancel()
  await expect.poll(async () => (await repeat.snapshot()).status).toBe('cancelled')
  await expect.poll(async () => (await call(get))['outcome']).toBe('stopped')
  expect(acceptedBy({ emulator }).length).toBeLessThan(rows)
})
