import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { withAuthorization } from './credentials.ts'
import { Forbidden, Unavailable } from './errors.ts'
import { createHttpFetch, type HttpClientOptions } from './http.ts'
import type { Fetch } from './transport/response.ts'
import { ManualClock } from './manual-clock.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server that gives one answer per request, the last one again and again. `arrived(n)` resolves with the nth request. */
async function serve(...answers: readonly Answer[]) {
  const received: Received[] = []
  const waiting = new Map<number, () => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString('latin1') })
      waiting.get(received.length)?.()
      const answer = answers[Math.min(received.length, answers.length) - 1]
      answer?.(response, request)
    })
  })
  const listening = Promise.withResolvers<undefined>()
  server.listen(0, '127.0.0.1', () => {
    listening.resolve(undefined)
  })
  await listening.promise
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const arrived = async (count: number) => {
    if (received.length >= count) return
    const { promise, resolve } = Promise.withResolvers<undefined>()
    waiting.set(count, () => {
      resolve(undefined)
    })
    await promise
  }
  return {
    url: `http://127.0.0.1:${port ?? 0}`,
    received,
    arrived,
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

const say =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end(body)
  }
const hold: Answer = () => undefined
const drop: Answer = (_, request) => {
  request.socket.destroy()
}
const breakOff: Answer = (response, request) => {
  response.writeHead(200, { 'content-length': '10' })
  response.write('half', () => {
    request.socket.destroy()
  })
}
const stall: Answer = (response) => {
  response.writeHead(200, { 'content-length': '10' })
  response.write('half')
}

/** Retries without waiting. */
const client = (options: Partial<HttpClientOptions> = {}) =>
  createHttpFetch({ fetch: globalThis.fetch, vendor: 'Acme', retryMethods: ['POST'], clock: new ManualClock(), ...options })

const post = (body = '{"a":1}'): RequestInit => ({ method: 'POST', body, headers: { authorization: 'Bearer canary' } })

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}

describe('retries', () => {
  it.each([408, 429, 500, 502, 503, 504, 522, 524])('HTTP %i with the same bytes, and counts each retry', async (status) => {
    await using server = await serve(say(status), say(status, '{"busy":true}', { 'content-type': 'application/json' }), say(200, 'done'))
    const body = JSON.stringify({ text: 'ä 😀 \u2028', number: 1e21 })
    const response = await client()(`${server.url}/v1/track?x=1`, post(body))
    expect(await response.text()).toBe('done')
    expect(server.received.map(({ headers }) => headers['x-retry-count'])).toEqual([undefined, '1', '2'])
    expect(new Set(server.received.map((request) => request.body))).toEqual(new Set([Buffer.from(body).toString('latin1')]))
    expect(new Set(server.received.map(({ method, url }) => `${method ?? ''} ${url ?? ''}`))).toEqual(new Set(['POST /v1/track?x=1']))
    expect(server.received.every(({ headers }) => headers.authorization === 'Bearer canary')).toBe(true)
  })

  it('a dropped connection', async () => {
    await using server = await serve(drop, drop, say(200, 'done'))
    expect(await (await client()(server.url, post())).text()).toBe('done')
    expect(server.received).toHaveLength(3)
  })

  it('a response that breaks off half way', async () => {
    await using server = await serve(breakOff, say(200, 'done'))
    expect(await (await client()(server.url, post())).text()).toBe('done')
    expect(server.received).toHaveLength(2)
  })

  it('an attempt without a response in time', async () => {
    await using server = await serve(hold, say(200, 'done'))
    const clock = new ManualClock()
    const response = client({ attemptMs: 250, clock })(server.url, post())
    await server.arrived(1)
    await clock.advance(250)
    expect(await (await response).text()).toBe('done')
    expect(server.received).toHaveLength(2)
  })

  it('a response that stalls half way', async () => {
    await using server = await serve(stall, say(200, 'done'))
    const clock = new ManualClock()
    const started = Promise.withResolvers<undefined>()
    const fetch: Fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init)
      started.resolve(undefined)
      return response
    }
    const response = client({ attemptMs: 250, clock, fetch })(server.url, post())
    await started.promise
    await clock.advance(250)
    expect(await (await response).text()).toBe('done')
    expect(server.received).toHaveLength(2)
  })

  it('no method that is not listed', async () => {
    await using server = await serve(say(503, 'busy'))
    const response = await client({ retryMethods: ['GET'] })(server.url, post())
    expect([response.status, await response.text()]).toEqual([503, 'busy'])
    await using broken = await serve(drop)
    expect(await failure(client({ retryMethods: ['GET'] })(broken.url, post()))).toBeInstanceOf(Unavailable)
    expect([server.received.length, broken.received.length]).toEqual([1, 1])
  })

  it('no status that is not listed', async () => {
    await using server = await serve(say(503, 'busy'))
    expect((await client({ retryStatuses: [429] })(server.url, post())).status).toBe(503)
    expect(server.received).toHaveLength(1)
  })

  it('no error that is meant for the caller', async () => {
    const fetch = () => Promise.reject(new Forbidden('Not from here.'))
    expect(await failure(client({ fetch })('http://acme.example', post()))).toEqual(new Forbidden('Not from here.'))
  })
})

