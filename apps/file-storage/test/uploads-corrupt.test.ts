import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { fileStorage } from '../src/server.ts'
import { md5, pseudoRandomBytes } from './contents.ts'
import { source } from './source.ts'
import { upload, uploading } from './uploading.ts'

/** A Drive that receives damaged bytes while `isSpoiling` is true. */
async function spoilingDrive(size: number) {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
  const line = { isSpoiling: true }
  const sent: string[] = []
  const fetch: typeof emulator.fetch = async (input, init) => {
    const request = new Request(input, init)
    sent.push(request.method)
    const bytes = new Uint8Array(await request.clone().arrayBuffer())
    if (!line.isSpoiling || !request.url.includes('/upload/') || bytes.length < size) return emulator.fetch(request)
    bytes[bytes.length - size / 2] = (bytes.at(-size / 2) ?? 0) ^ 1
    return emulator.fetch(new Request(request.url, { method: request.method, headers: request.headers, body: bytes }))
  }
  const from = await source({ content: pseudoRandomBytes(size) })
  const environment = { FILE_STORAGE_ACCESS_TOKEN: 't', FILE_STORAGE_ALLOW_PRIVATE_URLS: from.host }
  const server = await connect(fileStorage, { fetch, environment })
  return {
    emulator,
    line,
    sent,
    server,
    args: { file_name: 'new.bin', source_url: from.url },
    md5: md5(from.served.content),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await from[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
}

const forbidden = { error: { code: 403, message: 'Not allowed.', errors: [{ reason: 'insufficientFilePermissions' }] } }

test.for([1_000, 6_000_000])('deletes %i bytes that arrive corrupted, and says so', async (size) => {
  await using drive = await spoilingDrive(size)
  drive.emulator.faults.add({ match: { method: 'DELETE' }, times: 2, action: { kind: 'status', status: 503, retry_after: 0 } })
  const error = await drive.server.fails(upload, drive.args)
  expect(error).toMatchObject({ code: 'unavailable', retryable: true })
  expect(error.message).toContain('did not match the MD5 of what was sent, so it was deleted')
  expect(drive.emulator.store.named('new.bin')).toEqual([])
  drive.line.isSpoiling = false
  expect(await drive.server.call(upload, drive.args)).toMatchObject({ md5_checksum: drive.md5 })
})

test('trashes a corrupt file that cannot be deleted, or names it; a repeat creates a new file', async () => {
  await using drive = await spoilingDrive(1_000)
  drive.emulator.faults.add({ match: { method: 'DELETE' }, times: 2, action: { kind: 'status', status: 403, body: forbidden } })
  const trashed = await drive.server.fails(upload, drive.args)
  expect(trashed.message).toContain('so it was put into the trash')
  expect(drive.emulator.store.named('new.bin').map((file) => file.trashed)).toEqual([1])
  drive.emulator.faults.add({ match: { method: 'PATCH' }, action: { kind: 'status', status: 403, body: forbidden } })
  const left = await drive.server.fails(upload, drive.args)
  const spoiled = drive.emulator.store.named('new.bin').find((file) => file.trashed === 0)
  expect(left).toMatchObject({ code: 'unavailable', retryable: false })
  expect(left.message).toContain('did not match the MD5')
  expect(left.message).toContain(spoiled?.id ?? 'no file')
  drive.line.isSpoiling = false
  const made = await drive.server.call(upload, drive.args)
  expect(made).toMatchObject({ md5_checksum: drive.md5 })
  expect(made).toMatchObject({ notices: [expect.stringContaining('This call finished it')] })
})

test('leaves a corrupt file alone and names it when the first response was lost', async () => {
  await using drive = await spoilingDrive(6_000_000)
  drive.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'drop_after' } })
  const error = await drive.server.fails(upload, drive.args)
  const [spoiled] = drive.emulator.store.named('new.bin')
  expect(error).toMatchObject({ code: 'unavailable', retryable: false })
  expect(error.message).toContain(spoiled?.id ?? 'no file')
  expect(drive.sent).not.toContain('DELETE')
})

test('deletes nothing when the response names another file, and a repeat creates no second file', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(10) })
  const id = server.emulator.addItem({ name: 'victim.txt', text: 'precious' })
  const victim = { id, name: 'victim.txt', mimeType: 'text/plain', size: '10', md5Checksum: 'f'.repeat(32) }
  const args = { file_name: 'new.bin', source_url: server.from.url }
  server.emulator.faults.add({
    match: { method: 'POST', path: '/upload/drive/v3/files' },
    action: { kind: 'status_after_commit', status: 200, body: victim },
  })
  expect(await server.fails(upload, args)).toMatchObject({ code: 'unavailable', retryable: true })
  expect(server.sent.filter((request) => request.startsWith('DELETE'))).toEqual([])
  expect(server.emulator.store.named('victim.txt').length).toBe(1)
  expect(await server.call(upload, args)).toMatchObject({ notices: [expect.stringContaining('had already created this file')] })
  expect(server.emulator.store.named('new.bin').length).toBe(1)
})

test('recognizes different content by its size when there is no md5', async () => {
  const size = 1_000
  await using server = await uploading({ content: pseudoRandomBytes(size) })
  const losing = { match: { path: '/upload/drive/v3/files' }, times: 9, action: { kind: 'drop_after' } } as const
  server.emulator.faults.add(losing)
  const args = { file_name: 'new.bin', source_url: server.from.url }
  await server.fails(upload, args)
  server.emulator.faults.clear()
  const [made] = server.emulator.store.named('new.bin')
  const smaller = { id: made?.id, name: 'new.bin', mimeType: 'application/octet-stream', size: '999' }
  server.emulator.faults.add({ match: { method: 'GET' }, action: { kind: 'status', status: 200, body: smaller } })
  expect(await server.call(upload, args)).toMatchObject({ notices: [expect.stringContaining('differs from what the URL returns now')] })
})
