import { hash } from 'node:crypto'
import { type DocumentText, LongText } from './long-text.ts'

/** Maximum number of bytes read without a thread: reading them takes less than a millisecond, and a thread takes a tenth of a second. */
const maxBytes = 64 * 1024

const textTypes: readonly string[] = ['text/plain', 'text/markdown', 'text/csv']

/** The text of a short file that is plain UTF-8; undefined for a file that needs a thread. */
export function shortText(bytes: Uint8Array, mediaType: string): DocumentText | undefined {
  if (bytes.byteLength > maxBytes || !textTypes.includes(mediaType)) return undefined
  const text = new TextDecoder().decode(bytes).replaceAll(/\r\n?/g, '\n')
  if (/[^\P{Cc}\t\n]|\uFFFD|^(?:%PDF-|PK)|<data:image/u.test(text)) return undefined
  const units = Buffer.from(text, 'utf16le')
  return { kind: 'text', text: new LongText(units), digest: hash('sha256', units), pagesWithoutText: [] }
}
