import { isObject, member } from '@mcp-toolkits/core/base'
import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server'

/** Name of the extension among the capabilities of clients and servers. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** True if the client takes a task for an answer to this request. */
export function knowsTasks({ mcpReq }: ServerContext): boolean {
  return isObject(member(member(member(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY), 'extensions'), tasksExtension))
}

/** The requests of the extension. */
export const taskMethods = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const

export type TaskMethod = (typeof taskMethods)[number]
