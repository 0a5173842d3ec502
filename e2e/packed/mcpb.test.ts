import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { getMcpConfigForManifest } from '@anthropic-ai/mcpb'
import { McpbManifestSchema } from '@anthropic-ai/mcpb/schemas/0.4'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, describe, expect, test } from 'vitest'
import { readJson, releases } from '../../releases/releases.ts'
import { baseEnvironment, temporaryDirectory } from '../command.ts'

const mcpb = path.join(path.dirname(fileURLToPath(import.meta.resolve('@anthropic-ai/mcpb'))), 'cli', 'cli.js')

describe.for(releases)('the bundle of $name', ({ version, tools, prefix, read, write, bundle }) => {
  let directory: string
  let unpacked: string
  const manifest = () => McpbManifestSchema.parse(readJson(path.join(unpacked, 'manifest.json')))
  const secrets = () => Object.values(manifest().user_config ?? {}).filter(({ sensitive }) => sensitive)
  beforeAll(async () => {
    directory = await temporaryDirectory()
    unpacked = path.join(directory, 'unpacked')
    execFileSync(process.execPath, [mcpb, 'unpack', bundle, unpacked], { stdio: 'ignore' })
  })

  /** Starts the bundle as a host does once the user has filled in the form. */
  async function start(form: Readonly<Record<string, string | boolean>>, environment: Readonly<Record<string, string>> = {}) {
    const config = await getMcpConfigForManifest({
      manifest: { ...manifest(), manifest_version: '0.4' },
      extensionPath: unpacked,
      systemDirs: {},
      userConfig: { ...form },
      pathSeparator: path.sep,
    })
    const client = new Client({ name: 'e2e', version: '1' })
    const home = { HOME: directory, XDG_DATA_HOME: directory, APPDATA: directory, LOCALAPPDATA: directory }
    const env = { ...baseEnvironment(), ...home, ...config?.env, ...environment }
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [...(config?.args ?? [])], env, stderr: 'ignore' }))
    const call = ({ tool, arguments: args }: typeof read) => client.callTool({ name: `${prefix}_${tool}`, arguments: { ...args } })
    return { client, call, [Symbol.asyncDispose]: () => client.close() }
  }

  test('is valid, asks for nothing that is required, and says where data goes', () => {
    execFileSync(process.execPath, [mcpb, 'validate', path.join(unpacked, 'manifest.json')], { stdio: 'ignore' })
    expect(manifest()).toMatchObject({ version, server: { type: 'node', entry_point: 'dist/main.js' } })
    expect(Object.values(manifest().user_config ?? {}).filter(({ required }) => required !== false)).toEqual([])
    expect(manifest().long_description).toContain('## Privacy')
  })

  test('serves the embedded default when the form is empty', async () => {
    await using server = await start({})
    const names = (await server.client.listTools()).tools.map(({ name }) => name)
    expect(names).toHaveLength(tools.length)
    expect(names).toEqual(manifest().tools?.map(({ name }) => name))
    expect((await server.call(read))._meta?.['mcp-toolkits/upstream']).toBe('embedded')
  })

  test('refuses every call without practice data and without an account', async () => {
    // A host passes on empty fields as empty text, or leaves their placeholders.
    for (const key of ['', '${user_config.api_key}']) {
      await using server = await start({ embedded: false, ...(secrets().length > 0 && { api_key: key }) })
      const { isError, content } = await server.call(read)
      expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('unauthenticated')])
    }
  })

  if (write) {
    test('refuses writes in read-only mode', async () => {
      await using server = await start({ read_only: true })
      // A tool that only writes is not even listed.
      expect(await server.call(write).catch(() => ({ isError: true }))).toMatchObject({ isError: true })
    })
  }
})
