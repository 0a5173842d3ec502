import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import path from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startHttp } from '../http-process.ts'

/** A listener on a free port of this machine. */
export interface Site extends AsyncDisposable {
  /** `127.0.0.1:PORT` */
  readonly host: string
}

export async function startSite(answer: RequestListener): Promise<Site> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    host: `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

/** A server on its embedded default, a connected agent, and the workspace's address. */
export interface Watched extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/workspace` */
  readonly workspace: string
  /** The server's address, which ends in `/mcp`. */
  readonly url: string
  /** Makes a call that must succeed, and resolves with its result. */
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>
}

export async function startWatched(app: string, prefix: string, ...args: readonly string[]): Promise<Watched> {
  const main = path.join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js')
  const server = await startHttp({ main, args: ['--embedded', '--seed', 'edge-cases', ...args] })
  const workspace = await server.seen(/ at (http:\S+\/workspace) /)
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  return {
    workspace,
    url: server.url,
    async call(tool, given) {
      const { isError, structuredContent, content } = await client.callTool({ name: `${prefix}_${tool}`, arguments: { ...given } })
      if (isError === true) throw new Error(`${tool} failed: ${JSON.stringify(content)}`)
      return structuredContent
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

export const startTracker = () => startWatched('issue-tracker', 'IssueTracker')
export const startEvents = () => startWatched('event-pipeline', 'EventPipelineApi')
/** Starts file-storage, which may fetch this site's files. */
export const startFiles = ({ host }: Pick<Site, 'host'>) => startWatched('file-storage', 'FileStorage', '--allow-private-urls', host)
