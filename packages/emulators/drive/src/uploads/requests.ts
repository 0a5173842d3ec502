import { badRequest } from '../http/errors.ts'

/** The Content-Range of a chunk. */
export interface ContentRange {
  /** Offset of the bytes; null for a status query. */
  readonly start: number | null
  /** Number of bytes; null if the body is the whole file. */
  readonly length: number | null
  /** Total length; null while unknown. */
  readonly total: number | null
}

/** The sizes of all chunks but the last are multiples of this. */
const chunkUnit = 262_144

/** Parses `Content-Range`: https://developers.google.com/workspace/drive/api/guides/manage-uploads#uploading. */
export function parseContentRange(header: string | null): ContentRange {
  if (header === null) return { start: 0, length: null, total: null }
  const [, start, end, total] = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/.exec(header) ?? []
  if (total === undefined) throw invalidContentRange('it cannot be read')
  const whole = total === '*' ? null : Number(total)
  if (start === undefined) return { start: null, length: 0, total: whole }
  const [from, to] = [Number(start), Number(end)]
  if (whole !== null && to >= whole) throw invalidContentRange('it goes beyond the end')
  const length = to - from + 1
  const isLast = whole === to + 1
  if (!isLast && length % chunkUnit !== 0) throw invalidContentRange(`all chunks but the last must be multiples of ${chunkUnit} bytes`)
  return { start: from, length, total: whole }
}

/** Throws unless a body has the length given in its range. */
export function checkLength({ start, length }: ContentRange, received: number): void {
  if (length === null || length === received) return
  throw invalidContentRange(start === null ? 'it has no byte range, but there is a body' : 'it does not match the length of the body')
}

const invalidContentRange = (why: string) => badRequest(`Bad Content-Range: ${why}.`)

/** The two parts of a multipart upload. */
export interface MultipartBody {
  /** JSON. */
  readonly metadata: string
  readonly media: Uint8Array
  /** Content type of the second part. */
  readonly type: string | undefined
}

/**
 * Parses a `multipart/related` body: https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart.
 * Lines may end in LF, as Google's Python client sends them.
 */
export function parseMultipart(body: Uint8Array, contentType: string | null): MultipartBody {
  const [first, second, ...others] = splitParts(body, contentType).map(parsePart)
  if (first === undefined || second === undefined || others.length > 0) throw badRequest('Malformed multipart body.')
  return { metadata: first.content.toString(), media: second.content, type: second.headers.get('content-type') ?? undefined }
}

/** One part of a multipart body. */
export interface BodyPart {
  readonly headers: Headers
  readonly content: Buffer
}

/** The parts of a multipart body, each for `parsePart`. */
export function splitParts(body: Uint8Array, contentType: string | null): Buffer[] {
  const [, quoted, bare] = /^multipart\/[a-z-]+\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType ?? '') ?? []
  const boundary = quoted ?? bare
  if (boundary === undefined) throw badRequest('Bad multipart request: the Content-Type has no boundary.')
  return split(Buffer.from(body.buffer, body.byteOffset, body.byteLength), boundary)
}

/** The parts between the boundaries, without the boundaries' line breaks. */
function split(body: Buffer, boundary: string): Buffer[] {
  const mark = Buffer.from(`--${boundary}`)
  const parts: Buffer[] = []
  let from: number | undefined
  for (let at = findBoundary(body, mark, 0); at >= 0; at = findBoundary(body, mark, at + mark.length)) {
    if (from !== undefined) parts.push(body.subarray(from, trimLineEnd(body, at)))
    const end = at + mark.length
    if (body.subarray(end, end + 2).toString() === '--') return parts
    from = body.indexOf('\n', end) + 1
  }
  throw badRequest('Malformed multipart body: the closing boundary is missing.')
}

/** Finds a boundary, which must fill its line. */
function findBoundary(body: Buffer, mark: Buffer, from: number): number {
  const fills = (at: number) => /^(?:--|[ \t]*\r?\n)/.test(body.subarray(at + mark.length, at + mark.length + 80).toString('latin1'))
  let at = body.indexOf(mark, from)
  while (at >= 0 && !((at === 0 || body[at - 1] === 0x0a) && fills(at))) at = body.indexOf(mark, at + 1)
  return at
}

const trimLineEnd = (body: Buffer, at: number) => at - (body[at - 2] === 0x0d ? 2 : 1)

/** Splits a part into headers and content. Throws `DriveError` if headers are missing or unreadable. */
export function parsePart(part: Buffer): BodyPart {
  // Headers end at the first empty line.
  const blank = /^\r?\n|\r?\n\r?\n/.exec(part.subarray(0, 16_384).toString('latin1'))
  if (blank === null) throw badRequest('Malformed multipart body: a part has no headers.')
  const headers = parseHeaders(part.subarray(0, blank.index).toString('latin1').split(/\r?\n/))
  const content = part.subarray(blank.index + blank[0].length)
  const isBase64 = headers.get('content-transfer-encoding')?.toLowerCase() === 'base64'
  return { headers, content: isBase64 ? Buffer.from(content.toString('latin1'), 'base64') : content }
}

/** Parses lines as headers; lines without a name are ignored. Throws `DriveError` for a value with a control character. */
export function parseHeaders(lines: readonly string[]): Headers {
  const headers = new Headers()
  for (const line of lines) {
    const [name = '', ...rest] = line.split(':')
    const value = rest.join(':').trim()
    if (!/^[\w-]+$/.test(name)) continue
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw badRequest(`Bad multipart request: the header ${name} has a control character.`)
    headers.append(name, value)
  }
  return headers
}
