import { expect, test } from 'vitest'
import { md5, pseudoRandomBytes } from './contents.ts'
import type { ScriptedResponse } from './source.ts'
import { upload, uploading } from './uploading.ts'

const content = pseudoRandomBytes(300_000, 1)
const other = pseudoRandomBytes(300_000, 2)
const etag = '"v1"'
const broken = () => ({ content, etag, cuts: [100_000] })

/** A response with part of the other content in place of part of the first. */
const part = (headers: Record<string, string>, body = other.subarray(100_000)): ScriptedResponse => ({ status: 206, headers, body })

test.for(
  Object.entries({
    'a part without an ETag': part({ 'content-range': 'bytes 100000-299999/300000' }),
    'a part of another ETag': part({ 'content-range': 'bytes 100000-299999/300000', etag: '"v2"' }),
    'a part that begins elsewhere': part({ 'content-range': 'bytes 99999-299998/300000', etag }),
    'a part of a longer content': part({ 'content-range': 'bytes 100000-299999/300001', etag }),
    'a part without its place': part({ etag }),
    'an end elsewhere': { status: 416, headers: { 'content-range': 'bytes */99999' } } satisfies ScriptedResponse,
    'an end of another content': { status: 416, headers: { 'content-range': 'bytes */100000', etag: '"v2"' } } satisfies ScriptedResponse,
  }),
)('rejects %s, reads everything again and compares it', async ([, canned]) => {
  // Only a known length shows that the content does not end there.
  const tellsLength = canned !== 'silence' && canned.status === 206
  await using server = await uploading({ content, etag, sendsLength: tellsLength })
  const { served, received, url } = server.from
  const ranges = () => received.map(({ range }) => range)
  served.onRequest = () => {
    if (received.at(-1)?.range !== undefined) served.scripted.push(canned)
    // If a connection breaks before any of the content is read, the next request is for all of it.
    else if (ranges().every((range) => range === undefined)) served.cuts.push(100_000)
  }
  expect(await server.call(upload, { file_name: 'new.bin', source_url: url })).toMatchObject({ md5_checksum: md5(content) })
  const asked = ranges().findIndex((range) => range !== undefined)
  expect(ranges().slice(asked)).toEqual([expect.stringMatching(/^bytes=\d+-$/), undefined])
})

test('does not mistake a truncated part for the end', async () => {
  await using server = await uploading(broken())
  let requests = 0
  server.from.served.onRequest = () => {
    requests += 1
    if (requests !== 2) return
    const start = Number(/\d+/.exec(server.from.received.at(-1)?.range ?? '')?.[0])
    const headers = { 'content-range': `bytes ${start}-299999/300000`, etag, 'transfer-encoding': 'chunked' }
    server.from.served.scripted.push(part(headers, content.subarray(start, 200_000)))
  }
  expect(await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })).toMatchObject({ md5_checksum: md5(content) })
  expect(server.from.received.length).toBe(3)
})

test('recognizes the end of a source of unknown length after a broken connection', async () => {
  await using server = await uploading({ content, etag, sendsLength: false, cuts: [300_000] })
  expect(await server.call(upload, { file_name: 'new.bin', source_url: server.from.url })).toMatchObject({ md5_checksum: md5(content) })
  expect(server.from.received.map(({ range }) => range)).toEqual([undefined, 'bytes=300000-'])
})

test('rejects a source that has grown when it is read again', async () => {
  await using server = await uploading({ content, cuts: [100_000] })
  let requests = 0
  server.from.served.onRequest = () => {
    requests += 1
    if (requests === 2) server.from.served.content = Buffer.concat([content, other])
  }
  const error = await server.fails(upload, { file_name: 'new.bin', source_url: server.from.url })
  expect(error).toMatchObject({ code: 'conflict', retryable: true })
  expect(error.message).toContain('changed while it was being read')
  expect(server.emulator.store.named('new.bin')).toEqual([])
})
