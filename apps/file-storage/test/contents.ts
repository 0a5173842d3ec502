import { createHash } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { Storage } from './storage.ts'
import { textAt } from './storage.ts'

export const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

/** Bytes that differ everywhere, so that a swapped or missing part is noticed. */
export function pseudoRandomBytes(size: number, seed = 0): Buffer {
  const bytes = Buffer.alloc(size)
  const block = Buffer.concat(Array.from({ length: 64 }, (_, index) => createHash('sha512').update(`${seed} ${size} ${index}`).digest()))
  for (let at = 0; at < size; at += block.length) {
    block.copy(bytes, at)
    if (at + 4 <= size) bytes.writeUInt32BE(at, at)
  }
  return bytes
}

/** Puts a file into the drive with the API, and returns its id. */
export async function put(
  { emulator }: Pick<Storage, 'emulator'>,
  name: string,
  bytes: Uint8Array,
  type = 'application/octet-stream',
): Promise<string> {
  const part = (type: string, body: string | Uint8Array) => [Buffer.from(`--edge\r\nContent-Type: ${type}\r\n\r\n`), body, '\r\n']
  const body = Buffer.concat(
    [...part('application/json', JSON.stringify({ name })), ...part(type, bytes), '--edge--\r\n'].map((piece) => Buffer.from(piece)),
  )
  const response = await emulator.fetch('http://localhost/upload/drive/v3/files?uploadType=multipart&fields=id', {
    method: 'POST',
    headers: { authorization: 'Bearer test-token', 'content-type': 'multipart/related; boundary=edge' },
    body,
  })
  return textAt(await response.json(), 'id')
}

/** A file's content in the drive. */
export async function contentOf({ emulator }: Pick<Storage, 'emulator'>, id: string): Promise<Buffer> {
  const response = await emulator.fetch(`http://localhost/drive/v3/files/${id}?alt=media`, {
    headers: { authorization: 'Bearer test-token' },
  })
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}

/** The bytes in a result; fails the test unless there is exactly one content. */
export function bytesIn({ content }: Pick<CallToolResult, 'content'>): Buffer {
  const resources = content.filter((block) => block.type === 'resource')
  const [only] = resources
  if (resources.length !== 1 || !only || !('blob' in only.resource)) throw new Error('There is not one content in the result.')
  return Buffer.from(only.resource.blob, 'base64')
}

/** Reads a file chunk by chunk and returns its bytes, with the facts of each chunk. */
export async function readInChunks(server: Pick<Storage, 'result'>, args: Readonly<Record<string, unknown>>) {
  const parts: Buffer[] = []
  const told: Record<string, unknown>[] = []
  let start: unknown = 0
  while (start !== null) {
    const result = await server.result('FileStorage.DownloadFileChunk', { ...args, start_byte: start })
    if (result.isError === true) throw new Error(JSON.stringify(result.content))
    const data = Object.assign({ next_start_byte: null }, result.structuredContent)
    told.push(data)
    parts.push(bytesIn(result))
    start = data.next_start_byte
  }
  return { bytes: Buffer.concat(parts), told }
}
