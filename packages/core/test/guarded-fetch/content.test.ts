import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Unavailable } from '../../src/errors/errors.ts'
import { guardedFetch } from '../../src/upstream/guarded-fetch/guarded-fetch.ts'
import { inProcess } from './in-process.ts'
import { failure, rawSource, source, textOf } from './sources.ts'

const mebibyte = 1_048_576

/** `count` different MiB, generated as they are read. */
function* pieces(count: number) {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(mebibyte, `${index}/`)
}

function md5Of(count: number): string {
  const md5 = createHash('md5')
  for (const piece of pieces(count)) md5.update(piece)
  return md5.digest('hex')
}

const Reading = z.strictObject({ bytes: z.number(), md5: z.string(), peak: z.number() })

describe('large content', () => {
  it('is streamed in constant memory', async () => {
    await using server = await source((request, response) => {
      Readable.from(pieces(Number(request.url?.slice(1)))).pipe(response)
    })
    const [small, large] = process.env['CI'] === 'true' ? [64, 256] : [32, 112]
    const lines = await inProcess('read-in-process.ts', [server.host, `${server.url}/${small}`, `${server.url}/${large}`])
    const [first, second] = z.tuple([Reading, Reading]).parse(lines)
    expect(first).toMatchObject({ bytes: small * mebibyte, md5: md5Of(small) })
    expect(second).toMatchObject({ bytes: large * mebibyte, md5: md5Of(large) })
    expect(second.peak - first.peak).toBeLessThan(64 * mebibyte)
  })

  it('is kept whole when it comes before it is asked for', async () => {
    const content = Buffer.alloc(3 * mebibyte, '0123456789')
    await using server = await rawSource((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${content.length}\r\n\r\n`)
      socket.end(content)
    })
    const { body } = await guardedFetch(server.options)(server.url)
    expect((await buffer(body)).equals(content)).toBe(true)
  })

  it('arrives no faster than it is read', async () => {
    let sent = 0
    await using server = await source((request, response) => {
      if (request.url === '/small') {
        response.end('small')
        return
      }
      const counted = (function* () {
        for (const piece of pieces(64)) {
          yield piece
          sent += piece.length
        }
      })()
      Readable.from(counted, { highWaterMark: 1 }).pipe(response)
    })
    const fetch = guardedFetch(server.options)
    const reader = (await fetch(server.url)).body.getReader()
    await reader.read()
    // Other requests are answered until the server stops sending this content: whatever it has sent by then is in buffers of fixed size.
    for (let before = -1; before !== sent;) {
      before = sent
      for (let round = 0; round < 20; round += 1) await textOf(await fetch(`${server.url}/small`))
    }
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThan(32 * mebibyte)
    await reader.cancel()
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })
})

describe('content', () => {
  it('that is compressed without being asked for is not decompressed', async () => {
    const compressed = gzipSync(Buffer.alloc(10 * mebibyte))
    await using server = await source((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressed))
    const response = await guardedFetch(server.options)(server.url)
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect((await buffer(response.body)).equals(compressed)).toBe(true)
    expect(server.received.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity'])
  })

  it('that broke off continues with a range, through redirects, unless it changed', async () => {
    const whole = Buffer.concat([...pieces(1)])
    let etag = '"v1"'
    await using server = await source((request, response) => {
      const { range, 'if-range': ifRange } = request.headers
      if (request.url === '/') response.writeHead(307, { location: '/content' }).end()
      else if (range && ifRange === etag) {
        const from = Number(/^bytes=(\d+)-$/.exec(range)?.[1])
        response.writeHead(206, { etag, 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}` }).end(whole.subarray(from))
      } else {
        response.writeHead(200, { etag, 'content-length': whole.length })
        response.write(whole.subarray(0, 300_000), () => request.socket.end())
      }
    })
    const fetch = guardedFetch(server.options)
    const first = await fetch(server.url)
    const parts: Uint8Array[] = []
    const readAll = async () => {
      for await (const chunk of first.body) parts.push(chunk)
    }
    expect(await failure(readAll())).toBeInstanceOf(Unavailable)
    const begun = Buffer.concat(parts)
    const headers = { range: `bytes=${begun.length}-`, 'if-range': first.headers.get('etag') ?? '' }
    const second = await fetch(server.url, { headers })
    expect([second.status, second.headers.get('content-range')]).toEqual([206, `bytes ${begun.length}-1048575/1048576`])
    expect(Buffer.concat([begun, await buffer(second.body)]).equals(whole)).toBe(true)
    etag = '"v2"'
    const changed = await fetch(server.url, { headers })
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"v2"'])
    await changed.body.cancel()
  })
})

describe('a request', () => {
  it('takes only a range from the caller', async () => {
    await using server = await source((_, response) => response.end())
    const headers = { range: 'bytes=5-9', authorization: 'Bearer secret', cookie: 'secret', host: 'inside.example', 'x-any': 'secret' }
    await guardedFetch(server.options)(server.url, { headers })
    expect(server.received[0]?.headers).toEqual({
      host: server.host,
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'mcp-toolkits',
      range: 'bytes=5-9',
      connection: 'close',
    })
  })

  it.each([
    { range: 'bytes=-5' },
    { range: 'bytes=0-1,3-4' },
    { range: 'bytes=0-\r\nAuthorization: secret' },
    { range: '' },
    { range: 'bytes=0-', 'if-range': 'W/"weak"' },
    { range: 'bytes=0-', 'if-range': '"a"\r\nCookie: secret' },
    { range: 'bytes=0-', 'if-range': '2026-11-21' },
  ])('cannot have %j', async (headers) => {
    const fetch = guardedFetch({ lookup: () => Promise.reject(new Error('This name must not be looked up.')) })
    expect(await failure(fetch('http://public.example/', { headers }))).toBeInstanceOf(TypeError)
  })
})
