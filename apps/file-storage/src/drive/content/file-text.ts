import { count, fittingLength, Message, sentence } from '@mcp-toolkits/core/errors'

/** Longest text of a file in a result, in characters. */
const maxCharacters = 50_000
/** Most bytes that it takes in the JSON of a result; a result has 80,000. */
const maxShownBytes = 60_000
/** Size up to which a chunk of ordinary text is shown whole, in bytes. */
const readableChunkBytes = 40_000

/** Text that was cut says so beside it, as in every result. */
interface ShownText {
  readonly text?: string
  readonly truncated?: true
  readonly total_characters?: number
}

interface Piece {
  readonly bytes: Uint8Array
  /** The bytes in front of the piece, as far as they are known. */
  readonly before?: Uint8Array
  readonly mimeType: string
  /** The position of the piece in the file: elsewhere than at 0 it may begin within a character. */
  readonly start: number
  /** True if the piece ends where the file does: otherwise its last character may be cut. */
  readonly isLast: boolean
}

/** The bytes of a file as text, or a sentence that says why a model cannot read them. */
export function fileText({ before = new Uint8Array(), mimeType, start, isLast, ...piece }: Piece): {
  readonly data: ShownText
  readonly notice?: string | Message
} {
  const { bytes, position } = start === 0 ? { bytes: piece.bytes, position: 0 } : withCutCharacter(before, piece.bytes, start)
  const whole = binaryTypes.test(mimeType) ? undefined : decode(bytes, isLast)
  if (whole === undefined) {
    const content = `The content (${mimeType}, ${count(piece.bytes.byteLength, 'byte')}) is not text`
    return { data: {}, notice: `${content}. It is for the person or a program, and you cannot read it here.` }
  }
  const points = Array.from(whole)
  const length = fittingLength(points.slice(0, maxCharacters), maxShownBytes)
  if (length === points.length) return { data: { text: whole } }
  const text = points.slice(0, length).join('')
  const end = position + encodedLength(text, bytes)
  const shown = `text has the first ${length} of ${points.length} characters.`
  const rest = sentence`To read on, use ${{ tool: 'FileStorage.DownloadFileChunk' }} with start_byte ${end} and a chunk_size of ${readableChunkBytes}.`
  return { data: { text, truncated: true, total_characters: points.length }, notice: Message.of(shown, rest) }
}

/** Types that are never shown, although some of their files are valid text. */
const binaryTypes = /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/pdf$)/

const isUtf16 = (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xfe

/** The number of bytes that the beginning of a piece's text takes, with the byte order mark in front of it. */
function encodedLength(text: string, bytes: Uint8Array): number {
  if (isUtf16(bytes)) return 2 + 2 * text.length
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return Buffer.byteLength(text) + (hasMark ? 3 : 0)
}

function decode(bytes: Uint8Array, isLast: boolean): string | undefined {
  const encoding = isUtf16(bytes) ? 'utf-16le' : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !isLast })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80

/** A piece from the beginning of the UTF-8 character that the piece before has cut, or behind that character if its beginning is unknown. */
function withCutCharacter(before: Uint8Array, bytes: Uint8Array, start: number) {
  const cut = Math.max(
    0,
    bytes.subarray(0, 4).findIndex((byte) => !isContinuation(byte)),
  )
  const first = before.findLastIndex((byte) => !isContinuation(byte))
  if (cut === 0 || first === -1) return { bytes: bytes.subarray(cut), position: start + cut }
  return { bytes: Buffer.concat([before.subarray(first), bytes]), position: start - before.byteLength + first }
}
