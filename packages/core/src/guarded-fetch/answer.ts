import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { noAnswer } from './refusals.ts'
import type { Target } from './target.ts'

/** All that a caller may add: which part of the content it wants, and of which version. */
export interface PartHeaders {
  /** `bytes=FIRST-` or `bytes=FIRST-LAST` (https://www.rfc-editor.org/rfc/rfc9110#name-range). */
  readonly range?: string | undefined
  /** The strong ETag of the content that the part belongs to; the whole is sent when it has changed. */
  readonly 'if-range'?: string | undefined
}

/** The headers of `part` that may be sent. Throws `TypeError` for another value: it is written by the program, never by its caller. */
export function partHeaders(part: PartHeaders): Readonly<Record<string, string>> {
  const { range, 'if-range': ifRange } = part
  if (range !== undefined && !/^bytes=\d+-\d*$/.test(range)) throw new TypeError('A range must be one range of bytes.')
  if (ifRange !== undefined && !/^"[\x21\x23-\x7e]*"$/.test(ifRange)) throw new TypeError('A part is continued by a strong ETag only.')
  return { ...(range !== undefined && { range }), ...(ifRange !== undefined && { 'if-range': ifRange }) }
}

interface Waiting {
  readonly target: Target
  readonly headers: Readonly<Record<string, string>>
  /** Ends the wait. */
  readonly signal: AbortSignal
}

/** Asks on an open connection and resolves with the head of the answer, of which no body has been read. The connection serves this once. */
export async function answer(socket: Socket, { target: { url }, headers, signal }: Waiting): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const fail = () => {
    reject(noAnswer())
  }
  const asking = request({
    // A connection of our own and no agent: nothing is kept alive, and no proxy of the environment comes in between.
    createConnection: () => socket,
    path: url.pathname + url.search,
    setHost: false,
    insecureHTTPParser: false,
    headers: { host: url.host, accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'mcp-toolkits', ...headers },
  })
  asking.on('response', (message) => {
    message.on('error', () => undefined)
    resolve(message)
  })
  asking.on('error', fail)
  // What is no error and yet no answer: a change of protocol.
  asking.on('close', fail)
  signal.addEventListener('abort', fail, { once: true })
  asking.end()
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', fail)
  }
}
