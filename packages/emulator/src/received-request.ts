/** A request as an emulator sees it. */
export interface ReceivedRequest extends RequestHead {
  /** All bytes of the body; empty when it is streamed. */
  readonly body: Uint8Array<ArrayBuffer>
  /** The body of a request that is streamed, to be read once; null when there is none. */
  readonly stream: ReadableStream<Uint8Array> | null
  /** Bytes of the body that have arrived. */
  readonly bytes: () => number
  /** The body is longer than the emulator reads. */
  readonly isTooLarge: boolean
  /** Aborted when the caller has gone or the emulator closes. */
  readonly signal: AbortSignal
}

/** What is known of a request before its body. */
export interface RequestHead {
  readonly method: string
  readonly url: URL
  readonly path: string
  readonly headers: Headers
}

export interface BodyLimits {
  /** Whether a route reads the body piece by piece; other bodies are read whole. */
  readonly streams: (head: RequestHead) => boolean
  /** The longest body that is read whole. */
  readonly maxBodyBytes: number
}

/** Receives a request: the whole body, or the beginning of a stream. */
export async function receiveRequest(
  request: Request,
  signal: AbortSignal,
  { streams, maxBodyBytes }: BodyLimits,
): Promise<ReceivedRequest> {
  const url = new URL(request.url)
  const head = { method: request.method, url, path: url.pathname, headers: request.headers }
  const received = { ...head, signal, body: new Uint8Array(), stream: null, bytes: () => 0, isTooLarge: false }
  if (!request.body) return received
  if (streams(head)) return { ...received, ...countBytes(request.body) }
  const { length, body = received.body } = await readBody(request.body, maxBodyBytes)
  return { ...received, body, bytes: () => length, isTooLarge: length > maxBodyBytes }
}

function countBytes(body: ReadableStream<Uint8Array>): Pick<ReceivedRequest, 'stream' | 'bytes'> {
  let count = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      count += piece.byteLength
      controller.enqueue(piece)
    },
  })
  return { stream: body.pipeThrough(counter), bytes: () => count }
}

/** Reads to the end also when the body is too long, because a client may not look at a response before it has sent everything. */
async function readBody(stream: ReadableStream<Uint8Array>, maxBytes: number) {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of stream) {
    length += piece.byteLength
    if (length > maxBytes) pieces.length = 0
    else pieces.push(piece)
  }
  return length > maxBytes ? { length } : { length, body: new Uint8Array(Buffer.concat(pieces)) }
}

/** Discards what no route has read of a streamed body. */
export async function discardBody({ stream }: ReceivedRequest): Promise<void> {
  if (stream && !stream.locked) await stream.pipeTo(new WritableStream())
}

/** Rebuilds a Request for a router. A streamed body is read from the received request. */
export function toRequest({ method, url, headers, body, signal }: ReceivedRequest): Request {
  return new Request(url, { method, headers, signal, ...(mayHaveBody(method) && { body }) })
}

const mayHaveBody = (method: string) => method !== 'GET' && method !== 'HEAD'
