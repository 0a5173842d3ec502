import { text } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { writePdf } from '../content/generated.ts'
import { badRequest, forbidden, notEmulated, required } from '../http/errors.ts'
import type { EndpointRequest } from '../session/methods.ts'
import type { Session } from '../session/session.ts'
import { capabilitiesIn } from '../sharing/effective-access.ts'
import { isFolder, isNative, isShortcut } from '../store/items.ts'

const maxExportBytes = 10 * 1024 * 1024

/** https://developers.google.com/workspace/drive/api/guides/manage-downloads#export */
export async function exportFile(session: Session, { part }: EndpointRequest): Promise<Response> {
  const item = session.find(part('fileId'))
  const type = session.params.text('mimeType')
  if (type === undefined) throw required('mimeType', 'Required parameter: mimeType')
  if (!isNative(item) || isFolder(item) || isShortcut(item))
    throw forbidden('fileNotExportable', 'Export only supports Docs Editors files.')
  if (!capabilitiesIn(session, item).download) throw forbidden('cannotExportFile', 'This file cannot be exported by the user.')
  const formats = exportFormats[item.mimeType]
  const convert = formats !== undefined && Object.hasOwn(formats.written, type) ? formats.written[type] : undefined
  if (convert === undefined) {
    if (formats?.absent.includes(type) === true) throw notEmulated(`files.export of ${item.mimeType} to ${type}`)
    throw badRequest('The requested conversion is not supported.')
  }
  const source = item.content === null ? '' : await text(session.contents.read(item.content, { start: 0, end: maxExportBytes }))
  const bytes = convert(source)
  if (bytes.length > maxExportBytes) throw forbidden('exportSizeLimitExceeded', 'This file is too large to be exported.')
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': type, 'content-disposition': 'attachment' } })
}

/** Turns a Google document's text into a file. */
type Convert = (text: string) => Buffer

const office = 'application/vnd.openxmlformats-officedocument'

/** Drive begins an exported text with a byte order mark and ends its lines with CRLF. */
const plainText: Convert = (text) => Buffer.from(`\uFEFF${text.replaceAll(/\r?\n/g, '\r\n')}`)

const html: Convert = (text) => {
  const paragraphs = text.split('\n').map((line) => `<p>${escapeMarkup(line)}</p>`)
  return Buffer.from(
    `<html><head><meta content="text/html; charset=UTF-8" http-equiv="content-type"></head><body>${paragraphs.join('')}</body></html>`,
  )
}

