import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ToolError } from '../../errors/errors.ts'
import { ManualClock, manualScope } from '../../../test/manual-clock.ts'
import { type Fetch, jsonOf } from './response.ts'
import { createTransport, type SendOptions } from './transport.ts'
import { memoryLimits } from './limits/upstream-limits.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server on a real socket that gives one answer per request, repeating the last one. */
async function serve(...answers: readonly Answer[]) {
  const received: Received[] = []
  let closed = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString('latin1') })
      answers[Math.min(received.length, answers.length) - 1]?.(response, request)
    })
  })
  server.on('connection', (socket) => {
    socket.on('error', () => undefined)
    socket.on('close', () => {
      closed += 1
    })
  })
  const listening = Promise.withResolvers<undefined>()
  server.listen(0, '127.0.0.1', () => {
    listening.resolve(undefined)
  })
  await listening.promise
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port ?? 0}/v1?x=1`,
    received,
    closedConnections: () => closed,
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      server.close(() => {
        resolve(undefined)
      })
      server.closeAllConnections()
      await promise
    },
  }
}

const json = { 'content-type': 'application/json' }
const say =
  (status: number, body: string | Uint8Array = '', headers: Readonly<Record<string, string>> = json): Answer =>
  (response) => {
    response.on('error', () => undefined)
    response.writeHead(status, headers).end(body)
  }
const good = say(200, '{"done":true}')
const drop: Answer = (_, request) => {
  request.socket.destroy()
}
const breakOff: Answer = (response, request) => {
  response.writeHead(200, { ...json, 'content-length': '13' })
  response.write('{"do', () => {
    request.socket.destroy()
  })
}
const page = '<!doctype html><title>Sign in</title><p>Welcome to the hotel</p>'

/** The result of `send` for a request that needs a JSON response, with instant waits. */
async function send(url: string, options: Partial<SendOptions> = {}, fetch: Fetch = globalThis.fetch): Promise<unknown> {
  const clock = new ManualClock()
  const transport = createTransport({ fetch, vendor: 'Acme', limits: memoryLimits(clock) })
  const request = { url, method: 'POST', isWrite: false, body: '{"a":"ä 😀"}', headers: json, ...options }
  const read = (response: Parameters<typeof jsonOf>[0]) => ({ status: response.status, value: jsonOf(response, 'Acme') })
  return transport.send(request, read, manualScope({ clock })).catch((error: unknown) => {
    if (error instanceof ToolError) return error.toJSON()
    throw error
  })
}

describe('is sent again with the same bytes, after', () => {
  it.each<[string, Answer]>([
    ['a dropped connection', drop],
    ['a response that breaks off', breakOff],
    ['a page instead of JSON', say(200, page, { 'content-type': 'text/html' })],
    ['a page that claims to be JSON', say(200, page)],
    ['JSON that claims to be a page', say(200, '{}', { 'content-type': 'text/html' })],
    ['an empty response', say(200)],
    ['JSON that was cut', say(200, '{"done":tr')],
    ['content that cannot be decompressed', say(200, 'not gzip', { ...json, 'content-encoding': 'gzip' })],
    ['content whose compression was cut', say(200, gzipSync('{"done":true}').subarray(0, 20), { ...json, 'content-encoding': 'gzip' })],
    ['a response that is too long', say(200, `"${'x'.repeat(2_000)}"`)],
  ])('%s', async (_, fault) => {
    await using server = await serve(fault, good)
    expect(await send(server.url, { maxBytes: 1_000 })).toEqual({ status: 200, value: { done: true } })
    const [first, second] = server.received
    expect(server.received).toHaveLength(2)
    expect([first?.method, first?.url, first?.body]).toEqual([second?.method, second?.url, second?.body])
    expect(Buffer.from(second?.body ?? '', 'latin1').toString()).toBe('{"a":"ä 😀"}')
    expect([first, second].map((request) => request?.headers['x-retry-count'])).toEqual([undefined, '1'])
  })
})

describe('is unavailable when the vendor never answers with anything but', () => {
  it.each<[string, Answer]>([
    ['a page', say(200, page, { 'content-type': 'text/html' })],
    ['nothing', say(200)],
    ['broken JSON', say(200, '{"done":tr')],
  ])('%s, whose text is not repeated', async (_, fault) => {
    await using server = await serve(fault)
    const error = await send(server.url)
    expect(error).toEqual({
      code: 'unavailable',
      retryable: true,
      message: 'HTTP 200 came without valid JSON, so it may not be Acme that answered (a proxy or a sign-in page?).',
    })
    expect(server.received).toHaveLength(5)
  })
})

describe('a response that is too long', () => {
  const tooLarge = {
    code: 'too_large',
    message: 'Acme answered with more than 16 MiB, which is over the limit. Ask for less at once.',
  }

  /** Counts the bytes read from responses' bodies. */
  function counting() {
    const taken = { bytes: 0 }
    const fetch: Fetch = async (input, init) => {
      const { body, status, headers } = await globalThis.fetch(input, init)
      const counter = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          taken.bytes += chunk.byteLength
          controller.enqueue(chunk)
        },
      })
      return new Response(body?.pipeThrough(counter), { status, headers })
    }
    return { taken, fetch }
  }

  it('is not read at all when it says so', async () => {
    const huge: Answer = (response) => {
      response.on('error', () => undefined)
      response.writeHead(200, { ...json, 'content-length': String(2 ** 30) })
      response.write('{')
    }
    await using server = await serve(huge)
    const { taken, fetch } = counting()
    expect(await send(server.url, {}, fetch)).toMatchObject(tooLarge)
    expect(taken.bytes).toBeLessThan(1024)
    expect(server.received).toHaveLength(2)
    await expect.poll(server.closedConnections).toBe(2)
  })

  it('does not make a write ask for less', async () => {
    await using server = await serve(good)
    const { message } = tooLarge
    expect(await send(server.url, { isWrite: true, maxBytes: 1 })).toMatchObject({
      ...tooLarge,
      message: message.replace('16 MiB', '1 MiB').replace(' Ask for less at once.', ''),
    })
  })

  it('is read up to the limit when 1 MiB expands to 1 GiB, and its connection is closed', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2, 32), { level: 9 })
    // A gzip file may consist of several members.
    const whole = Buffer.concat(Array.from({ length: 16 }, () => bomb))
    await using server = await serve(say(200, whole, { ...json, 'content-encoding': 'gzip' }))
    const { taken, fetch } = counting()
    expect(await send(server.url, {}, fetch)).toMatchObject(tooLarge)
    expect(server.received).toHaveLength(2)
    // Each of the two attempts may have some chunks in flight.
    expect(taken.bytes).toBeLessThan(2 * 17 * 1024 ** 2)
    await expect.poll(server.closedConnections).toBe(2)
  })

  it('is accepted when it is just short enough', async () => {
    const body = `"${'x'.repeat(998)}"`
    await using server = await serve(say(200, body))
    expect(await send(server.url, { maxBytes: 1_000 })).toEqual({ status: 200, value: 'x'.repeat(998) })
    expect(server.received).toHaveLength(1)
  })
})

it('follows no redirect', async () => {
  await using other = await serve(good)
  await using server = await serve(say(307, '{}', { ...json, location: other.url }))
  expect(await send(server.url)).toMatchObject({ status: 307 })
  expect([server.received.length, other.received.length]).toEqual([1, 0])
})

it('is unavailable if nothing listens', async () => {
  const { url, [Symbol.asyncDispose]: close } = await serve(good)
  await close()
  expect(await send(url)).toEqual({ code: 'unavailable', message: 'Acme could not be reached (ECONNREFUSED).', retryable: true })
})

it.each(['http://', 'http://[::1', 'acme'])('is unavailable at %s, which is not an address', async (url) => {
  expect(await send(url)).toEqual({ code: 'unavailable', message: 'The request to Acme could not be sent.', retryable: false })
})
