import type { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type Clock, raceAbort, type TimeoutScope, withTimeout } from '@mcp-toolkits/core/base'
import { canonicalSpelling } from '@mcp-toolkits/core/errors'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { withAccept } from '../http/accept.ts'
import { withAppSessions } from '../http/app-sessions.ts'
import { bodyError, readBody } from '../http/body.ts'
import { fixedLimits } from '../http/admission/limits.ts'
import { refusalOf, requestProblem, rpcError } from '../../mcp/rpc-requests.ts'
import type { ConnectOptions, ServerDefinition, Settings } from '../../mcp/definition.ts'
import { Delivery, withDelivery } from '../../mcp/calls/current-request.ts'
import type { ElicitationOptions } from '../../mcp/elicitation/elicitation.ts'
import { jsonLog, type Log } from '../../mcp/log.ts'
import { mcpServerFactory } from '../../mcp/mcp.ts'
import type { StdioServer } from '../stdio/serve.ts'
import { openToolbox, type Toolbox } from '../../mcp/calls/toolbox.ts'

/** Tracks work in flight, so that `close` can wait for it. */
class WorkTracker {
  readonly #work = new Set<Promise<unknown>>()

  track<Value>(work: Promise<Value>): Promise<Value> {
    const forget = () => this.#work.delete(work)
    this.#work.add(work)
    work.then(forget, forget)
    return work
  }

  /**
   * Waits until nothing is in flight, for at most `ms` milliseconds. One turn of the event loop must pass without work, because a caller
   * that has received a result may start new work.
   */
  async waitUntilIdle(ms: number, clock: Clock): Promise<void> {
    const wait = async ({ signal }: TimeoutScope) => {
      do {
        await raceAbort(Promise.allSettled(this.#work), signal)
        await setImmediate()
      } while (this.#work.size > 0)
    }
    await withTimeout({ ms, clock, reason: () => new DOMException('The time is up.', 'TimeoutError') }, wait).catch(() => undefined)
  }
}

export interface InProcessOptions extends ConnectOptions {
  /** Receives the log's lines. */
  readonly write?: (line: string) => void
}

export interface InProcessServer {
  /** Streamable HTTP without a socket: hand it to a client as its fetch. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Serves a pair of streams; resolves once the input has ended and everything has been answered. */
  readonly stdio: (streams: { readonly input: Readable; readonly output: Writable }) => Promise<void>
  /** Accepts no more calls, answers those in flight within 30 seconds, and closes. */
  readonly close: () => Promise<void>
}

/** A whole server behind one fetch handler, for tests. */
export function openInProcess<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  { write = () => undefined, ...options }: InProcessOptions = {},
): InProcessServer & Pick<Toolbox, 'resume'> {
  const log = jsonLog('debug', write)
  const toolbox = openToolbox(definition, settings, { spelling: canonicalSpelling, ...options, log })
  return { ...serveInProcess(definition, toolbox, { log }), resume: toolbox.resume }
}

/** Serves a toolbox to the program that embeds it. `key` signs questions to a person, as in `elicitation`. */
export function serveInProcess<Context>(
  definition: ServerDefinition<Context>,
  toolbox: Toolbox,
  { log, key }: Pick<ElicitationOptions, 'key'> & { readonly log: Log },
): InProcessServer {
  const inFlight = new WorkTracker()
  const connections = new Set<StdioServer>()
  const onerror = (error: Error) => {
    log.debug('protocol', { problem: error.name })
  }
  const trackedToolbox: Toolbox = { ...toolbox, invoke: (...call) => inFlight.track(toolbox.invoke(...call)) }
  const handler = createMcpHandler(mcpServerFactory(definition, trackedToolbox, { key }), {
    maxRequestBodySize: fixedLimits.maxBodyBytes,
    onerror,
  })
  const answer = withAccept(withAppSessions((request, options) => handler.fetch(request, options)))
  let closing: Promise<void> | undefined

  const close = async () => {
    // Do not wait for tasks, which the next server continues.
    await toolbox.tasks?.close()
    await Promise.all([
      inFlight.waitUntilIdle(fixedLimits.drainMs, toolbox.clock),
      ...[...connections].map((connection) => connection.drain()),
    ])
    await handler.close()
    await toolbox.close()
  }

  return {
    fetch: async (request) => (closing ? closedResponse() : inFlight.track(deliver(() => answerRequest(answer, request)))),
    async stdio(streams) {
      const { serveStdio } = await import('../stdio/serve.ts')
      if (closing) throw new Error('This server is closed.')
      const connection = serveStdio(definition, toolbox, { ...streams, log })
      connections.add(connection)
      await connection.closed
      connections.delete(connection)
    },
    close: () => (closing ??= close()),
  }
}

/** An answer counts as delivered once the response is returned; a streamed answer, once the caller has read all of it. */
async function deliver(answer: () => Promise<Response>): Promise<Response> {
  const delivery = new Delivery()
  const response = await withDelivery(delivery, answer)
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!response.body || !isStream) {
    delivery.end(true)
    return response
  }
  return new Response(deliveredStream(response.body.getReader(), delivery), response)
}

/** Reads the source only on demand, so that the end is reached only after the caller has read everything. */
function deliveredStream(source: ReadableStreamDefaultReader<Uint8Array>, delivery: Delivery): ReadableStream<Uint8Array> {
  const underlying = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await source.read().catch((error: unknown) => {
        delivery.end(false)
        throw error
      })
      if (!done) {
        controller.enqueue(value)
        return
      }
      controller.close()
      delivery.end(true)
    },
    async cancel(reason: unknown) {
      delivery.end(false)
      await source.cancel(reason)
    },
  }
  return new ReadableStream(underlying, { highWaterMark: 0 })
}

/**
 * Passes the parsed body, so that the SDK does not clone the request; a clone loses its abort signal:
 * https://github.com/nodejs/undici/issues/4068
 */
async function answerRequest(fetch: ReturnType<typeof withAccept>, request: Request): Promise<Response> {
  if (request.method !== 'POST' || !request.body) return fetch(request)
  const body = await readBody(request.body, request.headers.get('content-length')).catch(() => 'broken_off' as const)
  if (typeof body === 'object' && 'problem' in body) return Response.json(rpcError(-32600, body.problem), { status: 400 })
  if (typeof body === 'object') {
    const problem = requestProblem(body.json)
    if (problem !== undefined) return Response.json(refusalOf(body.json, problem), { status: 400 })
    return fetch(request, { parsedBody: body.json })
  }
  const { json, status } = bodyError(body)
  return Response.json(json, { status })
}

function closedResponse(): Response {
  return Response.json(rpcError(-32000, 'This server is closed.'), { status: 503 })
}
