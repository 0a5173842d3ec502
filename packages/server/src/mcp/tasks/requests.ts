import { type JsonObject, stringMember } from '@mcp-toolkits/core/base'
import { MissingRequiredClientCapabilityError, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server'
import { currentCaller } from '../calls/current-request.ts'
import { knowsTasks, type TaskMethod, tasksExtension } from './capability.ts'
import type { TaskDesk } from './desk-types.ts'

/** Answers a request about one of the caller's tasks. */
export async function answerTaskRequest(
  method: TaskMethod,
  params: unknown,
  { load, context }: Pick<TaskDesk, 'load'> & { readonly context: ServerContext },
): Promise<JsonObject> {
  if (!knowsTasks(context))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } })
  const id = stringMember(params, 'taskId')
  if (id === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The taskId must be a string.')
  const [tasks, caller] = [await load(), currentCaller()]
  if (method === 'tasks/get') return tasks.get(id, caller)
  if (method === 'tasks/cancel') await tasks.cancel(id, caller)
  else await tasks.update(id, context.mcpReq.inputResponses ?? {}, caller)
  return {}
}
