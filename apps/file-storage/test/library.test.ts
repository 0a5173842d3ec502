import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { connectLibrary } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createServer, type ServerOptions } from '../src/index.ts'
import { source } from './source.ts'

const drive = driveEmulator({ seed: 'edge-cases', accessToken: 'token-of-anna' })
const open = (options: ServerOptions) => connectLibrary((fetch) => createServer({ ...options, fetch }), drive.fetch)

test.for<[ServerOptions, RegExp]>([
  [{ accessToken: 'token-of-anna' }, /^GET https:\/\/www\.googleapis\.com\/drive\/v3\/\S+ Bearer token-of-anna$/],
  [
    { accessToken: 'token-of-anna', apiUrl: 'https://drive.example/root' },
    /^GET https:\/\/drive\.example\/root\/drive\/v3\/\S+ Bearer token-of-anna$/,
  ],
])('sends requests where %j says', async ([options, request]) => {
  await using server = await open(options)
  await server.call('FileStorage_SearchFiles', { query: 'report' })
  expect(server.requests).not.toEqual([])
  for (const each of server.requests) expect(each).toMatch(request)
})

test('keeps the accounts of two servers in one process apart, and mentions no command in an error', async () => {
  await using anna = await open({ accessToken: 'token-of-anna' })
  await using ben = await open({ accessToken: 'token-of-ben' })
  const [hers, his] = await Promise.all([anna, ben].map((server) => server.call('FileStorage_SearchFiles', { query: 'report' })))
  expect(hers).toContain('"files":[')
  expect(his).toContain('"code":"unauthenticated"')
  expect(his).not.toMatch(/FILE_STORAGE|file-storage-mcp|token-of/)
})

test('shows a call in the workspace of the embedded default, without credentials', async () => {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'calls-'))
  onTestFinished(() => {
    rmSync(dataDirectory, { recursive: true })
  })
  {
    await using server = await connectLibrary(() => createServer({ embedded: true, dataDirectory }), drive.fetch)
    const signed = 'http://127.0.0.1:9/figures.txt?X-Amz-Signature=5ecre7'
    expect(await server.call('FileStorage_UploadFile', { source_url: signed })).toContain('"error"')
    expect(await server.call('FileStorage_GenerateFilePickerUrl')).toContain('/picker/')
  }
  const emulator = driveEmulator({ file: path.join(dataDirectory, 'file-storage', 'drive.db') })
  onTestFinished(() => emulator.close())
  const html = await (await emulator.fetch('http://127.0.0.1/workspace/calls')).text()
  expect(html.match(/id="call-/g)).toHaveLength(2)
  expect(html).toContain('figures.txt?*')
  expect(html).toContain('/picker/*')
  expect(html).not.toMatch(/5ecre7|picker\/\w/)
})

test('fetches a private source when its host is allowed', async () => {
  await using web = await source({ content: Buffer.from('Figures') })
  const upload = { source_url: web.url, file_name: 'figures.txt' }
  await using strict = await open({ accessToken: 'token-of-anna' })
  await using allowing = await open({ accessToken: 'token-of-anna', allowPrivateUrls: [web.host] })
  expect(await strict.call('FileStorage_UploadFile', upload)).toContain('"error"')
  expect(web.received).toEqual([])
  expect(await allowing.call('FileStorage_UploadFile', upload)).toContain('figures.txt')
})
