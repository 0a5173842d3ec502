import { type Extracted, type FileFacts, Refused } from './outcome.ts'
import { decodeText } from './formats/plain.ts'

const startsWith = (bytes: Uint8Array, ...start: readonly number[]) => start.every((byte, index) => bytes[index] === byte)

const isMarkdown = ({ mediaType }: FileFacts) => /^text\/(?:x-)?markdown/i.test(mediaType)
/** A picture inside Markdown, as exported by Google: longer than the text, and unreadable. */
const pictureData = /<data:image\/[\w.+-]+;base64,[^<>]*>/g

/** Number of bytes to search for a PDF's header, which other bytes may precede. */
const headerBytes = 1024

const isNamedPdf = ({ mediaType, name }: FileFacts) => /^application\/pdf/i.test(mediaType) || /\.pdf$/i.test(name)
/** True for a PDF header, but not for text about PDFs. */
const isPdf = (bytes: Uint8Array, facts: FileFacts) =>
  Buffer.from(bytes.subarray(0, isNamedPdf(facts) ? headerBytes : '%PDF-'.length)).includes('%PDF-')
const isZip = (bytes: Uint8Array) => startsWith(bytes, 0x50, 0x4b, 0x03, 0x04) || startsWith(bytes, 0x50, 0x4b, 0x05, 0x06)
/**
 * The container format of Office before 2007, and of encrypted documents since:
 * https://learn.microsoft.com/openspecs/windows_protocols/ms-cfb.
 */
const isCompoundFile = (bytes: Uint8Array) => startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)

/** The video types for `.ts` are left out: most such files are TypeScript. */
const isMedia = ({ mediaType, name }: FileFacts) =>
  /^(?:image\/(?!svg)|audio\/|video\/(?!mp2t|vnd\.dlna\.mpeg-tts)|font\/)/i.test(mediaType) ||
  /\.(?:png|jpe?g|gif|webp|heic|tiff?|bmp|mp[34]|m4a|mov|wav|ogg)$/i.test(name)

/** Extracts a file's text. The bytes decide its format: a media type is only a claim. Throws `Refused`. */
export async function extract(bytes: Uint8Array, facts: FileFacts): Promise<Extracted> {
  if (isPdf(bytes, facts)) return (await import('./formats/pdf.ts')).pdfText(bytes)
  if (isZip(bytes)) return (await import('./formats/office.ts')).officeText(bytes)
  if (isCompoundFile(bytes)) throw new Refused(Buffer.from(bytes).includes('EncryptedPackage', 0, 'utf16le') ? 'encrypted' : 'old')
  if (isMedia(facts)) throw new Refused('media')
  // The file is probably truncated, or is something else under this name.
  if (bytes.byteLength > 0 && (isNamedPdf(facts) || /\.(?:docx|xlsx|pptx|od[tsp])$/i.test(facts.name))) throw new Refused('broken')
  const text = decodeText(bytes, facts)
  return { kind: 'text', text: isMarkdown(facts) ? text.replaceAll(pictureData, '<image>') : text }
}
