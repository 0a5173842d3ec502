import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Message, sentence, Unauthenticated } from '@mcp-toolkits/core/errors'
import { toolkit, type Tool } from '@mcp-toolkits/core/tool'
import { readSecret, type Fetch } from '@mcp-toolkits/core/upstream'
import { describeTool } from '../describe.ts'
import { type Connect, defineServer, type ServerDefinition, type Settings } from '../../src/index.ts'
import { Gate, nothing, text } from '../stdio/echo-server.ts'
import type { AccountOptions } from '../../src/serve/library/options.ts'
import type { Server } from '../../src/serve/library/server.ts'

/** Events at a reception, as seen from outside. */
export class Reception {
  readonly gate = new Gate()
  /** Data directories, in the order in which they were connected, resumed and closed. */
  readonly connected: string[] = []
  readonly resumed: string[] = []
  readonly closed: string[] = []
}

interface Guest {
  readonly gate: Gate
  readonly greet: (signal: AbortSignal) => Promise<string>
}

const defineTool = toolkit<Guest, 'none'>()
const described = { title: 'T', description: 'D', scopes: [], input: nothing, output: nothing.extend({ text }), example: {} } as const

const tools: readonly Tool<Guest>[] = [
  defineTool({ ...described, effect: 'read', name: 'Greet', run: async (_, { greet }, { signal }) => ({ text: await greet(signal) }) }),
  defineTool({
    ...described,
    effect: 'read',
    name: 'Wait',
    async run(_, { gate }, { signal, progress }) {
      progress(0, 1, 'waiting')
      await gate.pass('Wait', signal)
      return { text: 'waited' }
    },
  }),
  defineTool({
    ...described,
    effect: 'create',
    name: 'Refuse',
    run() {
      const variable = { variable: 'GUEST_KEY' }
      const problem = Message.of(
        sentence`${variable} was refused.`,
        sentence`Set ${variable} and look at ${{ option: '--data-dir' }} and ${{ option: '--read-only' }}, not at ${'--data-dir or GUEST_KEY'}.`,
      )
      throw new Unauthenticated(problem, { next: { command: 'guests-mcp login' } })
    },
  }),
]

const keyOf = ({ embedded, environment }: Settings) => (embedded ? undefined : readSecret(environment, 'GUEST_KEY'))

/** A server that greets the owner of its key, whom the vendor names. */
export function guests(reception: Reception, more: Partial<ServerDefinition<Guest>> = {}): ServerDefinition<Guest> {
  const connect: Connect<Guest> = async (settings, { fetch = globalThis.fetch } = {}) => {
    const { dataDirectory } = settings
    reception.connected.push(dataDirectory)
    await mkdir(dataDirectory, { recursive: true })
    await writeFile(path.join(dataDirectory, 'guest-book'), 'open')
    const send: Fetch = keyOf(settings) ? fetch : () => Promise.resolve(new Response('nobody'))
    const headers = { authorization: keyOf(settings)?.reveal() ?? '' }
    return {
      context: { gate: reception.gate, greet: async (signal) => (await send('https://hotel.example/me', { headers, signal })).text() },
      status: () => Promise.resolve({}),
      resume: () => void reception.resumed.push(dataDirectory),
      close: () => {
        reception.closed.push(dataDirectory)
        return Promise.resolve()
      },
    }
  }
  return defineServer<Guest>({
    name: 'guests',
    title: 'Guests',
    version: '1.0.0',
    prefix: 'Guests',
    shortName: 'guests',
    vendor: 'the Hotel',
    instructions: 'Greets.',
    connectHint: 'To use an account, set GUEST_KEY.',
    listedTools: tools.map((tool) => describeTool(tool)),
    upstream: (settings) => (keyOf(settings) ? { kind: 'vendor', url: 'https://hotel.example' } : { kind: 'embedded' }),
    load: {
      tools: () => Promise.resolve(tools),
      connector: () => Promise.resolve({ connect, emulator: () => Promise.reject(new Error('There is none.')) }),
    },
    ...more,
  })
}

export const account: AccountOptions = {
  variables: { apiKey: 'GUEST_KEY', region: 'GUEST_REGION' },
  credentials: ['apiKey'],
  switches: { polite: 'GUEST_POLITE' },
}

/** The hotel, which knows every guest by the key. */
export const hotel: Fetch = async (_, init) =>
  Promise.resolve(new Response(`Welcome, ${new Headers(init?.headers).get('authorization') ?? 'stranger'}`))

/** A real client in front of a server. */
export async function clientOf(server: Server): Promise<Client> {
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const fetch: Fetch = (url, init) => server.fetch(new Request(url, init))
  await client.connect(new StreamableHTTPClientTransport(new URL('http://program/mcp'), { fetch }))
  return client
}

/** A request as clients on 2025-06-18 send it. */
export function call(name: string, signal?: AbortSignal): Request {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: { progressToken: 1 } } })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return new Request('http://program/anywhere', { method: 'POST', headers, body, ...(signal && { signal }) })
}

/** True if a connection to the directory has left anything there. */
export const isKept = (directory: string | undefined) => directory !== undefined && existsSync(path.join(directory, 'guest-book'))
