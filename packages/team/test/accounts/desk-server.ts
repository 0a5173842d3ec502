import { connecting } from '../../../server/test/acme.ts'
import { request as sendRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { openTokenVerifier } from '../../src/tokens/token-verifier.ts'
import { TokenIssuer } from '../token-issuer.ts'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { defineServer } from '../../../server/src/team.ts'
import { type Settings } from '../../../server/src/mcp/definition.ts'
import { toolkit, type Tool } from '@mcp-toolkits/core/tool'
import { onTestFinished } from 'vitest'
import { createAudit } from '../../src/audit-log.ts'
import { describeTool } from '@mcp-toolkits/server/testing'
import type { HttpLimits, PersonRate } from '../../../server/src/serve/http/admission/limits.ts'
import { serveHttp } from '../../../server/src/serve/http/server.ts'
import { entryLog, type LogEntry } from '../../../server/src/mcp/log.ts'
import { Gate, nothing, settings, text } from '../../../server/test/stdio/echo-server.ts'
import { openToolbox } from '../../../server/src/mcp/calls/toolbox.ts'
import { currentCaller } from '../../../server/src/mcp/calls/current-request.ts'
import { openGate } from '../../src/tokens/gate.ts'
import { defaultScopeNames } from '../../src/tokens/permissions.ts'
import { type PeoplePaths, peopleRoutes } from '../../src/tokens/people-routes.ts'

/** Desk that records each call's person, as `Tool for subject`. */
class Desk {
  readonly runs: string[] = []
  readonly gate = new Gate()
}

const defineTool = toolkit<Desk, 'none'>()
const described = {
  title: 'T',
  description: 'D',
  scopes: [],
  input: nothing.extend({ text }),
  output: nothing.extend({ text }),
  example: { text: 'A note' },
} as const

function run(name: string) {
  return (_: unknown, desk: Desk) => {
    const caller = currentCaller()
    desk.runs.push(`${name} for ${caller?.subject ?? 'all'}`)
    return Promise.resolve({ text: `${caller?.subject ?? ''} ${caller?.profile ?? ''}` })
  }
}

const tools: readonly Tool<Desk>[] = [
  defineTool({ ...described, name: 'Look', effect: 'read', run: run('Look') }),
  defineTool({ ...described, name: 'Put', effect: 'create', run: run('Put') }),
  defineTool({ ...described, name: 'Swap', effect: 'update', destructive: true, run: run('Swap') }),
  defineTool({ ...described, name: 'Toss', effect: 'delete', run: run('Toss') }),
  defineTool({ ...described, name: 'Mark', effect: 'update', writes: (args) => args.text !== 'preview', run: run('Mark') }),
  defineTool({
    ...described,
    name: 'Wait',
    effect: 'read',
    async run(args, desk, { signal }) {
      await desk.gate.pass(args.text, signal)
      return run('Wait')(args, desk)
    },
  }),
]

function deskServer(desk: Desk, largeResults: readonly string[]) {
  return defineServer<Desk>({
    name: 'desk',
    title: 'Desk',
    version: '1.0.0',
    prefix: 'Desk',
    shortName: 'desk',
    vendor: 'Nobody',
    instructions: 'A desk.',
    connectHint: '',
    listedTools: tools.map((tool) => describeTool(tool)),
    extensions: [{ callKinds: Object.fromEntries(largeResults.map((tool) => [tool, 'large'] as const)) }],
    upstream: () => ({ kind: 'vendor', url: 'https://nobody.example' }),
    load: { tools: () => Promise.resolve(tools), connector: connecting(desk) },
  })
}

export const audience = 'https://desk.example/mcp'

/** A client's request, without its message. */
export interface DeskRequest {
  readonly token?: string
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface DeskAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface DeskOptions {
  readonly settings?: Partial<Settings>
  readonly rate?: PersonRate
  readonly limits?: Partial<HttpLimits>
  readonly pages?: (request: Request) => Promise<Response | undefined>
  readonly authorization?: PeoplePaths['authorization']
  /** True by default. */
  readonly hasAudit?: boolean
  /** `Wait` by default. */
  readonly largeResults?: readonly string[]
}

/** A desk over HTTP at `https://desk.example`, with an identity provider. It ends with the test. */
export async function openDesk({
  settings: given,
  rate,
  limits,
  pages,
  authorization,
  hasAudit = true,
  largeResults = ['Wait'],
}: DeskOptions = {}) {
  const [desk, clock, tokens] = [new Desk(), new ManualClock(), await TokenIssuer.create()]
  const entries: LogEntry[] = []
  const audited: unknown[] = []
  const definition = deskServer(desk, largeResults)
  const log = entryLog('debug', (entry) => void entries.push(entry), clock)
  const audit = createAudit({ write: (line) => audited.push(JSON.parse(line)), clock, replica: 'one', log })
  const toolbox = openToolbox(definition, { ...settings, ...given }, { log, clock, ...(hasAudit && { audit }) })
  const verifier = openTokenVerifier({ issuer: tokens.issuer, audiences: [audience], subjectClaim: 'sub', clock, fetch: tokens.fetch })
  const gate = openGate({
    definition,
    listing: toolbox.listing,
    publicUrl: new URL(audience).origin,
    issuer: tokens.issuer,
    scopeNames: defaultScopeNames('desk'),
    verifier,
    ownerOf: ({ subject }) => `owner-of-${subject}`,
    rate,
  })
  const people = peopleRoutes({ gate, publicUrl: new URL(audience).origin, pages, authorization })
  const options = { host: '127.0.0.1', port: 0, allowedHosts: ['desk.example'], log, people, checkReady: verifier.ready }
  const server = await serveHttp(definition, toolbox, { ...options, ...(limits && { limits }) })
  onTestFinished(async () => {
    desk.gate.open()
    await server.drain()
  })
  const send = async (body: string, { token, path = '/mcp', method = 'POST', headers }: DeskRequest = {}): Promise<DeskAnswer> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', host: 'desk.example' }
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const target = { method, agent: false, headers: { ...accept, ...authorization, ...headers } }
    sendRequest(new URL(path, server.url), target, resolve).once('error', reject).end(body)
    const response = await promise
    return { status: response.statusCode ?? 0, headers: response.headers, body: await readText(response) }
  }
  return {
    desk,
    clock,
    tokens,
    entries,
    /** The audit log's lines. */
    audited,
    url: server.url,
    send,
    call: (tool: string, request?: DeskRequest, value = 'x') => send(callBody(1, tool, value), request),
    /** A person's token with scopes such as `read write`. */
    token: (subject: string, scopes: string) => {
      const scope = scopes.replaceAll(/\w+/g, (name) => `desk:${name}`)
      return tokens.sign({ sub: subject, aud: audience, scope }, clock.now())
    },
  }
}

export function callBody(id: number, tool: string, value = 'x'): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: `Desk_${tool}`, arguments: { text: value } } })
}
