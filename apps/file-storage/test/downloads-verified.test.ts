import { ManualClock } from '@mcp-toolkits/core/testing'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { bytesIn, md5, pseudoRandomBytes, put } from './contents.ts'
import { storage, type Storage } from './storage.ts'

const download = 'FileStorage.DownloadFile'
const chunk = 'FileStorage.DownloadFileChunk'

const signIn = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in to continue.</body></html>'
const page = { 'content-type': 'text/html; charset=utf-8' }

/** Responses in place of a file's bytes. */
const impostors: Readonly<Record<string, () => Response>> = {
  'a sign-in page': () => new Response(signIn, { headers: { ...page, 'content-length': String(signIn.length) } }),
  'a sign-in page of unknown length': () => new Response(signIn, { headers: page }),
  'a page that claims to be plain text': () =>
    new Response(signIn, { headers: { 'content-type': 'text/plain', 'content-length': String(signIn.length) } }),
  'an empty response': () => new Response('', { headers: { 'content-length': '0' } }),
  'an empty response of unknown length': () => new Response(null),
  'an error in JSON with HTTP 200': () => new Response('{"error":"no"}', { headers: { 'content-length': '14' } }),
  'no content': () => new Response(null, { status: 204 }),
  'a page that repeats the range': () =>
    new Response(signIn, { status: 206, headers: { ...page, 'content-range': `bytes 0-${signIn.length - 1}/${signIn.length}` } }),
}

interface Impostor {
  readonly response: (request: Request) => Response
  /** The number of requests for bytes that the impostor answers. */
  times: number
}

/** A drive behind something that answers requests for the bytes of files; `asked` counts them. */
async function storageBehind(impostor: Impostor, clock = new ManualClock()): Promise<Storage & { readonly asked: () => number }> {
  let asked = 0
  const server = await storage({
    clock,
    inFront:
      (next: Fetch): Fetch =>
      (input, init) => {
        const request = new Request(input, init)
        if (new URL(request.url).searchParams.get('alt') !== 'media') return next(input, init)
        asked += 1
        impostor.times -= 1
        return impostor.times >= 0 ? Promise.resolve(impostor.response(request)) : next(input, init)
      },
  })
  return { ...server, asked: () => asked }
}

const readings = [
  ['whole, by id', download, (id: string) => ({ file_path_or_id: id })],
  ['whole, by path', download, () => ({ file_path_or_id: 'report.pdf' })],
  ['as a chunk, by id', chunk, (id: string) => ({ file_path_or_id: id, start_byte: 0 })],
  ['as a chunk, by path', chunk, () => ({ file_path_or_id: 'report.pdf', start_byte: 0 })],
] as const

const cases = Object.keys(impostors).flatMap((name) => readings.map((reading) => [name, ...reading] as const))

const expectBytes = (result: CallToolResult, bytes: Buffer) => {
  expect(result.isError ?? false).toBe(false)
  expect(bytesIn(result).equals(bytes)).toBe(true)
}

test.for(cases)('never returns %s for a file that is read %s, and reads the file with the next attempt', async ([name, , tool, args]) => {
  const impostor = { response: () => impostors[name]?.() ?? new Response(null), times: 1 }
  await using server = await storageBehind(impostor)
  const bytes = pseudoRandomBytes(1_000)
  const id = await put(server, 'report.pdf', bytes)
  expectBytes(await server.result(tool, args(id)), bytes)
  expect(server.asked()).toBe(2)
  impostor.times = 99
  const error = await server.fails(tool, args(id))
  expect(error).toMatchObject({ code: 'unavailable', retryable: true })
  expect(error.message).not.toContain('Sign in')
  // From now on, the file itself is returned again.
  impostor.times = 0
  expectBytes(await server.result(tool, args(id)), bytes)
})

