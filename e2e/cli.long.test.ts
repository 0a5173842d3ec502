import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { program, run, runNode, start, startNode, temporaryDirectory } from './command.ts'
import { initialize, rpc } from '../packages/testing/src/processes/protocol.ts'

const root = path.join(import.meta.dirname, '..')
let dataDirectory = ''
beforeAll(() => {
  dataDirectory = mkdtempSync(path.join(tmpdir(), 'e2e-'))
})
afterAll(() => {
  rmSync(dataDirectory, { recursive: true })
})

const embedded = () => ['--embedded', '--data-dir', dataDirectory]
const event = JSON.stringify({ mode: 'execute', request_body: '{"userId":"u1","event":"Paid"}' })

test('tools lists the tools; --json prints the answer to tools/list', async () => {
  const plain = await run(['tools'])
  expect(plain.code).toBe(0)
  expect(plain.output.trim().split('\n').length).toBe(7)
  const { tools }: { tools: unknown[] } = Object.assign({ tools: [] }, parsed((await run(['tools', '--json'])).output))
  expect(tools.length).toBe(7)
  const dotted = await run(['tools', '--tool-names', 'canonical', '--tools', 'TrackUserEvent,EventPipelineApi_AddToGroup'])
  expect(dotted.output.match(/EventPipelineApi\.\w+/g)).toEqual(['EventPipelineApi.TrackUserEvent', 'EventPipelineApi.AddToGroup'])
})

