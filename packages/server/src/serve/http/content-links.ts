import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Clock, ExpiringRecords } from '@mcp-toolkits/core/base'
import type { FileContent } from '@mcp-toolkits/core/tool'
import type { ContentLink } from '../../mcp/extension.ts'
import { currentCaller } from '../../mcp/calls/current-request.ts'
import type { IncomingRequest, RequestChecks } from './people-routes.ts'
import { reply } from './refusals.ts'

/** Time that an address leads to its content, in milliseconds. */
const lifetimeMs = 5 * 60_000
/** Most bytes that are kept in this process or, in a shared store, of one person; the oldest contents go first. */
const defaultMaxBytes = 64 * 1024 ** 2

const prefix = '/content/'
/** Owner of contents where all clients share one account. */
const everyone = 'everyone'

interface Bounds {
  /** Records that replicas share. */
  readonly records?: ExpiringRecords | undefined
  readonly maxBytes?: number
}

interface Kept {
  readonly content: Pick<FileContent, 'bytes' | 'mimeType'>
  readonly expiresAt: number
}

/** Maker of a link, and the address of the server. */
interface LinkMaker {
  readonly origin: string
  /** The person, so that what is kept is forgotten with them. */
  readonly owner: string | undefined
}

/**
 * Contents that can be fetched for a while: anyone with the address may read one, so that any program can. They are kept in this process or,
 * where replicas share a store, sealed in that, so that each replica answers for the others.
 */
export class ContentLinks {
  readonly #clock: Clock
  readonly #contents: Contents

  constructor(clock: Clock, { records, maxBytes = defaultMaxBytes }: Bounds = {}) {
    this.#clock = clock
    this.#contents = records ? new SharedContents(records, maxBytes) : new OwnContents(maxBytes)
  }

  /** True if an address is one of a content. */
  owns(path: string): boolean {
    return path.startsWith(prefix)
  }

  /** Keeps a content, and makes its address below that of the server. */
  async add(content: FileContent, { origin, owner = everyone }: LinkMaker): Promise<ContentLink> {
    const name = randomBytes(24).toString('base64url')
    const now = this.#clock.now()
    const expiresAt = now + lifetimeMs
    await this.#contents.keep({ owner, name }, { content, expiresAt }, now)
    return { url: `${origin}${prefix}${owner === everyone ? '' : `${owner}/`}${name}`, expiresAt }
  }

  /** Makes the function that makes links for the sender of a request. */
  makerAt(publicUrl: string | undefined) {
    return (request: Request | undefined) => {
      if (!request) return undefined
      const maker = { origin: publicUrl ?? new URL(request.url).origin, owner: currentCaller()?.owner }
      return async (content: FileContent) => this.add(content, maker)
    }
  }

  /** Answers a request for a content unless too many who need no token send some. */
  async serve(
    path: string,
    { request, response }: IncomingRequest,
    { allowedHost, anonymous, refusals }: Omit<RequestChecks, 'allowedOrigin'>,
  ): Promise<void> {
    if (!allowedHost(request, response)) return
    if (anonymous.admit(request, response)) await this.answer(path, response)
    else refusals.answerBusy(response, 503)
  }

  /** Answers a request for a content. */
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

interface Place {
  readonly owner: string
  readonly name: string
}

interface Contents {
  readonly keep: (place: Place, kept: Kept, now: number) => Promise<void>
  readonly find: (place: Place) => Promise<Kept | undefined>
}

/** Contents in the memory of this process. */
class OwnContents implements Contents {
  readonly #kept = new Map<string, Kept>()
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  async keep({ owner, name }: Place, kept: Kept, now: number): Promise<void> {
    this.#kept.set(`${owner}/${name}`, kept)
    const sizes = [...this.#kept].map(([at, { content, expiresAt }]) => ({ at, bytes: content.bytes.byteLength, expiresAt }))
    for (const { at } of surplus(sizes, { now, maxBytes: this.#maxBytes })) this.#kept.delete(at)
    return Promise.resolve()
  }

  async find({ owner, name }: Place): Promise<Kept | undefined> {
    return Promise.resolve(this.#kept.get(`${owner}/${name}`))
  }
}

/** Contents in records that replicas share, with their sizes beside them, which can be listed without reading all bytes. */
class SharedContents implements Contents {
  readonly #records: ExpiringRecords
  readonly #maxBytes: number

  constructor(records: ExpiringRecords, maxBytes: number) {
    this.#records = records
    this.#maxBytes = maxBytes
  }

  async keep({ owner, name }: Place, { content: { bytes, mimeType }, expiresAt }: Kept, now: number): Promise<void> {
    const sizes = (await this.#records.list({ owner, kind: 'content size' })).map(({ name: at, text }) => {
      const [until = 0, size = 0] = text.split(' ').map(Number)
      return { at, bytes: size, expiresAt: until }
    })
    const own = { at: name, bytes: bytes.byteLength, expiresAt }
    const byAge = [...sizes.toSorted((one, other) => one.expiresAt - other.expiresAt), own]
    for (const { at } of surplus(byAge, { now, maxBytes: this.#maxBytes }))
      for (const kind of ['content', 'content size']) await this.#records.delete({ owner, kind, name: at })
    await this.#records.set({ owner, kind: 'content size', name }, `${expiresAt} ${bytes.byteLength}`, expiresAt - now)
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
    await this.#records.set({ owner, kind: 'content', name }, `${expiresAt}\n${mimeType}\n${base64}`, expiresAt - now)
  }

  async find({ owner, name }: Place): Promise<Kept | undefined> {
    const text = await this.#records.get({ owner, kind: 'content', name })
    if (text === undefined) return undefined
    const [expiresAt = '', mimeType = '', base64 = ''] = text.split('\n')
    return { content: { bytes: Buffer.from(base64, 'base64'), mimeType }, expiresAt: Number(expiresAt) }
  }
}

/** Those of some contents, the oldest first, that have expired or for which there is no room beside the later ones. */
function surplus<Size extends { readonly bytes: number; readonly expiresAt: number }>(
  sizes: readonly Size[],
  { now, maxBytes }: { readonly now: number; readonly maxBytes: number },
): Size[] {
  let total = 0
  return sizes.toReversed().filter(({ bytes, expiresAt }) => {
    total += bytes
    return total > maxBytes || expiresAt <= now
  })
}

/** Sends content as a download: no browser shows another person's page under the address of this server. */
function send({ bytes, mimeType }: Kept['content'], response: ServerResponse): void {
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
