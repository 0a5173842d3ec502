import { nextTurn } from '@mcp-toolkits/core/base'
import type { CallToolRequest, McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { Answer } from '../answers/answer.ts'
import { converse } from '../elicitation/conversation.ts'
import type { ExplainedServer } from '../listing/unknown-tool.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import type { ContentRequest } from '../extension.ts'
import { knowsTasks } from '../tasks/capability.ts'
import type { TaskDesk } from '../tasks/desk-types.ts'
import type { LongCall } from '../tasks/handover.ts'
import { auditedCall } from './audited-call.ts'
import { waitedMs } from './call-limiter.ts'
import { currentCaller, currentDelivery } from './current-request.ts'
import type { CallOptions, Toolbox } from './toolbox.ts'

/** Time that a host is expected to wait for an answer, in milliseconds: most give up after a minute, often silently. */
const hostPatienceMs = 45_000

/** Key in `tools/call`'s `_meta` for the caller's idempotency key. */
const keyField = 'mcp-toolkits/idempotency-key'

/** Key in `tools/call`'s `_meta` that says how to return a file's content. */
const contentField = 'mcp-toolkits/content'

type CallParams = CallToolRequest['params']

/** The server that receives a call, and the connection on which the call arrives. */
export interface CalledServer {
  readonly identity: ExplainedServer
  readonly toolbox: Toolbox
  readonly server: McpServer['server']
  /** Loads the code that asks a person. */
  readonly loadElicitation: () => Promise<Elicitation>
  /** Calls that may outlive their requests; absent for a client on an earlier revision. */
  readonly tasks: TaskDesk | undefined
  readonly isModern: boolean
  /** True if the client shows apps, so it may call the apps' tools. */
  readonly showsApps: boolean
  /** Adds links to an answer's subjects; absent for a client that does not show apps, because it may not know links. */
  readonly link?: (answer: Answer) => Answer
  /** Makes links to content at the server that received the request. */
  readonly linkMaker: ((request: Request | undefined) => ContentRequest['link']) | undefined
}

/** Answers `tools/call`, and records it. */
export async function answerCall(params: CallParams, context: ServerContext, called: CalledServer) {
  const { audit, listing, embedded } = called.toolbox
  const answer = await (audit
    ? audit.call(auditedCall(listing, params, context), () => replyTo(params, context, called))
    : replyTo(params, context, called))
  if ('resultType' in answer) return answer
  const { isLarge, toToolResult } = await import('../answers/mcp-result.ts')
  // Building a large result and writing it each get a turn of the event loop.
  if (isLarge(answer)) await nextTurn()
  return toToolResult(answer, embedded)
}

async function replyTo(params: CallParams, context: ServerContext, called: CalledServer) {
  const {
    identity,
    toolbox,
    server,
    loadElicitation,
    tasks,
    isModern,
    showsApps,
    link = (answer: Answer): Answer => answer,
    linkMaker,
  } = called
  const { mcpReq } = context
  const tool = toolbox.listing.find(params.name)
  if (!tool || (tool.isForApps === true && !showsApps))
    throw await (await import('../listing/unknown-tool-error.ts')).unknownToolError(params, identity, toolbox.listing)
  const { progressToken } = mcpReq._meta ?? {}
  const reports = progressToken === undefined ? undefined : (await import('./progress-reports.ts')).progressReports(mcpReq, progressToken)
  const given = params.arguments ?? {}
  const options: CallOptions = {
    signal: mcpReq.signal,
    patienceMs: hostPatienceMs,
    ...wishesIn(context, linkMaker),
    givenArguments: given,
    delivery: currentDelivery(),
    caller: currentCaller(),
    waitedMs: waitedMs(),
    ...(reports && { progress: reports.add }),
  }
  const asking = await loadElicitation()
  const call = { tool, args: given, waitForLink: linkWait(toolbox, options) }
  const conversation = isModern ? asking.viaInputRequired(call, context) : asking.viaServerRequest(call, context, server)
  const { clock } = toolbox
  const invoke: Toolbox['invoke'] = async (...made) => link(await toolbox.invoke(...made))
  const make: LongCall['make'] = (made, onArguments) => converse(conversation, { tool, invoke, onArguments, ...made })
  const handOver = async (desk: TaskDesk) =>
    (await import('../tasks/handover.ts')).answerOrHandOver({ tool, given, make, options, context, asking }, desk, clock)
  const mayGoOn = tasks?.accepts(tool) === true && knowsTasks(context)
  const answer = await (mayGoOn ? handOver(tasks) : converse(conversation, { tool, invoke, ...options }))
  reports?.flush()
  return answer
}

/** The caller's requests besides the arguments. */
function wishesIn(
  { mcpReq: { _meta: meta }, http }: ServerContext,
  linkMaker: CalledServer['linkMaker'],
): Pick<CallOptions, 'key' | 'content'> {
  return { key: meta?.[keyField], content: { way: meta?.[contentField], isLocal: !http, link: linkMaker?.(http?.req) } }
}

/** A function that waits for the person to finish at a link; undefined if answers have no links. */
function linkWait({ waitForLink: waitFor, clock }: Toolbox, { signal, progress }: CallOptions) {
  if (!waitFor) return undefined
  return async (id: string) => {
    const { waitForLink } = await import('../elicitation/connect-prompt.ts')
    return waitForLink(id, { waitFor, clock, signal, progress })
  }
}
