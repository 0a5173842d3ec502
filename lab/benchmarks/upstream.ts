// The benchmark's vendor: an emulator behind a socket that counts requests, and delays or fails them on demand.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOnLoopback } from '../../packages/testing/src/processes/loopback.ts'
import type { Fetch } from '../../packages/core/src/upstream/index.ts'

/** Ways in which the upstream can fail, until a different one is set. */
export const faults = ['hang', '429', 'html with 200', 'cut connection'] as const
export type Fault = (typeof faults)[number]

export interface Upstream extends AsyncDisposable {
  readonly url: string
  /** Delay of every response, in milliseconds, as over the internet. */
  delay: number
  fault: Fault | undefined
  /** Called after each response of the vendor. If it resolves with true, the connection is cut instead. */
  losesAnswer: (() => Promise<boolean>) | undefined
  /** Counts since the last `reset`. */
  readonly counts: { requests: number; bytes: number }
  readonly reset: () => void
}

const page = '<!doctype html><title>Sign in to the network</title><p>Please accept the terms of this network.'

export async function openUpstream(emulator: { readonly fetch: Fetch; readonly close: () => Promise<void> }): Promise<Upstream> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const listener = await listenOnLoopback(server)
  const upstream: Upstream = {
    ...{ url: listener.url, delay: 0, fault: undefined, losesAnswer: undefined, counts: { requests: 0, bytes: 0 } },
    reset() {
      Object.assign(upstream.counts, { requests: 0, bytes: 0 })
    },
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    upstream.counts.requests += 1
    if (upstream.delay > 0) await sleep(upstream.delay)
    if (upstream.fault) {
      fail(upstream.fault, request, response)
      return
    }
    const answered = await ask(emulator.fetch, request, body)
    if ((await upstream.losesAnswer?.()) === true) fail('cut connection', request, response)
    else upstream.counts.bytes += await send(answered, response)
  }
  return upstream
}

function fail(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  if (fault === 'cut connection') request.socket.resetAndDestroy()
  if (fault === '429') response.writeHead(429, { 'retry-after': '2', 'content-type': 'application/json' }).end('{}')
  if (fault === 'html with 200') response.writeHead(200, { 'content-type': 'text/html' }).end(page)
}

function ask(fetch: Fetch, request: IncomingMessage, body: Buffer): Promise<Response> {
  const { method = 'GET', url = '/', headers } = request
  return fetch(`http://${headers.host ?? ''}${url}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : [])),
    ...(method !== 'GET' && method !== 'HEAD' && { body: new Uint8Array(body) }),
  })
}

async function send(answer: Response, response: ServerResponse): Promise<number> {
  const bytes = Buffer.from(await answer.arrayBuffer())
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(bytes)
  return bytes.length
}
