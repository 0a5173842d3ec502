import { McpServer, ProtocolError, ProtocolErrorCode, type McpServerFactory } from '@modelcontextprotocol/server'
import { toToolResult } from './answer.ts'
import type { ServerDefinition } from './definition.ts'
import type { Elicitation, ElicitationOptions } from './elicitation/elicitation.ts'
import { whyAbsent } from './listing.ts'
import type { Toolbox } from './toolbox.ts'

/** How long a client may keep `tools/list`, in milliseconds: it only changes with a restart. */
const listLifetime = 300_000

type ServerInfo = Pick<ServerDefinition<never>, 'name' | 'title' | 'version' | 'prefix' | 'elicitationTimeoutMs'>

/** Makes the protocol's server around a toolbox; one per connection or per HTTP request, and nothing is kept in it. */
export function mcpServerFactory(identity: ServerInfo, toolbox: Toolbox, { key }: Pick<ElicitationOptions, 'key'> = {}): McpServerFactory {
  const { name, title, version, elicitationTimeoutMs: patienceMs } = identity
  // Asking a person is for a call that needs it, and a start is not to wait for it.
  const load = async () => (await import('./elicitation/elicitation.ts')).elicitation({ key, timeoutMs: patienceMs })
  let loaded: Promise<Elicitation> | undefined
  const questions = () => (loaded ??= load())
  return ({ era }) => {
    const mcp = new McpServer(
      { name, title, version },
      {
        instructions: toolbox.instructions,
        capabilities: { tools: { listChanged: false } },
        cacheHints: { 'tools/list': { ttlMs: listLifetime, cacheScope: 'public' } },
        requestState: { verify: async (state, context) => (await questions()).verify(state, context) },
        // It would answer with its own words where a person does not choose; the caller is to get the error with its suggestions.
        inputRequired: { legacyShim: false },
      },
    )
    mcp.server.setRequestHandler('tools/list', () => ({ tools: [...toolbox.listing.tools] }))
    mcp.server.setRequestHandler('tools/call', async ({ params }, context) => {
      const { mcpReq } = context
      const tool = toolbox.listing.find(params.name)
      if (!tool) {
        const why = await whyAbsent(params.name, identity.prefix, toolbox.listing)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}${why === undefined ? '' : `. ${why}`}`)
      }
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
      const options = { signal: mcpReq.signal, ...(progressToken !== undefined && { progress: notify }) }
      const call = { tool, args: params.arguments ?? {}, run: (args: unknown) => toolbox.call(tool, args, options) }
      const { viaInputRequired: overRounds, viaServerRequest: whileWaiting } = await questions()
      const answer = era === 'modern' ? await overRounds(call, context) : await whileWaiting(call, context, mcp.server)
      return 'resultType' in answer ? answer : toToolResult(answer, toolbox.embedded)
    })
    return mcp
  }
}
