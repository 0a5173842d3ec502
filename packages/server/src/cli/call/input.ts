import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { isSystemError } from '@mcp-toolkits/core/errors'
import type { ListedTool, ServerDefinition, Settings, UploadTool } from '../../mcp/definition.ts'
import { privateHosts } from '../private-hosts.ts'
import { UsageError } from '../command.ts'

/** A file on this machine that one call uploads. */
export interface Input {
  /** With the host allowed at which the file is offered. */
  readonly settings: Settings
  /** The arguments of the call with the address of the file and its name, and what identifies them to an idempotency key. */
  readonly completed: { readonly args: JsonObject; readonly given: JsonObject }
  readonly close: () => Promise<void>
}

/** A call that uploads a file, with the arguments that were written. */
interface UploadCall {
  readonly settings: Settings
  readonly tool: ListedTool
  readonly args: unknown
}

/**
 * Offers a file to the tool that uploads from a URL: at an address on this machine that cannot be guessed. The bytes are streamed, as often
 * as the upload asks for them; piped input (`-`) is written to a temporary file first, until `signal` is aborted. The call is checked
 * before anything is read. Throws `UsageError`.
 */
export async function openInput<Context>(
  { name, uploads, privateUrlsVariable = '' }: ServerDefinition<Context>,
  { settings, tool, args }: UploadCall,
  { file, input, signal }: { readonly file: string; readonly input: Readable; readonly signal: AbortSignal },
): Promise<Input> {
  if (!uploads) throw new UsageError(`--input is only for tools that upload files; ${name} has none.`)
  const written = checkArguments(uploads, tool, args)
  const source = file === '-' ? await storePiped(input, signal) : await readFacts(file)
  const { server, host, url } = await serve(source)
  const { hosts } = privateHosts(settings, privateUrlsVariable)
  const complete = { ...(source.name !== undefined && { [uploads.name]: source.name }), ...written }
  return {
    settings: { ...settings, allowPrivateUrls: [...hosts, host] },
    completed: { args: { ...complete, [uploads.source]: url }, given: { ...complete, [uploads.source]: source.identity } },
    async close() {
      server.closeAllConnections()
      server.close()
      await source.remove()
    },
  }
}

function checkArguments(uploads: UploadTool, tool: ListedTool, args: unknown): JsonObject {
  if (tool.name !== uploads.tool) throw new UsageError(`--input is for ${uploads.tool}, not for ${tool.name}.`)
  const written = isObject(args) ? args : {}
  if (written[uploads.source] !== undefined) throw new UsageError(`Give either --input or ${uploads.source}, not both.`)
  return written
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
  /** Undefined for piped input. */
  readonly name: string | undefined
  /** Differs between contents. */
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

/** An upload may need the content twice, and its size before. */
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
