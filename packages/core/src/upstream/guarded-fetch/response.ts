import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ReadableStream, type ReadableStreamController } from 'node:stream/web'
import { abortReason, type Clock, type Timer } from '../../base/clock.ts'
import { ToolError } from '../../errors/errors.ts'
import { bodyTimedOut, bodyTooLarge, bodyTruncated, invalidResponse } from './refusals.ts'

/** The only headers that a caller may add: they select a part and a version of the content. */
export interface PartHeaders {
  /** `bytes=FIRST-` or `bytes=FIRST-LAST` (https://www.rfc-editor.org/rfc/rfc9110#name-range). */
  readonly range?: string | undefined
  /** Strong ETag of the content that the part belongs to; if the content has changed, all of it is sent. */
  readonly 'if-range'?: string | undefined
}

/** Picks the headers that may be sent. Throws `TypeError` for an invalid value, because the program itself sets them, never a caller. */
export function checkPartHeaders({ range, 'if-range': ifRange }: PartHeaders): Readonly<Record<string, string>> {
  if (range !== undefined && !/^bytes=\d+-\d*$/.test(range)) throw new TypeError('A range must be one range of bytes.')
  if (ifRange !== undefined && !/^(?:"[\x21\x23-\x7e]*"|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/.test(ifRange))
    throw new TypeError('If-Range must be a strong ETag or a date.')
  return { ...(range !== undefined && { range }), ...(ifRange !== undefined && { 'if-range': ifRange }) }
}

/** Sends a GET over a connection used only for this request, and resolves with the response's head. */
export async function sendRequest(
  socket: Socket,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const fail = () => {
    reject(invalidResponse())
  }
  const outgoing = request({
    // Without an agent, nothing is kept alive and the environment's proxy is ignored.
    createConnection: () => socket,
    path: url.pathname + url.search,
    setHost: false,
    insecureHTTPParser: false,
    headers: { host: url.host, accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'mcp-toolkits', ...headers },
  })
  outgoing.on('response', (message) => {
    message.on('error', () => undefined)
    resolve(message)
  })
  outgoing.on('error', fail)
  // A protocol switch emits neither `error` nor `response`.
  outgoing.on('close', fail)
  signal.addEventListener('abort', fail, { once: true })
  outgoing.end()
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', fail)
  }
}

export interface BodyOptions {
  readonly socket: Socket
  /** Maximum time, in milliseconds, that a reader waits for a byte; the reader itself may pause for any length of time. */
  readonly idleMs: number
  /** Maximum number of bytes that may arrive. */
  readonly maxBytes: number
  readonly signal: AbortSignal | undefined
  readonly clock: Clock
}

/** A response's bytes as sent, read from the connection only on demand. The connection is closed after the last byte. */
export function streamBody(message: IncomingMessage, { socket, idleMs, maxBytes, signal, clock }: BodyOptions): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<unknown, unknown> = message[Symbol.asyncIterator]()
  const closed = new AbortController()
  let received = 0
  let isWaiting = false
  /** Shared by the whole body, because a large one arrives in tens of thousands of pieces. */
  let timer: Timer | undefined
  const close = () => {
    timer?.cancel()
    closed.abort()
    socket.destroy()
  }
  const readChunk = async () => {
    const { done, value } = await chunks.next()
    if (done === true) return undefined
    if (!(value instanceof Uint8Array)) throw new TypeError('A message without an encoding consists of bytes.')
    received += value.byteLength
    if (received > maxBytes) throw bodyTooLarge(maxBytes)
    return value
  }
  const source = {
    start(controller: ReadableStreamController<Uint8Array>) {
      const abort = () => {
        controller.error(abortReason(signal))
        close()
      }
      // Aborts at once, even if nothing is reading.
      if (signal?.aborted === true) abort()
      else signal?.addEventListener('abort', abort, { once: true, signal: closed.signal })
    },
    async pull(controller: ReadableStreamController<Uint8Array>) {
      isWaiting = true
      if (timer) timer.restart()
      else
        timer = clock.timer(idleMs, () => {
          if (!isWaiting) return
          controller.error(bodyTimedOut(idleMs))
          close()
        })
      try {
        const chunk = await readChunk()
        if (chunk) {
          controller.enqueue(chunk)
          return
        }
        close()
        controller.close()
      } catch (error) {
        close()
        throw error instanceof ToolError ? error : bodyTruncated()
      } finally {
        isWaiting = false
      }
    },
    cancel: close,
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}
