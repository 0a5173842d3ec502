import { guardedFetch, type GuardedFetchOptions } from '@mcp-toolkits/core/guarded-fetch'
import { parseJson, stringMember } from '@mcp-toolkits/core/json'
import { clientMetadata } from './clients.ts'

/** How long the metadata document of a client may take, and how long it may be. */
const limits = { connectMs: 2_000, headersMs: 2_500, idleMs: 2_000, redirects: 0, maxBytes: 16 * 1024 } as const

/** Names of this machine, which only a server on this machine may fetch from. */
const thisMachine = ['127.0.0.1', '::1', 'localhost']

export interface MetadataDocumentsOptions {
  readonly publicUrl: string
  /** For tests: certificate authorities, and the name service. */
  readonly guard?: Pick<GuardedFetchOptions, 'authorities' | 'lookup' | 'connect'> | undefined
}

/**
 * The fetch for client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): the id of such a client is the address of its
 * metadata, which anyone can choose. Only public addresses are reached, over https and without redirects; those of this machine only by
 * a server that is itself reached on this machine. The answer holds what is used of a document.
 */
export function metadataDocumentFetch({
  publicUrl,
  guard = {},
}: MetadataDocumentsOptions): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  const isLocal = thisMachine.includes(new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1'))
  const fetch = guardedFetch({ ...guard, limits, ports: [443], allowPrivate: isLocal ? thisMachine : [] })
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input)
    const { status, headers, body } = await fetch(address, { signal: init?.signal ?? undefined })
    const text = await new Response(body).text()
    if (status !== 200) return new Response(null, { status: 502 })
    const document = parseJson(text)
    // oidc-provider compares it with the address.
    const id = stringMember(document, 'client_id') ?? ''
    const isPublic = [undefined, 'none'].includes(stringMember(document, 'token_endpoint_auth_method'))
    if (!isPublic) return new Response(null, { status: 502 })
    const cacheControl = headers.get('cache-control')
    return Response.json(clientMetadata(id, document, { isLenient: true }), {
      headers: cacheControl === null ? {} : { 'cache-control': cacheControl },
    })
  }
}
