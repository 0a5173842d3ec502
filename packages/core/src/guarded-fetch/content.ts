import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ReadableStream, type ReadableStreamController } from 'node:stream/web'
import { ToolError } from '../errors.ts'
import { brokenOff, stalled, tooLong } from './refusals.ts'
import { unlessAborted, within } from './time-limit.ts'

interface Reading {
  readonly socket: Socket
  /** Longest time that a reader waits without a byte arriving, in milliseconds; a reader that pauses costs nothing. */
  readonly idleMs: number
  /** How many bytes may come, counted as they arrive. */
  readonly maxBytes: number
  readonly signal: AbortSignal | undefined
}

/** The bytes of an answer as they were sent, read from the connection only when they are asked for. The connection ends with them. */
export function content(message: IncomingMessage, { socket, idleMs, maxBytes, signal }: Reading): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<unknown, unknown> = message[Symbol.asyncIterator]()
  const ended = new AbortController()
  let received = 0
  const end = () => {
    ended.abort()
    socket.destroy()
  }
  const more = async () => {
    const late = () => stalled(idleMs)
    const { done, value } = await within({ ms: idleMs, late, signal: undefined }, (limit) => unlessAborted(chunks.next(), limit))
    if (done === true) return undefined
    if (!(value instanceof Uint8Array)) throw new TypeError('A message without an encoding consists of bytes.')
    received += value.byteLength
    if (received > maxBytes) throw tooLong(maxBytes)
    return value
  }
  const source = {
    start(controller: ReadableStreamController<Uint8Array>) {
      const giveUp = () => {
        controller.error(signal?.reason)
        end()
      }
      // Also while nobody reads.
      if (signal?.aborted === true) giveUp()
      else signal?.addEventListener('abort', giveUp, { once: true, signal: ended.signal })
    },
    async pull(controller: ReadableStreamController<Uint8Array>) {
      try {
        const chunk = await more()
        if (chunk) {
          controller.enqueue(chunk)
          return
        }
        end()
        controller.close()
      } catch (error) {
        end()
        throw error instanceof ToolError ? error : brokenOff()
      }
    },
    cancel: end,
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}
