import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { publint } from 'publint'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { issueTracker } from '../../servers.ts'
import { releases, root } from '../../releases/releases.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { clients } from '../clients.ts'
import { exitOf, runNode, startNode, temporaryDirectory } from '../command.ts'
import { collectOutput } from '../http-process.ts'
import { programs, projects } from './embedding-programs.ts'
import { installedIn } from './pack-once.ts'

/** A TypeScript project with every packed server, the MCP clients and Node's types. */
let project = ''

beforeAll(async () => {
  project = realpathSync(await temporaryDirectory())
  for (const { name } of releases) {
    mkdirSync(path.join(project, 'node_modules', '@mcp-toolkits'), { recursive: true })
    cpSync(installedIn(inject('installation'), name), path.join(project, 'node_modules', '@mcp-toolkits', name), { recursive: true })
  }
  link(path.join(root, 'packages', 'server', 'node_modules'), '@modelcontextprotocol/node')
  for (const name of ['client', 'sdk']) link(path.join(root, 'e2e', 'node_modules'), `@modelcontextprotocol/${name}`)
  link(path.join(root, 'node_modules'), '@types/node')
  write('package.json', JSON.stringify({ type: 'module', private: true }))
  for (const [name, text] of Object.entries({ ...programs, ...documentedPrograms() })) write(name, text)
  for (const [name, settings] of Object.entries(projects)) write(name, JSON.stringify(settings))
})

function link(modules: string, name: string): void {
  const target = path.join(project, 'node_modules', name)
  mkdirSync(path.dirname(target), { recursive: true })
  symlinkSync(realpathSync(path.join(modules, name)), target, 'junction')
}

