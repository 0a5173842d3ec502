// Programs that embed a server. They are text, because each is compiled and run against a packed package.
import { servers, type Server } from '../../servers.ts'

/** Every option for an account, by server. */
const accounts: Readonly<Record<string, string>> = {
  'event-pipeline': "apiKey: 'key', region: 'eu', apiUrl: 'http://localhost:1/v1', addIds: false",
  'file-storage': "accessToken: 'token', clientId: 'id', clientSecret: 's', allowPrivateUrls: ['localhost:1']",
  'issue-tracker': "accessToken: 'token', apiUrl: 'https://linear.example/graphql'",
}

/** A program that uses every export and option of a package, with values of Node's types. */
const typed = ({ name }: Server) => `
import { createServer, type LogEntry, type Server, type ServerOptions, type StdioStreams } from '@mcp-toolkits/${name}'

const entries: LogEntry[] = []
const options: ServerOptions = {
  ${accounts[name] ?? 'embedded: true'},
  dataDirectory: 'data',
  readOnly: true,
  tools: [],
  toolNames: 'canonical',
  log: (entry) => entries.push(entry),
  fetch: globalThis.fetch,
  stateKey: new Uint8Array(32),
}
export const server: Server = createServer(options)
export const streams: StdioStreams = { input: process.stdin, output: process.stdout }
export const answer: Promise<Response> = server.fetch(new Request('http://program'))
export const served: Promise<void> = server.stdio(streams)
export const closed: Promise<void> = server.close()
createServer({ embedded: true, dataDirectory: undefined })
// @ts-expect-error There is no such option.
createServer({ embedded: true, readonly: true })
// @ts-expect-error A server needs options.
createServer()
// @ts-expect-error Not a stream of Node's.
void server.stdio({ input: 'in', output: 'out' })
// @ts-expect-error A server is not changed.
server.close = async () => undefined
`

/** A program for a consumer without Node's types. */
const bare = `
import { createServer } from '@mcp-toolkits/issue-tracker'

export default { fetch: createServer({ embedded: true }).fetch }
`

/** A CommonJS program; Node runs it with `const`, and TypeScript compiles it with `import`. */
const required = (word: 'const' | 'import') => `
${word} tracker = require('@mcp-toolkits/issue-tracker')

const server = tracker.createServer({ embedded: true })
const request = new Request('http://program', { method: 'POST', body: '?', headers: { 'content-type': 'application/json' } })
void server.fetch(request).then(async ({ status }) => {
  console.log(Object.keys(tracker).join(), status)
  await server.close()
})
`

/** A program that prints how importing all packages changes the process, and what servers without an account answer. */
const imported = `
import { readdirSync } from 'node:fs'
import module from 'node:module'
import { tmpdir } from 'node:os'

const state = () => ({
  environment: JSON.stringify(process.env),
  listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  cache: module.getCompileCacheDir() ?? null,
  files: readdirSync(tmpdir()),
})
const before = state()
const libraries = await Promise.all([${servers.map(({ name }) => `import('@mcp-toolkits/${name}')`).join(', ')}])
const problems = libraries.map(({ createServer }) => {
  try {
    createServer({})
    return 'accepted'
  } catch (error) {
    return String(error)
  }
})
for (const { createServer } of libraries) createServer({ embedded: true })
console.log(JSON.stringify({ before, after: state(), exported: libraries.map((library) => Object.keys(library)), problems }))
`

/** A program that connects every official client to every server within one process: over HTTP without a socket, and over streams. */
const connected = `
import { PassThrough } from 'node:stream'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
${servers.map(({ name }, index) => `import { createServer as create${index} } from '@mcp-toolkits/${name}'`).join('\n')}

const identity = { name: 'program', version: '1' }
const address = new URL('http://program')
const modes = [{ pin: '2026-07-28' }, 'auto', 'legacy'] as const
for (const server of [${servers.map((_server, index) => `create${index}({ embedded: true })`).join(', ')}]) {
  const fetch = (url: string | URL | Request, init?: RequestInit) => server.fetch(new Request(url, init))
  const counts: number[] = []
  for (const mode of modes) {
    const client = new Client(identity, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(address, { fetch }))
    counts.push((await client.listTools()).tools.length)
    await client.close()
  }
  const previous = new V1Client(identity)
  await previous.connect(new V1Transport(address, { fetch }))
  counts.push((await previous.listTools()).tools.length)
  await previous.close()

  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = server.stdio({ input, output })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: identity }
  input.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }) + '\\n')
  input.end(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }) + '\\n')
  await served
  const [, list = ''] = String(output.read()).trim().split('\\n')
  counts.push(JSON.parse(list).result.tools.length)
  await server.close()
  console.log(counts.join(' '))
}
`

/** The project's files, by name. */
export const programs: Readonly<Record<string, string>> = {
  ...Object.fromEntries(servers.map((each) => [`typed/${each.name}.ts`, typed(each)])),
  'bare/index.ts': bare,
  'typed/required.cts': required('import'),
  'run/required.cjs': required('const'),
  'run/imported.ts': imported,
  'documented/connected.ts': connected,
}

const strict = { strict: true, noEmit: true, skipLibCheck: false, target: 'ES2024' }
const nodenext = { ...strict, module: 'nodenext', moduleResolution: 'nodenext' }
const bundler = { ...strict, module: 'esnext', moduleResolution: 'bundler' }
const forNode = { lib: ['ES2024'], types: ['node'] }

/** Configurations that consumers compile with. */
export const projects: Readonly<Record<string, object>> = {
  'nodenext.json': { include: ['typed', 'run'], compilerOptions: { ...nodenext, ...forNode } },
  'bundler.json': { include: ['typed/*.ts'], compilerOptions: { ...bundler, ...forNode } },
  'exact.json': {
    include: ['typed'],
    compilerOptions: { ...nodenext, lib: ['ES2024', 'DOM'], types: ['node'], exactOptionalPropertyTypes: true, isolatedModules: true },
  },
  'without-node.json': { include: ['bare'], compilerOptions: { ...nodenext, lib: ['ES2022', 'DOM'], types: [] } },
  // Checking the MCP SDK's own types is not our job.
  'documented.json': { include: ['documented'], compilerOptions: { ...nodenext, ...forNode, skipLibCheck: true } },
}
