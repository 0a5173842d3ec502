import { isFull } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { bytesIn, md5, pseudoRandomBytes, put, readInChunks } from './contents.ts'
import { folderType, addPath, storage, textAt } from './storage.ts'

const download = 'FileStorage.DownloadFile'
const chunk = 'FileStorage.DownloadFileChunk'
const threshold = 5_242_880

test.for(isFull ? [0, 1, 1_000, threshold - 1] : [0, 1, 1_000])('returns a file of %i bytes whole, once, as user content', async (size) => {
  await using server = await storage()
  const bytes = pseudoRandomBytes(size)
  const id = await put(server, 'a b.bin', bytes)
  const result = await server.result(download, { file_path_or_id: id })
  expect(bytesIn(result).equals(bytes)).toBe(true)
  const [text, resource, ...others] = result.content
  expect(others).toEqual([])
  expect(text?.type === 'text' && JSON.parse(text.text)).toEqual(result.structuredContent)
  expect(resource).toMatchObject({
    type: 'resource',
    annotations: { audience: ['user'] },
    resource: { uri: `google-drive:///${id}/a%20b.bin`, mimeType: 'application/octet-stream' },
  })
  expect(result.structuredContent).toMatchObject({
    file: { id, name: 'a b.bin', size },
    total_size: size,
    md5_checksum: md5(bytes),
    requires_chunked_download: false,
  })
})

test('returns no content for a file of 5 MiB and asks for chunks', async () => {
  await using server = await storage()
  const id = await put(server, 'large.bin', pseudoRandomBytes(threshold))
  for (const reference of [id, 'large.bin']) {
    const { content, structuredContent } = await server.result(download, { file_path_or_id: reference })
    expect(content.map(({ type }) => type)).toEqual(['text'])
    expect(structuredContent).toMatchObject({
      total_size: threshold,
      requires_chunked_download: true,
      chunk_size: threshold,
      total_chunks: 1,
    })
  }
})

test('takes one round trip by id, and one search and one request by path', async () => {
  await using server = await storage()
  const id = await put(server, 'small.bin', pseudoRandomBytes(10))
  const item = `GET /drive/v3/files/${id}`
  expect(await server.requestsOf(download, { file_path_or_id: id })).toEqual([item, item])
  expect(server.overlapping).toContain(item)
  await server.call('FileStorage.SearchFiles', { query: 'x', folder_path_or_id: 'root' })
  addPath(server, 'Work/May.pdf')
  await server.call(download, { file_path_or_id: 'Work/May.pdf' })
  expect(await server.requestsOf(download, { file_path_or_id: 'small.bin' })).toEqual(['GET /drive/v3/files', item])
})

test('reads a chunk by id with one request, and resolves a path once per download', async () => {
  await using server = await storage()
  const id = await put(server, 'large.bin', pseudoRandomBytes(threshold))
  const item = `GET /drive/v3/files/${id}`
  expect(await server.requestsOf(chunk, { file_path_or_id: id, start_byte: 7, chunk_size: 10 })).toEqual([item])
  await server.call(chunk, { file_path_or_id: 'large.bin', start_byte: 0, chunk_size: 10 })
  expect(await server.requestsOf(chunk, { file_path_or_id: 'large.bin', start_byte: 10, chunk_size: 10 })).toEqual([item])
  expect(await server.requestsOf(chunk, { file_path_or_id: 'large.bin', start_byte: 0, chunk_size: 10 })).toEqual([
    'GET /drive/v3/files',
    item,
  ])
  await server.call(download, { file_path_or_id: '/large.bin' })
  expect(await server.requestsOf(chunk, { file_path_or_id: '/large.bin', start_byte: 0, chunk_size: 10 })).toEqual([item])
})

test.for(isFull ? [threshold, threshold + 1, 3 * threshold - 1] : [threshold + 1])('reads a file of %i bytes in chunks', async (size) => {
  await using server = await storage()
  const bytes = pseudoRandomBytes(size)
  const id = await put(server, 'large.bin', bytes)
  const read = await readInChunks(server, { file_path_or_id: id })
  expect(read.bytes.equals(bytes)).toBe(true)
  expect(new Set(read.told.map(({ content_id: identity }) => identity)).size).toBe(1)
  const last = read.told.at(-1)
  expect(last).toMatchObject({ is_final_chunk: true, next_start_byte: null, progress_percent: 100, end_byte: size - 1, total_size: size })
  expect(read.told.slice(0, -1).every(({ is_final_chunk: final, progress_percent: percent }) => final === false && percent !== 100)).toBe(
    true,
  )
})

