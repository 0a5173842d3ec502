import { ManualClock } from '@mcp-toolkits/core/testing'
import { connectTasks } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { ambiguousUpload, questionOf } from './ambiguous-upload.ts'
import { pseudoRandomBytes } from './contents.ts'
import { dataDirectory, upload, uploading } from './uploading.ts'

const size = 300_000

/** A server whose source holds back the last piece of a file. */
async function slowUploading(directory?: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  const { promise: asked, resolve: ask } = Promise.withResolvers<undefined>()
  const clock = new ManualClock()
  const served = {
    content: pseudoRandomBytes(size),
    etag: '"v1"',
    hold() {
      ask(undefined)
      return released
    },
  }
  const server = await uploading(served, { clock, ...(directory !== undefined && { dataDirectory: directory }) })
  return {
    ...server,
    clock,
    asked,
    release: () => {
      release(undefined)
    },
  }
}

type SlowServer = Awaited<ReturnType<typeof slowUploading>>

const argsOf = ({ from }: Pick<SlowServer, 'from'>, name = 'new.bin') => ({ file_name: name, source_url: from.url })

async function beginUpload(server: SlowServer, client: Awaited<ReturnType<typeof connectTasks>>, name?: string): Promise<string> {
  const beginning = client.begin('FileStorage_UploadFile', argsOf(server, name))
  await server.asked
  await server.clock.advance(2_000)
  return beginning
}

test('a call that ends soon returns its result directly', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(size) })
  await using client = await connectTasks(server.fetch)
  const execution = await client.session.callTool('FileStorage_UploadFile', argsOf(server))
  expect(execution.kind).toBe('immediate')
  expect(await execution.result()).toMatchObject({ status: 'completed', result: { structuredContent: { file: { name: 'new.bin' } } } })
})

test('a call that takes longer continues as a task, and takes effect once', async () => {
  await using server = await slowUploading()
  await using client = await connectTasks(server.fetch)
  const id = await beginUpload(server, client)
  const task = client.task(id)
  expect(await task.snapshot()).toMatchObject({ status: 'working', suggestedPollIntervalMs: 1_000, retentionMs: 24 * 60 * 60_000 })
  server.release()
  await expect.poll(async () => (await task.snapshot()).status).toBe('completed')
  expect(await task.result()).toMatchObject({ status: 'completed', result: { structuredContent: { file: { name: 'new.bin', size } } } })
  expect(server.emulator.store.named('new.bin')).toHaveLength(1)
})

test('a result is kept for a day; then the task is gone', async () => {
  await using server = await slowUploading()
  await using client = await connectTasks(server.fetch)
  const task = client.task(await beginUpload(server, client))
  server.release()
  await expect.poll(async () => (await task.snapshot()).status).toBe('completed')
  await server.clock.advance(23 * 60 * 60_000)
  expect((await task.snapshot()).status).toBe('completed')
  await server.clock.advance(2 * 60 * 60_000)
  await expect(task.snapshot()).rejects.toThrow('There is no such task, or it has expired.')
})

test('the next process continues a task without a client', async () => {
  const directory = await dataDirectory()
  await using server = await slowUploading(directory)
  await using client = await connectTasks(server.fetch)
  const id = await beginUpload(server, client)
  await server.close()
  server.release()
  await using next = await server.restarted({
    dataDirectory: directory,
    environment: { FILE_STORAGE_ALLOW_PRIVATE_URLS: server.from.host },
  })
  await next.resume()
  await expect.poll(() => server.emulator.store.named('new.bin').length).toBe(1)
  await using later = await connectTasks(next.fetch)
  await expect.poll(async () => (await later.task(id).snapshot()).status).toBe('completed')
  expect(server.emulator.store.named('new.bin')).toHaveLength(1)
})

test('a cancelled task stops its work and says what it has done', async () => {
  await using server = await slowUploading()
  await using client = await connectTasks(server.fetch)
  const task = client.task(await beginUpload(server, client))
  await task.cancel()
  await expect.poll(async () => (await task.snapshot()).status).toBe('cancelled')
  expect((await task.snapshot()).statusMessage).toMatch(/^Cancelled after \d+ s.* continues it\.$/)
  expect(server.emulator.store.named('new.bin')).toEqual([])
})

test('an identical call soon afterwards is a separate one, and a later one gets the task', async () => {
  await using server = await slowUploading()
  await using client = await connectTasks(server.fetch)
  const id = await beginUpload(server, client)
  const other = client.begin('FileStorage_UploadFile', argsOf(server))
  await expect.poll(() => server.from.received.length).toBe(2)
  await server.clock.advance(2_000)
  expect(await other).not.toBe(id)
  await server.clock.advance(5_000)
  expect([id, await other]).toContain(await client.begin('FileStorage_UploadFile', argsOf(server)))
})

test('a question to the person is asked once, and any process accepts the answer', async () => {
  const directory = await dataDirectory()
  await using server = await ambiguousUpload({ dataDirectory: directory })
  const { id, client, clock, folder } = server
  const { inputRequests, key } = await questionOf(client.task(id))
  await server.close()
  const allowed = { FILE_STORAGE_ALLOW_PRIVATE_URLS: server.from.host }
  await using next = await server.restarted({ dataDirectory: directory, environment: allowed, clock })
  await using later = await connectTasks(next.fetch)
  const task = later.task(id)
  expect((await task.snapshot()).raw['inputRequests']).toEqual(inputRequests)
  const answer = { action: 'accept' as const, content: { destination_folder_path_or_id: folder } }
  await task.update({ [key]: answer })
  await expect.poll(async () => (await task.snapshot()).status).toBe('completed')
  await task.update({ [key]: answer })
  expect(server.emulator.store.named('new.bin').map(({ parentId }) => parentId)).toEqual([folder])
})

test('an unanswered question ends the task with its suggestions', async () => {
  await using server = await ambiguousUpload()
  const task = server.client.task(server.id)
  await server.clock.advance(11 * 60_000)
  await expect.poll(async () => (await task.snapshot()).status).toBe('completed')
  expect(JSON.stringify(await task.result())).toContain('ambiguous')
  expect(server.emulator.store.named('new.bin')).toEqual([])
})

test('nobody else can find a task', async () => {
  await using server = await slowUploading()
  await using client = await connectTasks(server.fetch)
  await expect(client.task('00000000-0000-4000-8000-000000000000').snapshot()).rejects.toMatchObject({ code: -32602 })
})

test('a client without support for tasks gets the result instead of a task', async () => {
  await using server = await slowUploading()
  const answer = server.call(upload, argsOf(server))
  await server.asked
  await server.clock.advance(10_000)
  server.release()
  expect(await answer).toMatchObject({ file: { name: 'new.bin' } })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tasks/get',
    'mcp-name': 'x',
  }
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: 'x', _meta: meta } })
  const response = await server.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
  expect(await response.json()).toMatchObject({
    error: { code: -32021, data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } } },
  })
})
