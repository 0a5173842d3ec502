import { InvalidInput } from '@mcp-toolkits/core/errors'
import mime from 'mime/lite'
import { isGoogleType } from '../drive/items.ts'

/** Types that a caller can name. */
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

/** Common types that `mime/lite` omits because they belong to a vendor or are unregistered. */
const vendorTypes: Readonly<Record<string, string>> = {
  '7z': 'application/x-7z-compressed',
  apk: 'application/vnd.android.package-archive',
  avi: 'video/x-msvideo',
  bz2: 'application/x-bzip2',
  dmg: 'application/x-apple-diskimage',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  exe: 'application/vnd.microsoft.portable-executable',
  flac: 'audio/flac',
  iso: 'application/x-iso9660-image',
  mkv: 'video/x-matroska',
  msi: 'application/x-msi',
  // Both TypeScript and camcorders use it.
  mts: 'application/octet-stream',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  parquet: 'application/vnd.apache.parquet',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  psd: 'image/vnd.adobe.photoshop',
  rar: 'application/vnd.rar',
  sqlite: 'application/vnd.sqlite3',
  // Both TypeScript and MPEG transport streams use it.
  ts: 'application/octet-stream',
  tar: 'application/x-tar',
  tgz: 'application/gzip',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xz: 'application/x-xz',
}

/** First bytes of some kinds of files, in Latin-1. */
const signatures: readonly (readonly [string, string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['PK\x03\x04', 'application/zip'],
]

/** Types that servers send if they do not know the type. */
const meaninglessType = /^(application\/(octet-stream|x-download|force-download|download|unknown)|binary\/.*|)$/

/** Evidence for a file's type. */
export interface TypeEvidence {
  /** The type that the caller named. */
  readonly namedType: string | undefined
  /** The source's `Content-Type` header. */
  readonly header: string | null
  readonly fileName: string
  /** The URL that the caller passed. */
  readonly sourceUrl: string
  /** The URL after all redirects. */
  readonly finalUrl: string
  /** The first bytes of the content. */
  readonly start: Uint8Array
}

export interface MediaType {
  readonly type: string
  /** True for an HTML page not declared as one. */
  readonly isUnexpectedPage: boolean
}

/**
 * A file's type: as named by the caller, or else from the header, name, URL or first bytes. Throws `InvalidInput` for Google's own types,
 * and for a page instead of the file.
 */
export function mediaTypeOf({ namedType, header, fileName, sourceUrl, finalUrl, start }: TypeEvidence): MediaType {
  const declared = withoutParameters(header ?? '')
  const [byName, byFinalUrl, bySourceUrl] = [fileName, pathOf(finalUrl), pathOf(sourceUrl)].map(typeByExtension)
  const beginning = Buffer.from(start.subarray(0, 4_096)).toString('latin1')
  const bySignature = signatures.find(([signature]) => beginning.startsWith(signature))?.[1]
  const guessed = byName ?? byFinalUrl ?? bySourceUrl ?? bySignature ?? unknownType
  const type = namedType ?? (meaninglessType.test(declared) ? guessed : declared)
  if (isGoogleType(type)) {
    throw new InvalidInput(
      `The URL says that its content is ${type}, which is a Google document type; Google documents cannot be uploaded.`,
    )
  }
  // The caller's own name and URL describe the wanted file; a redirect's target is the server's choice.
  const expected = namedType ?? byName ?? bySourceUrl ?? byFinalUrl
  const isPage = pageTypes.includes(declared) || looksLikePage(beginning)
  if (isPage && expected !== undefined && !possiblePageTypes.includes(expected)) {
    throw new InvalidInput(
      `The URL returned an HTML page instead of ${expected}; it may be for signing in or starting a download. Nothing was uploaded. Pass the URL of the file itself.`,
    )
  }
  return { type, isUnexpectedPage: isPage && !pageTypes.includes(expected ?? '') }
}

const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : '')

const pageTypes: readonly string[] = ['text/html', 'application/xhtml+xml']

/** Types that a person may want to store a page as; SVG and XML only look like pages. */
const possiblePageTypes = [...pageTypes, 'text/plain', 'text/markdown', 'image/svg+xml', 'application/xml']

/** True for text that looks like a page, which may begin with a byte order mark, an XML declaration and comments. */
function looksLikePage(beginning: string): boolean {
  return /^(?:\xef\xbb\xbf)?(?:\s|<!--(?:(?!-->)[^])*-->|<\?(?:(?!\?>)[^])*\?>)*<(?:!doctype html|html)[\s>]/i.test(beginning)
}

/** The type that a name's extension stands for. */
export function typeByExtension(name: string): string | undefined {
  const extension = /\.([A-Za-z0-9]{1,7})$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const type = Object.hasOwn(vendorTypes, extension) ? vendorTypes[extension] : mime.getType(extension)
  return type === unknownType || type === null ? undefined : type
}

/** A media type without its parameters; empty for any other text. */
function withoutParameters(header: string): string {
  const [type = ''] = header.split(';')
  const essence = type.trim().toLowerCase()
  return /^[\w.+-]+\/[\w.+-]+$/.test(essence) ? essence : ''
}
