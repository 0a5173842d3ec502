import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { ReadableStream } from 'node:stream/web'

/**
 * The size of each write, in bytes. TLS encrypts a whole write before sending any of it: larger writes take more memory, and the response
 * of a server that refuses early and closes the connection is lost.
 */
const pieceBytes = 64 * 1024

/** Statuses for which the `Response` constructor accepts no body: https://fetch.spec.whatwg.org/#null-body-status */
const nullBodyStatuses = [204, 205, 304]

interface BytesRequest extends Omit<RequestInit, 'body'> {
  readonly body: Uint8Array
}

/**
 * Sends a request whose body is in memory, without copying it and without following redirects. Rejects like `fetch`: with a `TypeError`
 * whose cause is the system's error, or with the signal's reason. Do not change the bytes until the request has failed, or the response's
 * body has been read or cancelled.
 */
export async function sendBytes(url: URL, { method, headers, body, signal }: BytesRequest): Promise<Response> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const outgoing = (url.protocol === 'https:' ? requestSecurely : request)(url, {
    method,
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...Object.fromEntries(new Headers(headers)),
      'content-length': body.byteLength,
    },
    ...(signal && { signal }),
  })
  outgoing.on('response', resolve)
  outgoing.on('error', reject)
  // A 101 (Switching Protocols) emits neither event.
  outgoing.on('close', () => {
    reject(new Error('The connection was closed without a response.'))
  })
  writePieces(outgoing, body)
  try {
    return responseOf(await promise, outgoing)
  } catch (error) {
    outgoing.destroy()
    signal?.throwIfAborted()
    throw new TypeError('fetch failed', { cause: error })
  }
}

/** Writes the bytes in pieces, as fast as the connection takes them. */
function writePieces(outgoing: ClientRequest, bytes: Uint8Array): void {
  let written = 0
  const write = () => {
    let isReady = true
    while (isReady && written < bytes.byteLength) {
      isReady = outgoing.write(bytes.subarray(written, written + pieceBytes))
      written += pieceBytes
    }
    if (written < bytes.byteLength) outgoing.once('drain', write)
    else outgoing.end()
  }
  write()
}

function responseOf(message: IncomingMessage, outgoing: ClientRequest): Response {
  message.on('error', () => undefined)
  // A server that responds before reading the whole request may never read the rest.
  message.on('close', () => {
    if (!outgoing.writableFinished) outgoing.destroy()
  })
  const { statusCode: status = 0, rawHeaders } = message
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  if (!nullBodyStatuses.includes(status)) return new Response(bodyOf(message), { status, headers })
  message.resume()
  return new Response(null, { status, headers })
}

/** The body as it arrives, pulled only as fast as it is read. */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array, undefined> = message[Symbol.asyncIterator]()
  let hasBegun = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        hasBegun = true
        try {
          const { done, value } = await pieces.next()
          if (done === true) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          throw new TypeError('terminated', { cause: error })
        }
      },
      cancel() {
        // Once everything has arrived, the connection can serve the next request, for example after the empty response to an upload's
        // chunk.
        if (message.complete && !hasBegun) message.resume()
        else message.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
