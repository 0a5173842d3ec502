import { InvalidInput, joinWords, Message, quote, sentence, Unavailable } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { Attempts, withRetry } from '@mcp-toolkits/core/upstream'
import { completeResponse, type DriveClient, transferRetryPolicy } from '../client.ts'
import { errorFrom } from '../errors.ts'
import { type DriveItem, type ItemKind, kindOf } from '../items.ts'
import { BodyReader } from './body-reader.ts'
import { isPage, mediaSilenceMs, minThroughput, tooSlow } from './media.ts'

const office = 'application/vnd.openxmlformats-officedocument'
const openDocument = 'application/vnd.oasis.opendocument'

/** Export formats for Google documents, by file extension. */
export const exportTypes = {
  docx: `${office}.wordprocessingml.document`,
  odt: `${openDocument}.text`,
  rtf: 'application/rtf',
  pdf: 'application/pdf',
  txt: 'text/plain',
  zip: 'application/zip',
  epub: 'application/epub+zip',
  md: 'text/markdown',
  xlsx: `${office}.spreadsheetml.sheet`,
  ods: 'application/x-vnd.oasis.opendocument.spreadsheet',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  pptx: `${office}.presentationml.presentation`,
  odp: `${openDocument}.presentation`,
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  json: 'application/vnd.google-apps.script+json',
} as const

export type ExportFormat = keyof typeof exportTypes

/** Formats for each kind of Google document: https://developers.google.com/workspace/drive/api/guides/ref-export-formats. */
const formatsOf: Partial<Readonly<Record<ItemKind, readonly ExportFormat[]>>> = {
  document: ['docx', 'odt', 'rtf', 'pdf', 'txt', 'zip', 'epub', 'md'],
  spreadsheet: ['xlsx', 'ods', 'pdf', 'zip', 'csv', 'tsv'],
  slides: ['pptx', 'odp', 'pdf', 'txt', 'jpg', 'png', 'svg'],
  drawing: ['pdf', 'jpg', 'png', 'svg'],
  script: ['json'],
}

/** A format's MIME type. If the item cannot be exported to it, throws `InvalidInput` with the item's formats. */
export function exportTypeFor({ name, mimeType }: DriveItem, format: ExportFormat): string {
  const kind = kindOf(mimeType)
  const formats = formatsOf[kind] ?? []
  if (formats.includes(format)) return exportTypes[format]
  if (kind === 'file') {
    const download = sentence`${{ tool: 'FileStorage.DownloadFile' }} gives it as it is.`
    throw new InvalidInput(Message.of(`${quote(name)} is not a Google document, so it cannot be converted.`, download))
  }
  const offered = formats.length === 0 ? 'in no format' : `as ${joinWords(formats, 'or')}, but not as ${format}`
  throw new InvalidInput(`${quote(name)} is a Google ${kind}, which Google exports ${offered}.`, {
    suggestions: formats.map((value) => ({ value, parameter: 'format', confidence: 0.5 })),
  })
}

/** True for a Google document that can be exported. */
export const isExported = ({ mimeType }: DriveItem) => formatsOf[kindOf(mimeType)] !== undefined

/** Maximum size of an export, in bytes: more than Drive's limit of 10 MB. */
const maxExportBytes = 12 * 1024 ** 2

/** Exports a Google document in a different format. https://developers.google.com/workspace/drive/api/guides/manage-downloads#export */
export async function exportItem(drive: DriveClient, id: string, mimeType: string, scope: CallScope): Promise<Uint8Array> {
  const attempts = new Attempts(transferRetryPolicy, scope)
  const to = `drive/v3/files/${id}/export?mimeType=${encodeURIComponent(mimeType)}`
  const read = async (response: Response, onData: () => void) => {
    if (!response.ok) throw errorFrom(await completeResponse(response))
    if (isPage((response.headers.get('content-type') ?? '').split(';')[0] ?? ''))
      throw new Unavailable('A web page arrived instead of the document. A proxy may have replaced it.')
    return bodyOf(response, { attempts, scope, onData })
  }
  return withRetry(attempts, async () =>
    drive.transfer({ to, method: 'GET', silenceMs: mediaSilenceMs, isRetry: attempts.hasFailed, read }, scope),
  )
}

interface Reading {
  readonly attempts: Attempts
  readonly scope: CallScope
  readonly onData: () => void
}

async function bodyOf({ body }: Response, { attempts, scope, onData }: Reading): Promise<Uint8Array> {
  if (!body) return new Uint8Array()
  const onProgress = () => {
    attempts.touch()
  }
  const reader = new BodyReader(body, { ...minThroughput, onProgress, tooSlow, scope })
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    for (let piece = await reader.read(); piece; piece = await reader.read()) {
      onData()
      pieces.push(piece)
      length += piece.byteLength
      if (length > maxExportBytes) throw new Unavailable('Google Drive sent more than an export may contain.', { retryable: false })
    }
  } finally {
    void reader.cancel()
  }
  return Buffer.concat(pieces)
}
