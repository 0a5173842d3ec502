import { isObject, member } from '@mcp-toolkits/core/base'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { taskId as toTaskId } from '@modelcontextprotocol/ext-tasks/core'
import {
  createTaskSessionFromClient,
  type TaskController,
  type TaskEnabledSession,
  type WithTasksOptions,
} from '@modelcontextprotocol/ext-tasks/client'

const protocolVersion = '2026-07-28'
const clientInfo = { name: 'tests', version: '1' }

export interface TaskClientOptions extends Pick<WithTasksOptions, 'onInputRequest'> {
  readonly clientCapabilities?: Readonly<Record<string, Readonly<Record<string, never>>>>
  readonly headers?: Readonly<Record<string, string>>
}

export type TaskArguments = NonNullable<Parameters<TaskEnabledSession['callTool']>[1]>

/** The official client for tasks, with a server reached through `fetch`. */
export interface TaskClient extends AsyncDisposable {
  readonly session: TaskEnabledSession
  readonly task: (id: string) => TaskController
  /** Makes a call that becomes a task, and returns the task's id. */
  readonly begin: (tool: string, args: TaskArguments, key?: string) => Promise<string>
}

export async function connectTasks(
  fetch: (request: Request) => Promise<Response>,
  { clientCapabilities = {}, headers = {}, ...options }: TaskClientOptions = {},
): Promise<TaskClient> {
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: protocolVersion } } })
  const url = new URL('http://localhost/mcp')
  const send = (target: string | URL, init?: RequestInit) => fetch(new Request(target, init))
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: send, requestInit: { headers: { ...headers } } }))
  let id = 0
  const session = createTaskSessionFromClient(client, {
    ...options,
    endpointId: 'tests',
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities },
    async rawDispatch(request, { signal } = {}) {
      const [method, params] = [String(member(request, 'method')), member(request, 'params')]
      const name = member(params, method === 'tools/call' ? 'name' : 'taskId')
      const response = await send(url, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': protocolVersion,
          'mcp-method': method,
          'mcp-name': String(name),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params }),
        ...(signal && { signal }),
      })
      return readResponse(await response.text())
    },
  })
  return taskClient(client, session)
}

/** Like `connectTasks`, for a server at a URL. */
export const connectTasksAt = (url: string, options?: TaskClientOptions): Promise<TaskClient> =>
  connectTasks(async (request) => fetch(url, { method: request.method, headers: request.headers, body: await request.text() }), options)

function taskClient(client: Client, session: TaskEnabledSession): TaskClient {
  return {
    session,
    task: (id) => session.task(toTaskId(id)),
    async begin(tool, args, key) {
      const metadata = key === undefined ? {} : { metadata: { 'mcp-toolkits/idempotency-key': key } }
      const execution = await session.callTool(tool, args, metadata)
      if (execution.kind !== 'task') throw new Error(`The call was answered: ${JSON.stringify(await execution.result())}`)
      const { taskId } = execution.handle
      await execution.detach()
      return taskId
    },
    async [Symbol.asyncDispose]() {
      await session.close()
      await client.close()
    },
  }
}

type JsonRpcResponse = Awaited<ReturnType<NonNullable<Parameters<typeof createTaskSessionFromClient>[1]['rawDispatch']>>>

/** The message in a response, which may be an event stream. */
function readResponse(text: string): JsonRpcResponse {
  const [json = ''] = text.startsWith('{')
    ? [text]
    : text
        .split('\n')
        .flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
        .slice(-1)
  return toAnswer(JSON.parse(json))
}

function toAnswer(message: unknown): JsonRpcResponse {
  if (isError(message)) return { kind: 'error', error: message.error }
  if (isResult(message)) return { kind: 'result', result: message.result }
  throw new Error(`This is not an answer: ${JSON.stringify(message)}`)
}

const isError = (message: unknown): message is { error: Extract<JsonRpcResponse, { kind: 'error' }>['error'] } =>
  isObject(member(message, 'error'))
const isResult = (message: unknown): message is { result: Extract<JsonRpcResponse, { kind: 'result' }>['result'] } =>
  isObject(member(message, 'result'))
