import { McpServer, ProtocolError, ProtocolErrorCode, type McpServerFactory } from '@modelcontextprotocol/server'
import { toResult } from './answer.ts'
import type { ServerDefinition } from './definition.ts'
import type { Toolbox } from './toolbox.ts'

/** How long a client may keep `tools/list`, in milliseconds: it only changes with a restart. */
const listLifetime = 300_000

type Identity = Pick<ServerDefinition<never>, 'name' | 'title' | 'version'>

/** Makes the protocol's server around a toolbox; one per connection or per HTTP request, and nothing is kept in it. */
export function mcpServerFactory({ name, title, version }: Identity, toolbox: Toolbox): McpServerFactory {
  return () => {
    const mcp = new McpServer(
      { name, title, version },
      {
        instructions: toolbox.instructions,
        capabilities: { tools: { listChanged: false } },
        cacheHints: { 'tools/list': { ttlMs: listLifetime, cacheScope: 'public' } },
      },
    )
    mcp.server.setRequestHandler('tools/list', () => ({ tools: [...toolbox.listing.tools] }))
    mcp.server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const tool = toolbox.listing.find(params.name)
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
      const progressToken = mcpReq._meta?.progressToken
      const notify = (progress: number, total?: number, message?: string) =>
        void mcpReq.notify({
          method: 'notifications/progress',
          params: {
            progressToken: progressToken ?? '',
            progress,
            ...(total !== undefined && { total }),
            ...(message !== undefined && { message }),
          },
        })
      const answer = await toolbox.call(tool, params.arguments, {
        signal: mcpReq.signal,
        ...(progressToken !== undefined && { progress: notify }),
      })
      return toResult(answer, toolbox.embedded)
    })
    return mcp
  }
}
