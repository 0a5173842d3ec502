import { Conflict, Forbidden, InvalidInput, type ToolError, Unavailable } from '@mcp-toolkits/core'
import type { GuardedResponse } from '@mcp-toolkits/core/guarded-fetch'

/** What a source says of its content. */
export function lengthIn(headers: Headers): number | undefined {
  const length = headers.get('content-length')
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** https://www.rfc-editor.org/rfc/rfc9110#name-etag: a weak one names contents that are alike. */
export function strongEtag(headers: Headers): string | undefined {
  const etag = headers.get('etag') ?? ''
  return /^"[\x21\x23-\x7e]*"$/.test(etag) ? etag : undefined
}

/** Where a part begins and how long the whole is, as far as it is said. https://www.rfc-editor.org/rfc/rfc9110#name-content-range */
export function partIn(headers: Headers): { readonly first: number | undefined; readonly total: number | undefined } {
  const [, first, total] = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? []
  return {
    first: first === undefined ? undefined : Number(first),
    total: total === undefined || total === '*' ? undefined : Number(total),
  }
}

/** Refuses everything but the whole content as it is. */
export async function refuseOther({ status, headers, body, url }: GuardedResponse): Promise<void> {
  if (status === 200 && !isPacked(headers, url)) return
  await body.cancel()
  throw status === 200 ? packed() : refusal(status)
}

/** Some servers call an archive that is packed by itself packed for the way; `aws-chunked` is about the way to the storage. */
function isPacked(headers: Headers, url: string): boolean {
  const codings = (headers.get('content-encoding') ?? '').split(',').map((coding) => coding.trim().toLowerCase())
  const isArchive = /\.(gz|tgz)$/i.test(new URL(url).pathname)
  const harmless = ['', 'identity', 'aws-chunked', ...(isArchive ? ['gzip', 'x-gzip'] : [])]
  return codings.some((coding) => !harmless.includes(coding))
}

function packed(): InvalidInput {
  return new InvalidInput('The server of the URL sends the content compressed although it was asked not to. Give another link to the file.')
}

export function changed(): Conflict {
  return new Conflict('The content of the URL changed while it was read, so nothing was uploaded. Make the call again.', {
    retryable: true,
  })
}

export const brokeOff = () => new Unavailable('The server of the URL broke off. Try again later, or give another link to the file.')

export const tooSlow = () =>
  new Unavailable('The server of the URL did not answer in time. Try again later, or give another link to the file.')

/** What an answer without content means for a caller. Never `NotFound`, which would speak of Drive. */
function refusal(status: number): ToolError {
  if (status === 404 || status === 410) {
    return new InvalidInput(`The URL leads to nothing: its server answered HTTP ${status}. Check the address. Nothing was uploaded.`)
  }
  if (status === 401 || status === 403) {
    return new Forbidden(`The server of the URL does not hand out the file (HTTP ${status}). Give a link that anyone can open.`)
  }
  if (status === 408 || status === 429 || status >= 500) {
    return new Unavailable(`The server of the URL answered HTTP ${status}. Try again later, or give another link to the file.`)
  }
  return new InvalidInput(`The server of the URL answered HTTP ${status}, which is no file. Give the address of the file itself.`)
}
