import { createMcpHandler } from '@modelcontextprotocol/server'
import type { ConnectOptions, ServerDefinition, Settings } from './definition.ts'
import { jsonLog } from './log.ts'
import { mcpServerFactory } from './mcp.ts'
import { openToolbox } from './toolbox.ts'

export interface InProcessOptions extends ConnectOptions {
  /** Takes the lines of the log. */
  readonly write?: (line: string) => void
}

export interface InProcessServer {
  /** Streamable HTTP without a socket: hand it to a client as its fetch. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly close: () => Promise<void>
}

/** A whole server behind one fetch handler, for tests and for programs that embed it. */
export function openInProcess<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  { write = () => undefined, ...options }: InProcessOptions = {},
): InProcessServer {
  const toolbox = openToolbox(definition, settings, { ...options, log: jsonLog('debug', write) })
  const handler = createMcpHandler(mcpServerFactory(definition, toolbox))
  return {
    fetch: (request) => handler.fetch(request),
    close: async () => {
      await handler.close()
      await toolbox.close()
    },
  }
}
