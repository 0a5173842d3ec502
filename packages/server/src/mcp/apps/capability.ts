import { member } from '@mcp-toolkits/core/base'
import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server'

/** The media type of an app (https://modelcontextprotocol.io/extensions/apps/overview). */
export const appType = 'text/html;profile=mcp-app'

/** The header in which a client on an earlier revision returns the session id that an HTTP server gave it. */
export const sessionHeader = 'mcp-session-id'

/**
 * Prefix of the session id of a client that shows apps: these servers keep no sessions, and would otherwise forget that the client shows
 * apps.
 */
export const appsSession = 'apps-'

/** True for the capabilities of a client that shows apps. */
export function declaresApps(capabilities: unknown): boolean {
  const types = member(member(member(capabilities, 'extensions'), 'io.modelcontextprotocol/ui'), 'mimeTypes')
  return Array.isArray(types) && types.includes(appType)
}

/** True if the client shows apps: it says so in each request, or on connecting. */
export function showsApps({ mcpReq, http }: ServerContext, client: { readonly getClientCapabilities: () => unknown }): boolean {
  const { envelope } = mcpReq
  return (
    declaresApps(envelope ? member(envelope, CLIENT_CAPABILITIES_META_KEY) : client.getClientCapabilities()) ||
    http?.req?.headers.get(sessionHeader)?.startsWith(appsSession) === true
  )
}
