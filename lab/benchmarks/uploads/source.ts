import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { listenOnLoopback } from '../../../packages/testing/src/processes/loopback.ts'

const mebibyte = 1024 * 1024

/** Kind of source: one that announces the length of its content, or one that does not. */
export type Kind = 'known' | 'unknown'

/** One mebibyte of content, different for each index. */
function piece(index: number): Buffer {
  const bytes = Buffer.alloc(mebibyte, createHash('sha512').update(String(index)).digest())
  bytes.writeUInt32BE(index)
  return bytes
}

/** The bytes from `start` up to `end`. */
export function* bytesBetween(start: number, end: number) {
  for (let at = start; at < end;) {
    const from = at % mebibyte
    const bytes = piece(Math.floor(at / mebibyte)).subarray(from, Math.min(mebibyte, from + end - at))
    yield bytes
    at += bytes.byteLength
  }
}

/** The md5 of `count` mebibytes of content. */
export function md5Of(count: number): string {
  const hash = createHash('md5')
  for (const bytes of bytesBetween(0, count * mebibyte)) hash.update(bytes)
  return hash.digest('hex')
}

export interface Source {
  readonly host: string
  /** URL of `count` mebibytes of content; the connection breaks `cuts` times before all of it has arrived. */
  readonly url: (kind: Kind, count: number, cuts: number) => string
  readonly close: () => PromiseLike<void>
}

/** A source whose content can be resumed. */
export async function openSource(): Promise<Source> {
  let runs = 0
  const left = new Map<string, number[]>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const [, kind, count] = path.split('/')
    const total = Number(count) * mebibyte
    const { range } = request.headers
    const start = Number(/\d+/.exec(range ?? '0')?.[0])
    const cut = left.get(path)?.shift()
    const length = kind === 'known' ? { 'content-length': total - start } : {}
    const place = range === undefined ? {} : { 'content-range': `bytes ${start}-${total - 1}/${kind === 'known' ? total : '*'}` }
    response.writeHead(range === undefined ? 200 : 206, {
      'content-type': 'application/octet-stream',
      etag: `"${path}"`,
      ...length,
      ...place,
    })
    const sending = pipeline(bytesBetween(start, cut ?? total), response, { end: cut === undefined })
    const broken = () => response.destroy()
    sending.then(() => (cut === undefined ? undefined : broken()), broken)
  })
  const listener = await listenOnLoopback(server)
  return {
    host: new URL(listener.url).host,
    url(kind, count, cuts) {
      runs += 1
      const path = `/${kind}/${count}/${runs}`
      const places = Array.from({ length: cuts }, (_, index) => Math.floor((count * mebibyte * (index + 1)) / (cuts + 1)) + index)
      left.set(path, places)
      return listener.url + path
    },
    close: () => listener[Symbol.asyncDispose](),
  }
}
