import { isObject, member } from '@mcp-toolkits/core/base'
import { CLIENT_CAPABILITIES_META_KEY, type McpServer, type ServerContext, type StandardSchemaV1 } from '@modelcontextprotocol/server'
import type { ListedTool } from '../listing/listed-tool.ts'
import type { Tasks } from './tasks.ts'

// All that a start needs of tasks. The rest is loaded with the first of them.

/** Name of the extension among the capabilities of clients and servers. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** The calls of a server that go on after their requests. */
export interface TaskDesk {
  /** True if a call of the tool may. */
  readonly accepts: (tool: ListedTool) => boolean
  /** True if there may be some that have not ended. */
  readonly hasPending: () => boolean
  readonly load: () => Promise<Tasks>
  /** Continues those that nobody works on. Never rejects. */
  readonly resume: () => Promise<void>
  /** Leaves those that run to the next process. It can be called repeatedly. */
  readonly close: () => Promise<void>
}

/** True if the client takes a task for an answer to this request. */
export function knowsTasks({ mcpReq }: ServerContext): boolean {
  return isObject(member(member(member(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY), 'extensions'), tasksExtension))
}

export type TaskMethod = 'tasks/get' | 'tasks/update' | 'tasks/cancel'

const methods: readonly TaskMethod[] = ['tasks/get', 'tasks/update', 'tasks/cancel']

/** Takes any parameters: the answer checks them. */
const params: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'mcp-toolkits', validate: (value) => ({ value }) },
}

/** Answers the requests of the extension. */
export function answerTaskRequests({ server }: McpServer, { load }: TaskDesk): void {
  for (const method of methods) {
    server.setRequestHandler(method, { params }, async (given, context) => {
      const { answerTaskRequest } = await import('./requests.ts')
      return { ...(await answerTaskRequest(method, given, { load, context })) }
    })
  }
}
