import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { getMcpConfigForManifest } from '@anthropic-ai/mcpb'
import { McpbManifestSchema } from '@anthropic-ai/mcpb/schemas/0.4'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { distribution as eventPipeline } from '../apps/event-pipeline/src/distribution.ts'
import { distribution as fileStorage } from '../apps/file-storage/src/distribution.ts'
import { distribution as issueTracker } from '../apps/issue-tracker/src/distribution.ts'
import { baseEnvironment } from './command.ts'
import { filesIn, readJson, root } from './packed.ts'

const mcpb = path.join(path.dirname(fileURLToPath(import.meta.resolve('@anthropic-ai/mcpb'))), 'cli', 'cli.js')

const apps = [
  {
    app: 'event-pipeline',
    distribution: eventPipeline,
    tools: 7,
    call: ['EventPipelineApi_AddToGroup', { mode: 'get_request_schema' }],
    write: ['EventPipelineApi_TrackUserEvent', { mode: 'execute', request_body: '{"userId":"u","event":"E"}' }],
  },
  {
    app: 'file-storage',
    distribution: fileStorage,
    tools: 11,
    call: ['FileStorage_WhoAmI', {}],
    write: ['FileStorage_CreateFolder', { folder_name: 'New' }],
  },
  {
    app: 'issue-tracker',
    distribution: issueTracker,
    tools: 36,
    call: ['IssueTracker_WhoAmI', {}],
    write: ['IssueTracker_CreateIssue', { team: 'ENG', title: 'New' }],
  },
] as const

type Form = Readonly<Record<string, string | boolean>>

describe.for(apps)('$app', ({ app, distribution, tools, call, write }) => {
  let directory = ''
  let unpacked = ''
  beforeAll(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'mcpb-test-'))
    unpacked = path.join(directory, 'unpacked')
    execFileSync(process.execPath, [path.join(root, 'scripts', 'distribution', 'mcpb.ts'), app, '--out', directory], { stdio: 'ignore' })
    const [bundle = ''] = readdirSync(directory)
    execFileSync(process.execPath, [mcpb, 'unpack', path.join(directory, bundle), unpacked], { stdio: 'ignore' })
  })
  afterAll(() => {
    rmSync(directory, { recursive: true })
  })

  const manifest = () => McpbManifestSchema.parse(readJson(path.join(unpacked, 'manifest.json')))

  /** A client in front of the unpacked bundle, which is started as a host starts it that was given this form. */
  async function started(form: Form, over: Readonly<Record<string, string>> = {}) {
    const start = await getMcpConfigForManifest({
      manifest: { ...manifest(), manifest_version: '0.4' },
      extensionPath: unpacked,
      systemDirs: {},
      userConfig: { ...form },
      pathSeparator: path.sep,
    })
    const client = new Client({ name: 'e2e', version: '1' })
    const own = { HOME: directory, XDG_DATA_HOME: directory, APPDATA: directory, LOCALAPPDATA: directory }
    const env = { ...baseEnvironment(), ...own, ...start?.env, ...over }
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [...(start?.args ?? [])], env, stderr: 'ignore' }))
    return client
  }

  test('validates, and is named after app and version', () => {
    execFileSync(process.execPath, [mcpb, 'validate', path.join(root, 'apps', app, 'mcpb', 'manifest.json')], { stdio: 'ignore' })
    const { version } = readJson(path.join(root, 'apps', app, 'package.json'))
    expect(readdirSync(directory)).toContain(`${app}-${String(version)}.mcpb`)
    expect(manifest()).toMatchObject({ manifest_version: '0.4', version, server: { type: 'node', entry_point: 'dist/main.js' } })
    expect(manifest().compatibility?.runtimes?.node).toBe('>=22.19.0')
  })

  test('holds the bundle with its licences and nothing of the workspace', () => {
    const files = filesIn(unpacked)
    const built = filesIn(path.join(root, 'apps', app, 'dist')).filter((file) => !file.endsWith('.d.ts'))
    expect(files).toEqual(['LICENSE', ...built.map((file) => `dist/${file}`), 'icon.png', 'manifest.json', 'package.json'].sort())
    expect(statSync(path.join(unpacked, manifest().icon ?? '')).size).toBeLessThan(20_000)
  })

  test('asks for every secret as one, for nothing that is required, and says where data goes', () => {
    const fields = Object.values(manifest().user_config ?? {})
    const secrets = distribution.variables.filter(({ secret, field }) => secret && field !== undefined).map(({ field }) => field)
    expect(fields.filter(({ sensitive }) => sensitive).map(({ title }) => title)).toEqual(secrets)
    expect(fields.every(({ required, default: standard }) => required === false && standard !== undefined)).toBe(true)
    expect(manifest().privacy_policies).toEqual([distribution.privacy.policy])
    expect(manifest().long_description).toContain('## Privacy')
  })

  test('with a form that nobody filled in it serves the embedded default, with the tools that its manifest names', async () => {
    const client = await started({})
    const listed = (await client.listTools()).tools.map(({ name }) => name)
    expect(listed.length).toBe(tools)
    expect(listed).toEqual(manifest().tools?.map(({ name }) => name))
    expect(client.getInstructions()).toContain('embedded default')
    const [name, given] = call
    const { isError, _meta } = await client.callTool({ name, arguments: given })
    expect([isError ?? false, _meta?.['mcp-toolkits/upstream']]).toEqual([false, 'embedded'])
    await client.close()
  })

  test('with practice data switched off and no account it answers nothing, not even from the embedded default', async () => {
    const placeholders = distribution.variables.filter(({ secret, field }) => secret && field !== undefined)
    // A host fills in what stayed empty, or leaves the placeholder standing.
    for (const left of [{}, Object.fromEntries(placeholders.map(({ name }) => [name, '${user_config.api_key}']))]) {
      const client = await started({ embedded: false }, left)
      const [name, given] = call
      const { isError, content } = await client.callTool({ name, arguments: given })
      expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('unauthenticated')])
      await client.close()
    }
  })

  test('with practice data switched off and an account it is the account’s', async () => {
    const asksForKey = distribution.variables.some(({ secret, field }) => secret && field !== undefined)
    // Whoever signs in has a login in the data directory; a token stands for it here.
    const client = asksForKey
      ? await started({ embedded: false, api_key: 'a-key', read_only: false })
      : await started({ embedded: false }, { FILE_STORAGE_ACCESS_TOKEN: 'a-token' })
    expect(client.getInstructions()).not.toMatch(/embedded default|Not connected/)
    await client.close()
  })

  test('with "only read" a write is refused that is made without', async () => {
    const [name, given] = write
    for (const readOnly of [false, true]) {
      const client = await started({ read_only: readOnly })
      // A tool that only writes is not even there.
      const refused = await client.callTool({ name, arguments: given }).then(
        ({ isError }) => isError ?? false,
        () => true,
      )
      expect(refused).toBe(readOnly)
      await client.close()
    }
  })
})
