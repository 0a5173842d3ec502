// A vendor that answers at once and stores nothing: it takes events, and files by Drive's resumable protocol, and serves files of any
// size. It is a process of its own, so that its work is not that of the server or of the client, and so that no emulator is the limit.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { listenOnLoopback } from '../../../packages/testing/src/processes/loopback.ts'
import { bytesBetween, md5Of } from '../transfer-source.ts'

const mebibyte = 1024 * 1024
const counts = { requests: 0, bytes: 0 }
const checksums = new Map<number, string>()

function checksumOf(mebibytes: number): string {
  const known = checksums.get(mebibytes) ?? md5Of(mebibytes)
  checksums.set(mebibytes, known)
  return known
}

/** Takes the whole body, and nothing more of it than its length. */
async function discard(request: IncomingMessage): Promise<void> {
  for await (const chunk of request) if (chunk instanceof Uint8Array) counts.bytes += chunk.byteLength
}

function send(response: ServerResponse, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/** The record of a file with so many mebibytes of the source. */
const fileOf = (fileId: string, mebibytes: number) => ({
  ...{ id: fileId, name: `${mebibytes} MiB.bin`, mimeType: 'application/octet-stream', parents: ['root-id'], trashed: false },
  ...{ size: String(mebibytes * mebibyte), md5Checksum: checksumOf(mebibytes), version: '1' },
  ...{ createdTime: '2026-01-01T00:00:00.000Z', modifiedTime: '2026-01-01T00:00:00.000Z' },
})

/** Each server uploads one file. */
const id = 'growth-upload'

/** A part of an upload: https://developers.google.com/workspace/drive/api/guides/manage-uploads#uploading */
async function takePart(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await discard(request)
  const [, last = '-1', total] = /-(\d+)\/(\d+|\*)$/.exec(request.headers['content-range'] ?? '') ?? []
  const end = Number(last) + 1
  if (String(end) === total) send(response, fileOf(id, end / mebibyte))
  else response.writeHead(308, { range: `bytes=0-${last}` }).end()
}

/** A part of a file: https://developers.google.com/workspace/drive/api/guides/manage-downloads#partial_download */
async function sendPart(request: IncomingMessage, response: ServerResponse, mebibytes: number): Promise<void> {
  const total = mebibytes * mebibyte
  const [, first = '0', last = String(total - 1)] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
  const end = Math.min(Number(last) + 1, total)
  response.writeHead(206, {
    ...{ 'content-type': 'application/octet-stream', 'content-length': end - Number(first), etag: `"${mebibytes}"` },
    'content-range': `bytes ${first}-${end - 1}/${total}`,
  })
  await pipeline(Readable.from(bytesBetween(Number(first), end)), response)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const { pathname, searchParams } = new URL(url, 'http://upstream')
  const [, mebibytes] = /-(\d+)-mib/.exec(pathname) ?? []
  if (pathname === '/counts') {
    send(response, counts)
    Object.assign(counts, { requests: 0, bytes: 0 })
    return
  }
  if (pathname === '/checksum') {
    send(response, checksumOf(Number(searchParams.get('mebibytes'))))
    return
  }
  counts.requests += 1
  if (method === 'PUT') return takePart(request, response)
  if (searchParams.get('alt') === 'media') return sendPart(request, response, Number(mebibytes))
  const before = counts.bytes
  await discard(request)
  if (searchParams.get('uploadType') === 'resumable')
    send(response, {}, { location: `http://${headers.host ?? ''}/upload/drive/v3/files?upload_id=${id}` })
  else if (searchParams.get('uploadType') === 'multipart') send(response, fileOf(id, Math.floor((counts.bytes - before) / mebibyte)))
  else if (pathname.endsWith('/generateIds')) send(response, { ids: [id] })
  else if (mebibytes !== undefined) send(response, fileOf(pathname.split('/').at(-1) ?? '', Number(mebibytes)))
  else if (pathname.endsWith('/files')) send(response, { files: [] })
  else send(response, { id: 'root-id' })
}

const listener = await listenOnLoopback(
  createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  }),
)
console.log(listener.url)
