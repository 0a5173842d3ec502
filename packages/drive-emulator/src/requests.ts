import type { Facts, Received } from '@mcp-toolkits/emulator'
import { isFields, parseJson } from './values.ts'

/** A create is known by the id that its client brought, an upload by its session, everything else by its method and its path. */
export function operation({ method, path, url, headers, body }: Received): string {
  const upload = url.searchParams.get('upload_id')
  if (upload !== null) return upload
  const beginning = new TextDecoder().decode(body.subarray(0, 4096))
  const isInParts = headers.get('content-type')?.startsWith('multipart/') ?? false
  const sent = isInParts ? { id: /"id"\s*:\s*"([^"]+)"/.exec(beginning)?.[1] } : parseJson(beginning)
  const id = method === 'POST' && isFields(sent) ? sent['id'] : undefined
  return typeof id === 'string' ? id : `${method} ${path}`
}

/** What the log notes: never a token. */
export function facts({ headers, url }: Received): Facts {
  const [kind = ''] = (headers.get('authorization') ?? 'none').split(' ')
  return {
    authorization: kind.toLowerCase(),
    range: headers.get('range') ?? headers.get('content-range'),
    fields: url.searchParams.get('fields'),
  }
}

const secrets = ['token', 'access_token']

/** An address as the log shows it: a token may be in its query, and the path of a picker is one. */
export function logged(url: URL): URL {
  const shown = new URL(url)
  for (const name of secrets) if (shown.searchParams.has(name)) shown.searchParams.set(name, '*')
  if (shown.pathname.startsWith('/picker/')) shown.pathname = '/picker/*'
  return shown
}
