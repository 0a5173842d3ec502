import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as V1StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { baseEnvironment } from './command.ts'

type Reply = { readonly action: 'accept'; readonly content: Record<string, string> } | { readonly action: 'decline' | 'cancel' }

/** The person at a client: what was asked, as JSON, and a signal that fires when the server no longer waits. */
export type Person = (form: string, signal: AbortSignal) => Reply | Promise<Reply>

export interface Command {
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** A client over stdio whose person can be asked; `call` gives back the text of the result. */
export interface AskingClient extends AsyncDisposable {
  readonly call: (name: string, args: Record<string, string>) => Promise<string>
}

type Connect = (command: Command, person: Person) => Promise<AskingClient>

const identity = { name: 'e2e', version: '1' }
const options = { capabilities: { elicitation: { form: {} } } }

/** The official clients that can ask a person, each in the ways in which it can negotiate. */
export const askingClients = {
  'client 2, 2026-07-28': current({ pin: '2026-07-28' }),
  'client 2, legacy': current('legacy'),
  'client 1': previous,
} as const satisfies Readonly<Record<string, Connect>>

function started({ args, environment }: Command) {
  return { command: process.execPath, args: [...args], env: { ...baseEnvironment(), ...environment } }
}

function current(mode: 'legacy' | { readonly pin: string }): Connect {
  return async (command, person) => {
    const client = new Client(identity, { ...options, versionNegotiation: { mode } })
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => person(JSON.stringify(params), mcpReq.signal))
    await client.connect(new StdioClientTransport(started(command)))
    return {
      call: async (name, args) => JSON.stringify((await client.callTool({ name, arguments: args })).content),
      [Symbol.asyncDispose]: () => client.close(),
    }
  }
}

async function previous(command: Command, person: Person): Promise<AskingClient> {
  const client = new V1Client(identity, options)
  client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => person(JSON.stringify(params), signal))
  await client.connect(new V1StdioClientTransport(started(command)))
  return {
    call: async (name, args) => JSON.stringify((await client.callTool({ name, arguments: args })).content),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
