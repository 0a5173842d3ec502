import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Clock } from '@mcp-toolkits/core/base'
import type { FileContent } from '@mcp-toolkits/core/tool'
import type { ContentLink } from '../../mcp/extension.ts'
import { type Contents, type KeptContent, maxKeptBytes, surplus } from '../../storage/contents.ts'
import { currentCaller } from '../../mcp/calls/current-request.ts'
import type { IncomingRequest, RequestChecks } from './people-routes.ts'
import { reply } from './refusals.ts'

/** Time, in milliseconds, for which an address leads to its content. */
const lifetimeMs = 5 * 60_000

const prefix = '/content/'
/** Owner of the contents if all clients share one account. */
const everyone = 'everyone'

/** The maker of a link, and the server's address. */
interface LinkMaker {
  readonly origin: string
  /** The person whose content it is; when the person is forgotten, so is the content. */
  readonly owner: string | undefined
}

/**
 * Contents that anyone who has the address, and therefore any program, can fetch for a while. They are kept in this process or, if replicas
 * share a store, in that store, so that any replica can serve them.
 */
export class ContentLinks {
  readonly #clock: Clock
  readonly #contents: Contents

  constructor(clock: Clock, contents: Contents = ownContents()) {
    this.#clock = clock
    this.#contents = contents
  }

  /** True for a path at which content is served. */
  owns(path: string): boolean {
    return path.startsWith(prefix)
  }

  /** Keeps content, and gives it an address below the server's. */
  async add(content: FileContent, { origin, owner = everyone }: LinkMaker): Promise<ContentLink> {
    const name = randomBytes(24).toString('base64url')
    const now = this.#clock.now()
    const expiresAt = now + lifetimeMs
    await this.#contents.keep({ owner, name }, { content, expiresAt }, now)
    return { url: `${origin}${prefix}${owner === everyone ? '' : `${owner}/`}${name}`, expiresAt }
  }

  /** Returns the function that makes links for a request's sender. */
  makerAt(publicUrl: string | undefined) {
    return (request: Request | undefined) => {
      if (!request) return undefined
      const maker = { origin: publicUrl ?? originOf(request), owner: currentCaller()?.owner }
      return async (content: FileContent) => this.add(content, maker)
    }
  }

  /** Answers a request for content, unless too many requests without a token are in flight. */
  async serve(
    path: string,
    { request, response }: IncomingRequest,
    { allowedHost, anonymous, refusals }: Omit<RequestChecks, 'allowedOrigin'>,
  ): Promise<void> {
    if (!allowedHost(request, response)) return
    if (anonymous.admit(request, response)) await this.answer(path, response)
    else refusals.answerBusy(response, 503)
  }

  /** Answers a request for content. */
  async answer(path: string, response: ServerResponse): Promise<void> {
    if (!['GET', 'HEAD'].includes(response.req.method ?? '')) {
      reply(response, 405, { error: 'Method not allowed.' })
      return
    }
    const [, owner = everyone, name = ''] = /^(?:([\w-]{1,100})\/)?([\w-]{32})$/.exec(path.slice(prefix.length)) ?? []
    const found = name === '' ? undefined : await this.#contents.find({ owner, name })
    if (found && found.expiresAt > this.#clock.now()) send(found.content, response)
    else reply(response, 404, { error: 'There is no such content, or its address has expired. Make the call again.' })
  }
}

/**
 * The address where a sender reached the server. A proxy's header says whether TLS was used; a sender who forges the header misleads only
 * itself.
 */
function originOf({ url, headers }: Request): string {
  const { origin } = new URL(url)
  const [scheme] = headers.get('x-forwarded-proto')?.split(',') ?? []
  return scheme?.trim() === 'https' ? origin.replace(/^http:/, 'https:') : origin
}

/** Contents in this process's memory. */
export function ownContents(maxBytes = maxKeptBytes): Contents {
  const all = new Map<string, KeptContent>()
  return {
    keep({ owner, name }, kept, now) {
      all.set(`${owner}/${name}`, kept)
      const sizes = [...all].map(([at, { content, expiresAt }]) => ({ at, bytes: content.bytes.byteLength, expiresAt }))
      for (const { at } of surplus(sizes, now, maxBytes)) all.delete(at)
      return Promise.resolve()
    },
    find: ({ owner, name }) => Promise.resolve(all.get(`${owner}/${name}`)),
  }
}

/** Sends content as a download, so that no browser shows another person's page under this server's address. */
function send({ bytes, mimeType }: KeptContent['content'], response: ServerResponse): void {
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
