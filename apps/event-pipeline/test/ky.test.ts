import { once } from 'node:events'
import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { ManualClock, manualScope } from '@mcp-toolkits/core/testing'
import {
  basicAuthorization,
  boundedFetch,
  createTransport,
  type Fetch,
  memoryLimits,
  Secret,
  withAuthorization,
} from '@mcp-toolkits/core/upstream'
import { connect, expectNoSecrets, formsOf } from '@mcp-toolkits/testing'
import ky, { HTTPError } from 'ky'
import { expect, onTestFinished, test } from 'vitest'
import { type PipelinesOptions, pipelinesClient } from '../src/pipelines/client.ts'
import { eventPipeline } from '../src/server.ts'
import { elapse, execution, goodBodies } from './pipeline.ts'

const key = 'canary-key-0123456789'
const baseUrl = 'https://cdp.customer.io/v1'

/** Posts an event on a clock whose waits take no time, and resolves with the error. */
async function failureOf(vendor: Pick<PipelinesOptions, 'fetch' | 'baseUrl'>): Promise<unknown> {
  const clock = new ManualClock()
  const { post } = pipelinesClient({ ...vendor, key: new Secret(key), clock })
  const request = { name: 'track', body: '{}', strict: true, isRepeatable: true, holds: 'refuse' } as const
  return post({ ...request, scope: manualScope({ clock }) }).catch((error: unknown) => error)
}

test('a response of 200 KB that expands to 200 MB is read up to 1 MiB', async () => {
  const whole = Buffer.concat(Array.from({ length: 25 }, () => gzipSync(Buffer.alloc(8 * 1024 ** 2, 32))))
  const requests: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    requests.push(url)
    response.on('error', () => undefined)
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(whole)
  })
  onTestFinished(() => {
    server.close().closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  let bytes = 0
  const fetch: Fetch = async (input, init) => {
    const { body, headers } = await globalThis.fetch(input, init)
    const transform = (chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
      bytes += chunk.byteLength
      controller.enqueue(chunk)
    }
    return new Response(body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ transform })), { headers })
  }
  const port = typeof address === 'object' ? address?.port : undefined
  const error = await failureOf({ fetch, baseUrl: `http://127.0.0.1:${port ?? 0}/v1` })
  expect(error).toHaveProperty('code', 'unavailable')
  expect(String(error)).toContain('The response was larger than 1 MiB')
  expect(requests).toEqual(['/v1/track', '/v1/track'])
  // Each of the two attempts may have some chunks in transit.
  expect(bytes).toBeLessThan(2 * 2 * 1024 ** 2)
})

test('an error from ky contains its request without the credential', async () => {
  const received: (string | null)[] = []
  const vendor: Fetch = (input, init) => {
    received.push(new Request(input, init).headers.get('authorization'))
    return Promise.resolve(new Response('{}', { status: 500 }))
  }
  const clock = new ManualClock()
  const fetch = withAuthorization(vendor, baseUrl, () => basicAuthorization(new Secret(key)))
  const transport = createTransport({ fetch, vendor: 'Customer.io', limits: memoryLimits(clock) })
  const api = ky.create({ prefix: baseUrl, retry: 0, timeout: false })
  const lenient = boundedFetch(transport, {}, () => undefined, manualScope({ clock }))
  const error: unknown = await api.post('track', { json: {}, fetch: lenient }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(HTTPError)
  expect(error).toHaveProperty('request.url', `${baseUrl}/track`)
  expect(received).toEqual([`Basic ${Buffer.from(`${key}:`).toString('base64')}`])
  expectNoSecrets([inspect(error, { depth: Infinity, showHidden: true })], formsOf(key))
})

/** Fetches that throw an error that contains the request with its credential. */
const throwing: readonly (readonly [title: string, makeError: (request: Request, echo: string) => Error])[] = [
  ['that the connection failed', (request) => Object.assign(new TypeError('fetch failed', { cause: request }), { request })],
  ['with the credential as its message', (_, echo) => new Error(echo)],
  ['that the request was aborted', (request, echo) => Object.assign(new DOMException(echo, 'AbortError'), { request })],
]

test.for(throwing)('no error, log or result shows the credential that a fetch throws in an error %s', async ([, makeError]) => {
  const sent: string[] = []
  const fetch: Fetch = (input, init) => {
    const request = new Request(input, init)
    const echo = request.headers.get('authorization') ?? ''
    sent.push(echo)
    return Promise.reject(makeError(request, `${key} ${echo}`))
  }
  const error = await failureOf({ fetch, baseUrl })
  const clock = new ManualClock()
  await using server = await connect(eventPipeline, { fetch, clock, environment: { EVENT_PIPELINE_API_KEY: key } })
  const args = execution(goodBodies.track, { enable_strict_validation: 'True' })
  const result = await elapse(clock, server.result('EventPipelineApi_TrackUserEvent', args), 1_000)
  expect(sent.length).toBeGreaterThan(1)
  expect(new Set(sent).size).toBe(1)
  expectNoSecrets([inspect(error, { depth: Infinity, showHidden: true }), JSON.stringify(result), ...server.logLines], formsOf(key))
})
