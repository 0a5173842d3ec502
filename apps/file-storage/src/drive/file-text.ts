import { Message, sentence } from '@mcp-toolkits/core/message'
import { count, firstCharacters } from '@mcp-toolkits/core/text'

/** Longest text of a file in a result, in characters. */
const maxCharacters = 50_000
/** A chunk of so many bytes is shown whole. */
const readableChunkBytes = 40_000

/** Text that was cut says so beside it, as in every result. */
interface ShownText {
  readonly text?: string
  readonly truncated?: true
  readonly total_characters?: number
}

interface Piece {
  readonly bytes: Uint8Array
  readonly mimeType: string
  /** Whether the piece begins and ends where the file does: otherwise a character may be cut there. */
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** The bytes of a file as text, or a sentence that says why a model cannot read them. */
export function fileText({ bytes, mimeType, isFirst, isLast }: Piece): {
  readonly data: ShownText
  readonly notice?: string | Message
} {
  const whole = binaryTypes.test(mimeType) ? undefined : decode(isFirst ? bytes : bytes.subarray(cutCharacterLength(bytes)), isLast)
  if (whole === undefined) {
    const content = `The content (${mimeType}, ${count(bytes.byteLength, 'byte')}) is not text`
    return { data: {}, notice: `${content}. It is attached as base64 for the person or a program, and you cannot read it here.` }
  }
  const { text, total } = firstCharacters(whole, maxCharacters)
  if (text.length === whole.length) return { data: { text } }
  const shown = `text has the first ${maxCharacters} of ${total} characters.`
  const rest = sentence`To read on, use ${{ tool: 'FileStorage.DownloadFileChunk' }} with a chunk_size of ${readableChunkBytes}.`
  return { data: { text, truncated: true, total_characters: total }, notice: Message.of(shown, rest) }
}

/** Types that are never shown, although some of their files are valid text. */
const binaryTypes = /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/pdf$)/

function decode(bytes: Uint8Array, isLast: boolean): string | undefined {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !isLast })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** How many bytes at the beginning continue a UTF-8 character of the piece before. */
function cutCharacterLength(bytes: Uint8Array): number {
  const length = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80)
  return Math.max(0, length)
}
