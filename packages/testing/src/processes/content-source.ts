import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { listenOnLoopback } from './loopback.ts'

/** A server with files for uploads. */
export interface ContentSource extends AsyncDisposable {
  /** The host, as written in the operator's allow-list. */
  readonly host: string
  /** URL of a file uploaded in one request. */
  readonly small: string
  /** URL of a file uploaded in two parts. */
  readonly large: string
  /** The same file, served so slowly that it takes seconds. */
  readonly slow: string
  readonly largeMd5: string
}

/** More than the 8 MiB that one upload request carries. */
const largeBytes = 9 * 1024 * 1024

const large = Buffer.alloc(largeBytes, 'A large file.\n')

const files: Readonly<Record<string, Buffer>> = {
  '/small.txt': Buffer.from('A small file.\n'),
  '/large.bin': large,
  '/slow.bin': large,
}

/** Number of pieces of the slow file, and the time between two of them, in milliseconds. */
const pieces = 12
const pauseMs = 250

async function* slowly(content: Buffer): AsyncGenerator<Buffer> {
  const size = Math.ceil(large.length / pieces)
  for (let start = 0; start < content.length; start += size) {
    await setTimeout(pauseMs)
    yield content.subarray(start, start + size)
  }
}

/** Answers range requests, so that an upload can resume in the middle. */
export async function openContentSource(): Promise<ContentSource> {
  const server = createServer(({ url = '', headers }, response) => {
    const content = files[url] ?? Buffer.alloc(0)
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
    const length = content.length - start
    const common = { 'content-type': 'application/octet-stream', etag: '"1"', 'accept-ranges': 'bytes', 'content-length': String(length) }
    if (start === 0) response.writeHead(200, common)
    else response.writeHead(206, { ...common, 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` })
    const rest = content.subarray(start)
    if (url === '/slow.bin') pipeline(slowly(rest), response).catch(() => undefined)
    else response.end(rest)
  })
  const listener = await listenOnLoopback(server)
  const { url: base } = listener
  return {
    host: new URL(base).host,
    small: `${base}/small.txt`,
    large: `${base}/large.bin`,
    slow: `${base}/slow.bin`,
    largeMd5: hash('md5', large, 'hex'),
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}
