// Shows that the servers work: makes one call to each, suggests next steps, and serves over HTTP until Ctrl-C.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { member } from '../packages/core/src/base/json.ts'
import { eventPipeline, fileStorage, issueTracker, servers, type Server } from '../servers.ts'
import { type ServedServer, serveStartPage } from './start-page.ts'

const root = path.dirname(import.meta.dirname)

/** The options: the servers get `seed`; `once` ends the program after the calls. */
const { seed, once: isOnce } = parseArgs({ options: { seed: { type: 'string' }, once: { type: 'boolean' } } }).values

/**
 * Arguments for a requested seed, whose data is kept apart. Without one, the commands use the same data, so the pages show changes by
 * `call`.
 */
const dataArguments =
  seed === undefined ? [] : ['--seed', seed, '--data-dir', path.join(root, 'node_modules', '.cache', 'start', path.basename(seed))]

const argumentsFor = ({ name }: Server, logLevel: string) => [
  path.join(root, 'apps', name, 'dist', 'main.js'),
  ...['--embedded', '--log-level', logLevel, ...dataArguments],
]

/** A call that shows what a server does well, and a sentence on its answer. */
interface Showcase {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly says: (answer: unknown) => string
}

const showcases = new Map<string, Showcase>([
  [
    issueTracker.name,
    {
      tool: 'CreateIssue',
      arguments: { team: 'Enginering', title: 'Invitations expire too early' },
      says: (answer) =>
        `Asked to create an issue for team "Enginering", it wrote nothing and replied: ${textAt(answer, 'error', 'message')}`,
    },
  ],
  [
    fileStorage.name,
    {
      tool: 'SearchFiles',
      arguments: { query: 'outage review', include_shared_drives: true },
      says: (answer) => `Asked for the outage review, it found "${textAt(answer, 'files', '0', 'path')}" in a shared drive.`,
    },
  ],
  [
    eventPipeline.name,
    {
      tool: 'TrackUserEvent',
      arguments: { mode: 'execute', request_body: '{"userId":"ada@example.com","event":"Order Completed","properties":{"total":42}}' },
      says: (answer) => `Asked to record an order by ada@example.com, it queued the event and ${textAt(answer, 'outcome')} it.`,
    },
  ],
])

/** A server's showcase, or else its sample call. */
const showcaseOf = ({ name, read }: Server): Showcase => showcases.get(name) ?? { ...read, says: () => `${read.tool} ${read.description}.` }

function textAt(value: unknown, ...names: readonly string[]): string {
  const found = names.reduce<unknown>(
    (each, name) => (Array.isArray(each) ? new Map(each.entries()).get(Number(name)) : member(each, name)),
    value,
  )
  if (typeof found !== 'string') throw new Error(`There is no ${names.join('.')} in ${JSON.stringify(value)}`)
  return found
}

/** Calls a server. Resolves once it has answered; `ended` resolves once its process has ended. */
async function callSample(server: Server): Promise<{ readonly text: string; readonly ended: Promise<void> }> {
  const { tool, arguments: args, says } = showcaseOf(server)
  const started = performance.now()
  const client = new Client({ name: 'start', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: argumentsFor(server, 'error') }))
  const { tools } = await client.listTools()
  const result = await client.callTool({ name: `${server.prefix}_${tool}`, arguments: { ...args } })
  const milliseconds = Math.round(performance.now() - started)
  const ended = client.close()
  const [block] = result.content
  const answer: unknown = block?.type === 'text' ? JSON.parse(block.text) : undefined
  const title = `${await vendorOf(server)} (${server.name}): ${tools.length} tools, started and called in ${milliseconds} ms`
  return { text: `\n${title}\n  ${says(answer)}`, ended }
}

/** The start page's port, if it is free. */
const startPort = 3010

/** The port if it is free, or else 0, which means any other port. */
async function freePort(port: number): Promise<number> {
  const probe = createServer().listen(port, '127.0.0.1')
  return once(probe, 'listening').then(
    () => once(probe.close(), 'close').then(() => port),
    () => 0,
  )
}

const vendorOf = ({ withDefinition }: Server) =>
  withDefinition((definition) => Promise.resolve(definition.vendor.replace(/^the (\S+).*/, '$1')))

/** Starts a server over HTTP. Resolves with its process, a line with its addresses and, unless it ended, the addresses. */
async function serve(server: Server) {
  const port = await freePort(server.port)
  const args = [...argumentsFor(server, 'error'), 'http', '--port', String(port)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] })
  const note = port === server.port ? '' : ` (port ${server.port} is taken)`
  const vendor = await vendorOf(server)
  const { promise: ready, resolve } = Promise.withResolvers<{ readonly line: string; readonly served?: ServedServer }>()
  let mcp = ''
  createInterface({ input: child.stderr }).on('line', (line) => {
    const [, url] = / serves (http:\S+)/.exec(line) ?? []
    const [, workspace] = / at (http:\S+\/workspace) /.exec(line) ?? []
    if (url !== undefined) mcp = url
    else if (workspace === undefined) process.stderr.write(`${line}\n`)
    else {
      const line = `  ${vendor.padEnd(14)}${workspace}   MCP: ${mcp}${note}`
      resolve({ line, served: { name: server.name, vendor, workspace, mcp } })
    }
  })
  child.once('exit', () => {
    resolve({ line: `  ${server.name.padEnd(16)}has ended` })
  })
  return { child, ...(await ready) }
}

console.log('One call to each server, with sample data on this machine. No account is needed.')
const called = await Promise.all(servers.map(callSample))
for (const { text } of called) console.log(text)

console.log(`
Try next:
  npm run -s issue-tracker -- call ListIssues --assignee @me
  npm run -s issue-tracker -- config claude-desktop
      (or claude-code, cursor, vscode, codex …; the README has prompts for your agent)
  npm run -s file-storage -- --help
`)
await Promise.all(called.map(({ ended }) => ended))

if (isOnce !== true) {
  const started = await Promise.all(servers.map(serve))
  const page = await serveStartPage(
    started.flatMap(({ served }) => served ?? []),
    await freePort(startPort),
  )
  console.log(`Serving until Ctrl-C. Open ${page.url} in a browser, or go straight to one server:`)
  console.log(started.map(({ line }) => line).join('\n'))
  const children = started.map(({ child }) => child)
  const stop = () => {
    page.close()
    for (const child of children) child.kill('SIGTERM')
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  for (const child of children) {
    child.once('exit', (code) => {
      if (code !== 0) process.exitCode = 1
      stop()
    })
  }
}
