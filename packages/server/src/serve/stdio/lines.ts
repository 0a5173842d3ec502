import { StringDecoder } from 'node:string_decoder'
import { isObject, member, parseJson } from '@mcp-toolkits/core/base'

type Id = string | number

/** Number of characters at each end of a line to search for its id. */
const endLength = 1_024

/** The id of an unparsed request. */
export function scanRequestId(line: string): Id | undefined {
  return idBetween(line.slice(0, endLength), line.slice(-endLength))
}

/**
 * The id of a JSON-RPC request from the two ends of its line, which may be too long to keep. Only members of the outermost object count,
 * and one of them must be `method`: a line without it is a response, whose id is not needed. An id between two long members is not found.
 */
function idBetween(head: string, tail: string): Id | undefined {
  if (!head.trimStart().startsWith('{')) return undefined
  const starts = commasIn(head).map((comma) => parseJson(`${head.slice(0, comma)}}`))
  const ends = commasIn(tail).map((comma) => parseJson(`{${tail.slice(comma + 1)}`))
  // Text that can be parsed is balanced, so its members belong to the outermost object.
  const members = { ...starts.findLast(isObject), ...ends.find(isObject) }
  const { id } = members
  return 'method' in members && (typeof id === 'string' || typeof id === 'number') ? id : undefined
}

function commasIn(text: string): number[] {
  return [...text.matchAll(/,/g)].map(({ index }) => index)
}

/** One line in a stream of bytes. */
export type Line = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'too_long'; readonly id: Id | undefined }

const newline = 0x0a

/** Cuts bytes into lines of at most `limit` bytes. A longer line is read in full, reported with its request id, and dropped. */
export class LineReader {
  readonly #limit: number
  /** Pieces decoded as they arrive, so that at the end of a long line, not all of it remains to be decoded. */
  #parts: string[] = []
  #bytes = 0
  #decoder = new StringDecoder()
  /** The beginning of the line. If the line is too long, `#parts` has only its end. */
  #head = ''

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
    const text = [...this.#parts, this.#decoder.end()].join('').trim()
    if (this.#bytes > this.#limit) yield { kind: 'too_long', id: idBetween(this.#head, text) }
    else if (text !== '') yield { kind: 'text', text }
    this.#parts = []
    this.#bytes = 0
    this.#head = ''
  }

  #add(part: Uint8Array): void {
    const text = this.#decoder.write(part)
    this.#head += text.slice(0, endLength - this.#head.length)
    this.#parts.push(text)
    this.#bytes += part.length
    if (this.#bytes > this.#limit) this.#parts = [this.#parts.join('').slice(-endLength)]
  }
}

/** Blobs with at least this many characters of base64 are written separately, in slices of this size: about what a pipe takes at once. */
const sliceLength = 256 * 1024

/** Placeholder for a blob in the JSON. */
const placeholder = '\0blob\0'

/**
 * Yields a message's line in chunks. Large blobs bypass `JSON.stringify`, which would copy megabytes of them once as text and once as
 * bytes.
 */
export function* lineChunks(message: object): Generator<string> {
  const blobs: string[] = []
  const without = replaceBlobs(message, (blob) => {
    blobs.push(blob)
    return placeholder
  })
  const json = JSON.stringify(without)
  const [first = '', ...rest] = json.split(JSON.stringify(placeholder))
  // Text in the message may equal the placeholder.
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

/** Replaces the large blobs in a result's content with the values from `cut`. */
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
