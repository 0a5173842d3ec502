import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '@mcp-toolkits/core'
import { guardedFetch } from '@mcp-toolkits/core/guarded-fetch'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { expect, test } from 'vitest'
import { driveClient } from '../src/drive/client.ts'
import { Patience } from '../src/transfer/patience.ts'
import { KeptUploads } from '../src/upload/kept-uploads.ts'
import { upload as uploadWith } from '../src/upload/upload.ts'
import { noise } from './contents.ts'
import { source } from './source.ts'
import { dataDirectory, upload, uploading } from './uploading.ts'

/** An upload with little patience; the limits of its single requests are longer than a test may take. */
async function impatient(sourceUrl: string, { fetch }: Pick<ReturnType<typeof driveEmulator>, 'fetch'>, host: string) {
  const signal = new AbortController().signal
  const drive = driveClient({ fetch: withToken(fetch), url: 'https://www.googleapis.com' })
  return uploadWith(
    { name: 'new.bin', parent: 'root', sourceUrl, mimeType: undefined },
    {
      drive,
      fetchSource: guardedFetch({ allowPrivate: [host] }),
      newId: () => Promise.resolve('1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),
      keptUploads: new KeptUploads({ directory: await dataDirectory(), owner: 'me', vendor: 'drive' }),
    },
    { isLookedUp: true, onBytes: () => undefined, onStored: () => undefined, patience: new Patience(signal, 200) },
  )
}

const withToken =
  (fetch: ReturnType<typeof driveEmulator>['fetch']): typeof fetch =>
  (input, init) => {
    const request = new Request(input, init)
    request.headers.set('authorization', 'Bearer t')
    return fetch(request, init)
  }

test(
  'a Drive that hangs is an error when the patience of the call ends, whatever a single request may take',
  { timeout: 7_000 },
  async () => {
    const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
    await using from = await source({ content: noise(1_000) })
    emulator.faults.add({ match: { path: '/upload/drive/v3/files' }, times: 99, action: { kind: 'hang' } })
    await expect(impatient(from.url, emulator, from.host)).rejects.toThrow('Google Drive sent nothing')
    await emulator.close()
  },
)

test.for([['silence'], [{ status: 302, headers: { location: '/on' } }, 'silence']] as const)(
  'a source that accepts and stays silent is an error then too, also behind a redirect',
  async (canned) => {
    const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
    await using from = await source({ canned: [...canned] })
    await expect(impatient(from.url, emulator, from.host)).rejects.toThrow('did not answer in time')
    expect(from.received.length).toBe(canned.length)
    await emulator.close()
  },
)

test('a source whose content is refused is let go of', async () => {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
  await using from = await source({ content: noise(20_000_000), headers: { 'content-type': 'application/vnd.google-apps.form' } })
  await expect(impatient(from.url, emulator, from.host)).rejects.toThrow('a type of Google')
  await expect.poll(() => from.connections()).toBe(0)
  await emulator.close()
})

test('an attempt ends with its own time or with the caller, and what it opened lives on', async () => {
  const giveUp = new AbortController()
  const patience = new Patience(giveUp.signal, 60_000)
  const late = () => new Unavailable('Late.')
  const opened = await patience.attempt((signal) => Promise.resolve(signal), late)
  expect(opened.aborted).toBe(false)
  const waiting = patience.attempt((signal) => delay(60_000, undefined, { signal }), late)
  giveUp.abort(new Error('Enough.'))
  await expect(waiting).rejects.toThrow()
  expect(opened.reason).toBe(giveUp.signal.reason)
})

const conflict = (reason: string, message: string) => ({ error: { code: 409, message, errors: [{ reason }] } })

test.for([
  ['conflict', 'A conflict.', 1, 'conflict'],
  ['fileIdInUse', 'A file already exists with the provided ID.', 2, 'unavailable'],
  ['conflict', 'A file already exists with the provided ID.', 2, 'unavailable'],
] as const)('a Drive that answers 409 %s (%s) for ever is asked %i times', async ([reason, message, requests, code]) => {
  await using server = await uploading({ content: noise(100) })
  const path = '/upload/drive/v3/files'
  const body = conflict(reason, message)
  server.emulator.faults.add({ match: { method: 'POST', path }, times: 99, action: { kind: 'status', status: 409, body } })
  expect(await server.fails(upload, { file_name: 'new', source_url: server.from.url })).toMatchObject({ code })
  expect(server.sent.filter((request) => request.includes(path)).length).toBe(requests)
})

test('a file that is not visible at once after a lost answer is looked for again', async () => {
  await using server = await uploading({ content: noise(1_000) })
  await server.call('FileStorage.CreateFolder', { folder_name: 'ids are there now' })
  server.emulator.faults.add({ match: { method: 'POST', path: '/upload/drive/v3/files' }, action: { kind: 'drop_after' } })
  const body = { error: { code: 404, message: 'File not found.', errors: [{ reason: 'notFound' }] } }
  server.emulator.faults.add({ match: { method: 'GET' }, times: 2, action: { kind: 'status', status: 404, body } })
  const made = await server.call(upload, { file_name: 'new', source_url: server.from.url })
  expect(made).not.toHaveProperty('notices')
  expect(server.emulator.store.named('new').length).toBe(1)
})
