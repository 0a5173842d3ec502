import fc from 'fast-check'
import { expect, test } from 'vitest'
import { md5, pseudoRandomBytes } from './contents.ts'
import { clockWithoutWaits } from './storage.ts'
import { cancelUpload, dataDirectory, upload, uploading, type UploadingStorage } from './uploading.ts'
import { runs } from '@mcp-toolkits/testing'

const unit = 262_144
const etag = '"v1"'
const argsFor = ({ from }: Pick<UploadingStorage, 'from'>) => ({ file_name: 'new.bin', source_url: from.url })

/**
 * Makes a call whose source breaks off after `bytes` and then stops responding. Returns the position at which its first request started.
 */
async function interruptedCall(server: UploadingStorage, bytes: number): Promise<number> {
  const { served } = server.from
  served.cuts = [bytes]
  served.scripted = [undefined, ...Array.from({ length: 12 }, () => ({ status: 503 }))]
  const start = await startOf(server, async () => {
    expect(await server.fails(upload, argsFor(server))).toMatchObject({ code: 'unavailable', retryable: true })
  })
  Object.assign(served, { cuts: [], scripted: [] })
  return start
}

/** The position at which a call's first request started. */
async function startOf({ from }: Pick<UploadingStorage, 'from'>, call: () => Promise<unknown>): Promise<number> {
  const before = from.received.length
  await call()
  return Number(/^bytes=(\d+)-$/.exec(from.received[before]?.range ?? '')?.[1] ?? 0)
}

test.for([
  ['an ETag', { etag }],
  ['a date', { headers: { 'last-modified': 'Sat, 03 Jan 2026 10:00:00 GMT' } }],
] as const)('six interrupted calls read a source with %s only once, and each gets further', async ([, validator]) => {
  const content = pseudoRandomBytes(12_000_001)
  await using server = await uploading({ content, ...validator }, { clock: clockWithoutWaits, dataDirectory: await dataDirectory() })
  const starts: number[] = []
  for (let call = 0; call < 6; call += 1) starts.push(await interruptedCall(server, 1_500_000))
  starts.push(await startOf(server, () => server.call(upload, argsFor(server))))
  expect(starts.map((start) => start % unit)).toEqual(starts.map(() => 0))
  expect(new Set(starts).size).toBe(7)
  expect(starts.toSorted((one, other) => one - other)).toEqual(starts)
  // Bytes that do not fill a chunk are read twice.
  expect(server.from.sentBytes()).toBeLessThan(content.length + 7 * unit)
  expect(server.emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(content)])
})

test('stores the whole content, wherever calls are interrupted', async () => {
  const content = pseudoRandomBytes(3_000_001)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 2_500_000 }), { minLength: 1, maxLength: 3 }), async (cuts) => {
      await using server = await uploading({ content, etag }, { clock: clockWithoutWaits, dataDirectory: await dataDirectory() })
      let rest = content.length
      for (const cut of cuts) {
        if (cut >= rest) break
        rest = content.length - (await interruptedCall(server, cut)) - cut
      }
      expect(await server.call(upload, argsFor(server))).toMatchObject({ md5_checksum: md5(content) })
      expect(server.emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(content)])
    }),
    { numRuns: runs(8) },
  )
})

test.for([
  ['ignores ranges', (content: Buffer) => ({ status: 200, headers: { etag }, body: content })],
  ['sends another part', (content: Buffer) => ({ status: 206, headers: { etag, 'content-range': 'bytes 1-2/3' }, body: content })],
] as const)('reads from the beginning a source that %s', async ([, answer]) => {
  const content = pseudoRandomBytes(9_000_001)
  await using server = await uploading({ content, etag }, { dataDirectory: await dataDirectory() })
  await cancelUpload(server, argsFor(server))
  server.from.served.scripted = [answer(content)]
  expect(await server.call(upload, argsFor(server))).toMatchObject({
    md5_checksum: md5(content),
    notices: [expect.stringContaining('was continued')],
  })
})

test('never mixes two contents', async () => {
  const [content, other] = [pseudoRandomBytes(9_000_001, 1), pseudoRandomBytes(9_000_001, 2)]
  await using server = await uploading({ content, etag }, { dataDirectory: await dataDirectory() })
  await cancelUpload(server, argsFor(server))
  Object.assign(server.from.served, { content: other, etag: '"v2"' })
  await server.call(upload, argsFor(server))
  expect(server.emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(other)])
})
