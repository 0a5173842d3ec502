// Sends all of a program's requests to the benchmark's upstream, whatever their address. Path, headers and body stay the same.
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'

type Callback = (response: IncomingMessage) => void

const upstream = new URL(process.env['BENCH_UPSTREAM'] ?? 'http://127.0.0.1:9')
const { fetch: realFetch } = globalThis
const { request: realRequest } = http

const redirected: typeof fetch = (input, init) => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input)
  const target = new URL(`${pathname}${search}`, upstream)
  return input instanceof Request ? realFetch(new Request(target, input), init) : realFetch(target, init)
}

/** Replaces Node's `request` in both its forms: with a URL, and with only options. */
function request(first: string | URL | RequestOptions, second?: RequestOptions | Callback, third?: Callback): ClientRequest {
  const isAddress = typeof first === 'string' || first instanceof URL
  const { pathname, search } = isAddress ? new URL(first) : upstream
  const given = isAddress ? { path: `${pathname}${search}`, ...(typeof second === 'object' && second) } : first
  const options = {
    ...given,
    protocol: 'http:',
    host: upstream.hostname,
    hostname: upstream.hostname,
    port: upstream.port,
    agent: undefined,
  }
  return realRequest(options, typeof second === 'function' ? second : third)
}

function get(...args: Parameters<typeof request>): ClientRequest {
  return request(...args).end()
}

globalThis.fetch = redirected
for (const library of [http, https]) Object.assign(library, { request, get })
syncBuiltinESMExports()