test('counts the bytes of a chunk from 0 and includes the last one', async () => {
  await using server = await storage()
  const id = await put(server, 'ten.bin', pseudoRandomBytes(10))
  const at = (start: number, size: number) => server.call(chunk, { file_path_or_id: id, start_byte: start, chunk_size: size })
  expect(await at(0, 4)).toMatchObject({
    start_byte: 0,
    end_byte: 3,
    total_size: 10,
    is_final_chunk: false,
    next_start_byte: 4,
    progress_percent: 40,
  })
  expect(await at(4, 6)).toMatchObject({ end_byte: 9, is_final_chunk: true, next_start_byte: null, progress_percent: 100 })
  expect(await at(4, 100)).toMatchObject({ end_byte: 9, is_final_chunk: true })
  expect(await at(10, 5)).toMatchObject({ end_byte: null, is_final_chunk: true, next_start_byte: null, progress_percent: 100 })
  const empty = await put(server, 'empty.bin', pseudoRandomBytes(0))
  expect(await server.call(chunk, { file_path_or_id: empty, start_byte: 0 })).toMatchObject({
    end_byte: null,
    total_size: 0,
    is_final_chunk: true,
  })
})

test('notices a file that changes between chunks', async () => {
  await using server = await storage()
  const id = await put(server, 'log.bin', pseudoRandomBytes(1_000))
  const args = { file_path_or_id: 'log.bin', chunk_size: 500 }
  const first = await server.call(chunk, { ...args, start_byte: 0 })
  const changed = await server.emulator.fetch(`http://localhost/upload/drive/v3/files/${id}?uploadType=media`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer test-token', 'content-type': 'application/octet-stream' },
    body: pseudoRandomBytes(1_001).subarray(0, 1_000),
  })
  expect(changed.ok).toBe(true)
  expect(await server.fails(chunk, { ...args, start_byte: 500 })).toMatchObject({ code: 'conflict', next: { change: { start_byte: 0 } } })
  const anew = await server.call(chunk, { ...args, start_byte: 0 })
  expect(anew['content_id']).not.toBe(first['content_id'])
  expect(await server.call(chunk, { ...args, start_byte: 500 })).toMatchObject({ content_id: anew['content_id'] })
})

test('follows a shortcut one hop, by id and by path, whole and in chunks', async () => {
  await using server = await storage()
  const bytes = pseudoRandomBytes(100)
  const id = await put(server, 'real.bin', bytes)
  const shortcut = server.emulator.addItem({ name: 'short', target: id })
  for (const reference of [shortcut, 'short']) {
    const whole = await server.result(download, { file_path_or_id: reference })
    expect(bytesIn(whole).equals(bytes), reference).toBe(true)
    expect(textAt(whole.structuredContent, 'file.id')).toBe(id)
    expect((await readInChunks(server, { file_path_or_id: reference, chunk_size: 30 })).bytes.equals(bytes), reference).toBe(true)
  }
})

test.for([
  ['a folder', { type: folderType }, 'is a folder, and only files can be downloaded. FileStorage_GetFileTreeStructure lists'],
  [
    'a Google document',
    { type: 'application/vnd.google-apps.document' },
    'is a Google document, which has no bytes to download. A person can open it at https',
  ],
  ['another type of Google', { type: 'application/vnd.google-apps.site' }, 'is a Google sites, which has no bytes'],
] as const)('refuses %s and says what to do instead', async ([, item, told]) => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'thing', ...item })
  const shortcut = server.emulator.addItem({ name: 'short', target: id })
  for (const tool of [download, chunk]) {
    for (const reference of [id, 'thing', shortcut, 'short']) {
      const error = await server.fails(tool, { file_path_or_id: reference, ...(tool === chunk && { start_byte: 0 }) })
      expect(error, `${tool} ${reference}`).toMatchObject({ code: 'invalid_input', retryable: false })
      expect(error.message).toContain(told)
    }
  }
})

