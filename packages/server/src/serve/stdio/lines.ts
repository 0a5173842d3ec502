import { StringDecoder } from 'node:string_decoder'
import { isObject, member, parseJson } from '@mcp-toolkits/core/base'

type Id = string | number

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const comma = 0x2c
const space = 0x20
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Bytes of a string to read one by one before the search for its end, which is fast for a long string and slow for a short one. */
const stride = 64

/** Longest key or id that is read; a longer string is ignored. */
const maxTokenLength = 256

/**
 * Finds the `id` of a JSON-RPC request while its line is read and thrown away, so that a line too long to hold can still be
 * answered. Only members of the outermost object count, and only with a `method` among them: an answer is not answered.
 */
export class RequestIdScanner {
  #depth = 0
  #inString = false
  #escaped = false
  #token: number[] = []
  #key: unknown
  #id: Id | undefined
  #isRequest = false

  get id(): Id | undefined {
    return this.#isRequest ? this.#id : undefined
  }

  read(bytes: Uint8Array): void {
    let index = 0
    while (index < bytes.length) {
      if (this.#isCollecting() || (this.#depth === 1 && !this.#inString)) {
        this.#step(bytes[index] ?? space)
        index += 1
      } else index = this.#skip(bytes, index)
    }
  }

  /** Reads on to the next byte that counts, and returns its index. Most bytes of a long line do not count, so this is all about speed. */
  #skip(bytes: Uint8Array, from: number): number {
    let index = from
    let depth = this.#depth
    let inString = this.#inString
    let escaped = this.#escaped
    let plainBytes = 0
    for (let isDone = false; index < bytes.length && !isDone; index += 1) {
      const byte = bytes[index]
      if (inString) {
        plainBytes += 1
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quote) {
          inString = false
          isDone = depth === 1
        } else if (plainBytes > stride) {
          const end = endOfPlain(bytes, index)
          escaped = hasOddBackslashes(bytes, index, end)
          index = end - 1
          plainBytes = 0
        }
      } else if (byte === quote) {
        inString = true
        plainBytes = 0
      } else if (byte === openList || byte === openObject) isDone = ++depth === 1
      else if (byte === closeList || byte === closeObject) isDone = --depth === 1
    }
    this.#depth = depth
    this.#inString = inString
    this.#escaped = escaped
    return index
  }

  #step(byte: number): void {
    if (this.#inString) {
      this.#collect(byte)
      if (this.#escaped) this.#escaped = false
      else if (byte === backslash) this.#escaped = true
      else if (byte === quote) this.#inString = false
      return
    }
    if (byte === quote) this.#inString = true
    if (byte === openList || byte === openObject) this.#depth += 1
    else if (byte === closeList || byte === closeObject) this.#close()
    else if (this.#depth === 1 && byte === colon) this.#key = this.#take()
    else if (this.#depth === 1 && byte === comma) this.#endMember()
    else if (byte > space) this.#collect(byte)
  }

  #close(): void {
    if (this.#depth === 1) this.#endMember()
    this.#depth -= 1
  }

  #endMember(): void {
    const value = this.#take()
    if (this.#key === 'id') this.#id = typeof value === 'string' || typeof value === 'number' ? value : undefined
    if (this.#key === 'method') this.#isRequest = true
    this.#key = undefined
  }

  #isCollecting(): boolean {
    return this.#depth === 1 && this.#token.length <= maxTokenLength
  }

  #collect(byte: number): void {
    if (this.#isCollecting()) this.#token.push(byte)
  }

  /** The key or the plain value that was read; undefined for any other, and for one that is too long. */
  #take(): unknown {
    const token = this.#token
    this.#token = []
    return token.length > maxTokenLength ? undefined : parseJson(Buffer.from(token).toString())
  }
}

/** The index of the next quotation mark, or the end. */
function endOfPlain(bytes: Uint8Array, from: number): number {
  const found = bytes.indexOf(quote, from)
  return found < 0 ? bytes.length : found
}

