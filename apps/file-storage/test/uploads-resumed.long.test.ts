import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { fileStorage } from '../src/server.ts'
import { md5, pseudoRandomBytes } from './contents.ts'
import { source } from './source.ts'
import { patchByOtherProgram, textAt } from './storage.ts'
import { cancelUpload, dataDirectory, resumeStatesIn, upload, uploading, type UploadingStorage } from './uploading.ts'

const etag = '"v1"'
const size = 9_000_001
const hour = 60 * 60_000

const argsFor = ({ from }: Pick<UploadingStorage, 'from'>) => ({ file_name: 'new.bin', source_url: from.url })

/** Makes a call that fails because the responses to its last chunks are lost, although Drive stores the file. */
async function loseLastResponses(server: UploadingStorage): Promise<string> {
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'slow', milliseconds: 0 } })
  server.emulator.faults.add({ match: { method: 'PUT' }, times: 20, action: { kind: 'drop_after' } })
  expect(await server.fails(upload, argsFor(server))).toMatchObject({ code: 'unavailable', retryable: true })
  server.emulator.faults.clear()
  const [file, ...others] = server.emulator.store.named('new.bin')
  expect(others).toEqual([])
  server.sent.length = 0
  return file?.id ?? ''
}

test('does not continue an upload for a different call or a changed source', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: pseudoRandomBytes(size), etag }, { dataDirectory: directory })
  const args = argsFor(server)
  await cancelUpload(server, args)
  await server.call(upload, { ...args, file_name: 'other.bin' })
  expect(readdirSync(resumeStatesIn(directory)).length).toBe(1)
  server.from.served.content = pseudoRandomBytes(size + 1)
  server.from.served.etag = '"v2"'
  expect(await server.call(upload, args)).toMatchObject({ notices: [expect.stringContaining('This call finished it')] })
  expect(server.emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(server.from.served.content)])
  expect(readdirSync(resumeStatesIn(directory))).toEqual([])
})

test('creates one file without a strong ETag, but continues nothing', async () => {
  for (const tag of [undefined, 'W/"v1"']) {
    const directory = await dataDirectory()
    await using server = await uploading({ content: pseudoRandomBytes(size), etag: tag }, { dataDirectory: directory })
    const args = argsFor(server)
    await cancelUpload(server, args)
    const made = await server.call(upload, args)
    expect(made).toMatchObject({ notices: [expect.stringContaining('This call finished it')] })
    expect(server.emulator.store.named('new.bin').map(({ id }) => id)).toEqual([textAt(made, 'file.id')])
  }
})

test('starts again when the session has expired', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: pseudoRandomBytes(size), etag }, { dataDirectory: directory })
  const args = argsFor(server)
  await cancelUpload(server, args)
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'status', status: 410, body: '' } })
  const made = await server.call(upload, args)
  expect(made).toMatchObject({ md5_checksum: md5(server.from.served.content) })
  expect(server.emulator.store.named('new.bin').length).toBe(1)
})

test('leaves alone a file that an earlier call created and someone else has edited since', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: pseudoRandomBytes(size), etag }, { dataDirectory: directory })
  const id = await loseLastResponses(server)
  await server.emulator.fetch(`http://localhost/upload/drive/v3/files/${id}?uploadType=media`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer test-token', 'content-type': 'application/octet-stream' },
    body: 'edited work',
  })
  const made = await server.call(upload, argsFor(server))
  expect(made).toMatchObject({ file: { id, size: 11 }, notices: [expect.stringContaining('differs from what the URL returns now')] })
  expect(server.sent.filter((request) => request.startsWith('DELETE'))).toEqual([])
  expect(server.emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(Buffer.from('edited work'))])
})

test('recreates a file that was trashed since, and returns one that an earlier call created', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: pseudoRandomBytes(size), etag }, { dataDirectory: directory })
  const id = await loseLastResponses(server)
  await patchByOtherProgram(server, id, { trashed: true })
  const anew = await server.call(upload, argsFor(server))
  expect(textAt(anew, 'file.id')).not.toBe(id)
  expect(anew).toMatchObject({ notices: [expect.stringContaining('has been deleted since')] })
  await patchByOtherProgram(server, textAt(anew, 'file.id'), { name: 'former.bin' })
  await patchByOtherProgram(server, id, { name: 'former.bin' })
  const other = await loseLastResponses(server)
  expect(await server.call(upload, argsFor(server))).toMatchObject({
    file: { id: other },
    notices: [expect.stringContaining('had already created this file')],
  })
})

