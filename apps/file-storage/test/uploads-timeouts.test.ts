import { ManualClock, manualCall, manualScope } from '@mcp-toolkits/core/testing'
import { Attempts, guardedFetch, withAuthorization } from '@mcp-toolkits/core/upstream'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { expect, test } from 'vitest'
import { driveClient, idGenerator, transferRetryPolicy } from '../src/drive/client.ts'
import { FileResumeStates } from '../src/upload/resume-state-files.ts'
import { Source } from '../src/upload/source.ts'
import { upload as uploadWith } from '../src/upload/upload-machine.ts'
import { ChunkWindow, sendContent, startSession } from '../src/upload/drive-session.ts'
import { pseudoRandomBytes } from './contents.ts'
import { source, type TestSource } from './source.ts'
import { dataDirectory, upload, uploading } from './uploading.ts'

interface BudgetedUpload {
  readonly from: TestSource
  readonly emulator: Pick<ReturnType<typeof driveEmulator>, 'fetch'>
  readonly clock: ManualClock
}

/** An upload whose call has less time left than the timeout of a single request. */
async function uploadInLittleTime({ from, emulator, clock }: BudgetedUpload) {
  const scope = manualScope({ clock, ms: 1_000 })
  const drive = driveClient({ fetch: withToken(emulator.fetch), url: 'https://www.googleapis.com', clock })
  return uploadWith(
    { name: 'new.bin', parent: 'root', sourceUrl: from.url, mimeType: undefined },
    {
      drive,
      fetchSource: guardedFetch({ allowPrivate: [from.host] }),
      maxUploadBytes: Infinity,
      newId: () => Promise.resolve('1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),
      resumeStates: new FileResumeStates({
        directory: await dataDirectory(),
        lock: () => Promise.resolve(lock),
        owner: 'me',
        vendor: 'drive',
        clock,
      }),
    },
    {
      isFolderKnown: true,
      onData: () => undefined,
      onStored: () => undefined,
      scope,
      operation: manualCall({ scope }).operation,
    },
  )
}

/** The lock of a process that runs alone. */
const lock = { id: '11111111-0000-4000-8000-000000000000', isAlive: () => false }

const withToken =
  (fetch: ReturnType<typeof driveEmulator>['fetch']): typeof fetch =>
  (input, init) => {
    const request = new Request(input, init)
    request.headers.set('authorization', 'Bearer t')
    return fetch(request, init)
  }

test('fails when Drive hangs for longer than the call may take', async () => {
  const clock = new ManualClock()
  const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
  const requests: string[] = []
  const hanging: typeof emulator.fetch = async (input, init) => {
    requests.push(new Request(input, init).method)
    return emulator.fetch(input, init)
  }
  await using from = await source({ content: pseudoRandomBytes(1_000) })
  emulator.faults.add({ match: { path: '/upload/drive/v3/files' }, times: 99, action: { kind: 'hang' } })
  const failed = expect(uploadInLittleTime({ from, emulator: { fetch: hanging }, clock })).rejects.toThrow(
    'There was no time left to ask Google Drive.',
  )
  await expect.poll(() => requests.length).toBe(1)
  await clock.advance(1_000)
  await failed
  expect(requests.length).toBe(1)
  await emulator.close()
})

test.for([['silence'], [{ status: 302, headers: { location: '/on' } }, 'silence']] as const)(
  'fails when a source stays silent for longer than the call may take, even behind a redirect',
  async (canned) => {
    const clock = new ManualClock()
    const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
    await using from = await source({ scripted: [...canned] })
    const failed = expect(uploadInLittleTime({ from, emulator, clock })).rejects.toThrow('did not answer in time')
    await expect.poll(() => from.received.length).toBe(canned.length)
    await clock.advance(1_000)
    await failed
    expect(from.received.length).toBe(canned.length)
    await emulator.close()
  },
)

test('closes the connection to a source whose content is refused', async () => {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
  await using from = await source({
    content: pseudoRandomBytes(20_000_000),
    headers: { 'content-type': 'application/vnd.google-apps.form' },
  })
  await expect(uploadInLittleTime({ from, emulator, clock: new ManualClock() })).rejects.toThrow('a Google document type')
  await expect.poll(() => from.connections()).toBe(0)
  await emulator.close()
})

test('keeps a source open after the timeout of its first response, and closes it when the caller gives up', async () => {
  const clock = new ManualClock()
  const cancellation = new AbortController()
  const scope = manualScope({ clock, signal: cancellation.signal })
  const held = Promise.withResolvers<undefined>()
  await using from = await source({ content: pseudoRandomBytes(300_000), hold: () => held.promise })
  const opened = await Source.open({
    fetch: guardedFetch({ allowPrivate: [from.host] }),
    url: from.url,
    maxBytes: Infinity,
    scope,
    attempts: new Attempts({}, scope),
    onData: () => undefined,
  })
  await clock.advance(120_000)
  expect((await opened.read())?.byteLength).toBeGreaterThan(0)
  const rest = expect(opened.drain()).rejects.toThrow('Enough.')
  cancellation.abort(new Error('Enough.'))
  await rest
  await opened.close()
  await expect.poll(() => from.connections()).toBe(0)
  held.resolve(undefined)
})

test('a slow source does not use up the attempts for Drive', async () => {
  const clock = new ManualClock()
  const scope = manualScope({ clock, ms: Infinity })
  const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
  const url = 'https://www.googleapis.com'
  const drive = driveClient({ fetch: withAuthorization(emulator.fetch, url, () => 'Bearer t'), url, clock })
  const id = await idGenerator(drive)(scope.signal)
  const file = { id, name: 'slow.bin', mimeType: 'text/plain', parent: 'root', length: undefined }
  const address = await startSession(drive, file, { isRetry: false, scope })
  emulator.faults.add({ match: { method: 'PUT' }, times: 2, action: { kind: 'status', status: 503 } })
  const pieces = [Buffer.from('a'), Buffer.from('b')]
  const slow = {
    length: undefined,
    async read() {
      await clock.advance(30_000)
      return pieces.shift()
    },
  }
  const attempts = new Attempts(transferRetryPolicy, scope)
  const session = { drive, address, attempts, scope, onStored: () => undefined }
  await sendContent(session, slow, new ChunkWindow())
  expect(emulator.store.named('slow.bin').length).toBe(1)
  await emulator.close()
})

test('a slow Drive does not use up the attempts for the source', async () => {
  const clock = new ManualClock()
  const scope = manualScope({ clock, ms: Infinity })
  await using from = await source({ content: pseudoRandomBytes(300_000), cuts: [100_000], etag: '"one"' })
  const opened = await Source.open({
    fetch: guardedFetch({ allowPrivate: [from.host] }),
    ...{ url: from.url, maxBytes: Infinity, scope, attempts: new Attempts(transferRetryPolicy, scope), onData: () => undefined },
  })
  await opened.read()
  await clock.advance(60_000)
  await opened.drain()
  expect([opened.bytesRead, from.received.length]).toEqual([300_000, 2])
  await opened.close()
})

test('ends a pending read when the source is closed, without another request', async () => {
  const clock = new ManualClock({ skipSleeps: true })
  const scope = manualScope({ clock, signal: new AbortController().signal })
  const held = Promise.withResolvers<undefined>()
  await using from = await source({ content: pseudoRandomBytes(300_000), hold: () => held.promise })
  const fetch = guardedFetch({ allowPrivate: [from.host] })
  const sent: string[] = []
  const opened = await Source.open({
    fetch: (url, options) => {
      sent.push(url)
      return fetch(url, options)
    },
    ...{ url: from.url, maxBytes: Infinity, scope, attempts: new Attempts({}, scope), onData: () => undefined },
  })
  await opened.read()
  const rest = expect(opened.drain()).rejects.toThrow('The source is closed.')
  await opened.close()
  await rest
  await expect.poll(() => from.connections()).toBe(0)
  expect(sent.length).toBe(1)
  held.resolve(undefined)
})

test('gives up on a Drive that stores nothing, however much of the source arrives meanwhile', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(20_000_000) })
  server.emulator.faults.add({ match: { method: 'PUT' }, times: 99, action: { kind: 'status', status: 503, retry_after: 0 } })
  expect(await server.fails(upload, { file_name: 'new', source_url: server.from.url })).toMatchObject({ code: 'unavailable' })
  expect(server.sent.filter((request) => request.startsWith('PUT')).length).toBe(transferRetryPolicy.maxAttempts)
})

