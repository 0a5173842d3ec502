import { writePdf } from '../seed/drawings.ts'
import { escapeMarkup, parseCsv, writeDocx, writeXlsx } from './office.ts'

/** Turns the text of a Google document into a file. */
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

/** What exports of a type hold: the formats that the emulator writes, and those of Google's that it does not. */
interface ExportFormats {
  readonly written: Readonly<Record<string, Convert>>
  readonly absent: readonly string[]
}

/** By type: https://developers.google.com/workspace/drive/api/guides/ref-export-formats. */
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
