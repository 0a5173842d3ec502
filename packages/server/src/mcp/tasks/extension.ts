import { isObject, member, stringMember } from '@mcp-toolkits/core/base'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
  MissingRequiredClientCapabilityError,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import { currentCaller } from '../calls/current-request.ts'
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

/** Parameters of the requests for a task. */
const taskParams: StandardSchemaV1<unknown, { readonly taskId: string }> = {
  '~standard': {
    version: 1,
    vendor: 'mcp-toolkits',
    validate(params) {
      const taskId = stringMember(params, 'taskId')
      return taskId === undefined ? { issues: [{ message: 'taskId must be a text.' }] } : { value: { taskId } }
    },
  },
}

/** Answers the requests of the extension. */
export function answerTaskRequests({ server }: McpServer, { load }: TaskDesk): void {
  const tasksFor = async (context: ServerContext) => {
    if (knowsTasks(context)) return load()
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } })
  }
  server.setRequestHandler('tasks/get', { params: taskParams }, async ({ taskId }, context) => ({
    ...(await (await tasksFor(context)).get(taskId, currentCaller())),
  }))
  server.setRequestHandler('tasks/update', { params: taskParams }, async ({ taskId }, context) => {
    await (await tasksFor(context)).update(taskId, context.mcpReq.inputResponses ?? {}, currentCaller())
    return {}
  })
  server.setRequestHandler('tasks/cancel', { params: taskParams }, async ({ taskId }, context) => {
    await (await tasksFor(context)).cancel(taskId, currentCaller())
    return {}
  })
}
