import { isObject, member } from '@mcp-toolkits/core/base'
import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server'

/** The extension's name in clients' and servers' capabilities. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** True if the client accepts a task as the response to this request. */
export function knowsTasks({ mcpReq }: ServerContext): boolean {
  return isObject(member(member(member(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY), 'extensions'), tasksExtension))
}

export const taskMethods = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const

export type TaskMethod = (typeof taskMethods)[number]
