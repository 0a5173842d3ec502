import { count, fittingLength, Message, sentence } from '@mcp-toolkits/core/errors'

/** Maximum length, in characters, of a file's text in a result. */
const maxCharacters = 50_000
/** Maximum number of bytes that the text may take in a result's JSON. The whole result may have at most 80,000. */
const maxShownBytes = 60_000
/** Maximum size, in bytes, of a chunk of ordinary text that is shown in full. */
const readableChunkBytes = 40_000

/** Text, with the fields that every result uses to report truncation. */
interface ShownText {
  readonly text?: string
  readonly truncated?: true
  readonly total_characters?: number
}

interface Piece {
  readonly bytes: Uint8Array
  /** The bytes before the piece, if known. */
  readonly before?: Uint8Array
  readonly mimeType: string
  /** The piece's position in the file: unless 0, the piece may begin within a character. */
  readonly start: number
  /** True if the piece ends where the file does; otherwise its last character may be cut. */
  readonly isLast: boolean
}

/** A file's bytes as text, or a sentence on why a model cannot read the file. */
export function fileText({ before = new Uint8Array(), mimeType, start, isLast, ...piece }: Piece): {
  readonly data: ShownText
  readonly notice?: string | Message
} {
  const { bytes, position } = start === 0 ? { bytes: piece.bytes, position: 0 } : withCutCharacter(before, piece.bytes, start)
  const whole = binaryTypes.test(mimeType) ? undefined : decode(bytes, isLast)
  if (whole === undefined) {
    const content = `The content (${mimeType}, ${count(piece.bytes.byteLength, 'byte')}) is not text`
    return { data: {}, notice: `${content}. It is for the person or a program; you cannot read it here.` }
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

/** Types that are never shown, even if the file's bytes are valid text. */
const binaryTypes = /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/pdf$)/

const isUtf16 = (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xfe

/** The encoded length of text from the start of a piece, including any byte order mark. */
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

/**
 * Prepends the start of the UTF-8 character that the previous piece cut; if that is unknown, drops the rest of the character.
 */
function withCutCharacter(before: Uint8Array, bytes: Uint8Array, start: number) {
  const cut = Math.max(
    0,
    bytes.subarray(0, 4).findIndex((byte) => !isContinuation(byte)),
  )
  const first = before.findLastIndex((byte) => !isContinuation(byte))
  if (cut === 0 || first === -1) return { bytes: bytes.subarray(cut), position: start + cut }
  return { bytes: Buffer.concat([before.subarray(first), bytes]), position: start - before.byteLength + first }
}