test('never mistakes a page for a chunk in the middle or at the end of a file', async () => {
  const impostor = { response: () => new Response(signIn, { headers: { ...page, 'content-length': String(signIn.length) } }), times: 0 }
  await using server = await storageBehind(impostor)
  const bytes = pseudoRandomBytes(1_000)
  const id = await put(server, 'report.pdf', bytes)
  for (const reference of [id, 'report.pdf']) {
    await server.call(chunk, { file_path_or_id: reference, start_byte: 0, chunk_size: 400 })
    for (const start of [400, 800, 1_000]) {
      impostor.times = 1
      const result = await server.result(chunk, { file_path_or_id: reference, start_byte: start, chunk_size: 400 })
      expectBytes(result, bytes.subarray(start, start + 400))
    }
  }
})

test('downloads a file that really is a page, or empty, with as many requests as before', async () => {
  await using server = await storage()
  const html = server.emulator.addItem({ name: 'page.html', type: 'text/html', text: signIn })
  const empty = await put(server, 'empty.bin', pseudoRandomBytes(0))
  for (const [id, name, bytes] of [
    [html, 'page.html', Buffer.from(signIn)],
    [empty, 'empty.bin', Buffer.alloc(0)],
  ] as const) {
    const item = `GET /drive/v3/files/${id}`
    for (const reference of [id, name]) {
      expectBytes(await server.result(download, { file_path_or_id: reference }), bytes)
      expectBytes(await server.result(chunk, { file_path_or_id: reference, start_byte: 0 }), bytes)
    }
    expect(await server.requestsOf(download, { file_path_or_id: id })).toEqual([item, item])
    expect(await server.requestsOf(chunk, { file_path_or_id: id, start_byte: 0 })).toEqual([item])
  }
})

test('accepts an empty file that comes with HTTP 200', async () => {
  const impostor = { response: () => new Response('', { headers: { 'content-length': '0' } }), times: 99 }
  await using server = await storageBehind(impostor)
  const id = await put(server, 'empty.bin', pseudoRandomBytes(0))
  expect(await server.call(chunk, { file_path_or_id: id, start_byte: 0 })).toMatchObject({ total_size: 0, is_final_chunk: true })
  expect(await server.result(download, { file_path_or_id: id })).toMatchObject({ structuredContent: { total_size: 0 } })
})

/** Damages one byte in the responses to requests for bytes. */
function damaging(next: Fetch): Fetch {
  return async (input, init) => {
    const { url } = new Request(input, init)
    const response = await next(input, init)
    if (new URL(url).searchParams.get('alt') !== 'media' || !response.ok) return response
    const bytes = Buffer.from(await response.arrayBuffer())
    const last = bytes.length - 1
    bytes.writeUInt8((bytes.readUInt8(last) + 1) % 256, last)
    const headers = new Headers(response.headers)
    return new Response(bytes, { status: response.status, headers })
  }
}

test('never returns a whole file whose bytes were damaged on the way', async () => {
  await using server = await storage({ inFront: damaging })
  const id = await put(server, 'report.pdf', pseudoRandomBytes(1_000))
  for (const reference of [id, 'report.pdf']) {
    expect(await server.fails(download, { file_path_or_id: reference })).toMatchObject({ code: 'unavailable', retryable: true })
  }
})

test('checks the md5 of all chunks with the last one, even if a chunk is read again', async () => {
  let isDamaging = false
  await using server = await storage({
    inFront: (next) => (input, init) => (isDamaging ? damaging(next) : next)(input, init),
  })
  const bytes = pseudoRandomBytes(1_000)
  const id = await put(server, 'report.pdf', bytes)
  const read = (reference: string, start: number) =>
    server.result(chunk, { file_path_or_id: reference, start_byte: start, chunk_size: 400 })
  for (const reference of [id, 'report.pdf']) {
    for (const start of [0, 400, 400, 800, 800]) expectBytes(await read(reference, start), bytes.subarray(start, start + 400))
    await read(reference, 0)
    isDamaging = true
    await read(reference, 400)
    isDamaging = false
    const error = await server.fails(chunk, { file_path_or_id: reference, start_byte: 800, chunk_size: 400 })
    expect(error).toMatchObject({ code: 'conflict', next: { change: { start_byte: 0 } } })
    expect(error.message).toContain('MD5')
    // If the chunks are read again in a different order, nothing is known about the whole file.
    await read(reference, 0)
    expectBytes(await read(reference, 800), bytes.subarray(800))
  }
})

