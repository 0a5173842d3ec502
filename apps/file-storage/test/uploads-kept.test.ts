import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/manual-clock'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { fileStorage } from '../src/server.ts'
import { md5, noise } from './contents.ts'
import { source } from './source.ts'
import { patch, textAt } from './storage.ts'
import { cancelled, dataDirectory, keptIn, upload, uploading, type UploadingStorage } from './uploading.ts'

const etag = '"v1"'
const size = 9_000_001
const hour = 60 * 60_000

const argsFor = ({ from }: Pick<UploadingStorage, 'from'>) => ({ file_name: 'new.bin', source_url: from.url })

/** Makes a call whose upload Drive takes to its end while none of its last answers comes. */
async function lostAtTheEnd(server: UploadingStorage): Promise<string> {
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'slow', milliseconds: 0 } })
  server.emulator.faults.add({ match: { method: 'PUT' }, times: 20, action: { kind: 'drop_after' } })
  expect(await server.fails(upload, argsFor(server))).toMatchObject({ code: 'unavailable', retryable: true })
  server.emulator.faults.clear()
  const [file, ...others] = server.emulator.store.named('new.bin')
  expect(others).toEqual([])
  server.sent.length = 0
  return file?.id ?? ''
}

test('a file that was made by a kept upload and edited since is left as it is', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: noise(size), etag }, { dataDirectory: directory })
  const id = await lostAtTheEnd(server)
  await server.emulator.fetch(`http://localhost/upload/drive/v3/files/${id}?uploadType=media`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer test-token', 'content-type': 'application/octet-stream' },
    body: 'edited work',
  })
  const made = await server.call(upload, argsFor(server))
  expect(made).toMatchObject({ file: { id, size: 11 }, notices: [expect.stringContaining('is not what the URL has now')] })
  expect(server.sent.filter((request) => request.startsWith('DELETE'))).toEqual([])
  expect(server.emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(Buffer.from('edited work'))])
})

test('a file that was made by a kept upload and thrown away since is made anew, and one that lies there is the result', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: noise(size), etag }, { dataDirectory: directory })
  const id = await lostAtTheEnd(server)
  await patch(server, id, { trashed: true })
  const anew = await server.call(upload, argsFor(server))
  expect(textAt(anew, 'file.id')).not.toBe(id)
  expect(anew).not.toHaveProperty('notices')
  await patch(server, textAt(anew, 'file.id'), { name: 'former.bin' })
  await patch(server, id, { name: 'former.bin' })
  const other = await lostAtTheEnd(server)
  expect(await server.call(upload, argsFor(server))).toMatchObject({
    file: { id: other },
    notices: [expect.stringContaining('had made this file already')],
  })
})

test('one person’s upload is not continued in the name of another, also where both have fixed tokens', async () => {
  const drives = {
    alice: driveEmulator({ seed: 'empty', accessToken: 'alice' }),
    bob: driveEmulator({ seed: 'empty', accessToken: 'bob' }),
  }
  const directory = await dataDirectory()
  await using from = await source({ content: noise(size), etag })
  const start = async (name: 'alice' | 'bob') => {
    const emulator = drives[name]
    const sent: string[] = []
    const fetch: typeof emulator.fetch = async (input, init) => {
      const request = new Request(input, init)
      sent.push(request.method)
      return request.url.includes('/about') ? Response.json({ user: { permissionId: name } }) : emulator.fetch(request, init)
    }
    const environment = { FILE_STORAGE_ACCESS_TOKEN: name }
    return {
      emulator,
      sent,
      ...(await connect(fileStorage, { fetch, environment, dataDirectory: directory, allowPrivateUrls: [from.host] })),
    }
  }
  await using alice = await start('alice')
  await using bob = await start('bob')
  await cancelled(alice, argsFor({ from: { ...from } }))
  expect(await bob.call(upload, argsFor({ from }))).not.toHaveProperty('notices')
  expect([drives.alice, drives.bob].map(({ store }) => store.named('new.bin').length)).toEqual([0, 1])
  await using again = await start('alice')
  expect(await again.call(upload, argsFor({ from }))).toMatchObject({ notices: [expect.stringContaining('was continued')] })
  for (const drive of Object.values(drives)) await drive.close()
})

test('an id that a call went on with is the one that its repeat goes on with', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: noise(size), etag }, { dataDirectory: directory })
  await cancelled(server, argsFor(server))
  await using next = await server.restarted()
  Object.assign(server.from.served, { content: noise(1_000), etag: '"v2"' })
  server.emulator.faults.add({ match: { path: '/upload/drive/v3/files' }, times: 9, action: { kind: 'drop_after' } })
  await next.fails(upload, argsFor(server))
  server.emulator.faults.clear()
  await next.call(upload, argsFor(server))
  expect(server.emulator.store.named('new.bin').length).toBe(1)
})

