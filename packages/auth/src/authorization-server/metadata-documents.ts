import { ToolError, Unavailable } from '@mcp-toolkits/core'
import { withTimeout } from '@mcp-toolkits/core/async'
import { systemClock } from '@mcp-toolkits/core/clock'
import { guardedFetch, type GuardedFetchOptions } from '@mcp-toolkits/core/guarded-fetch'
import { isObject, parseJson, stringMember } from '@mcp-toolkits/core/json'
import type { ClientMetadata } from 'oidc-provider'
import { clientMetadata, InvalidClient } from './clients.ts'

/** How long the metadata document of a client may take, and how long it may be. */
const limits = { connectMs: 2_000, headersMs: 2_500, idleMs: 2_000, redirects: 0, maxBytes: 16 * 1024 } as const
const wholeMs = 2_500

/** How long a document is used before it is fetched again, in seconds: what it says itself, within these. */
const freshSeconds = { min: 60, max: 3_600 } as const

const maxIdLength = 2_000

/** Names of this machine, which only a server on this machine may fetch from. */
const thisMachine = ['127.0.0.1', '::1', 'localhost']

export interface MetadataDocumentsOptions {
  readonly publicUrl: string
  /** For tests: certificate authorities, and the name service. */
  readonly guard?: Pick<GuardedFetchOptions, 'authorities' | 'lookup' | 'connect'> | undefined
}

export interface MetadataDocument {
  /** What is used of it. */
  readonly metadata: ClientMetadata
  readonly freshSeconds: number
}

/** What is at the address of a document. */
export type FetchedDocument =
  | MetadataDocument
  /** A document of this client that cannot be accepted. */
  | 'refused'
  /** No document of this client. */
  | 'missing'
  /** The server did not answer, or has asked to try again later. */
  | 'away'

/** Fetches the document of a client. */
export type FetchDocument = (id: string) => Promise<FetchedDocument>

/** Whether the id of a client is the address of its metadata document: https, with a path, and written as it is fetched. */
export function isDocumentAddress(id: string): boolean {
  const url = id.length > maxIdLength ? null : URL.parse(id)
  return url?.protocol === 'https:' && url.href === id && !id.includes('#') && url.username === '' && url.password === ''
}

/**
 * The fetch for client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): the id of such a client is the address of its
 * metadata, which anyone can choose. Only public addresses are reached, over https and without redirects; those of this machine only by
 * a server that is itself reached on this machine.
 */
export function metadataDocumentFetch({ publicUrl, guard = {} }: MetadataDocumentsOptions): FetchDocument {
  const isLocal = thisMachine.includes(new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1'))
  const fetch = guardedFetch({ ...guard, limits, ports: [443], allowPrivate: isLocal ? thisMachine : [] })
  const reason = () => new Unavailable('The metadata document did not come in time.')
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
      return error.toJSON().retryable ? 'away' : 'missing'
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
