import { expect, test } from 'vitest'
import { bytesIn, contentOf, pseudoRandomBytes, put, readInChunks } from './contents.ts'
import { patchByOtherProgram, storage, type Storage } from './storage.ts'

const download = 'FileStorage.DownloadFile'
const chunk = 'FileStorage.DownloadFileChunk'
const beginAgain = { code: 'conflict', next: { change: { start_byte: 0 } } }

/** Puts a different file in a file's place. */
async function replaced(server: Storage, { id, name, bytes }: { id: string; name: string; bytes: Buffer }): Promise<string> {
  await patchByOtherProgram(server, id, { trashed: true })
  return put(server, name, bytes)
}

async function removed({ emulator }: Storage, id: string): Promise<void> {
  const headers = { authorization: 'Bearer test-token' }
  const { ok } = await emulator.fetch(`http://localhost/drive/v3/files/${id}`, { method: 'DELETE', headers })
  expect(ok).toBe(true)
}

test('reads a first chunk from the file now at the path', async () => {
  await using server = await storage()
  const cases = [
    { name: 'empty.txt', before: pseudoRandomBytes(0), start: 0 },
    { name: 'middle.bin', before: pseudoRandomBytes(100), start: 50 },
    { name: 'first.bin', before: pseudoRandomBytes(100), start: 0 },
  ]
  for (const { name, before, start } of cases) {
    const id = await put(server, name, before)
    expect(await server.call(chunk, { file_path_or_id: name, start_byte: start })).toMatchObject({ file_id: id })
    const after = await replaced(server, { id, name, bytes: pseudoRandomBytes(60, 1) })
    const result = await server.result(chunk, { file_path_or_id: name, start_byte: 0 })
    expect(result.structuredContent, name).toMatchObject({ file_id: after, total_size: 60 })
    expect(bytesIn(result).equals(pseudoRandomBytes(60, 1)), name).toBe(true)
  }
})

test('reads the first chunk from the file that DownloadFile announced, once', async () => {
  await using server = await storage()
  const id = await put(server, 'large.bin', pseudoRandomBytes(6_000_000))
  await server.call(download, { file_path_or_id: 'large.bin' })
  const after = await replaced(server, { id, name: 'large.bin', bytes: pseudoRandomBytes(10) })
  const first = { file_path_or_id: 'large.bin', start_byte: 0, chunk_size: 10 }
  expect(await server.call(chunk, first)).toMatchObject({ file_id: id, total_size: 6_000_000 })
  expect(await server.call(chunk, first)).toMatchObject({ file_id: after, total_size: 10 })
})

test('notices that a file was deleted during a download, and does not mix it with another one at the same path', async () => {
  await using server = await storage()
  const next = { file_path_or_id: 'Work.bin', start_byte: 50 }
  const id = await put(server, 'Work.bin', pseudoRandomBytes(100))
  await server.call(chunk, { ...next, start_byte: 0, chunk_size: 50 })
  await removed(server, id)
  const gone = await server.fails(chunk, next)
  expect(gone).toMatchObject({ code: 'not_found' })
  expect(gone.message).toContain('Work.bin')
  const second = await put(server, 'Work.bin', pseudoRandomBytes(100, 1))
  await server.call(chunk, { ...next, start_byte: 0, chunk_size: 50 })
  await removed(server, second)
  const third = await put(server, 'Work.bin', pseudoRandomBytes(100, 2))
  expect(await server.fails(chunk, next)).toMatchObject(beginAgain)
  const { bytes, told } = await readInChunks(server, { file_path_or_id: 'Work.bin', chunk_size: 50 })
  expect([bytes.equals(pseudoRandomBytes(100, 2)), told.map(({ file_id: from }) => from)]).toEqual([true, [third, third]])
})

test('reads the file now at the path if the announced file is gone', async () => {
  await using server = await storage()
  const id = await put(server, 'large.bin', pseudoRandomBytes(6_000_000))
  await server.call(download, { file_path_or_id: 'large.bin' })
  await removed(server, id)
  const after = await put(server, 'large.bin', pseudoRandomBytes(10))
  expect(await server.call(chunk, { file_path_or_id: 'large.bin', start_byte: 0 })).toMatchObject({ file_id: after, total_size: 10 })
})

/** Sets the response to the next request for the bytes of a file that was already found by its path. */
function spoil(server: Storage, id: string, answer: { status: number; body: string; headers: Record<string, string> }, times = 1): void {
  server.emulator.faults.add({ match: { method: 'GET', path: `/drive/v3/files/${id}` }, times, action: { kind: 'status', ...answer } })
}

