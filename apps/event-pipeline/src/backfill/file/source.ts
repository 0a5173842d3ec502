import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { InvalidInput, isSystemError, NotFound, TooLarge, Unavailable } from '@mcp-toolkits/core/errors'
import type { GuardedFetch } from '@mcp-toolkits/core/upstream'
import type { Source } from '../record.ts'

/** Maximum number of bytes of a file after decompression. */
const maxBytes = 8 * 1024 ** 3

export interface OpenSource {
  readonly fetch: GuardedFetch
  readonly signal: AbortSignal
}

/** A call's text, stored until it is read. */
interface StoredText {
  readonly bytes: Buffer
}

/** A file's text in pieces, decompressed and decoded. */
export interface SourceText {
  readonly pieces: AsyncIterable<string>
  /** Hash of everything read. */
  readonly digest: () => string
}

/** Opens a source's text. Throws, at once or during reading, if the source cannot be read or is not text. */
export async function openText(source: Source | StoredText, options: OpenSource): Promise<SourceText> {
  const { first, all } = await peek(await bytesOf(source, options))
  const isGzip = first[0] === 0x1f && first[1] === 0x8b
  const hash = createHash('sha256')
  return { pieces: decode(isGzip ? gunzip(all) : all, hash), digest: () => hash.copy().digest('base64url') }
}

/** Number of bytes of text to read at a time: reading the whole text at once would take several times its size in memory. */
const sliceBytes = 64 * 1024

function slicesOf(bytes: Buffer): Readable {
  const slices = Array.from({ length: Math.ceil(bytes.length / sliceBytes) }, (_, index) => index * sliceBytes)
  return Readable.from(slices.map((start) => bytes.subarray(start, start + sliceBytes)))
}

async function bytesOf(source: Source | StoredText, { fetch, signal }: OpenSource): Promise<AsyncIterable<Uint8Array>> {
  if ('bytes' in source) return slicesOf(source.bytes)
  if ('text' in source) return slicesOf(Buffer.from(source.text))
  if ('file' in source) return fileBytes(source.file)
  const url = downloadUrl(source.url)
  const { status, headers, body } = await fetch(url, { signal })
  const isPage = /^text\/html\b/i.test(headers.get('content-type') ?? '')
  if (status === 200 && !isPage) return body
  await body.cancel()
  if (isPage && url !== source.url)
    throw new NotFound(
      'Google Drive returned a web page, because the file’s link access is not "Anyone with the link". Set it to that, or give a different link.',
    )
  if (isPage) throw new InvalidInput('The URL leads to a web page, not to a file. Give the URL that downloads the file.')
  const text = `The URL's server returned HTTP ${status} instead of the file.`
  throw status === 429 || status >= 500 ? new Unavailable(text) : new NotFound(text)
}

async function* fileBytes(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file)
  } catch (error) {
    if (isSystemError(error)) throw new NotFound(`${file} cannot be read (${error.code}).`)
    throw error
  }
}

/** The download URL for a link that people copy from Google Drive. */
export function downloadUrl(link: string): string {
  const url = URL.parse(link)
  const [, kind, id = url?.searchParams.get('id') ?? ''] =
    /^\/(?:(spreadsheets|file)\/(?:u\/\d+\/)?d\/([\w-]+)(?:\/(?:(?:edit|view|preview|htmlview|copy)\b.*)?)?$|open|uc)/.exec(
      url?.pathname ?? '',
    ) ?? []
  if (url?.host === 'docs.google.com' && kind === 'spreadsheets') {
    const [, sheet] = /gid=(\d+)/.exec(`${url.search}${url.hash}`) ?? []
    return `https://docs.google.com/spreadsheets/d/${id}/export?format=csv${sheet === undefined ? '' : `&gid=${sheet}`}`
  }
  if (url?.host !== 'drive.google.com' || id === '') return link
  const key = url.searchParams.get('resourcekey')
  return `https://drive.usercontent.google.com/download?id=${encodeURIComponent(id)}&export=download&confirm=t${key === null ? '' : `&resourcekey=${encodeURIComponent(key)}`}`
}

/** The first bytes, and all bytes including the first. */
async function peek(bytes: AsyncIterable<Uint8Array>): Promise<{ readonly first: Uint8Array; readonly all: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]()
  let first: Uint8Array = Buffer.alloc(0)
  while (first.byteLength < 2) {
    const next = await iterator.next()
    if (next.done === true) break
    first = Buffer.concat([first, next.value])
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { first, all: all() }
}

async function* gunzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = Readable.from(bytes)
  const output = createGunzip()
  input.on('error', (error) => output.destroy(error))
  try {
    const pieces: AsyncIterable<Uint8Array> = input.pipe(output)
    yield* pieces
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw new InvalidInput(`The file is a damaged or incomplete gzip file (${String(error.code)}).`)
    throw error
  } finally {
    input.destroy()
  }
}

async function* decode(bytes: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let total = 0
  for await (const piece of bytes) {
    total += piece.byteLength
    if (total > maxBytes) throw new TooLarge(`The file has more than ${maxBytes} bytes. Split it.`)
    hash.update(piece)
    decoder ??= new TextDecoder(piece[0] === 0xff && piece[1] === 0xfe ? 'utf-16le' : 'utf-8', { fatal: true })
    yield decoded(() => decoder?.decode(piece, { stream: true }), total)
  }
  yield decoded(() => decoder?.decode(), total)
}

function decoded(decode: () => string | undefined, bytes: number): string {
  try {
    return decode() ?? ''
  } catch {
    throw new InvalidInput(`The file is not valid UTF-8 (error before byte ${bytes}). Save it as UTF-8.`)
  }
}