const conflict = (reason: string, message: string) => ({ error: { code: 409, message, errors: [{ reason }] } })

test.for([
  ['conflict', 'A conflict.', 1, 'conflict'],
  ['fileIdInUse', 'A file already exists with the provided ID.', 2, 'unavailable'],
  ['conflict', 'A file already exists with the provided ID.', 2, 'unavailable'],
] as const)('ends after 409 %s (%s) in %i requests', async ([reason, message, requests, code]) => {
  await using server = await uploading({ content: pseudoRandomBytes(100) })
  const path = '/upload/drive/v3/files'
  const body = conflict(reason, message)
  server.emulator.faults.add({ match: { method: 'POST', path }, times: 99, action: { kind: 'status', status: 409, body } })
  expect(await server.fails(upload, { file_name: 'new', source_url: server.from.url })).toMatchObject({ code })
  expect(server.sent.filter((request) => request.includes(path)).length).toBe(requests)
})

test('looks again for a file that is not visible at once after a lost response', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(1_000) })
  await server.call('FileStorage.CreateFolder', { folder_name: 'ids are there now' })
  server.emulator.faults.add({ match: { method: 'POST', path: '/upload/drive/v3/files' }, action: { kind: 'drop_after' } })
  const body = { error: { code: 404, message: 'File not found.', errors: [{ reason: 'notFound' }] } }
  server.emulator.faults.add({ match: { method: 'GET' }, times: 2, action: { kind: 'status', status: 404, body } })
  const made = await server.call(upload, { file_name: 'new', source_url: server.from.url })
  expect(made).not.toHaveProperty('notices')
  expect(server.emulator.store.named('new').length).toBe(1)
})