const digits = { name: 'digits.txt', bytes: Buffer.from('0123456789') }
const at = (range: string) => ({ 'content-range': `bytes ${range}` })

test('reads content again when it does not match the md5', async () => {
  await using server = await storage()
  const id = await put(server, digits.name, digits.bytes)
  spoil(server, id, { status: 206, body: '012345678X', headers: at('0-9/10') })
  expect(bytesIn(await server.result(download, { file_path_or_id: digits.name })).toString()).toBe('0123456789')
})

test('cuts a response with the whole content to the requested range', async () => {
  await using server = await storage()
  const id = await put(server, digits.name, digits.bytes)
  spoil(server, id, { status: 200, body: 'abcdefghij', headers: { 'content-length': '10' } })
  const result = await server.result(chunk, { file_path_or_id: digits.name, start_byte: 3, chunk_size: 4 })
  expect(result.structuredContent).toMatchObject({ start_byte: 3, end_byte: 6, total_size: 10, next_start_byte: 7 })
  expect(bytesIn(result).toString()).toBe('defg')
})

test('rejects a response with a range that was not requested', async () => {
  await using server = await storage()
  const id = await put(server, digits.name, digits.bytes)
  const range = { start_byte: 3, chunk_size: 4 }
  const wrong = [at('5-8/10'), at('3-9/10'), at('3-5/10'), at('3-6/*'), {}]
  for (const headers of wrong) {
    spoil(server, id, { status: 206, body: '5678', headers })
    expect(bytesIn(await server.result(chunk, { file_path_or_id: digits.name, ...range })).toString(), JSON.stringify(headers)).toBe('3456')
    expect(server.emulator.faults.pending()).toEqual([])
  }
  spoil(server, id, { status: 206, body: '5678', headers: at('5-8/10') }, 99)
  const error = await server.fails(chunk, { file_path_or_id: id, ...range })
  expect(error).toMatchObject({ code: 'unavailable', retryable: true })
  expect(error.message).toContain('did not send the requested part of the file')
})

test('discards bytes received before a broken connection when the content changes', async () => {
  await using server = await storage()
  const id = await put(server, digits.name, digits.bytes)
  spoil(server, id, { status: 206, body: 'abcde', headers: { ...at('0-9/10'), 'x-goog-hash': 'md5=AAAAAAAAAAAAAAAAAAAAAA==' } })
  const result = await server.result(chunk, { file_path_or_id: digits.name, start_byte: 0 })
  expect(bytesIn(result).equals(await contentOf(server, id))).toBe(true)
})

test('identifies content by its size and the hash or ETag that Drive sends', async () => {
  await using server = await storage()
  const id = await put(server, digits.name, digits.bytes)
  const told = async (headers: Record<string, string>) => {
    spoil(server, id, { status: 206, body: '0123456789', headers: { ...at('0-9/10'), ...headers } })
    return (await server.call(chunk, { file_path_or_id: digits.name, start_byte: 0 }))['content_id']
  }
  expect(await told({ 'x-goog-hash': 'crc32c=AAAAAQ==,md5=AAAAAAAAAAAAAAAAAAAAAQ==', etag: '"e"' })).toBe(`10-md5-${'0'.repeat(31)}1`)
  expect(await told({ 'x-goog-hash': 'crc32c=AAAAAQ==', etag: '"e"' })).toBe('10-crc32c-00000001')
  expect(await told({ etag: '"e-1"' })).toBe('10-e-1')
  expect(await told({})).toBe('10-unknown')
})

test('requests content uncompressed, and cancels it when it is not needed', async () => {
  const asked: Request[] = []
  const released = Promise.withResolvers<undefined>()
  await using server = await storage({
    seen: async (request) => {
      if (!request.headers.has('range')) return
      asked.push(request)
      if (request.headers.get('range') === 'bytes=0-5242879') await released.promise
    },
  })
  const folder = server.emulator.addItem({ name: 'folder', type: 'application/vnd.google-apps.folder' })
  await server.fails(download, { file_path_or_id: folder })
  await expect.poll(() => asked.map(({ signal }) => signal.aborted)).toEqual([true])
  released.resolve(undefined)
  const id = await put(server, digits.name, digits.bytes)
  await server.call(download, { file_path_or_id: id })
  await server.call(chunk, { file_path_or_id: id, start_byte: 2, chunk_size: 3 })
  expect(asked.map(({ headers }) => [headers.get('range'), headers.get('accept-encoding')])).toEqual([
    ['bytes=0-5242879', 'identity'],
    ['bytes=0-5242879', 'identity'],
    ['bytes=0-4', 'identity'],
  ])
})
