import { nextTurn, once } from '@mcp-toolkits/core/base'
import { McpServer, type CallToolRequest, type McpServerFactory, type ServerContext } from '@modelcontextprotocol/server'
import { waitedMs } from './calls/call-limiter.ts'
import type { Loaders, ServerDefinition } from './definition.ts'
import { countCall, currentCaller, currentDelivery } from './calls/current-request.ts'
import type { ElicitationOptions } from './elicitation/elicitation.ts'
import type { Arguments } from './elicitation/form.ts'
import { filterText } from './answers/exit-filter.ts'
import type { CallOptions, Toolbox } from './calls/toolbox.ts'
import type { ContentRequest } from './extension.ts'
import { answerMethods } from './methods.ts'
import { readingCapabilities, readingMethods } from './reading/capability.ts'
import { knowsTasks, taskMethods, tasksExtension } from './tasks/capability.ts'

/** Time that a client may cache `tools/list`, in milliseconds: it only changes with a restart. */
const listLifetime = 300_000

/** Time that a host is expected to wait for an answer, in milliseconds: most give up after a minute, often silently. */
const hostPatienceMs = 45_000

/** Key in `_meta` of `tools/call` that holds the caller's idempotency key. */
const keyField = 'mcp-toolkits/idempotency-key'

/** Key in `_meta` of `tools/call` that says how the content of a file is given. */
const contentField = 'mcp-toolkits/content'

interface ServerInfo extends Pick<ServerDefinition<never>, 'name' | 'title' | 'version' | 'prefix' | 'toolsets'> {
  readonly load: Pick<Loaders<never>, 'vocabulary' | 'readable'>
}

interface FactoryOptions extends Pick<ElicitationOptions, 'key'> {
  /** Makes links to contents at the server that a request has reached. */
  readonly linkMaker?: (request: Request | undefined) => ContentRequest['link']
}

/** Creates MCP servers for a toolbox: one for each connection or HTTP request. They hold no state. */
export function mcpServerFactory(identity: ServerInfo, toolbox: Toolbox, { key, linkMaker }: FactoryOptions = {}): McpServerFactory {
  const { name, title, version, load } = identity
  // Loaded with the first call, so that startup does not wait for it.
  const { clock, questionSeconds } = toolbox
  const loadElicitation = once(async () => (await import('./elicitation/elicitation.ts')).elicitation({ key, questionSeconds, clock }))
  const loadReading = once(async () => (await import('./reading/reading.ts')).openReading(identity, toolbox))
  const refuseState = (error: unknown): never => {
    countCall()
    const problem = 'The state of an elicitation was not made for this caller, or has expired.'
    toolbox.audit?.refused({ caller: currentCaller(), status: 400, problem })
    throw error
  }
  return ({ era }) => {
    const tasks = era === 'modern' ? toolbox.tasks : undefined
    const mcp = new McpServer(
      { name, title, version },
      {
        instructions: filterText(toolbox.instructions),
        capabilities: { tools: { listChanged: false }, ...(tasks && { extensions: { [tasksExtension]: {} } }) },
        cacheHints: { 'tools/list': { ttlMs: listLifetime, cacheScope: 'public' } },
        requestState: { verify: async (state, context) => (await loadElicitation()).verify(state, context).catch(refuseState) },
        // The shim would replace our error and its suggestions when a person selects nothing.
        inputRequired: { legacyShim: false },
      },
    )
    if (load.readable) {
      // Registered late, because McpServer would answer with lists of its own.
      mcp.server.registerCapabilities(readingCapabilities)
      answerMethods(mcp, readingMethods, async (...request) => (await loadReading())(...request))
    }
    if (tasks)
      answerMethods(mcp, taskMethods, async (method, params, context) =>
        (await import('./tasks/requests.ts')).answerTaskRequest(method, params, { load: tasks.load, context }),
      )
    mcp.server.setRequestHandler('tools/list', () => ({ tools: [...toolbox.listing.tools] }))
    const answerCall = async (params: CallParams, context: ServerContext) => {
      const { mcpReq } = context
      const tool = toolbox.listing.find(params.name)
      if (!tool) throw await (await import('./listing/unknown-tool-error.ts')).unknownToolError(params, identity, toolbox.listing)
      const { progressToken } = mcpReq._meta ?? {}
      const reports =
        progressToken === undefined ? undefined : (await import('./calls/progress-reports.ts')).progressReports(mcpReq, progressToken)
      const given = params.arguments ?? {}
      const options: CallOptions = {
        signal: mcpReq.signal,
        patienceMs: hostPatienceMs,
        ...wishesIn(context, linkMaker),
        givenArguments: given,
        delivery: currentDelivery(),
        caller: currentCaller(),
        ...(reports && { progress: reports.add }),
      }
      const [{ converse }, asking] = await Promise.all([import('./elicitation/elicitation.ts'), loadElicitation()])
      const call = { tool, args: given, waitForLink: linkWait(toolbox, options) }
      const conversation = era === 'modern' ? asking.viaInputRequired(call, context) : asking.viaServerRequest(call, context, mcp.server)
      const make = (made: CallOptions, onArguments?: (args: Arguments) => void) =>
        converse(conversation, async (args, askedMs) => {
          onArguments?.(args)
          return toolbox.invoke(tool, args, { ...made, waitedMs: waitedMs() + askedMs })
        })
      const mayGoOn = tasks?.accepts(tool) === true && knowsTasks(context)
      const answer = mayGoOn
        ? await (await import('./tasks/handover.ts')).answerOrHandOver({ tool, given, make, options, context, asking }, tasks, clock)
        : await make(options)
      reports?.flush()
      return answer
    }
    mcp.server.setRequestHandler('tools/call', async ({ params }, context) => {
      countCall()
      const call = () => answerCall(params, context)
      const { audit, listing } = toolbox
      const answer = await (audit
        ? audit.call((await import('./calls/audited-call.ts')).auditedCall(listing, params, context), call)
        : call())
      if ('resultType' in answer) return answer
      const { isLarge, toToolResult } = await import('./answers/tool-result.ts')
      // Making a large result and writing it each get a turn of the event loop.
      if (isLarge(answer)) await nextTurn()
      return toToolResult(answer, toolbox.embedded)
    })
    return mcp
  }
}

type CallParams = CallToolRequest['params']

/** Wishes of the caller beside the arguments. */
function wishesIn(
  { mcpReq: { _meta: meta }, http }: ServerContext,
  linkMaker: FactoryOptions['linkMaker'],
): Pick<CallOptions, 'key' | 'content'> {
  return { key: meta?.[keyField], content: { way: meta?.[contentField], isLocal: !http, link: linkMaker?.(http?.req) } }
}

/** Waits for the person to finish at a link; undefined if answers have no links. */
function linkWait({ waitForLink: waitFor, clock }: Toolbox, { signal, progress }: CallOptions) {
  if (!waitFor) return undefined
  return async (id: string) => {
    const { waitForLink } = await import('./elicitation/connect-prompt.ts')
    return waitForLink(id, { waitFor, clock, signal, progress })
  }
}
