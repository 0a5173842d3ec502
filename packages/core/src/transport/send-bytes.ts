import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { ReadableStream } from 'node:stream/web'

/** How much is passed on at once: TLS encrypts all of it before the network has taken any. */
const pieceBytes = 256 * 1024

/** The statuses with which the constructor of a response takes no body: https://fetch.spec.whatwg.org/#null-body-status */
const nullBodyStatuses = [204, 205, 304]

interface BytesRequest extends Omit<RequestInit, 'body'> {
  readonly body: Uint8Array
}

/**
 * Sends a request whose body is in memory, without copying it and without following redirects. Throws as `fetch` does: a `TypeError` with
 * the error of the system as its cause, or the reason of the signal. The bytes may not change until it resolves or rejects.
 */
export async function sendBytes(url: URL, { method, headers, body, signal }: BytesRequest): Promise<Response> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const outgoing = (url.protocol === 'https:' ? requestSecurely : request)(url, {
    method,
    headers: { accept: '*/*', ...Object.fromEntries(new Headers(headers)), 'content-length': body.byteLength },
    ...(signal && { signal }),
  })
  outgoing.on('response', resolve)
  outgoing.on('error', reject)
  // A switch of protocols is neither an error nor a response.
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

/** Writes as fast as the connection takes it. */
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
  // A server that answers before it has read everything may never read the rest.
  message.on('close', () => {
    if (!outgoing.writableFinished) outgoing.destroy()
  })
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(message.headersDistinct)) for (const value of values) headers.append(name, value)
  const { statusCode: status = 0 } = message
  if (!nullBodyStatuses.includes(status)) return new Response(bodyOf(message), { status, headers })
  message.resume()
  return new Response(null, { status, headers })
}

/** The body as it arrives; it is read no faster than its reader takes it. */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array, undefined> = message[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next()
          if (done === true) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          throw new TypeError('terminated', { cause: error })
        }
      },
      cancel() {
        // What has arrived completely leaves a connection for further requests, as the empty response to each chunk of an upload does.
        if (message.complete) message.resume()
        else message.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
