import type { OnReadOpts, Socket } from 'node:net'

/** Number of bytes that Node reads at once. */
const size = 64 * 1024

/**
 * Opens a connection that reads everything into one buffer, so its listeners must copy any bytes they keep, as Node's HTTP parser does.
 * By default, each read allocates a buffer (https://nodejs.org/api/net.html#new-netsocketoptions), and a file of several gigabytes would
 * arrive faster than the garbage collector frees the buffers.
 */
export function withReadBuffer<Connection extends Socket>(open: (options: { readonly onread: OnReadOpts }) => Connection): Connection {
  const callback = (length: number, buffer: Uint8Array) => {
    const bytes = buffer.subarray(0, length)
    // Without a listener, the stream keeps the bytes, so they must be copied: the next read overwrites the buffer.
    if (connection.listenerCount('data') > 0) connection.emit('data', bytes)
    else connection.push(Buffer.from(bytes))
    return true
  }
  const connection = open({ onread: { buffer: Buffer.allocUnsafeSlow(size), callback } })
  return connection
}
