import { ManualClock } from '@mcp-toolkits/core/testing'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { expect, test } from 'vitest'
import { md5, pseudoRandomBytes } from './contents.ts'
import { clockWithoutWaits } from './storage.ts'
import { dataDirectory, upload, uploading } from './uploading.ts'

const unit = 262_144
const size = 20_000_001
const content = pseudoRandomBytes(size)

interface Late {
  /** The chunk that is stored only after the next time that Drive is asked how far the upload has got. */
  readonly chunk: number
  /** Decides the fate of that chunk's request. */
  readonly answer: (signal: AbortSignal) => Promise<never>
  /** The status of the response to bytes that are already stored. Google's other storage service ignores such bytes, and returns 308. */
  readonly refusal?: number
}

/** A Drive that stores one chunk late, and never responds to the chunk's request. */
const storingLate =
  ({ chunk, answer, refusal = 400 }: Late) =>
  (drive: Fetch): Fetch => {
    let chunks = 0
    let store: (() => Promise<unknown>) | undefined
    return async (input, init) => {
      const request = new Request(input, init)
      const range = request.method === 'PUT' ? (request.headers.get('content-range') ?? '') : ''
      if (/^bytes \d/.test(range) && ++chunks === chunk) {
        const { url, method, headers } = request
        const body = await request.arrayBuffer()
        store = () => drive(url, { method, headers, body })
        return answer(init?.signal ?? request.signal)
      }
      const response = await drive(request, { signal: init?.signal ?? null })
      if (range.startsWith('bytes *')) await store?.().finally(() => (store = undefined))
      if (response.status !== 400 || refusal === 400) return response
      if (refusal !== 308) return new Response(await response.text(), { status: refusal })
      return drive(request.url, { method: 'PUT', headers: { 'content-range': 'bytes */*' } })
    }
  }

const lost = () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } }))

test.for([
  [2, 400],
  [2, 416],
  [2, 308],
  [3, 400],
] as const)('continues after chunk %i, which Drive stores after the status query and answers with %i', async ([chunk, refusal]) => {
  await using server = await uploading({ content }, { clock: clockWithoutWaits, inFront: storingLate({ chunk, answer: lost, refusal }) })
  const args = { file_name: 'new.bin', source_url: server.from.url }
  expect(await server.call(upload, args)).toMatchObject({ md5_checksum: md5(content) })
  expect(server.emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(content)])
  expect(server.sent.filter((request) => request.startsWith('DELETE'))).toEqual([])
})

test.for([
  [2, false],
  [3, false],
  [3, true],
] as const)(
  'continues in the next call after chunk %i, which Drive stores while that call begins; the URL then fails: %j',
  async ([chunk, fails]) => {
    const cancellation = new AbortController()
    const answer = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new DOMException('The call has ended.', 'AbortError'))
        })
        cancellation.abort()
      })
    let pending = 0
    const inFront = (drive: Fetch): Fetch => {
      const late = storingLate({ chunk, answer })(drive)
      return async (input, init) => {
        pending += 1
        return late(input, init).finally(() => (pending -= 1))
      }
    }
    const clock = new ManualClock()
    await using server = await uploading({ content, etag: '"v1"' }, { clock, dataDirectory: await dataDirectory(), inFront })
    const args = { file_name: 'new.bin', source_url: server.from.url }
    await expect(server.client.callTool({ name: upload, arguments: args }, { signal: cancellation.signal })).rejects.toThrow()
    await expect.poll(() => server.logLines.join('')).toContain('"outcome":"cancelled"')
    const before = server.sent.length
    // The source is slow now, so the next call sends less than Drive stores late.
    let pieces = 0
    server.from.served.pace = async () => {
      pieces += 1
      // The first piece comes with the headers.
      if (pieces === 1 || pieces > 4) return
      await expect.poll(() => server.sent.length > before && pending === 0).toBe(true)
      await clock.advance(5_000)
      if (fails) throw new Error('The connection breaks, and the link has expired.')
    }
    if (fails) server.from.served.onRequest = () => (server.from.served.status = server.from.received.length > 2 ? 403 : 200)
    const { notices = [], ...uploaded } = await server.call(upload, args)
    expect(uploaded).toMatchObject({ md5_checksum: md5(content) })
    expect(String(notices).includes('not compared')).toBe(fails)
    expect(server.emulator.store.named('new.bin').map(({ md5: sum }) => sum)).toEqual([md5(content)])
    expect(server.sent.filter((request) => request.startsWith('DELETE'))).toEqual([])
    expect(server.from.sentBytes()).toBeLessThan(size + 3 * 32 * unit)
  },
)