test('does not continue the upload of another person, even with environment tokens', async () => {
  const drives = {
    alice: driveEmulator({ seed: 'empty', accessToken: 'alice' }),
    bob: driveEmulator({ seed: 'empty', accessToken: 'bob' }),
  }
  const directory = await dataDirectory()
  await using from = await source({ content: pseudoRandomBytes(size), etag })
  const start = async (name: 'alice' | 'bob') => {
    const emulator = drives[name]
    const sent: string[] = []
    const fetch: typeof emulator.fetch = async (input, init) => {
      const request = new Request(input, init)
      sent.push(request.method)
      return request.url.includes('/about') ? Response.json({ user: { permissionId: name } }) : emulator.fetch(request, init)
    }
    const environment = { FILE_STORAGE_ACCESS_TOKEN: name, FILE_STORAGE_ALLOW_PRIVATE_URLS: from.host }
    return {
      emulator,
      sent,
      ...(await connect(fileStorage, { fetch, environment, dataDirectory: directory })),
    }
  }
  await using alice = await start('alice')
  await using bob = await start('bob')
  await cancelUpload(alice, argsFor({ from: { ...from } }))
  // Drive never issues an id twice, but the two emulators would.
  await bob.call('FileStorage.CreateFolder', { folder_name: 'Other' })
  expect(await bob.call(upload, argsFor({ from }))).not.toHaveProperty('notices')
  expect([drives.alice, drives.bob].map(({ store }) => store.named('new.bin').length)).toEqual([0, 1])
  await using again = await start('alice')
  expect(await again.call(upload, argsFor({ from }))).toMatchObject({ notices: [expect.stringContaining('was continued')] })
  for (const drive of Object.values(drives)) await drive.close()
})

test('reuses the id of a call that reused an earlier one', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: pseudoRandomBytes(size), etag }, { dataDirectory: directory })
  await cancelUpload(server, argsFor(server))
  await using next = await server.restarted()
  Object.assign(server.from.served, { content: pseudoRandomBytes(1_000), etag: '"v2"' })
  server.emulator.faults.add({ match: { path: '/upload/drive/v3/files' }, times: 9, action: { kind: 'drop_after' } })
  await next.fails(upload, argsFor(server))
  server.emulator.faults.clear()
  await next.call(upload, argsFor(server))
  expect(server.emulator.store.named('new.bin').length).toBe(1)
})

test('continues an upload for 24 hours, and reuses its id for different content for ten minutes', async () => {
  for (const [hours, isContinued] of [
    [23.9, true],
    [24.1, false],
  ] as const) {
    const directory = await dataDirectory()
    const clock = new ManualClock()
    await using server = await uploading({ content: pseudoRandomBytes(size), etag }, { dataDirectory: directory, clock })
    await cancelUpload(server, argsFor(server))
    await clock.advance(hours * hour)
    await using again = await server.restarted()
    expect('notices' in (await again.call(upload, argsFor(server)))).toBe(isContinued)
  }
  const directory = await dataDirectory()
  const clock = new ManualClock()
  await using server = await uploading({ content: pseudoRandomBytes(size), etag }, { dataDirectory: directory, clock })
  await loseLastResponses(server)
  await clock.advance(hour)
  Object.assign(server.from.served, { content: pseudoRandomBytes(1_000), etag: '"v2"' })
  await using again = await server.restarted()
  expect(await again.call(upload, argsFor(server))).toMatchObject({ md5_checksum: md5(pseudoRandomBytes(1_000)) })
  expect(server.emulator.store.named('new.bin').length).toBe(2)
})

test('keeps the resume state when the source fails, readable only by its owner', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: pseudoRandomBytes(size), etag }, { dataDirectory: directory })
  await cancelUpload(server, argsFor(server))
  server.from.served.status = 404
  await server.fails(upload, argsFor(server))
  const [kept = ''] = readdirSync(resumeStatesIn(directory))
  expect(statSync(path.join(resumeStatesIn(directory), kept)).mode & 0o777).toBe(0o600)
  expect(statSync(resumeStatesIn(directory)).mode & 0o777).toBe(0o700)
  Object.assign(server.from.served, { status: 200, etag: undefined, headers: { 'content-type': 'application/vnd.google-apps.form' } })
  await server.fails(upload, argsFor(server))
  Object.assign(server.from.served, { etag, headers: {} })
  expect(await server.call(upload, argsFor(server))).toMatchObject({ notices: [expect.stringContaining('was continued')] })
})

