import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isObject } from '@mcp-toolkits/core/base'
import { isSystemError } from '@mcp-toolkits/core/errors'
import type { FileCall, OpenFile } from '@mcp-toolkits/server'
import { UsageError } from '@mcp-toolkits/server/cli'
import { privateHosts, privateUrlsVariable } from './upload/upload-settings.ts'

/**
 * Offers a file to UploadFile at an unguessable URL on this machine. The bytes are streamed as often as the upload requests them; piped
 * input (`-`) is first written to a temporary file, which lasts until `signal` is aborted. The call is checked before anything is read.
 * Throws `UsageError`.
 */
export async function openInput({ settings, args, file, input, signal }: FileCall): Promise<OpenFile> {
  const written = isObject(args) ? args : {}
  if (written['source_url'] !== undefined) throw new UsageError('Give either --input or source_url, not both.')
  const source = file === '-' ? await storePiped(input, signal) : await readFacts(file)
  const { server, host, url } = await serve(source)
  const isNew = written['file_path_or_id'] === undefined
  const complete = { ...(source.name !== undefined && isNew && { file_name: source.name }), ...written }
  const hosts = [...privateHosts(settings.environment), host].join(',')
  return {
    settings: { ...settings, environment: { ...settings.environment, [privateUrlsVariable]: hosts } },
    completed: { args: { ...complete, source_url: url }, given: { ...complete, source_url: source.identity } },
    async close() {
      server.closeAllConnections()
      server.close()
      await source.remove()
    },
  }
}

async function serve(source: Source): Promise<{ readonly server: Server; readonly host: string; readonly url: string }> {
  const address = `/${randomUUID()}`
  const server = createServer((request, response) => {
    if (request.url !== address) response.writeHead(404).end()
    else answer(request, response, source).catch(() => response.destroy())
  })
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening')
  } catch (error) {
    await source.remove()
    throw error
  }
  const listening = server.address()
  const host = `127.0.0.1:${typeof listening === 'object' && listening ? listening.port : 0}`
  return { server, host, url: `http://${host}${address}` }
}

interface Source {
  readonly path: string
  readonly bytes: number
  /** The file's name; undefined for piped input. */
  readonly name: string | undefined
  /** Identifies the content; no other content has the same value. */
  readonly identity: string
  readonly remove: () => Promise<void>
}

async function readFacts(file: string): Promise<Source> {
  const found = await stat(file).catch((error: unknown) => {
    if (isSystemError(error)) throw new UsageError(`${file} cannot be read (${error.code}).`)
    throw error
  })
  if (!found.isFile()) throw new UsageError(`${file} is not a file. Name a file, or pipe the content to --input -.`)
  const absolute = path.resolve(file)
  const identity = `${absolute} ${found.size} ${found.mtimeMs}`
  return { path: absolute, bytes: found.size, name: path.basename(absolute), identity, remove: () => Promise.resolve() }
}

/** Stores piped input, because an upload may need the content twice, and needs its size first. */
async function storePiped(input: Readable, signal: AbortSignal): Promise<Source> {
  if ('isTTY' in input && input.isTTY === true) throw new UsageError('--input - reads what is piped in. Name a file otherwise.')
  const directory = await mkdtemp(path.join(tmpdir(), 'upload-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  const file = path.join(directory, 'content')
  const hash = createHash('sha256')
  const counted = new PassThrough().on('data', (piece: Uint8Array) => hash.update(piece))
  try {
    await pipeline(input, counted, createWriteStream(file, { mode: 0o600 }), { signal })
    const { size } = await stat(file)
    return { path: file, bytes: size, name: undefined, identity: hash.digest('hex'), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, { path: file, bytes, identity }: Source): Promise<void> {
  const [, from = '0'] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? []
  const start = Math.min(Number(from), bytes)
  const etag = `"${createHash('sha256').update(identity).digest('hex')}"`
  const range = start === 0 ? {} : { 'content-range': `bytes ${start}-${bytes - 1}/${bytes}` }
  response.writeHead(start === 0 ? 200 : 206, {
    'content-length': bytes - start,
    'content-type': 'application/octet-stream',
    etag,
    ...range,
  })
  if (request.method === 'HEAD' || bytes === start) response.end()
  else await pipeline(createReadStream(file, { start, end: bytes - 1 }), response)
}
