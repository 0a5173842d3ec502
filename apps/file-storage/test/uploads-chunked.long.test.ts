import { isFull, shareOf } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { pseudoRandomBytes, readInChunks } from './contents.ts'
import { textAt, type Storage } from './storage.ts'
import { expectStored, upload, uploading } from './uploading.ts'

const mebibyte = 1024 * 1024
const etag = '"v1"'
/** Three chunks, of which the last is short. */
const threeChunks = 16 * mebibyte + 1

const puts = ({ sent }: Storage) => sent.filter((request) => request.startsWith('PUT')).length
const sizes = [
  [5 * mebibyte + 1, true],
  [8 * mebibyte, true],
  [8 * mebibyte, false],
  [threeChunks, true],
  [threeChunks, false],
  [16 * mebibyte, false],
] as const

test.for(shareOf(sizes, 2, 0))('uploads %i bytes, length known: %s, in chunks of 8 MiB', async ([size, tellsLength]) => {
  await using server = await uploading({ content: pseudoRandomBytes(size), sendsLength: tellsLength })
  await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
  await expectStored(server)
  expect(puts(server)).toBe(Math.ceil(size / (8 * mebibyte)))
  expect(server.from.received.length).toBe(1)
})

test.for(shareOf([true, false], 2, 0))(
  'uploads and downloads a large file, length known: %s, over connections that break',
  async (tellsLength) => {
    const size = (isFull ? 64 : 24) * mebibyte
    await using server = await uploading({
      content: pseudoRandomBytes(size),
      sendsLength: tellsLength,
      etag,
      cuts: [1_000, 9_000_000, 9_000_000, 0],
    })
    const cutting = (seed: number) => {
      server.emulator.faults.add({ action: { kind: 'chaos', seed, rate: 0.6, max_in_a_row: 2, kinds: ['drop_before', 'drop_after'] } })
    }
    cutting(4)
    const made = await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
    expect(server.from.received.length).toBe(5)
    expect(server.lost()).toBeGreaterThanOrEqual(isFull ? 4 : 1)
    server.emulator.faults.clear()
    const id = await expectStored(server)
    expect(id).toBe(textAt(made, 'file.id'))
    const before = server.lost()
    cutting(12)
    const read = await readInChunks(server, { file_path_or_id: id })
    expect(server.lost() - before).toBeGreaterThanOrEqual(isFull ? 8 : 1)
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
    { content: pseudoRandomBytes(isFull ? threeChunks : 5 * mebibyte + 1) },
    { emulated: { seed: 'empty', quirks: { partialChunks: 2, partialBytes } } },
  )
  await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })
  await expectStored(server)
})

test('reports growing progress as bytes are stored, even if the upload starts again', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(threeChunks) })
  const told: number[] = []
  const totals = new Set<number | undefined>()
  const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }) => {
    told.push(progress)
    totals.add(total)
  }
  server.emulator.faults.add({ match: { method: 'PUT' }, times: 2, action: { kind: 'slow', milliseconds: 0 } })
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'status', status: 404, body: '' } })
  await server.client.callTool({ name: upload, arguments: { file_name: 'new.bin', source_url: server.from.url } }, { onprogress })
  // The last report arrives together with the result, and clients may drop it.
  expect(told.map(Math.floor)).toEqual(expect.arrayContaining([8 * mebibyte, 16 * mebibyte]))
  expect(totals).toContain(threeChunks)
  expect(told).toEqual([...new Set(told)].sort((one, other) => one - other))
})
