import { createServer } from 'node:http'
import { listenOnLoopback } from './loopback.ts'

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
  const listener = await listenOnLoopback(server)
  const { url: base } = listener
  return {
    host: new URL(base).host,
    small: `${base}/small.txt`,
    large: `${base}/large.bin`,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}
