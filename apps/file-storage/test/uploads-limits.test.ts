import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, test } from 'vitest'
import { pseudoRandomBytes } from './contents.ts'
import { dataDirectory, upload, uploading, type UploadingStorage } from './uploading.ts'

const cancellations = ({ sent }: UploadingStorage) => sent.filter((request) => request.startsWith('DELETE /upload/'))
const limit = (bytes: number) => ({ environment: { FILE_STORAGE_MAX_UPLOAD_BYTES: String(bytes) } })
const uploads = ({ sent }: UploadingStorage) => sent.filter((request) => request.includes('/upload/'))

test('refuses a file whose announced length is over the limit before it reads any of it', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(100_001) }, limit(100_000))
  const error = await server.fails(upload, { file_name: 'new', source_url: server.from.url })
  expect(error).toMatchObject({ code: 'too_large', retryable: false })
  expect(error.message).toContain('has 100001 bytes, but at most 100000 may be uploaded')
  expect(error.message).toContain('--max-upload-bytes')
  expect(uploads(server)).toEqual([])
  server.from.served.content = pseudoRandomBytes(100_000)
  expect(await server.call(upload, { file_name: 'new', source_url: server.from.url })).toMatchObject({ file: { size: 100_000 } })
})

test("applies Drive's own limit when the operator sets none, and never a larger one", async () => {
  const headers = { 'content-length': String(5_120 * 1024 ** 3 + 1) }
  for (const settings of [{}, limit(Number.MAX_SAFE_INTEGER)]) {
    await using server = await uploading({ scripted: [{ status: 200, headers }] }, settings)
    expect(await server.fails(upload, { file_name: 'new', source_url: server.from.url })).toMatchObject({ code: 'too_large' })
    expect(uploads(server)).toEqual([])
  }
})

test.for([
  ['a small file', 100_000],
  ['a large file', 20_000_000],
] as const)('abandons an endless source at the limit of %s, cancels the session and leaves no file', async ([, maxUploadBytes]) => {
  const directory = await dataDirectory()
  const from = { content: pseudoRandomBytes(500_000), isEndless: true, etag: '"endless"' }
  await using server = await uploading(from, { ...limit(maxUploadBytes), dataDirectory: directory })
  const error = await server.fails(upload, { file_name: 'new', source_url: server.from.url })
  expect(error).toMatchObject({ code: 'too_large', retryable: false })
  expect(error.message).toContain(`has more than ${maxUploadBytes} bytes`)
  expect(server.emulator.store.named('new')).toEqual([])
  expect(cancellations(server).length).toBe(maxUploadBytes > 8_388_608 ? 1 : 0)
  await expect.poll(() => server.from.connections()).toBe(0)
  // The next call does not continue this upload.
  server.from.served.isEndless = false
  server.from.served.content = pseudoRandomBytes(1_000)
  expect(await server.call(upload, { file_name: 'new', source_url: server.from.url })).toMatchObject({
    notices: [expect.stringContaining('This call finished it')],
  })
  expect(server.emulator.store.named('new').length).toBe(1)
})

/** Uploads from a source that sends one byte after every pause; returns how many it sent before the upload ended, and its error. */
async function uploadDrops(
  server: UploadingStorage,
  clock: ManualClock,
  { from, pauseMs, stored }: { from: number; pauseMs: number; stored: number },
) {
  let release: () => void = () => undefined
  let isWaiting = false
  server.from.served.drip = {
    from,
    async wait() {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      isWaiting = true
      release = () => {
        isWaiting = false
        resolve(undefined)
      }
      await promise
    },
  }
  const seen = { reports: 0, progress: 0, hasEnded: false }
  const onprogress = (report: { readonly progress: number }) => {
    seen.reports += 1
    seen.progress = report.progress
  }
  const args = { file_name: 'new', source_url: server.from.url }
  const failing = server.client.callTool({ name: upload, arguments: args }, { onprogress, timeout: 600_000 }).finally(() => {
    seen.hasEnded = true
  })
  // While a chunk is being sent to Drive, nothing waits for the source.
  await expect.poll(() => seen.progress).toBeGreaterThanOrEqual(stored)
  let sent = 0
  for (; !seen.hasEnded && sent < 40; sent += 1) {
    await expect.poll(() => isWaiting).toBe(true)
    await clock.advance(pauseMs)
    const before = seen.reports
    release()
    await expect.poll(() => seen.hasEnded || seen.reports > before).toBe(true)
  }
  const { isError, content } = await failing
  return { sent, isError, text: JSON.stringify(content) }
}

test.for([
  ['from its beginning', { size: 1_000, from: 0, stored: 0, sessions: 0 }],
  ['when a session is open', { size: 9_000_000, from: 8_550_000, stored: 8_388_608, sessions: 1 }],
] as const)('abandons a source that sends a byte every 15 seconds %s', async ([, { size, from, stored, sessions }]) => {
  const clock = new ManualClock()
  await using server = await uploading(
    { content: pseudoRandomBytes(size), etag: '"slow"' },
    { clock, dataDirectory: await dataDirectory() },
  )
  const { sent, isError, text } = await uploadDrops(server, clock, { from, stored, pauseMs: 15_000 })
  expect(isError).toBe(true)
  expect(text).toContain('\\"code\\":\\"unavailable\\"')
  expect(text).toMatch(/sends too slowly: \d+ bytes? in 25 seconds\. Give another link to the file\./)
  expect(sent).toBeLessThanOrEqual(4)
  expect(cancellations(server).length).toBe(sessions)
  expect(server.emulator.store.named('new')).toEqual([])
  await expect.poll(() => server.from.connections()).toBe(0)
  const before = server.sent.length
  await clock.advance(60_000)
  expect(server.sent.length).toBe(before)
})

test('ends with a source that breaks off after every few bytes', async () => {
  const cuts = Array.from({ length: 200 }, () => 10)
  await using server = await uploading({ content: pseudoRandomBytes(20_000), etag: '"a"', cuts })
  expect(await server.fails(upload, { file_name: 'new', source_url: server.from.url })).toMatchObject({ code: 'unavailable' })
  expect(server.from.received.length).toBeLessThan(10)
})

test('continues with a source that breaks off often but sends enough', async () => {
  const content = pseudoRandomBytes(2_000_000)
  const cuts = Array.from({ length: 30 }, () => 60_000)
  await using server = await uploading({ content, etag: '"a"', cuts })
  expect(await server.call(upload, { file_name: 'new', source_url: server.from.url })).toMatchObject({ file: { size: content.length } })
})
