import { type Clock, isObject, member, parseJson, type PeopleState, stringMember, systemClock, withTimeout } from '@mcp-toolkits/core/base'
import { ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import { guardedFetch, type GuardedFetchOptions } from '@mcp-toolkits/core/upstream'
import type { AdapterPayload, ClientMetadata } from 'oidc-provider'
import type { ConnectLog } from '../../connect/connect-context.ts'
import { digest } from '../../connect/connect-records.ts'
import { clientMetadata, InvalidClient } from './clients.ts'
import { lifetimes } from '../tokens/lifetimes.ts'
import { isPayload, recordKey, temporarilyUnavailable } from '../storage.ts'
import { currentSender, limitRequestsByAddress, requestLimits } from '../../tokens/request-limits.ts'

/** Time and size limits for a client's metadata document. */
const limits = { connectMs: 2_000, headersMs: 2_500, idleMs: 2_000, redirects: 0, maxBytes: 16 * 1024 } as const
const wholeMs = 2_500

/** Seconds until a document is fetched again: the document's own lifetime, within these bounds. */
const freshSeconds = { min: 60, max: 3_600 } as const

const maxIdLength = 2_000

/** Names of this machine; only a server on this machine may fetch from them. */
const thisMachine = ['127.0.0.1', '::1', 'localhost']

export interface MetadataDocumentsOptions {
  readonly publicUrl: string
  /** Certificate authorities and DNS, for tests. */
  readonly guard?: Pick<GuardedFetchOptions, 'authorities' | 'lookup' | 'connect'> | undefined
}

export interface MetadataDocument {
  /** Metadata from the document. */
  readonly metadata: ClientMetadata
  readonly freshSeconds: number
}

/** Content at the address of a document. */
export type FetchedDocument =
  | MetadataDocument
  /** The client's document is unacceptable. */
  | 'refused'
  /** The client has no document. */
  | 'missing'
  /** The client's server did not answer, or asked us to retry later. */
  | 'away'

/** Fetches a client's document. */
export type FetchDocument = (id: string) => Promise<FetchedDocument>

/** True if a client's id is the address of its metadata document: https, with a path, in normal form. */
export function isDocumentAddress(id: string): boolean {
  const url = id.length > maxIdLength ? null : URL.parse(id)
  return url?.protocol === 'https:' && url.href === id && !id.includes('#') && url.username === '' && url.password === ''
}

/**
 * The fetch for client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): such a client's id is the address of its
 * metadata, which anyone can choose. It reaches only public addresses, over https and without redirects; it reaches this machine only if
 * the server itself is reached on this machine.
 */
export function metadataDocumentFetch({ publicUrl, guard = {} }: MetadataDocumentsOptions): FetchDocument {
  const isLocal = thisMachine.includes(new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1'))
  const fetch = guardedFetch({ ...guard, limits, ports: [443], allowPrivate: isLocal ? thisMachine : [] })
  const reason = () => new Unavailable('The metadata document did not arrive in time.')
  return async (id) => {
    try {
      return await withTimeout({ ms: wholeMs, clock: systemClock, reason }, async ({ signal }) => {
        const { status, headers, body } = await fetch(id, { signal })
        const text = await new Response(body).text()
        if (status !== 200) return status >= 500 || status === 429 ? 'away' : 'missing'
        return readDocument(id, parseJson(text), headers.get('cache-control'))
      })
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      return error.retryable ? 'away' : 'missing'
    }
  }
}

function readDocument(id: string, document: unknown, cacheControl: string | null): FetchedDocument {
  if (!isObject(document) || stringMember(document, 'client_id') !== id) return 'missing'
  if (![undefined, 'none'].includes(stringMember(document, 'token_endpoint_auth_method'))) return 'refused'
  const maxAge = Number(/(?:^|,)\s*max-age\s*=\s*(\d+)/i.exec(cacheControl ?? '')?.[1] ?? 0)
  const { min, max } = freshSeconds
  try {
    return { metadata: clientMetadata(id, document, { isLenient: true }), freshSeconds: Math.min(max, Math.max(min, maxAge)) }
  } catch (error) {
    if (error instanceof InvalidClient) return 'refused'
    throw error
  }
}

/** The clients that have a metadata document. */
export interface ClientDocuments {
  /**
   * A client's metadata; undefined if there is no usable document. Throws `temporarily_unavailable` if the document cannot be
   * fetched now, and no person uses the client.
   */
  readonly find: (id: string) => Promise<AdapterPayload | undefined>
  /** Records that a person uses a client, which then works even while its document cannot be fetched. */
  readonly use: (id: string) => Promise<void>
}

export interface ClientDocumentsOptions {
  readonly records: PeopleState['records']
  readonly fetchDocument: FetchDocument
  readonly clock: Clock
  readonly log: Pick<ConnectLog, 'warn'>
}

const maxRemembered = 100

/** Delay, in milliseconds, before refetching a document that could not be fetched, and before storing a used client's document again. */
const retryMs = 60_000
const renewalMs = 24 * 60 * 60_000

interface Remembered {
  readonly metadata: AdapterPayload
  /** In monotonic time. */
  readonly until: number
}

interface Stored {
  readonly metadata: AdapterPayload
  /** Milliseconds since 1970. */
  readonly fetchedAt: number
}

export function clientDocuments({ records, fetchDocument, clock, log }: ClientDocumentsOptions): ClientDocuments {
  const mayFetch = limitRequestsByAddress(clock, requestLimits.unknownDocuments)
  const remembered = new Map<string, Remembered>()
  const underWay = new Map<string, Promise<AdapterPayload | 'away' | undefined>>()
  const keyOf = (id: string) => recordKey('oauth client document', digest(id))
  const read = async (id: string) => readStored(await records.get(keyOf(id)))
  const write = (id: string, metadata: AdapterPayload) =>
    records.set(keyOf(id), JSON.stringify({ metadata, fetchedAt: clock.now() }), lifetimes.client * 1_000)
  const remember = (id: string, metadata: AdapterPayload, ms: number) => {
    const [oldest] = remembered.keys()
    if (oldest !== undefined && remembered.size >= maxRemembered) remembered.delete(oldest)
    remembered.set(id, { metadata, until: clock.monotonic() + ms })
    return metadata
  }
  const look = async (id: string) => {
    const stored = await read(id)
    const fetched = stored || mayFetch(currentSender()) ? await fetchDocument(id) : 'away'
    if (typeof fetched === 'object') {
      const metadata = { ...fetched.metadata }
      if (stored && (clock.now() - stored.fetchedAt >= renewalMs || JSON.stringify(stored.metadata) !== JSON.stringify(metadata)))
        await write(id, metadata)
      return remember(id, metadata, fetched.freshSeconds * 1_000)
    }
    if (fetched === 'refused') return undefined
    if (!stored) return fetched === 'away' ? fetched : undefined
    log.warn('authorization', { outcome: 'metadata document unreachable', client: id })
    return remember(id, stored.metadata, retryMs)
  }
  const findOrUnavailable = (id: string) => {
    const known = remembered.get(id)
    if (known && clock.monotonic() < known.until) return Promise.resolve(known.metadata)
    remembered.delete(id)
    const looking = underWay.get(id) ?? look(id).finally(() => underWay.delete(id))
    underWay.set(id, looking)
    return looking
  }
  return {
    async find(id) {
      const found = await findOrUnavailable(id)
      if (found === 'away') throw temporarilyUnavailable()
      return found
    },
    async use(id) {
      if (await read(id)) return
      const found = await findOrUnavailable(id)
      // If the document is currently unreachable, the next use stores it.
      if (found !== undefined && found !== 'away') await write(id, found)
    },
  }
}

function readStored(text: string | undefined): Stored | undefined {
  const value = text === undefined ? undefined : parseJson(text)
  const [metadata, fetchedAt] = [member(value, 'metadata'), member(value, 'fetchedAt')]
  return isObject(value) && isPayload(metadata) && typeof fetchedAt === 'number' ? { metadata, fetchedAt } : undefined
}