function write(name: string, text: string): void {
  const file = path.join(project, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Every program in the documentation, named after its page and position. */
function documentedPrograms(): Record<string, string> {
  const pages = ['docs/embedding.md', ...releases.map(({ name }) => `apps/${name}/README.md`)]
  const shown = pages.flatMap((page) => {
    const text = readFileSync(path.join(root, page), 'utf8')
    const name = page.replaceAll('/', '-').replace(/\.md$/, '')
    return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(
      ([, program = ''], place) => [`documented/${name}-${place + 1}.ts`, program] as const,
    )
  })
  return Object.fromEntries(shown)
}

const settings = Object.keys(projects)
// TypeScript 6 takes ten times as long.
const compiled = [
  ...settings.map((file) => ({ compiler: 'TypeScript 7', bin: 'typescript-7/bin/tsc', file })),
  ...shareOf(settings, 5, 0).map((file) => ({ compiler: 'TypeScript 6', bin: 'typescript/bin/tsc6', file })),
]

describe.for(releases)('$name as a library', ({ name: app }) => {
  test('has one entry with declarations that import nothing', () => {
    const declarations = readFileSync(path.join(project, 'node_modules', '@mcp-toolkits', app, 'dist', 'index.d.ts'), 'utf8')
    expect(declarations.replace(/\/\*\*[^]*?\*\//g, '')).not.toMatch(/\bimport\b|\bfrom\b|\/\/\/|\bany\b/)
    expect(declarations.split('\n').length).toBeLessThan(120)
    expect(declarations.match(/^export .*$/gm)).toEqual([
      'export { createServer };',
      'export type { LogEntry, Server, ServerOptions, StdioStreams };',
    ])
  })

  test('publint finds nothing', async () => {
    const { messages } = await publint({ pkgDir: path.join(project, 'node_modules', '@mcp-toolkits', app), pack: false, strict: true })
    expect(messages).toEqual([])
  })
})

// All packages are made in the same way.
const resolved = shareOf(releases, 3, 0)

test.for(resolved)('$name resolves to its types everywhere (@arethetypeswrong/cli)', async ({ tarball }) => {
  const attw = path.join(path.dirname(fileURLToPath(import.meta.resolve('@arethetypeswrong/cli/package.json'))), 'dist', 'index.js')
  const args = [attw, tarball, '--profile', 'esm-only', '--no-definitely-typed', '--format', 'ascii']
  const { code, output } = await runNode(args)
  expect(output).toContain('🟢')
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' })
})

test.for(compiled)('$compiler compiles a consumer with $file', async ({ bin, file }) => {
  const { output } = await runNode([path.join(root, 'node_modules', bin), '-p', path.join(project, file)])
  expect(output).toBe('')
})

describe('a program', () => {
  test('that imports every package changes nothing in its process, and gets no server without an account', async () => {
    const { code, output, errors } = await runProgram('run/imported.ts', {
      EVENT_PIPELINE_API_KEY: 'key',
      FILE_STORAGE_ACCESS_TOKEN: 'token',
      ISSUE_TRACKER_API_KEY: 'key',
      MCP_TOOLKITS_EMBEDDED: '1',
      TMPDIR: await temporaryDirectory(),
    })
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    const { before, after, exported, problems } = Object.assign({ before: {}, after: {}, exported: [], problems: [''] }, parseJson(output))
    expect(after).toEqual(before)
    expect(exported).toEqual(releases.map(() => ['createServer']))
    expect(problems).toHaveLength(releases.length)
    for (const problem of problems) expect(problem).toMatch(/^TypeError: createServer needs an account: give /)
  })

  test('in CommonJS loads a package with require', async () => {
    expect(await runProgram('run/required.cjs')).toEqual({ code: 0, output: 'createServer 400\n', errors: '' })
  })

  test('serves official clients of both generations in its process', async () => {
    const { output } = await runProgram('documented/connected.ts')
    expect(output).toBe(releases.map(({ tools }) => `${Array.from({ length: 5 }, () => tools.length).join(' ')}\n`).join(''))
  })
})

describe('the programs in the documentation', () => {
  test.for([
    ['docs-embedding-1', '"identifier":"ENG-1"'],
    ['apps-event-pipeline-README-1', '"outcome":"delivered"'],
    ['apps-file-storage-README-1', '"files":[{"id":'],
    ['apps-issue-tracker-README-1', '"identifier":"ENG-'],
  ] as const)('%s prints %s', async ([name, expected]) => {
    const { code, output } = await runProgram(`documented/${name}.ts`)
    expect(output).toContain(expected)
    expect(code).toBe(0)
  })

  test.for(shareOf(Object.entries(clients), 2, 1))('a program serves %s over stdio', async ([, connect]) => {
    await using client = await connect({ args: [path.join(project, 'documented', 'docs-embedding-2.ts')] })
    expect(await client.names()).toHaveLength(issueTracker.tools.filter(({ effect }) => effect === 'read').length)
    expect(await client.call('IssueTracker_GetIssue', { issue_id: 'ENG-1' })).toMatchObject({ issue: { identifier: 'ENG-1' } })
  })

  test('a program that serves over stdio ends on SIGTERM while its input is open', async () => {
    const child = startNode([path.join(project, 'documented', 'docs-embedding-2.ts')])
    const [output, errors] = [collectOutput(child.stdout), collectOutput(child.stderr)]
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"IssueTracker_WhoAmI","arguments":{}}}\n')
    await output.match(/("id":1)\}/)
    child.kill('SIGTERM')
    expect(await exitOf(child)).toBe(0)
    expect(errors.all()).toMatch(/^\{.*"level":"info","message":"call","tool":"WhoAmI","outcome":"ok".*\}\n$/)
  })

  test('a program that serves HTTP acts for each of its people, and refuses strangers and web pages', async () => {
    await using linear = await linearFor(['lin_api_anna', 'lin_api_ben'])
    const child = startNode([path.join(project, 'documented', 'docs-embedding-3.ts')], {
      LINEAR_URL: linear.url,
      KEY_OF_ANNA: 'lin_api_anna',
      KEY_OF_BEN: 'lin_api_ben',
    })
    const port = await collectOutput(child.stdout).match(/"port":(\d+)/)
    const url = new URL(`http://127.0.0.1:${port}/`)
    const [anna, ben] = await Promise.all([connectTo(url, 'Bearer token-of-anna'), connectTo(url, 'Bearer token-of-ben')])
    await anna.callTool({ name: 'IssueTracker_CreateIssue', arguments: { team: 'ENG', title: 'Only Anna has this' } })
    const search = { name: 'IssueTracker_ListIssues', arguments: { keywords: 'Only Anna' } }
    const [hers, his] = await Promise.all([anna.callTool(search), ben.callTool(search)])
    expect(JSON.stringify(hers.structuredContent)).toContain('Only Anna has this')
    expect(his.structuredContent).toMatchObject({ issues: [] })
    expect((await fetch(url, { method: 'POST' })).status).toBe(401)
    const headers = { authorization: 'Bearer token-of-anna', origin: 'https://page.example' }
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(403)
    await Promise.all([anna.close(), ben.close()])
    child.kill('SIGTERM')
    expect(await exitOf(child)).toBe(0)
  })
})

/** Linear on a port of this machine, with a workspace for each key. */
async function linearFor(keys: readonly string[]) {
  const workspaces = new Map(keys.map((apiKey) => [apiKey, linearEmulator({ seed: 'edge-cases', apiKey })]))
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { authorization = '' } = request.headers
    const headers = { authorization, 'content-type': 'application/json' }
    const sent = new Request('http://localhost/graphql', { method: 'POST', headers, body: await text(request) })
    const answered = await workspaces.get(authorization)?.fetch(sent)
    response.writeHead(answered?.status ?? 401, { 'content-type': 'application/json' }).end(await answered?.text())
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : ''}/graphql`,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const workspace of workspaces.values()) await workspace.close()
    },
  }
}

async function runProgram(program: string, environment: Readonly<Record<string, string>> = {}) {
  return runNode([path.join(project, program)], { environment })
}

async function connectTo(url: URL, authorization: string): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }))
  return client
}

function parseJson(text: string): unknown {
  return JSON.parse(text)
}