test('does not mix the chunks of two contents that Drive does not distinguish', async () => {
  await using server = await storage({
    inFront: (next) => async (input, init) => {
      const response = await next(input, init)
      const headers = new Headers(response.headers)
      headers.delete('x-goog-hash')
      return new Response(response.body, { status: response.status, headers })
    },
  })
  const id = await put(server, 'report.pdf', pseudoRandomBytes(1_000))
  await server.call(chunk, { file_path_or_id: 'report.pdf', start_byte: 0, chunk_size: 400 })
  await server.emulator.fetch(`http://localhost/upload/drive/v3/files/${id}?uploadType=media`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer test-token', 'content-type': 'application/octet-stream' },
    body: pseudoRandomBytes(1_001).subarray(0, 1_000),
  })
  await server.call(chunk, { file_path_or_id: 'report.pdf', start_byte: 400, chunk_size: 400 })
  const error = await server.fails(chunk, { file_path_or_id: 'report.pdf', start_byte: 800, chunk_size: 400 })
  expect(error).toMatchObject({ code: 'conflict', next: { change: { start_byte: 0 } } })
})

/** A response from Drive that sends one byte per second. `onWait` is called before each. */
function dripping({ headers: asked }: Request, bytes: Buffer, { clock, onWait }: { clock: ManualClock; onWait: () => void }): Response {
  let position = Number(/^bytes=(\d+)-/.exec(asked.get('range') ?? '')?.[1] ?? 0)
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    clock.timer(1_000, () => {
      resolve(undefined)
    })
    onWait()
    await promise
    controller.enqueue(bytes.subarray(position, position + 1))
    position += 1
  }
  const headers = {
    'content-range': `bytes ${position}-${bytes.length - 1}/${bytes.length}`,
    'x-goog-hash': `md5=${Buffer.from(md5(bytes), 'hex').toString('base64')}`,
  }
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status: 206, headers })
}

test.for([
  ['once', 1, 2],
  ['always', 99, 4],
] as const)('a download that drips %s ends within 30 seconds', async ([, times, requests]) => {
  const clock = new ManualClock()
  const bytes = pseudoRandomBytes(1_000)
  const seen = { hasEnded: false, isWaiting: false }
  const onWait = () => {
    seen.isWaiting = true
  }
  await using server = await storageBehind({ response: (request) => dripping(request, bytes, { clock, onWait }), times }, clock)
  const id = await put(server, 'report.pdf', bytes)
  const reading = server.result(chunk, { file_path_or_id: id, start_byte: 0 }).finally(() => {
    seen.hasEnded = true
  })
  const startedAt = clock.monotonic()
  while (clock.monotonic() - startedAt < 60_000) {
    await expect.poll(() => seen.isWaiting || seen.hasEnded).toBe(true)
    if (seen.hasEnded) break
    seen.isWaiting = false
    await clock.advance(1_000)
  }
  expect(clock.monotonic() - startedAt).toBeLessThanOrEqual(30_000)
  expect(server.asked()).toBeLessThanOrEqual(requests)
  const result = await reading
  if (times === 1) expectBytes(result, bytes)
  else expect(result.isError).toBe(true)
})

test('after one hang in a download, there is time for another attempt', async () => {
  const clock = new ManualClock()
  await using server = await storage({ clock })
  const bytes = pseudoRandomBytes(1_000)
  const id = await put(server, 'report.pdf', bytes)
  server.emulator.faults.add({ match: { method: 'GET', path: `/drive/v3/files/${id}` }, action: { kind: 'hang' } })
  const reading = server.result(chunk, { file_path_or_id: id, start_byte: 0 })
  await expect.poll(() => server.sent.length).toBe(1)
  await clock.advance(8_000)
  expectBytes(await reading, bytes)
  expect(server.sent.length).toBe(2)
})
