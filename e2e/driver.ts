import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { program } from './command.ts'

export interface ConnectedServer {
  readonly client: Client
  readonly call: (name: string, args: Record<string, unknown>) => Promise<unknown>
  /** Ends the process as abruptly as a crash. */
  readonly crash: () => void
  readonly close: () => Promise<void>
}

/** Starts the built command and connects to it. */
export async function connectServer(environment: Readonly<Record<string, string>>, args: readonly string[] = []): Promise<ConnectedServer> {
  const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const { PATH = '', HOME = '' } = process.env
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, '--log-level', 'error', ...args],
    env: { PATH, HOME, ...environment },
  })
  await client.connect(transport)
  const { pid } = transport
  return {
    client,
    call: async (name, given) => {
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: given }, { timeout: 120_000 })
      if (isError === true) throw new Error(`${name} failed: ${JSON.stringify(content)}`)
      return structuredContent
    },
    crash: () => {
      if (pid !== null) process.kill(pid, 'SIGKILL')
    },
    close: () => client.close(),
  }
}

/** Arguments that track one event. */
export function trackArguments(body: object): Record<string, unknown> {
  return { mode: 'execute', request_body: JSON.stringify(body) }
}
