import { once } from 'node:events'
import { createServer } from 'node:http'

/** A server that holds files for uploads. */
export interface ContentSource extends AsyncDisposable {
  /** As an operator allows it. */
  readonly host: string
  /** The URL of a file that is uploaded in one request. */
  readonly small: string
  /** The URL of a file that is uploaded in two parts. */
  readonly large: string
}

/** More than the 8 MiB that one request of an upload carries. */
const largeBytes = 9 * 1024 * 1024

const files: Readonly<Record<string, Buffer>> = {
  '/small.txt': Buffer.from('A small file.\n'),
  '/large.bin': Buffer.alloc(largeBytes, 'A large file.\n'),
}

/** Answers ranges, so that an upload can go on in the middle. */
export async function openContentSource(): Promise<ContentSource> {
  const server = createServer(({ url = '', headers }, response) => {
    const content = files[url] ?? Buffer.alloc(0)
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
    const length = content.length - start
    const common = { 'content-type': 'application/octet-stream', etag: '"1"', 'accept-ranges': 'bytes', 'content-length': String(length) }
    if (start === 0) response.writeHead(200, common)
    else response.writeHead(206, { ...common, 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` })
    response.end(content.subarray(start))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return {
    host,
    small: `http://${host}/small.txt`,
    large: `http://${host}/large.bin`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
