import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { member } from '@mcp-toolkits/core/base'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { baseEnvironment, runNode, temporaryDirectory } from './command.ts'
import { startHttp } from './http-process.ts'

const main = path.join(import.meta.dirname, '..', 'apps', 'file-storage', 'dist', 'main.js')
const arguments_ = { file_path_or_id: 'Team/Working agreement.md' }

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

const download = async (client: Client, way: string, name = 'FileStorage_DownloadFile', more = {}) =>
  client.callTool({ name, arguments: { ...arguments_, ...more }, _meta: { 'mcp-toolkits/content': way } })

test('over stdio, writes downloads to new files of the folder that the operator allows', async () => {
  const [data, folder] = [await temporaryDirectory(), await temporaryDirectory()]
  const args = [main, '--data-dir', data, '--embedded', '--content', 'file', '--download-dir', folder]
  const env = baseEnvironment()
  const client = await connected(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
  const { structuredContent, content } = await client.callTool({ name: 'FileStorage_DownloadFile', arguments: arguments_ })
  expect([member(structuredContent, 'saved_to'), content.length]).toEqual([path.join(folder, 'Working agreement.md'), 1])
  expect(await readFile(path.join(folder, 'Working agreement.md'), 'utf8')).toBe(member(structuredContent, 'text'))
  await download(client, 'file')
  await download(client, 'file', 'FileStorage_DownloadFileChunk', { start_byte: 5, chunk_size: 10 })
  const { content: attached } = await download(client, 'resource')
  expect(attached[1]).toMatchObject({ type: 'resource' })
  expect((await readdir(folder)).sort()).toEqual([
    expect.stringMatching(/^[\w-]+\.bytes-5-14$/),
    'Working agreement (1).md',
    'Working agreement.md',
  ])
})

test('over HTTP, gives a link that needs no token, and only as a download', async () => {
  await using server = await startHttp({ main, args: ['--embedded', '--content', 'file'] })
  const client = await connected(new StreamableHTTPClientTransport(new URL(server.url)))
  const { structuredContent } = await client.callTool({ name: 'FileStorage_DownloadFile', arguments: arguments_ })
  const url = String(member(structuredContent, 'download_url'))
  expect(url).toMatch(new RegExp(`^${new URL(server.url).origin}/content/[\\w-]{32}$`))
  const { status, headers, body } = await server.sendRequest({ method: 'GET', path: new URL(url).pathname })
  expect([status, body]).toEqual([200, member(structuredContent, 'text')])
  expect(headers).toMatchObject({ 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  for (const [method, at, expected] of [
    ['POST', new URL(url).pathname, 405],
    ['GET', '/content/none', 404],
  ] as const)
    expect((await server.sendRequest({ method, path: at })).status).toBe(expected)
})

test('call WriteFile --input writes a file of this machine, in place too, and DownloadFile --output - prints it', async () => {
  const [data, folder] = [await temporaryDirectory(), await temporaryDirectory()]
  const environment = { MCP_TOOLKITS_EMBEDDED: '1', MCP_TOOLKITS_DATA_DIR: data, MCP_TOOLKITS_TOOLSETS: 'content', TMPDIR: folder }
  const call = (args: readonly string[], input: string) => runNode([main, 'call', ...args], { environment, input })
  const made = await call(['WriteFile', '--input', '-', '--file-name', 'Notes.txt'], 'one\n')
  expect([made.code, made.errors]).toEqual([0, ''])
  const changed = await call(['WriteFile', '--input', '-', '--file-path-or-id', 'Notes.txt'], 'two\n')
  expect(JSON.parse(changed.output)).toMatchObject({ created: false, changed: true })
  expect(await call(['DownloadFile', '--output', '-', '--file-path-or-id', 'Notes.txt'], '')).toMatchObject({ code: 0, output: 'two\n' })
})
