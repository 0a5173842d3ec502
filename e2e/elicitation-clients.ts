import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as V1StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { baseEnvironment } from './command.ts'

type Reply = { readonly action: 'accept'; readonly content: Record<string, string> } | { readonly action: 'decline' | 'cancel' }

/** The user of a client, who gets the form as JSON, and a signal that is aborted when the server cancels. */
export type User = (form: string, signal: AbortSignal) => Reply | Promise<Reply>

export interface Command {
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** A client over stdio that supports elicitation; `call` returns the result's text. */
export interface ElicitationClient extends AsyncDisposable {
  readonly call: (name: string, args: Record<string, string>) => Promise<string>
}

type Connect = (command: Command, person: User) => Promise<ElicitationClient>

const identity = { name: 'e2e', version: '1' }
const options = { capabilities: { elicitation: { form: {} } } }

/** The official clients that support elicitation, with each way to negotiate. */
export const elicitationClients = {
  'client 2, 2026-07-28': connectV2({ pin: '2026-07-28' }),
  'client 2, legacy': connectV2('legacy'),
  'client 1': connectV1,
} as const satisfies Readonly<Record<string, Connect>>

function stdioParameters({ args, environment }: Command) {
  return { command: process.execPath, args: [...args], env: { ...baseEnvironment(), ...environment } }
}

function connectV2(mode: 'legacy' | { readonly pin: string }): Connect {
  return async (command, person) => {
    const client = new Client(identity, { ...options, versionNegotiation: { mode } })
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => person(JSON.stringify(params), mcpReq.signal))
    await client.connect(new StdioClientTransport(stdioParameters(command)))
    return {
      call: async (name, args) => JSON.stringify((await client.callTool({ name, arguments: args })).content),
      [Symbol.asyncDispose]: () => client.close(),
    }
  }
}

async function connectV1(command: Command, person: User): Promise<ElicitationClient> {
  const client = new V1Client(identity, options)
  client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => person(JSON.stringify(params), signal))
  await client.connect(new V1StdioClientTransport(stdioParameters(command)))
  return {
    call: async (name, args) => JSON.stringify((await client.callTool({ name, arguments: args })).content),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
