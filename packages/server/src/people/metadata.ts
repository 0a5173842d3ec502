import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server'

/** Where clients of an OAuth resource server reach it, and who issues tokens for it. */
export interface ResourceOptions {
  /** The origin at which clients reach the server, without a slash at its end. */
  readonly publicUrl: string
  readonly issuer: string
  readonly title: string
  readonly scopes: readonly string[]
}

/** Says which tokens a server accepts: https://www.rfc-editor.org/rfc/rfc9728 */
export interface ResourceMetadata {
  /** What challenges refer to. */
  readonly url: string
  /** Answers a request for the metadata; undefined for one that is for something else. All profiles have the same metadata. */
  readonly respond: (request: Pick<Request, 'method'>, path: string) => Response | undefined
}

const methods = 'GET, HEAD, OPTIONS'

export function resourceMetadata({ publicUrl, issuer, title, scopes }: ResourceOptions): ResourceMetadata {
  const resource = `${publicUrl}/mcp`
  const url = getOAuthProtectedResourceMetadataUrl(new URL(resource))
  const { pathname } = new URL(url)
  const document = {
    resource,
    resource_name: title,
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
  }
  // Clients in browsers ask from other origins, and there is nothing to protect.
  const open = { 'access-control-allow-origin': '*', 'access-control-allow-methods': methods, 'access-control-allow-headers': '*' }
  return {
    url,
    respond({ method }, path) {
      if (path !== pathname && !path.startsWith(`${pathname}/`)) return undefined
      if (method === 'OPTIONS') return new Response(null, { status: 204, headers: open })
      if (method !== 'GET' && method !== 'HEAD') return new Response(null, { status: 405, headers: { ...open, allow: methods } })
      return Response.json(document, { headers: { ...open, 'cache-control': 'max-age=300' } })
    },
  }
}
