import { analyse } from 'chardet'
import { type FileFacts, Refused } from '../outcome.ts'

/** Initial bytes in which a file declares its encoding, or shows that it is not text. */
const sampleBytes = 64 * 1024
const declarationBytes = 1024

/** Decodes a file: by its byte order mark, else as UTF-8, else in the declared or likeliest encoding. */
export function decodeText(bytes: Uint8Array, facts: Pick<FileFacts, 'mediaType'>): string {
  const marked = markedEncoding(bytes) ?? evenZeros(bytes)
  const unmarked = () => decodeIso2022Jp(bytes) ?? decodeAs('utf-8', bytes) ?? decodeOther(bytes, facts)
  const text = marked === undefined ? unmarked() : decodeAs(marked, bytes)
  if (text === undefined || isBinary(text)) throw new Refused('unknown')
  return text.replaceAll(/\r\n?/g, '\n')
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/** UTF-16 without a byte order mark: in most text, every other byte is zero. */
function evenZeros(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, sampleBytes)
  const counts = [0, 0]
  for (const [index, byte] of sample.entries()) if (byte === 0) counts[index % 2] = (counts[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = counts
  const many = sample.byteLength / 5
  if (odd > many && even * 20 < odd) return 'utf-16le'
  return even > many && odd * 20 < even ? 'utf-16be' : undefined
}

/** ISO-2022-JP uses only ASCII bytes, so it would pass for UTF-8. */
function decodeIso2022Jp(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, sampleBytes))
  return ['\u001B$B', '\u001B$@'].some((escape) => start.includes(escape)) ? decodeAs('iso-2022-jp', bytes) : undefined
}

/** Intact multi-byte characters required for each damaged one: bytes in another encoding seldom form one by chance. */
const minIntact = 4

/** UTF-8 with some damaged characters, or with the last one cut off. */
function decodeDamaged(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes)
  const damaged = text.split('\uFFFD').length - 1
  const intact = text.replaceAll(/[\p{ASCII}\uFFFD]+/gu, '').length
  const isCut = damaged === 1 && text.endsWith('\uFFFD') && intact > 0
  return isCut || intact > minIntact * damaged ? text : undefined
}

function decodeOther(bytes: Uint8Array, { mediaType }: Pick<FileFacts, 'mediaType'>): string | undefined {
  const start = Buffer.from(bytes.subarray(0, declarationBytes)).toString('latin1')
  const declaration = /(?:charset|encoding)\s*=\s*["']?([\w-]+)/i
  const declared = declaration.exec(mediaType)?.[1] ?? (/^\s*<|@charset|coding[:=]/.test(start) ? declaration.exec(start)?.[1] : undefined)
  if (bytes.subarray(0, sampleBytes).includes(0)) return undefined
  const asDeclared = declared === undefined ? undefined : decodeAs(declared, bytes)
  if (asDeclared !== undefined && !isBinary(asDeclared)) return asDeclared
  const damaged = decodeDamaged(bytes)
  if (damaged !== undefined) return damaged
  for (const encoding of likelyEncodings(bytes)) {
    const text = decodeAs(encoding, bytes)
    if (text !== undefined && !isBinary(text)) return text
  }
  return undefined
}

/** Encodings that the bytes suggest, likeliest first. ISO 8859-1 is left out: windows-1252 covers it. */
function likelyEncodings(bytes: Uint8Array): string[] {
  const found = analyse(bytes.subarray(0, sampleBytes)).map(({ name }) => name)
  return [
    ...found.filter((name) => !/^(?:ISO-8859-1|ASCII|UTF-8)$/i.test(name)).slice(0, found[0] === 'ISO-8859-1' ? 0 : undefined),
    'windows-1252',
  ]
}

/** Decodes bytes; undefined if some are invalid in the encoding, or the encoding is unknown. */
function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Control characters that occur in text: line breaks, page breaks, terminal escapes. */
const controls = '\t\n\v\f\r\u001B'

/** True if a sample from the beginning, middle or end is not text. */
function isBinary(text: string): boolean {
  const starts = [0, Math.floor(text.length / 2), Math.max(0, text.length - sampleBytes)]
  return starts.some((start) => isBinarySample(text.slice(start, start + sampleBytes)))
}

function isBinarySample(sample: string): boolean {
  const others = sample.match(/\p{Cc}/gu)?.filter((character) => !controls.includes(character)) ?? []
  return sample.includes('\0') || others.length * 100 > sample.length
}
