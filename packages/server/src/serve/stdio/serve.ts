import type { JSONRPCRequest } from '@modelcontextprotocol/server'
import { serveStdio as serveSdk } from '@modelcontextprotocol/server/stdio'
import type { ServerDefinition } from '../../mcp/definition.ts'
import { callsOfKind } from '../../mcp/calls/call-limiter.ts'
import type { Log } from '../../mcp/log.ts'
import { callKindOf } from '../../mcp/listing/listing.ts'
import { mcpServerFactory } from '../../mcp/mcp.ts'
import type { Toolbox } from '../../mcp/calls/toolbox.ts'
import { StdioTransport, type StdioOptions } from './transport.ts'

/** Maximum length of a line: the same 10 MiB as in official clients. */
const maxLineBytes = 10 * 1024 * 1024

/** Time for calls to finish once the input has ended: longer than one call may spend on its vendor. */
const drainMs = 30_000

/**
 * Maximum number of calls from one client, in flight and waiting. Given the costs below, calls with ordinary results are limited by number;
 * calls with large results run two at a time, which leaves room for other calls.
 */
const limits = {
  maxInFlight: 64,
  maxOfKind: callsOfKind,
  maxCost: 32 * 1024 * 1024,
  maxWaiting: 10_000,
  maxWaitingSize: 16 * 1024 * 1024,
}
const ordinaryCost = 256 * 1024
const largeCost = 12 * 1024 * 1024

export interface StdioServer {
  /** Answers the calls in flight, then closes. */
  readonly drain: () => Promise<void>
  /** Resolves when the connection has closed, for any reason. */
  readonly closed: Promise<void>
}

/** Serves a toolbox over a pair of streams until input ends. */
export function serveStdio<Context>(
  definition: ServerDefinition<Context>,
  toolbox: Toolbox,
  options: Pick<StdioOptions, 'input' | 'output'> & Partial<StdioOptions> & { readonly log: Log },
): StdioServer {
  const { log, ...streams } = options
  const kindOf = ({ params }: JSONRPCRequest) => callKindOf(definition, toolbox.listing, params?.['name'])
  const costOf = (request: JSONRPCRequest, bytes: number) => 2 * bytes + (kindOf(request) === 'large' ? largeCost : ordinaryCost)
  const transport = new StdioTransport({ maxLineBytes, drainMs, limits, costOf, kindOf, clock: toolbox.clock, ...streams })
  const factory = mcpServerFactory(definition, toolbox, {
    inRequest: (handle) => (given, context) => transport.inRequest(context.mcpReq.id, () => handle(given, context)),
  })
  serveSdk(factory, {
    transport,
    onerror: (error) => {
      log.debug('protocol', { problem: error.name })
    },
  })
  const { promise: closed, resolve } = Promise.withResolvers<undefined>()
  const sdkClosed = transport.onclose
  transport.onclose = () => {
    sdkClosed?.()
    resolve(undefined)
  }
  return { drain: () => transport.drain(), closed: closed.then(() => undefined) }
}
