import { runLength } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { contentOf, md5, pseudoRandomBytes, readInChunks } from './contents.ts'
import { uploading, type UploadingStorage } from './uploading.ts'
import { addPath, textAt, type Storage } from './storage.ts'

const upload = 'FileStorage.UploadFile'
const mebibyte = 1024 * 1024
const etag = '"v1"'

/** The one file with that name, checked byte for byte. */
async function expectStored(server: UploadingStorage, name = 'new.bin'): Promise<string> {
  const files = server.emulator.store.named(name).filter(({ trashed }) => trashed === 0)
  expect(files.length).toBe(1)
  const [{ id, md5: sum } = { id: '', md5: '' }] = files
  expect(sum).toBe(md5(server.from.served.content))
  expect((await contentOf(server, id)).equals(server.from.served.content)).toBe(true)
  return id
}

const puts = ({ sent }: Storage) => sent.filter((request) => request.startsWith('PUT')).length

test.for([0, 1, 100_000, 5 * mebibyte])('uploads %i bytes with one request', async (size) => {
  for (const tellsLength of [true, false]) {
    await using server = await uploading({ content: pseudoRandomBytes(size), sendsLength: tellsLength })
    await server.call('FileStorage.CreateFolder', { folder_name: 'ids are there now' })
    const before = server.sent.length
    const made = await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
    expect(server.sent.slice(before)).toEqual(['POST /upload/drive/v3/files'])
    expect(await expectStored(server)).toBe(textAt(made, 'file.id'))
    expect(made).toMatchObject({
      file: { name: 'new.bin', size },
      uploaded_to: 'the root of My Drive',
      md5_checksum: md5(server.from.served.content),
    })
  }
})

test.for([
  [5 * mebibyte + 1, true],
  [8 * mebibyte, true],
  [8 * mebibyte, false],
  [20_000_001, true],
  [20_000_001, false],
  [16 * mebibyte, false],
] as const)('uploads %i bytes, length known: %s, in chunks of 8 MiB', async ([size, tellsLength]) => {
  await using server = await uploading({ content: pseudoRandomBytes(size), sendsLength: tellsLength })
  await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
  await expectStored(server)
  expect(puts(server)).toBe(Math.ceil(size / (8 * mebibyte)))
  expect(server.from.received.length).toBe(1)
})

test.for(runLength === 'everyday' ? [] : [true, false])(
  'uploads and downloads 64 MiB, length known: %s, over connections that break 8 times',
  async (tellsLength) => {
    const size = 64 * mebibyte
    await using server = await uploading({
      content: pseudoRandomBytes(size),
      sendsLength: tellsLength,
      etag,
      cuts: [1_000, 9_000_000, 20_000_000, 0],
    })
    const cutting = (seed: number) => {
      server.emulator.faults.add({ action: { kind: 'chaos', seed, rate: 0.6, max_in_a_row: 2, kinds: ['drop_before', 'drop_after'] } })
    }
    cutting(4)
    const made = await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
    expect(server.from.received.length).toBe(5)
    expect(server.lost()).toBeGreaterThanOrEqual(4)
    server.emulator.faults.clear()
    const id = await expectStored(server)
    expect(id).toBe(textAt(made, 'file.id'))
    const before = server.lost()
    cutting(12)
    const read = await readInChunks(server, { file_path_or_id: id })
    expect(server.lost() - before).toBeGreaterThanOrEqual(8)
    expect(read.bytes.equals(server.from.served.content)).toBe(true)
  },
)

test('continues a source without an ETag by comparing its beginning', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(9 * mebibyte), cuts: [100, 3_000_000, 8_700_000] })
  await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
  await expectStored(server)
  expect(server.from.received.length).toBe(4)
})