function hasOddBackslashes(bytes: Uint8Array, from: number, end: number): boolean {
  let first = end
  while (first > from && bytes[first - 1] === backslash) first -= 1
  return (end - first) % 2 === 1
}

/** The id of a request that is not parsed. */
export function scanRequestId(line: Uint8Array): Id | undefined {
  const scanner = new RequestIdScanner()
  scanner.read(line)
  return scanner.id
}

/** One line in a stream of bytes. */
export type Line =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too_long'; readonly id: string | number | undefined }

const newline = 0x0a

/** Cuts bytes into lines of at most `limit` bytes. A longer one is read to its end, reported with its request id, and dropped. */
export class LineReader {
  readonly #limit: number
  /** Decoded as they arrive: the end of a long line should not wait for all of it. */
  #parts: string[] = []
  #bytes = 0
  #decoder = new StringDecoder()
  #scanner: RequestIdScanner | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The lines that `chunk` completes. */
  *read(chunk: Uint8Array): Generator<Line> {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#add(chunk.subarray(start, end))
      yield* this.end()
      start = end + 1
    }
    this.#add(chunk.subarray(start))
  }

  /** The last line, when the stream ends without a line break. */
  *end(): Generator<Line> {
    if (this.#scanner) yield { kind: 'too_long', id: this.#scanner.id }
    else {
      const text = [...this.#parts, this.#decoder.end()].join('').trim()
      if (text !== '') yield { kind: 'text', text }
    }
    this.#parts = []
    this.#bytes = 0
    this.#scanner = undefined
  }

  #add(part: Uint8Array): void {
    if (this.#scanner) {
      this.#scanner.read(part)
      return
    }
    this.#parts.push(this.#decoder.write(part))
    this.#bytes += part.length
    if (this.#bytes <= this.#limit) return
    this.#scanner = new RequestIdScanner()
    for (const held of [...this.#parts, this.#decoder.end()]) this.#scanner.read(Buffer.from(held))
    this.#parts = []
  }
}

/** From this many characters on, base64 is written separately, in slices of that length: about as much as a pipe accepts at once. */
const sliceLength = 256 * 1024

/** Stands for a blob in the JSON. */
const placeholder = '\0blob\0'

/**
 * Yields the line of a message in chunks. Large blobs are not part of `JSON.stringify`, which would copy megabytes of them once as text
 * and once as bytes.
 */
export function* lineChunks(message: object): Generator<string> {
  const blobs: string[] = []
  const without = replaceBlobs(message, (blob) => {
    blobs.push(blob)
    return placeholder
  })
  const json = JSON.stringify(without)
  const [first = '', ...rest] = json.split(JSON.stringify(placeholder))
  // A text in the message may equal the placeholder.
  if (rest.length === 0 || rest.length !== blobs.length) {
    yield `${blobs.length === 0 ? json : JSON.stringify(message)}\n`
    return
  }
  yield first
  for (const [index, after] of rest.entries()) {
    const blob = blobs[index] ?? ''
    yield '"'
    for (let start = 0; start < blob.length; start += sliceLength) yield JSON.stringify(blob.slice(start, start + sliceLength)).slice(1, -1)
    yield `"${after}`
  }
  yield '\n'
}

/** Replaces the large blobs in the content of a result by the values of `cut`. */
function replaceBlobs(message: object, cut: (blob: string) => string): object {
  const result = member(message, 'result')
  const content = member(result, 'content')
  if (!isObject(result) || !Array.isArray(content)) return message
  return { ...message, result: { ...result, content: content.map((block: unknown) => replaceBlob(block, cut)) } }
}

function replaceBlob(block: unknown, cut: (blob: string) => string): unknown {
  const resource = member(block, 'resource')
  const blob = member(resource, 'blob')
  if (!isObject(block) || !isObject(resource) || typeof blob !== 'string') return block
  if (blob.length < sliceLength) return block
  return { ...block, resource: { ...resource, blob: cut(blob) } }
}
