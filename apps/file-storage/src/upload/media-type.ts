import { InvalidInput } from '@mcp-toolkits/core'
import { isGoogleType } from '../drive/items.ts'

/** The kinds of files that a caller can name. */
export const uploadTypes = [
  'text/plain',
  'text/csv',
  'application/json',
  'text/html',
  'text/markdown',
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/gif',
] as const

const unknownType = 'application/octet-stream'

/** What the end of a name says. */
const byExtension: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  log: 'text/plain',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  html: 'text/html',
  htm: 'text/html',
  md: 'text/markdown',
  xml: 'application/xml',
  pdf: 'application/pdf',
  rtf: 'application/rtf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  tar: 'application/x-tar',
  bz2: 'application/x-bzip2',
  xz: 'application/x-xz',
  '7z': 'application/x-7z-compressed',
  rar: 'application/vnd.rar',
  parquet: 'application/vnd.apache.parquet',
  exe: 'application/vnd.microsoft.portable-executable',
  msi: 'application/x-msi',
  dmg: 'application/x-apple-diskimage',
  iso: 'application/x-iso9660-image',
  apk: 'application/vnd.android.package-archive',
  jar: 'application/java-archive',
  epub: 'application/epub+zip',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  sqlite: 'application/vnd.sqlite3',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  bmp: 'image/bmp',
  heic: 'image/heic',
  avif: 'image/avif',
  psd: 'image/vnd.adobe.photoshop',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  avi: 'video/x-msvideo',
  mkv: 'video/x-matroska',
}

/** How some kinds of files begin, in Latin-1. */
const beginnings: readonly (readonly [string, string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['PK\x03\x04', 'application/zip'],
]

/** What servers say that do not know. */
const saysNothing = /^(application\/(octet-stream|x-download|force-download|download|unknown)|binary\/.*|)$/

/** What of a source tells its type. */
export interface Traits {
  /** What the caller said. */
  readonly given: string | undefined
  /** The header of the answer. */
  readonly header: string | null
  readonly fileName: string
  /** Where the caller says that the content is. */
  readonly sourceUrl: string
  /** Where it was found. */
  readonly url: string
  /** Its first bytes. */
  readonly beginning: Uint8Array
}

/** What a source holds. */
export interface Media {
  readonly type: string
  /** Whether it is a page of HTML although nothing said that it would be. */
  readonly isUnexpectedPage: boolean
}

/**
 * The type of a file: what the caller said, or else what the header, the name, the URL or the first bytes say. Throws `InvalidInput`
 * for a type of Google's own, and for a page that came in place of the file.
 */
export function mediaTypeOf({ given, header, fileName, sourceUrl, url, beginning }: Traits): Media {
  const declared = essence(header ?? '')
  const [byName, byUrl, bySourceUrl] = [fileName, pathOf(url), pathOf(sourceUrl)].map(typeByName)
  const start = Buffer.from(beginning.subarray(0, 4_096)).toString('latin1')
  const named = byName ?? byUrl ?? bySourceUrl
  const type = given ?? (saysNothing.test(declared) ? (named ?? typeByBeginning(start) ?? unknownType) : declared)
  if (isGoogleType(type)) {
    throw new InvalidInput(`The URL says that its content is ${type}, a type of Google's own, and no file can be uploaded as one.`)
  }
  // Where a redirect leads is the server's choice; what was asked for stands in the name and in the URL that the caller gave.
  const expected = given ?? byName ?? bySourceUrl ?? byUrl
  const isPage = pageTypes.includes(declared) || looksLikePage(start)
  if (isPage && expected !== undefined && !mayBePage.includes(expected)) {
    throw new InvalidInput(
      `The URL answers with an HTML page in place of ${expected}; it may be a page to sign in or to begin a download. Nothing was uploaded. Give the address of the file itself.`,
    )
  }
  return { type, isUnexpectedPage: isPage && !pageTypes.includes(expected ?? '') }
}

const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : '')

const pageTypes: readonly string[] = ['text/html', 'application/xhtml+xml']

/** Types under which somebody may want to keep a page; svg and xml only look like one. */
const mayBePage = [...pageTypes, 'text/plain', 'text/markdown', 'image/svg+xml', 'application/xml']

/** A page may begin with a mark of its encoding, a declaration of XML and comments. */
const looksLikePage = (start: string) =>
  /^(?:\xef\xbb\xbf)?(?:\s|<!--(?:(?!-->)[^])*-->|<\?(?:(?!\?>)[^])*\?>)*<(?:!doctype html|html)[\s>]/i.test(start)

function typeByName(name: string): string | undefined {
  const extension = /\.([A-Za-z0-9]{1,7})$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined
}

function typeByBeginning(start: string): string | undefined {
  return beginnings.find(([beginning]) => start.startsWith(beginning))?.[1]
}

/** A media type without its parameters; empty for what is none. */
function essence(header: string): string {
  const [type = ''] = header.split(';')
  const tidy = type.trim().toLowerCase()
  return /^[\w.+-]+\/[\w.+-]+$/.test(tidy) ? tidy : ''
}