test.for([etag, undefined])('creates nothing from a source that changes while it is read (ETag %s)', async (tag) => {
  await using server = await uploading({ content: pseudoRandomBytes(9 * mebibyte), etag: tag, cuts: [8_700_000] })
  let requests = 0
  server.from.served.onRequest = () => {
    requests += 1
    if (requests !== 2) return
    server.from.served.content = pseudoRandomBytes(9 * mebibyte + 1)
    server.from.served.etag = tag === undefined ? undefined : '"v2"'
  }
  const error = await server.fails(upload, { file_name: 'new.bin', source_url: server.from.url })
  expect(error).toMatchObject({ code: 'conflict', retryable: true })
  expect(error.message).toContain('changed while it was being read')
  expect(server.emulator.store.named('new.bin')).toEqual([])
})

test.for([3 * 262_144, 1000, 0])('sends the rest when Drive stores %i bytes of a chunk', async (partialBytes) => {
  await using server = await uploading(
    { content: pseudoRandomBytes(20_000_001) },
    { emulated: { seed: 'empty', quirks: { partialChunks: 2, partialBytes } } },
  )
  await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
  await expectStored(server)
})

test('starts an upload again that Drive has forgotten', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(20_000_001) })
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'status', status: 404, body: '' } })
  await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
  await expectStored(server)
  expect(server.from.received.length).toBe(2)
})

test('reports growing progress as bytes are stored, also when the upload starts again', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(20_000_001) })
  const told: number[] = []
  const totals = new Set<number | undefined>()
  const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }) => {
    told.push(progress)
    totals.add(total)
  }
  server.emulator.faults.add({ match: { method: 'PUT' }, times: 2, action: { kind: 'slow', milliseconds: 0 } })
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'status', status: 404, body: '' } })
  await server.client.callTool({ name: upload, arguments: { file_name: 'new.bin', source_url: server.from.url } }, { onprogress })
  // The last one comes together with the result, and clients may drop it.
  expect(told.map(Math.floor)).toEqual(expect.arrayContaining([8 * mebibyte, 16 * mebibyte]))
  expect(totals).toContain(20_000_001)
  expect(told).toEqual([...new Set(told)].sort((one, other) => one - other))
})

test('reports that it reads the source before anything is stored', async () => {
  const told = Promise.withResolvers<number>()
  await using server = await uploading({ content: pseudoRandomBytes(100_000), hold: () => told.promise })
  const onprogress = ({ progress }: { progress: number }) => {
    told.resolve(progress)
  }
  await server.client.callTool({ name: upload, arguments: { file_name: 'new.bin', source_url: server.from.url } }, { onprogress })
  expect(await told.promise).toBeLessThan(1)
})

test('puts a file into a folder by path, by id and in a shared drive', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(10) })
  const [work = '', reports = ''] = addPath(server, 'Work/Reports/May.pdf')
  const to = (destination: string, name: string) =>
    server.call(upload, { file_name: name, source_url: server.from.url, destination_folder_path_or_id: destination })
  expect(await to('Work/Reports', 'a.bin')).toMatchObject({ file: { parent_id: reports } })
  expect(await to(work, 'b.bin')).toMatchObject({ file: { parent_id: work } })
  const drive = server.emulator.addDrive({ name: 'Team', members: [['robin.vance@lodestar.example', 'organizer']] })
  const made = await server.call(upload, { file_name: 'c.bin', source_url: server.from.url, shared_drive_id: drive })
  expect(made).toMatchObject({ file: { shared_drive_id: drive }, uploaded_to: `the root of the shared drive ${drive}` })
  // An item that was just made can be named by its path.
  expect(await server.call('FileStorage.DownloadFile', { file_path_or_id: 'Work/Reports/a.bin' })).toMatchObject({ total_size: 10 })
})

test('sends the type when a session starts', async () => {
  const types: (string | null)[] = []
  const seen = ({ method, headers }: Request) => {
    if (method === 'POST') types.push(headers.get('x-upload-content-type'))
  }
  await using server = await uploading({ content: pseudoRandomBytes(6_000_000) }, { seen })
  await server.call(upload, { file_name: 'new', mime_type: 'text/csv', source_url: server.from.url })
  expect(types).toEqual(['text/csv'])
})