test('does not continue an upload after a permanent error', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: pseudoRandomBytes(size), etag }, { dataDirectory: directory })
  const body = { error: { code: 403, message: 'Full.', errors: [{ reason: 'storageQuotaExceeded' }] } }
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'status', status: 403, body } })
  expect(await server.fails(upload, argsFor(server))).toMatchObject({ code: 'conflict' })
  expect(readdirSync(resumeStatesIn(directory))).toEqual([])
  expect(await server.call(upload, argsFor(server))).toMatchObject({ notices: [expect.stringContaining('This call finished it')] })
  expect(server.emulator.store.named('new.bin').length).toBe(1)
})

test('stores nothing about a refused upload, and removes expired and unreadable states', async () => {
  const directory = await dataDirectory()
  // For an unreadable file, the modification time counts.
  const clock = new ManualClock({ start: Date.now() })
  await using server = await uploading({ content: pseudoRandomBytes(100) }, { dataDirectory: directory, clock })
  await server.fails(upload, { ...argsFor(server), destination_folder_path_or_id: '1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' })
  expect(existsSync(resumeStatesIn(directory))).toBe(false)
  mkdirSync(resumeStatesIn(directory), { recursive: true })
  chmodSync(resumeStatesIn(directory), 0o700)
  const write = (name: string, text: string, hours: number) => {
    const file = path.join(resumeStatesIn(directory), name)
    writeFileSync(file, text)
    utimesSync(file, new Date(), Date.now() / 1000 - hours * 3600)
  }
  const kept = { id: 'X', owner: 'someone', session: { address: 'https://x', mimeType: 'a/b', etag } }
  write('one.X.json', JSON.stringify({ ...kept, at: Date.now() - 25 * hour }), 0)
  write('two.X.json', JSON.stringify({ ...kept, at: Date.now() - 23 * hour }), 0)
  write('three.X.json.new', '{"id":', 25)
  write('four.X.json', '{"id":', 25)
  write('five.X.json.new', '{"id":', 23)
  await server.call(upload, argsFor(server))
  expect(readdirSync(resumeStatesIn(directory)).sort()).toEqual(['five.X.json.new', 'two.X.json'])
})

test('continues an upload begun by the first version, and sends only what is missing', async () => {
  const stored = readFileSync(path.join(import.meta.dirname, 'fixture', 'upload.json'), 'utf8')
  const [id, storedAddress] = [textAt(JSON.parse(stored), 'id'), textAt(JSON.parse(stored), 'session.address')]
  const [content, firstBytes] = [pseudoRandomBytes(size), 8 * 1024 * 1024]
  const directory = await dataDirectory()
  let sentBytes = 0
  await using server = await uploading(
    { content, etag },
    {
      dataDirectory: directory,
      clock: new ManualClock({ start: Date.parse('2026-11-22T15:45:00Z') }),
      async seen(request) {
        if (request.method === 'PUT') sentBytes += (await request.arrayBuffer()).byteLength
      },
    },
  )
  // The number of bytes of the file that Drive has.
  const address = new URL(storedAddress)
  const started = await server.emulator.fetch(new URL('?uploadType=resumable', address), {
    method: 'POST',
    headers: { authorization: 'Bearer test-token', 'content-type': 'application/json', 'x-upload-content-length': String(size) },
    body: JSON.stringify({ id, name: 'new.bin', parents: ['root'] }),
  })
  expect(new URL(started.headers.get('location') ?? '').searchParams.get('upload_id')).toBe(address.searchParams.get('upload_id'))
  const headers = { 'content-range': `bytes 0-${firstBytes - 1}/${size}` }
  const first = await server.emulator.fetch(address, { method: 'PUT', headers, body: content.subarray(0, firstBytes) })
  expect(first.status).toBe(308)

  // A state's name contains a digest of the call, and the source has a different port each time.
  const request = { name: 'new.bin', parent: 'root', sourceUrl: server.from.url }
  const call = createHash('sha256').update(JSON.stringify([address.origin, ['UploadFile', request]]))
  mkdirSync(resumeStatesIn(directory), { recursive: true, mode: 0o700 })
  writeFileSync(path.join(resumeStatesIn(directory), `${call.digest('hex')}.${id}.json`), stored, { mode: 0o600 })
  expect(await server.call(upload, argsFor(server))).toMatchObject({ file: { id }, notices: [expect.stringContaining('was continued')] })
  expect(sentBytes).toBe(size - firstBytes)
  expect(server.emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(content)])
  expect(readdirSync(resumeStatesIn(directory))).toEqual([])
})