test('a call of one request whose answers were lost is recognised by another process for ten minutes, and not later', async () => {
  for (const [minutes, files] of [
    [9, 1],
    [11, 2],
  ] as const) {
    const directory = await dataDirectory()
    const clock = new ManualClock()
    await using server = await uploading({ content: noise(1_000) }, { dataDirectory: directory, clock })
    server.emulator.faults.add({ match: { path: '/upload/drive/v3/files' }, times: 9, action: { kind: 'drop_after' } })
    await server.fails(upload, argsFor(server))
    server.emulator.faults.clear()
    await clock.advance(minutes * 60_000)
    await using again = await server.restarted()
    await again.call(upload, argsFor(server))
    expect(server.emulator.store.named('new.bin').length).toBe(files)
    // Whatever was kept is used up or over.
    expect(readdirSync(keptIn(directory))).toEqual([])
  }
})

test('an upload can be continued for 24 hours; another content has its id for ten minutes', async () => {
  for (const [hours, isContinued] of [
    [23.9, true],
    [24.1, false],
  ] as const) {
    const directory = await dataDirectory()
    const clock = new ManualClock()
    await using server = await uploading({ content: noise(size), etag }, { dataDirectory: directory, clock })
    await cancelled(server, argsFor(server))
    await clock.advance(hours * hour)
    await using again = await server.restarted()
    expect('notices' in (await again.call(upload, argsFor(server)))).toBe(isContinued)
  }
  const directory = await dataDirectory()
  const clock = new ManualClock()
  await using server = await uploading({ content: noise(size), etag }, { dataDirectory: directory, clock })
  await lostAtTheEnd(server)
  await clock.advance(hour)
  Object.assign(server.from.served, { content: noise(1_000), etag: '"v2"' })
  await using again = await server.restarted()
  expect(await again.call(upload, argsFor(server))).toMatchObject({ md5_checksum: md5(noise(1_000)) })
  expect(server.emulator.store.named('new.bin').length).toBe(2)
})

test('what is kept survives a source that fails, and is readable by its owner alone', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: noise(size), etag }, { dataDirectory: directory })
  await cancelled(server, argsFor(server))
  server.from.served.status = 404
  await server.fails(upload, argsFor(server))
  const [kept = ''] = readdirSync(keptIn(directory))
  expect(statSync(path.join(keptIn(directory), kept)).mode & 0o777).toBe(0o600)
  expect(statSync(keptIn(directory)).mode & 0o777).toBe(0o700)
  Object.assign(server.from.served, { status: 200, etag: undefined, headers: { 'content-type': 'application/vnd.google-apps.form' } })
  await server.fails(upload, argsFor(server))
  Object.assign(server.from.served, { etag, headers: {} })
  expect(await server.call(upload, argsFor(server))).toMatchObject({ notices: [expect.stringContaining('was continued')] })
})

test('after an error that does not pass the upload is not continued', async () => {
  const directory = await dataDirectory()
  await using server = await uploading({ content: noise(size), etag }, { dataDirectory: directory })
  const body = { error: { code: 403, message: 'Full.', errors: [{ reason: 'storageQuotaExceeded' }] } }
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'status', status: 403, body } })
  expect(await server.fails(upload, argsFor(server))).toMatchObject({ code: 'conflict' })
  const [kept = ''] = readdirSync(keptIn(directory))
  expect(readFileSync(path.join(keptIn(directory), kept), 'utf8')).not.toContain('upload_id')
  expect(await server.call(upload, argsFor(server))).not.toHaveProperty('notices')
  expect(server.emulator.store.named('new.bin').length).toBe(1)
})

test('nothing is kept of what was refused, and what is old or cannot be read is removed', async () => {
  const directory = await dataDirectory()
  // The age of a file that cannot be read is the one in the file system.
  const clock = new ManualClock({ start: Date.now() })
  await using server = await uploading({ content: noise(100) }, { dataDirectory: directory, clock })
  await server.fails(upload, { ...argsFor(server), destination_folder_path_or_id: '1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' })
  expect(existsSync(keptIn(directory))).toBe(false)
  mkdirSync(keptIn(directory), { recursive: true })
  chmodSync(keptIn(directory), 0o700)
  const write = (name: string, text: string, hours: number) => {
    const file = path.join(keptIn(directory), name)
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
  expect(readdirSync(keptIn(directory)).sort()).toEqual(['five.X.json.new', 'two.X.json'])
})