const rtf: Convert = (text) => {
  const escaped = text.replaceAll(/[\\{}]/g, String.raw`\$&`).replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0)}?`)
  return Buffer.from(`{\\rtf1\\ansi ${escaped.replaceAll('\n', '\\par\n')}}`, 'latin1')
}

const pdf: Convert = (text) => writePdf(text)

const tabs: Convert = (text) =>
  Buffer.from(
    parseCsv(text)
      .map((row) => row.map((cell) => cell.replaceAll(/[\t\r\n]+/g, ' ')).join('\t'))
      .join('\r\n'),
  )

/** Export formats of a type: those that the emulator writes, and those that only Google writes. */
interface ExportFormats {
  readonly written: Readonly<Record<string, Convert>>
  readonly absent: readonly string[]
}

/** Export formats by type: https://developers.google.com/workspace/drive/api/guides/ref-export-formats. */
export const exportFormats: Readonly<Record<string, ExportFormats>> = {
  'application/vnd.google-apps.document': {
    written: {
      'text/plain': plainText,
      'text/markdown': (text) => Buffer.from(text),
      'text/html': html,
      'application/pdf': pdf,
      'application/rtf': rtf,
      [`${office}.wordprocessingml.document`]: (text) => writeDocx(text.split('\n')),
    },
    absent: ['application/vnd.oasis.opendocument.text', 'application/zip', 'application/epub+zip'],
  },
  'application/vnd.google-apps.spreadsheet': {
    written: {
      'text/csv': (text) => Buffer.from(text.replaceAll(/\r?\n/g, '\r\n')),
      'text/tab-separated-values': tabs,
      'application/pdf': pdf,
      [`${office}.spreadsheetml.sheet`]: (text) => writeXlsx(parseCsv(text)),
    },
    absent: ['application/x-vnd.oasis.opendocument.spreadsheet', 'application/zip'],
  },
  'application/vnd.google-apps.presentation': {
    written: { 'text/plain': plainText, 'application/pdf': pdf },
    absent: [
      `${office}.presentationml.presentation`,
      'application/vnd.oasis.opendocument.presentation',
      'image/jpeg',
      'image/png',
      'image/svg+xml',
    ],
  },
  'application/vnd.google-apps.drawing': { written: { 'application/pdf': pdf }, absent: ['image/jpeg', 'image/png', 'image/svg+xml'] },
  'application/vnd.google-apps.script': { written: {}, absent: ['application/vnd.google-apps.script+json'] },
}

/** The formats to which each type can be exported. */
export const exportedTypes = Object.fromEntries(
  Object.entries(exportFormats).map(([type, { written }]) => [type, Object.keys(written)] as const),
)

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const packageTypes = 'http://schemas.openxmlformats.org/package/2006'
const officeTypes = 'http://schemas.openxmlformats.org/officeDocument/2006'
const mainTypes = 'application/vnd.openxmlformats-officedocument'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for XML or HTML. Characters that XML does not allow are left out. */
export const escapeMarkup = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? sign)

const relation = (type: string, target: string) =>
  `${xml}<Relationships xmlns="${packageTypes}/relationships"><Relationship Id="rId1" Type="${officeTypes}/relationships/${type}" Target="${target}"/></Relationships>`

const contentTypes = (parts: Readonly<Record<string, string>>) =>
  `${xml}<Types xmlns="${packageTypes}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${Object.entries(
    parts,
  )
    .map(([name, type]) => `<Override PartName="${name}" ContentType="${mainTypes}.${type}+xml"/>`)
    .join('')}</Types>`

/** A Word document with a paragraph for each line. */
function writeDocx(lines: readonly string[]): Buffer {
  const paragraphs = lines.map((line) => `<w:p><w:r><w:t xml:space="preserve">${escapeMarkup(line)}</w:t></w:r></w:p>`).join('')
  const body = `${xml}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraphs}<w:sectPr/></w:body></w:document>`
  return writeZip({
    '[Content_Types].xml': contentTypes({ '/word/document.xml': 'wordprocessingml.document.main' }),
    '_rels/.rels': relation('officeDocument', 'word/document.xml'),
    'word/document.xml': body,
  })
}

/** An Excel workbook with one sheet. */
function writeXlsx(rows: readonly (readonly string[])[]): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const cell = (value: string) =>
    /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/.test(value)
      ? `<c><v>${value}</v></c>`
      : `<c t="inlineStr"><is><t xml:space="preserve">${escapeMarkup(value)}</t></is></c>`
  const sheet = rows.map((row) => `<row>${row.map(cell).join('')}</row>`).join('')
  return writeZip({
    '[Content_Types].xml': contentTypes({
      '/xl/workbook.xml': 'spreadsheetml.sheet.main',
      '/xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet',
    }),
    '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `${xml}<workbook xmlns="${main}" xmlns:r="${officeTypes}/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `${xml}<worksheet xmlns="${main}"><sheetData>${sheet}</sheetData></worksheet>`,
  })
}

/** The cells of comma-separated text: https://www.rfc-editor.org/rfc/rfc4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  const cells = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/gy
  for (let match = cells.exec(text); match !== null; match = cells.exec(text)) {
    const [, quoted, bare = '', end] = match
    rows.at(-1)?.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'))
    if (end === '' || cells.lastIndex >= text.length) break
    if (end !== ',') rows.push([])
  }
  return rows
}

/** A zip archive of stored files, without compression: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. */
function writeZip(files: Readonly<Record<string, string>>): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const [title, bytes] = [Buffer.from(name), Buffer.from(text)]
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    // 1 January 1980, so that the same text always gives the same archive.
    shared.writeUInt16LE(0x21, 8)
    shared.writeUInt32LE(crc32(bytes), 10)
    shared.writeUInt32LE(bytes.length, 14)
    shared.writeUInt32LE(bytes.length, 18)
    shared.writeUInt16LE(title.length, 22)
    const entry = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, title, bytes])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, rest, title]))
    local.push(entry)
    offset += entry.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(central.length, 8)
  end.writeUInt16LE(central.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, directory, end])
}