test('says how to export a Google document when the tools for that are off', async () => {
  await using server = await storage()
  const message = async (type: string) => {
    const id = server.emulator.addItem({ name: type, type: `application/vnd.google-apps.${type}` })
    return (await server.fails(download, { file_path_or_id: id })).message
  }
  expect(await message('document')).toMatch(/\(File > Download\)\. With --toolsets content, this server can also read and export it\.$/)
  expect(await message('site')).toMatch(/\(File > Download\)\.$/)
})

test('reports what Drive withholds', async () => {
  await using server = await storage()
  const abusive = server.emulator.addItem({ name: 'bad.exe', text: 'MZ', abusive: true })
  const guarded = server.emulator.addItem({
    name: 'secret.txt',
    text: 'x',
    parent: null,
    owner: 'ada.okafor@lodestar.example',
    grants: [['robin.vance@lodestar.example', 'reader']],
    protected: true,
  })
  for (const tool of [download, chunk]) {
    const more = tool === chunk ? { start_byte: 0 } : {}
    const first = await server.fails(tool, { file_path_or_id: abusive, ...more })
    expect(first).toMatchObject({ code: 'forbidden' })
    expect(first.message).toContain('malware')
    expect((await server.fails(tool, { file_path_or_id: guarded, ...more })).message).toContain('does not let readers download')
    const quota = { error: { code: 403, message: 'Used up', errors: [{ reason: 'downloadQuotaExceeded' }] } }
    const plain = await put(server, 'plain.bin', pseudoRandomBytes(10))
    server.emulator.faults.add({ times: 2, action: { kind: 'status', status: 403, body: quota } })
    expect(await server.fails(tool, { file_path_or_id: plain, ...more })).toMatchObject({ code: 'rate_limited', retryable: false })
    server.emulator.faults.clear()
    expect(await server.fails(tool, { file_path_or_id: `${plain.slice(0, -3)}AAA`, ...more })).toMatchObject({ code: 'not_found' })
  }
})

test('offers chunks only of files that Drive lets it download', async () => {
  await using server = await storage()
  const text = 'M'.repeat(threshold + 1)
  const abusive = server.emulator.addItem({ name: 'bad.exe', text, abusive: true })
  const guarded = server.emulator.addItem({
    name: 'secret.bin',
    text,
    parent: null,
    owner: 'ada.okafor@lodestar.example',
    grants: [['robin.vance@lodestar.example', 'reader']],
    protected: true,
  })
  for (const [reference, told] of [
    [abusive, 'malware'],
    ['bad.exe', 'malware'],
    [guarded, 'does not let readers download'],
  ] as const) {
    const error = await server.fails(download, { file_path_or_id: reference })
    expect(error, reference).toMatchObject({ code: 'forbidden' })
    expect(error.message).toContain(told)
  }
})

test('retries after lost connections and server errors', async () => {
  await using server = await storage()
  const bytes = pseudoRandomBytes(1_000)
  const id = await put(server, 'a.bin', bytes)
  for (const kind of ['drop_before', 'drop_after'] as const) server.emulator.faults.add({ times: 2, action: { kind } })
  server.emulator.faults.add({ times: 2, action: { kind: 'status', status: 503, retry_after: 0 } })
  expect(bytesIn(await server.result(download, { file_path_or_id: id })).equals(bytes)).toBe(true)
  server.emulator.faults.add({ times: 3, action: { kind: 'drop_after' } })
  expect((await readInChunks(server, { file_path_or_id: id })).bytes.equals(bytes)).toBe(true)
})

test.for([
  [{ start_byte: 0, chunk_size: 0 }, '"chunk_size" must be at least 1'],
  [{ start_byte: 0, chunk_size: 5_242_881 }, '"chunk_size" must be at most 5242880'],
  [{ start_byte: -1 }, '"start_byte" must be at least 0'],
  [{ start_byte: 11 }, '"start_byte" is 11, past the end of the file: it has 10 bytes.'],
  [{}, '"start_byte" is required'],
] as const)('%j is refused', async ([args, told]) => {
  await using server = await storage()
  const id = await put(server, 'ten.bin', pseudoRandomBytes(10))
  const error = await server.fails(chunk, { file_path_or_id: id, ...args })
  expect(error.code).toBe('invalid_input')
  expect(error.message).toContain(told)
})
