import { text } from 'node:stream/consumers'
import { defineMethod } from '../defined-methods.ts'
import { capabilitiesIn } from '../drives.ts'
import type { DriveEndpoint } from '../endpoints.ts'
import { badRequest, forbidden, notEmulated, required } from '../errors.ts'
import { isFolder, isNative, isShortcut } from '../items.ts'
import { readScopes } from '../oauth/tokens.ts'
import type { Session } from '../session.ts'
import { exportFormats } from './formats.ts'

const maxExportBytes = 10 * 1024 * 1024

/** https://developers.google.com/workspace/drive/api/guides/manage-downloads#export */
export const exportMethod: DriveEndpoint = defineMethod('files.export', {
  scopes: readScopes,
  cost: 'download',
  answer: (session, { part }) => exportFile(session, part('fileId')),
})

async function exportFile(session: Session, id: string): Promise<Response> {
  const item = session.find(id)
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
