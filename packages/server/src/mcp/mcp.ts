import { once } from '@mcp-toolkits/core/base'
import { McpServer, type McpServerFactory, type ServerContext } from '@modelcontextprotocol/server'
import { showsApps } from './apps/capability.ts'
import type { Loaders, ServerDefinition } from './definition.ts'
import { countCall, currentCaller } from './calls/current-request.ts'
import type { ElicitationOptions } from './elicitation/elicitation.ts'
import { filterText } from './answers/exit-filter.ts'
import type { Toolbox } from './calls/toolbox.ts'
import type { ContentRequest } from './extension.ts'
import { answerMethods } from './methods.ts'
import { readingCapabilities, readingMethods } from './reading/capability.ts'
import { taskMethods, tasksExtension } from './tasks/capability.ts'

/** Time that a client may cache `tools/list`, in milliseconds: the list changes only with a restart. */
const listLifetime = 300_000

interface ServerInfo extends Pick<
  ServerDefinition<never>,
  'name' | 'title' | 'version' | 'prefix' | 'vendor' | 'toolsets' | 'listedTools'
> {
  readonly load: Pick<Loaders<never>, 'vocabulary' | 'tools' | 'readable' | 'apps'>
}

type Handler<Given, Result> = (given: Given, context: ServerContext) => Result

interface FactoryOptions extends Pick<ElicitationOptions, 'key'> {
  /** Makes links to content at the server that received the request. */
  readonly linkMaker?: (request: Request | undefined) => ContentRequest['link']
  /** Makes a handler run in each request's async context; absent if handlers already run there. */
  readonly inRequest?: <Given, Result>(handle: Handler<Given, Result>) => Handler<Given, Result>
}

/** Creates MCP servers for a toolbox: one for each connection or HTTP request. The servers hold no state. */
export function mcpServerFactory(
  identity: ServerInfo,
  toolbox: Toolbox,
  { key, linkMaker, inRequest = (handle) => handle }: FactoryOptions = {},
): McpServerFactory {
  const { name, title, version, load } = identity
  const { clock, questionSeconds } = toolbox
  // Loaded on the first call, so that startup does not wait for it.
  const loadElicitation = once(async () => (await import('./elicitation/elicitation.ts')).elicitation({ key, questionSeconds, clock }))
  const loadReading = once(async () => (await import('./reading/reading.ts')).openReading(identity, toolbox))
  const loadApps = once(async () => (await import('./apps/apps.ts')).openApps(identity, toolbox.listing))
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
        // If a person selects nothing, the shim would replace our error and its suggestions.
        inputRequired: { legacyShim: false },
      },
    )
    const shows = (context: ServerContext) => load.apps !== undefined && showsApps(context, mcp.server)
    if (load.readable) {
      // Registered late, because McpServer would otherwise answer with its own lists.
      mcp.server.registerCapabilities(readingCapabilities)
      answerMethods(
        mcp,
        readingMethods,
        inRequest(async ({ method, params }, context) =>
          (await loadReading()).answer(method, params, context, shows(context) ? await loadApps() : undefined),
        ),
      )
    }
    if (tasks)
      answerMethods(mcp, taskMethods, async ({ method, params }, context) =>
        (await import('./tasks/requests.ts')).answerTaskRequest(method, params, { load: tasks.load, context }),
      )
    mcp.server.setRequestHandler('tools/list', async (_request, context) =>
      // A shared cache must not give entries with apps to clients without apps.
      shows(context)
        ? { tools: (await loadApps()).tools(), ttlMs: listLifetime, cacheScope: 'private' }
        : { tools: [...toolbox.listing.tools] },
    )
    mcp.server.setRequestHandler(
      'tools/call',
      inRequest(async ({ params }, context) => {
        countCall()
        const { answerCall } = await import('./calls/answer-call.ts')
        const [isModern, showsApps] = [era === 'modern', shows(context)]
        return answerCall(params, context, {
          identity,
          toolbox,
          server: mcp.server,
          loadElicitation,
          tasks,
          isModern,
          showsApps,
          ...(showsApps && load.readable && { link: (await loadReading()).link }),
          linkMaker,
        })
      }),
    )
    return mcp
  }
}
