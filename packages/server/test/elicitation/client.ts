import type { Clock } from '@mcp-toolkits/core/base'
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientCapabilities,
  type ClientContext,
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
  type ElicitResult,
  type Transport,
} from '@modelcontextprotocol/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { PassThrough } from 'node:stream'
import type { ServerDefinition, Settings } from '../../src/index.ts'
import { mcpServerFactory } from '../../src/mcp/mcp.ts'
import { serveStdio } from '../../src/serve/stdio/serve.ts'
import { overStreams } from '../stdio/client-end.ts'
import { settings } from '../stdio/echo-server.ts'
import type { Toolbox } from '../../src/mcp/calls/toolbox.ts'
import { PostOffice, postServer, postToolbox, silent } from './post-server.ts'

type Context = Pick<ClientContext['mcpReq'], 'signal'>

/** The person at the client. */
export type Person = (form: ElicitRequestFormParams, context: Context) => ElicitResult | Promise<ElicitResult>

/** A client's route to the server, and the revision that it speaks. */
export interface Route {
  readonly mode: 'legacy' | { readonly pin: '2026-07-28' }
  readonly supportedProtocolVersions?: string[]
  readonly connect: (definition: ServerDefinition<PostOffice>, toolbox: Toolbox) => Connected
}

interface Connected {
  readonly transport: Transport
  /** Resolves when the server has ended. */
  readonly closed: Promise<void>
  /** Ends the server's input, while it may still write. */
  readonly endInput: () => void
}

const overStdio: Route['connect'] = (definition, toolbox) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const { closed } = serveStdio(definition, toolbox, { input, output, log: silent })
  return { transport: overStreams(output, input), closed, endInput: () => input.end() }
}

const overHttp: Route['connect'] = (definition, toolbox) => {
  const handler = createMcpHandler(mcpServerFactory(definition, toolbox))
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: (url, init) => handler.fetch(new Request(url, init)),
  })
  return { transport, closed: Promise.resolve(), endInput: () => undefined }
}

const modern = { pin: '2026-07-28' } as const
export const routes = {
  modernStdio: { mode: modern, connect: overStdio },
  modernHttp: { mode: modern, connect: overHttp },
  legacyStdio: { mode: 'legacy', connect: overStdio },
  legacyHttp: { mode: 'legacy', connect: overHttp },
} as const satisfies Readonly<Record<string, Route>>

export interface TestClientOptions {
  /** Absent for a client that cannot ask. */
  readonly person?: Person
  /** The person's reaction to a page; absent for a client that cannot open one. */
  readonly visitor?: ElicitResult['action']
  readonly capabilities?: ClientCapabilities
  readonly settings?: Partial<Settings>
  readonly clock?: Clock
}

/** A client at the post office's counter. */
export interface TestClient extends AsyncDisposable {
  readonly client: Client
  readonly postOffice: PostOffice
  /** The pages that the person was asked to open. */
  readonly visits: readonly ElicitRequestURLParams[]
  /** The forms that the person was shown. */
  readonly forms: readonly ElicitRequestFormParams[]
  readonly call: (tool: string, args: Record<string, unknown>, signal?: AbortSignal) => Promise<CallToolResult>
  /** All that the server sent, as JSON. */
  readonly received: () => string
  readonly endInput: () => void
  /** Ends the client's side, and resolves when the server's side has ended too. */
  readonly leave: () => Promise<void>
}

export async function connectClient(way: Route, { person, visitor, ...options }: TestClientOptions = {}): Promise<TestClient> {
  const office = new PostOffice()
  const definition = postServer(office)
  const { transport, closed, endInput } = way.connect(
    definition,
    postToolbox(definition, { ...settings, ...options.settings }, options.clock),
  )
  const modes = { ...(person && { form: {} }), ...(visitor && { url: {} }) }
  const capabilities = options.capabilities ?? ((person ?? visitor) && { elicitation: modes })
  const client = new Client(
    { name: 'desk', version: '1' },
    {
      versionNegotiation: { mode: way.mode },
      ...(way.supportedProtocolVersions && { supportedProtocolVersions: way.supportedProtocolVersions }),
      ...(capabilities && { capabilities }),
    },
  )
  const asked: ElicitRequestFormParams[] = []
  const visits: ElicitRequestURLParams[] = []
  if (capabilities) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => {
      if ('url' in params && visitor) {
        visits.push(params)
        return { action: visitor }
      }
      if (!('requestedSchema' in params) || !person) throw new Error('This is not for this person.')
      asked.push(params)
      return person(params, mcpReq)
    })
  }
  await client.connect(transport)
  const received: string[] = []
  const deliver = transport.onmessage
  transport.onmessage = (message, extra) => {
    received.push(JSON.stringify(message))
    deliver?.(message, extra)
  }
  const leave = async () => {
    await client.close()
    await closed
  }
  return {
    client,
    postOffice: office,
    forms: asked,
    visits,
    call: (tool, args, signal) => client.callTool({ name: `Post_${tool}`, arguments: args }, signal && { signal }),
    received: () => received.join('\n'),
    endInput,
    leave,
    [Symbol.asyncDispose]: leave,
  }
}

/** A person who makes these choices, by field name. */
export function chooses(content: Record<string, string>): Person {
  return () => ({ action: 'accept', content })
}
