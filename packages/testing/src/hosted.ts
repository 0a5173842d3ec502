import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Fetch } from '@mcp-toolkits/core'
import type { Server } from '@mcp-toolkits/server/library'

/** The server of a program, a real MCP client in front of it, and the requests that reach its vendor. */
export interface Hosted extends AsyncDisposable {
  /** The text of a call's result, whatever it is. */
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<string>
  /** Where requests went and with which credentials: `GET https://… Bearer …`. */
  readonly sent: readonly string[]
}

/** Opens a server as a program does, in front of `vendor`. `open` is given the fetch that the server is to use. */
export async function hosted(open: (fetch: Fetch) => Server, vendor: Fetch): Promise<Hosted> {
  const sent: string[] = []
  const server = open((input, init) => {
    const { method, url, headers } = input instanceof Request ? input : new Request(input, init)
    sent.push(`${method} ${url} ${headers.get('authorization') ?? ''}`)
    return vendor(input, init)
  })
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://program'), { fetch: (url, init) => server.fetch(new Request(url, init)) }),
  )
  return {
    sent,
    async call(name, args = {}) {
      const { content } = await client.callTool({ name, arguments: args })
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await server.close()
    },
  }
}