describe('returns', () => {
  it('the last response, byte for byte, when the attempts are used up', async () => {
    const body = '{ "id": 12345678901234567890,  "x": 1.0 }'
    await using server = await serve(say(500, 'first'), say(503, body, { 'content-type': 'application/json', 'x-request-id': 'r9' }))
    const response = await client({ maxAttempts: 3 })(`${server.url}/v1`, post())
    expect([response.status, response.url, response.headers.get('x-request-id')]).toEqual([503, `${server.url}/v1`, 'r9'])
    expect(await response.text()).toBe(body)
    expect(server.received).toHaveLength(3)
  })

  it.each([400, 401, 403, 404, 409, 413, 501])('HTTP %i at once and untouched', async (status) => {
    await using server = await serve(say(status, '{"meta":{"error":"no"}}', { 'content-type': 'application/json' }))
    const response = await client()(server.url, post())
    expect([response.status, await response.json()]).toEqual([status, { meta: { error: 'no' } }])
    expect(server.received).toHaveLength(1)
  })

  it.each([301, 302, 303, 307, 308])('a redirect (HTTP %i) instead of following it', async (status) => {
    await using elsewhere = await serve(say(200, 'taken'))
    await using server = await serve(say(status, '', { location: elsewhere.url }))
    const response = await client()(server.url, post())
    expect([response.status, response.headers.get('location')]).toEqual([status, elsewhere.url])
    expect([server.received.length, elsewhere.received.length]).toEqual([1, 0])
  })

  it('a response without a body', async () => {
    await using server = await serve(say(204))
    const response = await client()(server.url, { method: 'DELETE' })
    expect([response.status, await response.text()]).toEqual([204, ''])
  })
})

describe('without a response', () => {
  it('names the system code of a refused connection', async () => {
    const server = await serve()
    await server[Symbol.asyncDispose]()
    const error = await failure(client({ maxAttempts: 2 })(server.url, post()))
    expect(error).toEqual(new Unavailable('Acme could not be reached (ECONNREFUSED).'))
  })

  it('names the status of the last response', async () => {
    await using server = await serve(say(502), drop)
    const error = await failure(client({ maxAttempts: 2 })(server.url, post()))
    expect(error).toBeInstanceOf(Unavailable)
    expect(error).toHaveProperty('message', expect.stringMatching(/^Acme could not be reached \(\w+\)\. Its last answer was HTTP 502\.$/))
  })

  it('names the last status when the budget runs out', async () => {
    await using server = await serve(say(503), hold)
    const clock = new ManualClock()
    const error = failure(client({ budgetMs: 1000, clock })(server.url, post()))
    await server.arrived(2)
    await clock.advance(1000)
    expect(await error).toEqual(new Unavailable('Acme did not answer in the time that was left. Its last answer was HTTP 503.'))
    expect(server.received).toHaveLength(2)
  })

  it('reveals no header, body or address in an error', async () => {
    const server = await serve(hold)
    const broken = await serve(drop)
    const init: RequestInit = { ...post('{"secret":"canary"}'), headers: { authorization: 'Bearer canary' } }
    const clock = new ManualClock()
    const timedOut = failure(client({ budgetMs: 200, clock })(`${server.url}/canary`, init))
    await server.arrived(1)
    await clock.advance(200)
    const errors = [
      await timedOut,
      await failure(client({ maxAttempts: 1 })(`${broken.url}/canary`, init)),
      await failure(client({ fetch: () => Promise.reject(new Error('canary')) })(`${server.url}/canary`, init)),
      await failure(client({ fetch: withAuthorization(globalThis.fetch, 'http://other.example', 'Bearer canary') })(server.url, init)),
    ]
    await server[Symbol.asyncDispose]()
    await broken[Symbol.asyncDispose]()
    errors.push(await failure(client({ maxAttempts: 1 })(`${broken.url}/canary`, init)))
    for (const error of errors) {
      expect(error).toBeInstanceOf(Unavailable)
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('canary')
      expect(inspect({ error }, { depth: Infinity, showHidden: true, customInspect: false })).not.toContain('canary')
      expect(String(error)).not.toContain('canary')
      expect(error).not.toHaveProperty('cause')
    }
  })
})

describe('when the caller gives up', () => {
  const reason = new Error('The user went away.')

  it('before the request, throws its reason and sends nothing', async () => {
    await using server = await serve(say(200))
    const signal = AbortSignal.abort(reason)
    expect(await failure(client()(server.url, { ...post(), signal }))).toBe(reason)
    expect(await failure(client()(new Request(server.url, { ...post(), signal })))).toBe(reason)
    expect(server.received).toHaveLength(0)
  })

  it('before the request, sends nothing through a fetch that ignores signals either', async () => {
    let sent = 0
    const fetch = () => {
      sent += 1
      return Promise.resolve(new Response())
    }
    expect(await failure(client({ fetch })('http://acme.example', { ...post(), signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(sent).toBe(0)
  })

  it('during the request, throws its reason and sends nothing more', async () => {
    await using server = await serve(say(503), hold)
    const controller = new AbortController()
    const answer = failure(client()(server.url, { ...post(), signal: controller.signal }))
    await server.arrived(2)
    controller.abort(reason)
    expect(await answer).toBe(reason)
    expect(server.received).toHaveLength(2)
  })

  it('through the signal of a Request, throws its reason', async () => {
    await using server = await serve(hold)
    const controller = new AbortController()
    const answer = failure(client()(new Request(server.url, { ...post(), signal: controller.signal })))
    await server.arrived(1)
    controller.abort(reason)
    expect(await answer).toBe(reason)
  })

  it('with a timeout error, does not take it for a timeout of ours', async () => {
    await using server = await serve(hold)
    const controller = new AbortController()
    const answer = failure(client()(server.url, { ...post(), signal: controller.signal }))
    await server.arrived(1)
    const timeout = new DOMException('Too slow.', 'TimeoutError')
    controller.abort(timeout)
    expect(await answer).toBe(timeout)
    expect(server.received).toHaveLength(1)
  })
})