test.for(['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex'])('config passes options on to %s', async (client) => {
  const { output } = await run(['config', client, '--embedded', '--tools', 'AddToGroup', '--read-only', '--data-dir', 'data'])
  const forwarded = ['--embedded', '--data-dir', path.resolve('data'), '--read-only', '--tools', 'AddToGroup']
  const separator = client === 'claude-code' ? ' ' : ','
  expect(output.replaceAll(/["\s]+/g, ' ').replaceAll(/ ?, ?/g, ',')).toContain(forwarded.join(separator))
})

test.for(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('%s is not a command or a client', async (word) => {
  for (const args of [[word], ['config', word], ['call', word, '{}']]) {
    const { code, errors } = await run(args)
    expect([code, errors]).toEqual([2, expect.stringMatching(`^event-pipeline: There is no (command|client|tool) "${word}"\\. `)])
    expect(errors).not.toMatch(/^ +at /m)
  }
})

test('config says which client a word may have meant, or which there are', async () => {
  const said = async (...args: readonly string[]) => (await run(['config', ...args])).errors
  expect(await said('cluade-desktop')).toMatch(
    /^event-pipeline: There is no client "cluade-desktop"\. Did you mean claude-desktop\? Try `node .*main\.js --help`\.\n$/,
  )
  expect(await said('emacs')).toContain('There is no client "emacs". Clients: claude-desktop, claude-code, cursor')
  expect(await said()).toContain('config needs one client: claude-desktop, ')
})

test.for([
  [['--seed', 'compny'], ' Did you mean company?'],
  [['--seed', 'Edge_cases'], ' Did you mean edge-cases?'],
  [['--log-level', 'eror'], ' Did you mean error?'],
  [['--seed', 'xyz'], ''],
] as const)('%j is refused with the value that it may have meant', async ([args, suggestion]) => {
  const { code, errors } = await run(['tools', ...args])
  expect([code, errors]).toEqual([2, expect.stringContaining(`, not "${args[1]}".${suggestion} Try \`node `)])
})

test('a model reads the command as npx runs it', async () => {
  const directory = await temporaryDirectory()
  const folder = path.join(directory, '_npx', '1', 'node_modules', '@mcp-toolkits')
  mkdirSync(folder, { recursive: true })
  const installed = path.join(folder, 'issue-tracker')
  symlinkSync(path.join(import.meta.dirname, '..', 'apps', 'issue-tracker'), installed)
  const call = rpc(1, 'tools/call', { name: 'IssueTracker_ListTeams', arguments: {} })
  const { output } = await runNode([path.join(installed, 'dist', 'main.js')], {
    input: `${initialize(0)}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n${call}\n`,
    environment: { MCP_TOOLKITS_EMBEDDED: '0', MCP_TOOLKITS_DATA_DIR: directory },
  })
  const answer = output.split('\n').find((line) => line.includes('"id":1'))
  expect(answer).toContain('npx -y @mcp-toolkits/issue-tracker login')
  expect(answer).not.toContain('issue-tracker-mcp')
})

describe('started as a script of the clone', () => {
  const script = { npm_lifecycle_event: 'issue-tracker' }
  const tracker = path.join(import.meta.dirname, '..', 'apps', 'issue-tracker', 'dist', 'main.js')
  const typed = 'npm run -s issue-tracker -- '

  test('config and errors in JSON name the command as it was started', async () => {
    const { errors } = await runNode([tracker, 'config', 'cursor'], { environment: script })
    expect(errors).toContain(`sign in with "${typed}login"`)
    const required = { ...script, MCP_TOOLKITS_EMBEDDED: '0', MCP_TOOLKITS_DATA_DIR: await temporaryDirectory() }
    const call = await runNode([tracker, 'call', 'ListTeams'], { environment: required })
    expect(parsed(call.errors)).toMatchObject({ error: { code: 'unauthenticated' } })
    expect(call.errors).toContain(`sign in with ${JSON.stringify(`"${typed}login"`).slice(1, -1)}`)
    expect(call.errors).not.toContain('issue-tracker-mcp')
  })

  test.for([
    ['1', '"id":0'],
    ['0', '"id":1'],
  ] as const)('a model reads it with the embedded default: %s', async ([isEmbedded, answer]) => {
    const environment = { ...script, MCP_TOOLKITS_EMBEDDED: isEmbedded, MCP_TOOLKITS_DATA_DIR: await temporaryDirectory() }
    const call = rpc(1, 'tools/call', { name: 'IssueTracker_ListTeams', arguments: {} })
    const { output } = await runNode([tracker], { input: `${initialize(0)}\n${call}\n`, environment })
    expect(output.split('\n').find((line) => line.includes(answer))).toContain(`${typed}login`)
    expect(output).not.toContain('issue-tracker-mcp')
  })

  test('the log of the server and the emulator name it, too', async () => {
    for (const args of [['stdio'], ['http', '--port', '0'], ['emulator', '--port', '0']]) {
      const environment = { ...script, MCP_TOOLKITS_DATA_DIR: await temporaryDirectory() }
      const child = startNode([tracker, ...args], environment)
      const said = new Promise<string>((resolve) => {
        let all = ''
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (piece) => {
            all += String(piece)
            if (all.includes('login')) resolve(all)
          })
      })
      expect(await said).toContain(typed)
      child.kill('SIGTERM')
    }
  })
})

test('--tools accepts the former name of a tool', async () => {
  const tracker = path.join(import.meta.dirname, '..', 'apps', 'issue-tracker', 'dist', 'main.js')
  for (const name of ['LinkGithubToIssue', 'IssueTracker_LinkGithubToIssue', 'IssueTracker.LinkCodeHostToIssue']) {
    const { code, output } = await runNode([tracker, 'tools', '--tools', name])
    expect([code, output.trim()]).toEqual([0, expect.stringMatching(/^IssueTracker_LinkCodeHostToIssue\b.*$/)])
  }
})

test('call prints the result and exits 0, with either spelling, and arguments from either source', async () => {
  for (const name of ['EventPipelineApi.TrackUserEvent', 'EventPipelineApi_TrackUserEvent']) {
    const { code, output } = await run(['call', name, event, ...embedded()])
    expect([code, parsed(output)]).toMatchObject([0, { outcome: 'delivered', upstream: 'embedded: nothing left this machine' }])
  }
  const piped = await run(['call', 'EventPipelineApi.TrackUserEvent', ...embedded()], { input: event })
  expect(piped.code).toBe(0)
})

test('call prints a tool error to standard error as JSON and exits 1', async () => {
  const { code, output, errors } = await run(['call', 'EventPipelineApi.TrackUserEvent', '{"mode":"execute"}', ...embedded()])
  expect([code, output]).toEqual([1, ''])
  expect(parsed(errors)).toMatchObject({ error: { code: 'invalid_input', retryable: false } })
})

test.for([
  [['call']],
  [['call', 'NoSuchTool', '{}']],
  [['call', 'EventPipelineApi.TrackUserEvent', '{oops']],
  [['no-such-command']],
  [['--no-such-option']],
  [['tools', '--tools', 'Nope']],
  [['tools', '--tools=']],
  [['tools', '--port', '1']],
  [['http', '--port', 'abc']],
  [['http', '--host', '0.0.0.0']],
  [['config', 'emacs']],
  [['login']],
  [['stdio', '--log-level', 'loud']],
] as const)('%j is a usage error: one line on standard error, exit code 2', async ([args]) => {
  const { code, output, errors } = await run(args)
  expect([code, output]).toEqual([2, ''])
  expect(errors.trim().split('\n').length).toBe(1)
})

test('sends calls only to the configured URL', async () => {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'k-1' })
  const listening = await emulator.listen()
  const environment = { EVENT_PIPELINE_API_KEY: 'k-1', EVENT_PIPELINE_API_URL: `${listening.url}/v1`, MCP_TOOLKITS_DATA_DIR: dataDirectory }
  const { code, output } = await run(['call', 'EventPipelineApi.TrackUserEvent', event], { environment })
  expect(code).toBe(0)
  expect(parsed(output)).not.toHaveProperty('upstream')
  // First, an empty batch checks the key.
  expect(emulator.store.requests().map(({ path, key_ok: ok }) => [path, ok])).toEqual([
    ['/v1/batch', true],
    ['/v1/track', true],
  ])
  const status = await run(['status'], { environment })
  expect(status.output).toContain(`upstream: ${listening.url}/v1`)
  expect(status.output + status.errors + output).not.toContain('k-1')
  await listening.close()
  await emulator.close()
})

test.for(['', '${KEY}'])('a key that is %j is unauthenticated, never the embedded default', async (key) => {
  const environment = { EVENT_PIPELINE_API_KEY: key }
  const { code, errors } = await run(['call', 'EventPipelineApi.TrackUserEvent', event], { environment })
  expect(code).toBe(1)
  expect(parsed(errors)).toMatchObject({ error: { code: 'unauthenticated' } })
  expect((await run(['status'], { environment })).code).toBe(1)
})

test('status reports the embedded default and how to connect an account', async () => {
  const { code, output } = await run(['status', ...embedded()])
  expect(code).toBe(0)
  expect(output).toContain('upstream: the embedded default')
  expect(output).toContain('EVENT_PIPELINE_API_KEY')
})

test.for(['claude-desktop', 'cursor', 'vscode'])('config %s names this Node and this file', async (client) => {
  const { code, output } = await run(['config', client])
  expect(code).toBe(0)
  const events = { ...(client === 'vscode' && { type: 'stdio' }), command: process.execPath, args: [program] }
  const { mcpServers, servers } = Object.assign({ mcpServers: undefined, servers: undefined }, parsed(output))
  expect([mcpServers, servers]).toContainEqual({ events })
})

test('config prints a shell line for claude-code and TOML for codex', async () => {
  expect((await run(['config', 'claude-code'])).output.trim()).toBe(`claude mcp add events -- ${process.execPath} ${program}`)
  expect((await run(['config', 'codex'])).output).toContain(`[mcp_servers.events]\ncommand = "${process.execPath}"`)
})

test.for([
  ['event-pipeline-mcp', program],
  ...['drive', 'linear', 'pipelines'].map(
    (vendor) => [`${vendor}-emulator`, path.join(root, 'packages', 'emulators', vendor, 'dist', 'main.js')] as const,
  ),
] as const)('%s tells an old Node in one line which version it needs', async ([name, main]) => {
  // Like Node 20, it lacks node:sqlite too.
  const pretend = btoa(`import module from 'node:module'
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })
    module.registerHooks({ resolve(name, context, next) { if (name === 'node:sqlite') throw new Error(name); return next(name, context) } })`)
  const environment = { NODE_OPTIONS: `--import=data:text/javascript;base64,${pretend}` }
  const { code, output, errors } = await runNode([main, '--version'], { environment })
  expect([code, output]).toEqual([1, ''])
  expect(errors).toBe(`${name} needs Node 22.19 or later, and this is 20.1.0: see https://nodejs.org/en/download\n`)
})

test('emulator serves the vendor’s API and prints its address', async () => {
  const child = start(['emulator', '--data-dir', dataDirectory])
  const said = await firstOutput(child.stdout, /__emulator\/faults/)
  const url = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1] ?? ''
  const authorization = `Basic ${btoa('pipelines-emulator:')}`
  const answer = await fetch(`${url}/v1/track`, { method: 'POST', headers: { authorization }, body: '{"userId":"u","event":"E"}' })
  expect([answer.status, await answer.text()]).toEqual([200, '{}'])
  expect(await (await fetch(`${url}/__emulator/events`)).text()).toContain('accepted')
  child.kill('SIGTERM')
  expect(await exitOf(child)).toBe(0)
})

async function firstOutput(stream: NodeJS.ReadableStream, wanted: RegExp): Promise<string> {
  let said = ''
  for await (const chunk of stream) {
    said += String(chunk)
    if (wanted.test(said)) break
  }
  return said
}

async function exitOf(child: ReturnType<typeof start>): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.on('exit', resolve)
  return child.exitCode ?? promise
}

function parsed(json: string): unknown {
  return JSON.parse(json)
}
