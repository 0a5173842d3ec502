import { deserializeMessage, type Transport } from '@modelcontextprotocol/client'
import type { PassThrough } from 'node:stream'

/** The client's end of two streams. */
export function overStreams(from: PassThrough, to: PassThrough): Transport {
  let rest = ''
  const transport: Transport = {
    start() {
      from.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = `${rest}${chunk}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) transport.onmessage?.(deserializeMessage(line))
      })
      return Promise.resolve()
    },
    send(message) {
      to.write(`${JSON.stringify(message)}\n`)
      return Promise.resolve()
    },
    close() {
      to.end()
      transport.onclose?.()
      return Promise.resolve()
    },
  }
  return transport
}
