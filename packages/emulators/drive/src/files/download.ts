import { forbidden } from '../http/errors.ts'
import type { Session } from '../session/session.ts'
import { capabilitiesIn } from '../sharing/effective-access.ts'
import { isNative, type Item } from '../store/items.ts'

/** Returns a file's content or the requested range: https://developers.google.com/workspace/drive/api/guides/manage-downloads. */
export function download(session: Session, item: Item, headers: Headers): Response {
  if (isNative(item) || item.content === null) {
    throw forbidden('fileNotDownloadable', 'Only files with binary content can be downloaded. Use Export with Docs Editors files.', 'alt')
  }
  if (!capabilitiesIn(session, item).download) throw forbidden('cannotDownloadFile', 'This file cannot be downloaded by the user.')
  if (item.abusive === 1 && !session.params.flag('acknowledgeAbuse')) {
    throw forbidden('cannotDownloadAbusiveFile', 'This file has been identified as malware or spam and cannot be downloaded.')
  }
  const total = item.size ?? 0
  const shared = {
    'content-type': item.mimeType,
    'content-disposition': 'attachment',
    'x-goog-hash': `md5=${Buffer.from(item.md5 ?? '', 'hex').toString('base64')}`,
  }
  const range = parseRange(headers.get('range'), total)
  if (range === 'none') {
    const headers = { 'content-range': `bytes */${total}`, 'content-type': 'text/html; charset=UTF-8' }
    return new Response('Requested range not satisfiable\n', { status: 416, headers })
  }
  const { start, end } = range ?? { start: 0, end: total - 1 }
  const body = session.contents.read(item.content, { start, end })
  const length = { 'content-length': String(end - start + 1) }
  if (range === undefined) return new Response(body, { headers: { ...shared, ...length } })
  return new Response(body, { status: 206, headers: { ...shared, ...length, 'content-range': `bytes ${start}-${end}/${total}` } })
}

/** The requested range; undefined without a header, or for a malformed one, which is ignored. */
function parseRange(header: string | null, total: number): { start: number; end: number } | 'none' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  const start = from === '' ? Math.max(0, total - Number(to)) : Number(from)
  const end = from === '' || to === '' ? total - 1 : Math.min(Number(to), total - 1)
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined
  return start >= total || (from === '' && Number(to) === 0) ? 'none' : { start, end }
}
