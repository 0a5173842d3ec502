import type { McpServer, StandardSchemaV1 } from '@modelcontextprotocol/server'
import { taskMethods } from './capability.ts'
import type { TaskDesk } from './desk-types.ts'

/** Takes any parameters: the answer checks them. */
const params: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'mcp-toolkits', validate: (value) => ({ value }) },
}

/** Answers the requests of the extension. */
export function answerTaskRequests({ server }: McpServer, { load }: TaskDesk): void {
  for (const method of taskMethods) {
    server.setRequestHandler(method, { params }, async (given, context) => {
      const { answerTaskRequest } = await import('./requests.ts')
      return { ...(await answerTaskRequest(method, given, { load, context })) }
    })
  }
}
