import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerDefinition } from '../../mcp/definition.ts'

/** The card's path, below the server's address, as reserved by SEP-2127. */
export const cardPath = '/mcp/server-card'

const repository = 'https://github.com/mcp-toolkits/mcp-toolkits'

/**
 * Answers a GET of the server card, which identifies this server for a directory that has only its address. Anyone may read the card, on
 * any origin. It does not list what the server can do, which depends on the caller.
 * https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2127
 */
export function answerCard(
  request: IncomingMessage,
  response: ServerResponse,
  { name, title, version, vendor }: Pick<ServerDefinition<never>, 'name' | 'title' | 'version' | 'vendor'>,
): void {
  const body = JSON.stringify({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `io.github.mcp-toolkits/${name}`,
    version,
    title,
    description: `An MCP server for ${vendor}.`,
    websiteUrl: `${repository}/tree/main/apps/${name}#readme`,
    repository: { url: repository, source: 'github', subfolder: `apps/${name}` },
  })
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const isKnown = request.headers['if-none-match']?.includes(etag) === true
  response.writeHead(isKnown ? 304 : 200, {
    'content-type': 'application/mcp-server-card+json',
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'Content-Type',
    'cache-control': 'public, max-age=3600',
    etag,
  })
  response.end(isKnown || request.method === 'HEAD' ? undefined : body)
}
