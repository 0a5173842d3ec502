import { getEventListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { InvalidInput, TooLarge, Unavailable } from '../../src/errors/errors.ts'
import { guardedFetch, type Connect } from '../../src/upstream/guarded-fetch/guarded-fetch.ts'
import { ManualClock } from '../manual-clock.ts'
import { failure, publicNetwork, rawSource, resolves, source, textOf } from './sources.ts'

const never = <T>() => new Promise<T>(() => undefined)

/** Waits for real sockets, without a timer. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

/** A network in which no connection is ever made, and the sockets that were opened in it. */
function deadNetwork() {
  const sockets: Socket[] = []
  const connect: Connect = () => {
    const socket = new Socket()
    sockets.push(socket)
    return socket
  }
  return { sockets, connect }
}

const notConnected = new Unavailable(
  "The URL's server could not be reached within 10 seconds. Try again later, or give another link to the file.",
)
const silent = new Unavailable("The URL's server did not answer within 30 seconds. Try again later, or give another link to the file.")
const noAnswer = new Unavailable(
  "The URL's server did not send a valid HTTP response. Check the address, or give another link to the file.",
)
const stalled = new Unavailable("The URL's server sent nothing more for 60 seconds. Try again later, or give another link to the file.")
const brokenOff = new Unavailable(
  "The URL's server broke off before the content was complete. Try again, or give another link to the file.",
)
const encoded = new InvalidInput(
  "The URL's server uses a transfer coding that this server did not ask for and does not decode. Give another link to the file.",
)
const halfOfTen = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf.'

describe('a limit', () => {
  it('ends a look-up that takes too long', async () => {
    const clock = new ManualClock()
    const fetched = failure(guardedFetch({ lookup: never, clock })('http://public.example/'))
    await clock.advance(10_000)
    expect(await fetched).toEqual(notConnected)
  })

  it('ends a connection that takes too long', async () => {
    const clock = new ManualClock()
    const { sockets, connect } = deadNetwork()
    const fetched = failure(guardedFetch({ connect, clock })('http://93.184.216.34/'))
    await clock.advance(10_000)
    expect(await fetched).toEqual(notConnected)
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true])
  })

  it('ends a TLS handshake that takes too long', async () => {
    const clock = new ManualClock()
    await using server = await rawSource(() => undefined)
    const fetched = failure(guardedFetch({ ...server.options, clock })(server.url.replace('http:', 'https:')))
    await until(() => server.open.size > 0)
    await clock.advance(10_000)
    expect(await fetched).toEqual(notConnected)
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })

  it.each([
    ['that sends nothing', () => undefined],
    ['that stops within the headers', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nX-')],
    [
      'that sends hints for ever',
      (socket: Socket) => {
        const hint = () => {
          if (!socket.destroyed) socket.write('HTTP/1.1 103 Early Hints\r\n\r\n', () => setImmediate(hint))
        }
        hint()
      },
    ],
  ])('ends the wait for a server %s', async (_, serve) => {
    const clock = new ManualClock()
    await using server = await rawSource(serve)
    const fetched = failure(guardedFetch({ ...server.options, clock })(server.url))
    await until(() => [...server.open].some(({ bytesRead }) => bytesRead > 0))
    await clock.advance(30_000)
    expect(await fetched).toEqual(silent)
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })

  it.each([
    [
      'headers without end',
      (socket: Socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${'X-Secret: secret\r\n'.repeat(10_000)}`)
      },
    ],
    [
      'another protocol',
      (socket: Socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: secret\r\n\r\n'),
    ],
    ['two lengths', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab')],
    [
      'a length and chunks',
      (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    ],
    ['no headers at all', (socket: Socket) => socket.end()],
  ])('of valid HTTP rejects a response with %s', async (_, serve) => {
    await using server = await rawSource(serve)
    expect(await failure(guardedFetch(server.options)(server.url))).toEqual(noAnswer)
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })

  it('on time for the headers covers all redirects', async () => {
    const clock = new ManualClock()
    await using server = await source((request, response) => {
      void clock.advance(1_000)
      response.writeHead(302, { location: `${request.url ?? ''}1` }).end()
    })
    const fetch = guardedFetch({ ...server.options, clock, limits: { redirects: Infinity } })
    expect(await failure(fetch(server.url))).toEqual(silent)
    expect(server.received).toHaveLength(30)
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })

  it('on time for the headers covers look-ups', async () => {
    const clock = new ManualClock()
    const fetched = failure(guardedFetch({ lookup: never, clock, limits: { connectMs: Infinity } })('http://public.example/'))
    await clock.advance(30_000)
    expect(await fetched).toEqual(silent)
  })

  it('ends content that stalls, after the bytes that arrived', async () => {
    const clock = new ManualClock()
    await using server = await rawSource((socket) => socket.write(halfOfTen))
    const { body } = await guardedFetch({ ...server.options, clock })(server.url)
    const reader = body.getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('half.')
    const next = failure(reader.read())
    await clock.advance(60_000)
    expect(await next).toEqual(stalled)
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })

  it('on idle time does not count while the reader pauses', async () => {
    const clock = new ManualClock()
    const sockets: Socket[] = []
    await using server = await rawSource((socket) => {
      sockets.push(socket)
      socket.write(halfOfTen)
    })
    const response = await guardedFetch({ ...server.options, clock })(server.url)
    await clock.advance(3_600_000)
    for (const socket of sockets) socket.end('whole')
    expect(await textOf(response)).toBe('half.whole')
  })

  it('on idle time starts again with every chunk', async () => {
    const clock = new ManualClock()
    const responses: ServerResponse[] = []
    await using server = await source((_, response) => {
      responses.push(response)
      response.flushHeaders()
    })
    const reader = (await guardedFetch({ ...server.options, clock })(server.url)).body.getReader()
    for (let piece = 0; piece < 12; piece += 1) {
      const next = reader.read()
      await clock.advance(59_000)
      responses[0]?.write('.')
      expect(Buffer.from((await next).value ?? []).toString()).toBe('.')
    }
    await reader.cancel()
  })

  it('on bytes counts what arrives and ignores headers', async () => {
    await using server = await source((request, response) => {
      const more = () => {
        if (!response.destroyed) response.write(Buffer.alloc(65_536), more)
      }
      if (request.url === '/exact') response.writeHead(200).end(Buffer.alloc(1000))
      else more()
    })
    const fetch = guardedFetch({ ...server.options, limits: { maxBytes: 1000 } })
    expect(await textOf(await fetch(`${server.url}/exact`))).toHaveLength(1000)
    expect(await failure(textOf(await fetch(server.url)))).toEqual(
      new TooLarge("The URL's content is longer than 1000 bytes. Give a link to a smaller file."),
    )
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })
})

describe('content', () => {
  it.each(['gzip, chunked', 'gzip', 'chunked, gzip', 'identity'])('in the transfer coding "%s" is rejected', async (coding) => {
    const head = `HTTP/1.1 200 OK\r\nTransfer-Encoding: ${coding}\r\n\r\n`
    await using server = await rawSource((socket) => socket.end(`${head}5\r\nhello\r\n0\r\n\r\n`))
    expect(await failure(guardedFetch(server.options)(server.url))).toEqual(encoded)
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })

  it('in chunks is decoded, however the coding is spelled', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n'
    await using server = await rawSource((socket) => socket.end(`${head}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`))
    expect(await textOf(await guardedFetch(server.options)(server.url))).toBe('hello')
  })

  it.each([
    ['shorter than its length', halfOfTen],
    ['of an impossible length', 'HTTP/1.1 200 OK\r\nContent-Length: 999999999999999\r\n\r\nhalf.'],
    ['in chunks without the last one', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf.\r\n'],
    ['in malformed chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf.secret\r\n'],
  ])('%s is reported as incomplete', async (_, answer) => {
    await using server = await rawSource((socket) => socket.end(answer))
    const response = await guardedFetch(server.options)(server.url)
    expect(await failure(textOf(response))).toEqual(brokenOff)
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })

  it('ends after its length, or with the connection when it has none', async () => {
    await using longer = await rawSource((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour, and more'))
    await using open = await rawSource((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nuntil the end'))
    expect(await textOf(await guardedFetch(longer.options)(longer.url))).toBe('four')
    expect(await textOf(await guardedFetch(open.options)(open.url))).toBe('until the end')
    await expect.poll(() => [longer.open.size, open.open.size], { interval: 1 }).toEqual([0, 0])
  })

  it.each([204, 304, 400, 404, 416, 500, 503])('of a response with status %i is not read, and the connection ends', async (status) => {
    await using server = await source((_, response) => {
      response.writeHead(status, { 'x-header': 'yes' }).flushHeaders()
      response.write('secret')
    })
    const response = await guardedFetch(server.options)(server.url)
    expect([response.status, response.headers.get('x-header'), await textOf(response)]).toEqual([status, 'yes', ''])
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })

  it('ends the connection when it is cancelled, before and during a read', async () => {
    await using server = await rawSource((socket) => socket.write(halfOfTen))
    const fetch = guardedFetch(server.options)
    await (await fetch(server.url)).body.cancel()
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
    const reader = (await fetch(server.url)).body.getReader()
    await reader.read()
    const next = reader.read()
    await reader.cancel()
    expect(await next).toEqual({ done: true, value: undefined })
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })
})

describe('a caller that aborts', () => {
  const reason = new Error('Not wanted any more.')

  it('before the start causes no look-up', async () => {
    const fetch = guardedFetch({ lookup: () => Promise.reject(new TypeError('This name must not be looked up.')) })
    expect(await failure(fetch('http://public.example/', { signal: AbortSignal.abort(reason) }))).toBe(reason)
  })

  it('during the look-up or the connection gets its reason', async () => {
    const { sockets, connect } = deadNetwork()
    for (const options of [{ lookup: never }, { lookup: resolves('93.184.216.34'), connect }]) {
      const caller = new AbortController()
      const fetched = failure(guardedFetch(options)('http://public.example/', { signal: caller.signal }))
      await expect.poll(() => 'connect' in options === sockets.length > 0).toBe(true)
      caller.abort(reason)
      expect(await fetched).toBe(reason)
      expect(getEventListeners(caller.signal, 'abort')).toEqual([])
    }
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true])
  })

  it.each(['http', 'https'])('while %s waits for the server gets its reason, and the connection ends', async (scheme) => {
    await using server = await rawSource(() => undefined)
    const caller = new AbortController()
    const fetched = failure(guardedFetch(server.options)(server.url.replace('http', scheme), { signal: caller.signal }))
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(1)
    caller.abort(reason)
    expect(await fetched).toBe(reason)
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
    expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  })

  it.each([0, 1, 2])('after %i reads of the content gets its reason, and the connection ends', async (reads) => {
    await using server = await rawSource((socket) => socket.write(halfOfTen))
    const caller = new AbortController()
    const { body } = await guardedFetch(server.options)(server.url, { signal: caller.signal })
    const reader = body.getReader()
    if (reads > 0) await reader.read()
    const pending = reads > 1 ? failure(reader.read()) : undefined
    caller.abort(reason)
    expect(await (pending ?? failure(reader.read()))).toBe(reason)
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
    expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  })

  it('after the end has no effect and leaves no listener', async () => {
    await using server = await source((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/content' }).end()
      else response.end('whole')
    })
    const connect = publicNetwork(server.port, '93.184.216.34')
    const caller = new AbortController()
    const response = await guardedFetch({ connect })('http://93.184.216.34/', { signal: caller.signal })
    expect(await textOf(response)).toBe('whole')
    expect(getEventListeners(caller.signal, 'abort')).toEqual([])
    caller.abort(reason)
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })
})
