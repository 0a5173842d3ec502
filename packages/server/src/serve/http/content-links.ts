import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Clock } from '@mcp-toolkits/core/base'
import type { FileContent } from '@mcp-toolkits/core/tool'
import type { ContentLink } from '../../mcp/extension.ts'
import { reply } from './refusals.ts'

/** Time that an address leads to its content, in milliseconds. */
const lifetimeMs = 5 * 60_000
/** Most bytes that are kept; the oldest contents go first. */
const maxBytes = 64 * 1024 ** 2

const prefix = '/content/'

/** Contents that can be fetched for a while: anyone with the address may read one, so that any program can. */
export class ContentLinks {
  readonly #clock: Clock
  readonly #kept = new Map<string, { readonly content: FileContent; readonly expiresAt: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Keeps a content, and makes its address below that of the server. */
  add(content: FileContent, origin: string): ContentLink {
    const id = randomBytes(24).toString('base64url')
    const expiresAt = this.#clock.now() + lifetimeMs
    this.#kept.set(id, { content, expiresAt })
    let bytes = 0
    for (const [each, { content: kept, ...rest }] of [...this.#kept].reverse()) {
      bytes += kept.bytes.byteLength
      if (bytes > maxBytes || rest.expiresAt <= this.#clock.now()) this.#kept.delete(each)
    }
    return { url: `${origin}${prefix}${id}`, expiresAt }
  }

  /** Answers a request for a content; false for any other path. */
  answer(path: string, response: ServerResponse): boolean {
    if (!path.startsWith(prefix)) return false
    const found = this.#kept.get(path.slice(prefix.length))
    if (!['GET', 'HEAD'].includes(response.req.method ?? '')) reply(response, 405, { error: 'Method not allowed.' })
    else if (!found || found.expiresAt <= this.#clock.now()) {
      reply(response, 404, { error: 'There is no such content, or its address has expired. Make the call again.' })
    } else send(found.content, response)
    return true
  }
}

/** Sends content as a download: no browser shows another person's page under the address of this server. */
function send({ bytes, mimeType }: FileContent, response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'application/octet-stream',
    'content-length': bytes.byteLength,
    'content-disposition': 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
  response.end(response.req.method === 'HEAD' ? undefined : bytes)
}
