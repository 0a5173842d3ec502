// Shows a newcomer that the servers work: one real call on each, how to connect a client, then all of them over HTTP.
import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const root = path.dirname(import.meta.dirname)

interface Shown {
  readonly app: string
  readonly port: number
  readonly tool: string
  readonly arguments: Record<string, unknown>
  readonly about: string
}

const servers: readonly Shown[] = [
  {
    app: 'file-storage',
    port: 3003,
    tool: 'FileStorage_SearchFiles',
    arguments: { query: 'report', folder_path_or_id: 'Projects/Apollo', limit: 1 },
    about: 'searches a folder by its path, which takes one request however deep it is',
  },
  {
    app: 'event-pipeline',
    port: 3001,
    tool: 'EventPipelineApi_TrackUserEvent',
    arguments: {
      mode: 'execute',
      enable_strict_validation: 'True',
      request_body: JSON.stringify({ userId: 'ada@example.com', event: 'Order Completed', properties: { total: 42 } }),
    },
    about: 'records an event, validated in strict mode',
  },
  {
    app: 'issue-tracker',
    port: 3002,
    tool: 'IssueTracker_ListIssues',
    arguments: { team: 'ENG', assignee: '@me', limit: 2 },
    about: 'lists issues of a team by name, in one upstream request',
  },
]

/** The show keeps its events to itself: nothing is written where the person's own data lies. */
const dataDirectory = path.join(root, 'node_modules', '.cache', 'start')

const programOf = (app: string) => path.join(root, 'apps', app, 'dist', 'main.js')

async function show({ app, tool, about, arguments: args }: Shown): Promise<void> {
  const client = new Client({ name: 'start', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programOf(app), '--embedded', '--data-dir', dataDirectory, '--log-level', 'error'],
  })
  await client.connect(transport)
  const { tools } = await client.listTools()
  const result = await client.callTool({ name: tool, arguments: args })
  console.log(`\n${app}: ${tools.length} tools over stdio. ${tool} ${about}:\n`)
  console.log(JSON.stringify(result.structuredContent, null, 2))
  await client.close()
  if (result.isError === true) throw new Error(`The call of ${tool} failed: ${JSON.stringify(result.content)}`)
}

function explain(): void {
  console.log('\nTo connect a client to one of them, print its configuration (claude-desktop, claude-code, cursor, vscode or codex):\n')
  for (const { app } of servers) console.log(`  npm run -s ${app} -- config claude-desktop`)
  console.log('\nNo account is needed: each runs on an embedded stand-in for its vendor until you configure one.')
}

function serve({ app, port }: Shown): ChildProcess {
  console.log(`  ${app}  http://127.0.0.1:${port}/mcp`)
  return spawn(
    process.execPath,
    [programOf(app), 'http', '--embedded', '--data-dir', dataDirectory, '--port', String(port), '--log-level', 'warn'],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
}

for (const server of servers) await show(server)
explain()
if (!process.argv.includes('--once')) {
  console.log('\nServing over HTTP until Ctrl-C:\n')
  const running = servers.map(serve)
  const stop = () => {
    for (const child of running) child.kill('SIGTERM')
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  // One that cannot serve (a port in use) ends the show, with its own word on why.
  for (const child of running) {
    child.once('exit', (code) => {
      if (code !== 0) process.exitCode = 1
      stop()
    })
  }
}
