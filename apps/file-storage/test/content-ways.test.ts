import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { contentUri } from '../src/drive/content/downloads.ts'
import { saveContent } from '../src/delivery/saved-file.ts'
import { put } from './contents.ts'
import { storage, type Storage, type StorageOptions } from './storage.ts'

const bytes = Buffer.from([0x89, 0x50, 0, 0xff])
const base64 = bytes.toString('base64')

async function withPicture(options: StorageOptions = {}) {
  const server = await storage(options)
  await put(server, 'a.png', bytes, 'image/png')
  return server
}

const download = (server: Storage, way?: unknown, name = 'FileStorage_DownloadFile', more = {}) =>
  server.client.callTool({
    name,
    arguments: { file_path_or_id: 'a.png', ...more },
    ...(way !== undefined && { _meta: { 'mcp-toolkits/content': way } }),
  })

async function outputsIn(server: Storage) {
  const { tools } = await server.client.listTools()
  return tools.filter(({ name }) => name.includes('Download')).map(({ outputSchema }) => Object.keys(outputSchema?.['properties'] ?? {}))
}

test('returns the bytes in the way that the call or the operator chose, and in no other', async () => {
  await using server = await withPicture()
  const embedded = await download(server)
  expect(embedded.content[1]).toMatchObject({ type: 'resource', resource: { blob: base64 } })
  expect(embedded.structuredContent).not.toHaveProperty('content_base64')
  const structured = await download(server, 'structured')
  expect(structured.structuredContent).toMatchObject({ content_base64: base64, content_type: 'image/png', total_size: 4 })
  expect(structured.content).toHaveLength(1)
  expect(JSON.stringify(structured.content)).not.toContain(base64)
  const chunk = await download(server, 'structured', 'FileStorage_DownloadFileChunk', { start_byte: 2 })
  expect(chunk.structuredContent).toMatchObject({ content_base64: bytes.subarray(2).toString('base64'), is_final_chunk: true })
  await using chosen = await withPicture({ environment: { FILE_STORAGE_CONTENT: 'structured' } })
  expect((await download(chosen)).structuredContent).toMatchObject({ content_base64: base64 })
  expect((await download(chosen, 'resource')).content[1]).toMatchObject({ type: 'resource' })
})

test('lists the fields of the bytes only if the operator has chosen them', async () => {
  await using server = await storage()
  await using chosen = await storage({ environment: { FILE_STORAGE_CONTENT: 'structured' } })
  const [plain, more] = [await outputsIn(server), await outputsIn(chosen)]
  expect(more).toEqual(plain.map((fields) => [...fields, 'content_base64', 'content_type']))
})

test('refuses an unknown way, and a file if no link can be made', async () => {
  await using server = await withPicture()
  for (const [way, problem] of [
    ['blob', 'must be one of resource, structured, file'],
    [5, 'must be one of'],
    ['file', 'gives no links'],
  ] as const) {
    const { isError, content } = await download(server, way)
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining(problem)])
  }
})

test('returns large content in the result without truncating it', async () => {
  await using server = await storage()
  const large = Buffer.alloc(3_000_000, 0xff)
  await put(server, 'a.png', large, 'image/png')
  expect((await download(server, 'structured')).structuredContent).toMatchObject({ content_base64: large.toString('base64') })
})

async function directory(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), 'saved-'))
  onTestFinished(() => rm(made, { recursive: true }))
  return made
}

test.for([
  ['../../etc/passwd', '__.._etc_passwd'],
  ['..', 'file'],
  ['/etc/passwd', '_etc_passwd'],
  ['C:\\Windows\\x', 'C__Windows_x'],
  ['.bashrc', '_bashrc'],
  ['CON.txt', '_CON.txt'],
  ['a\0b\u202Egnp.exe', 'a_b_gnp.exe'],
  ['. .', '_'],
  ['x'.repeat(400) + '.pdf', `${'x'.repeat(196)}.pdf`],
  ['Räume 😀.pdf', 'Räume 😀.pdf'],
])('writes %j as %j, inside the folder', async ([name, expected]) => {
  const folder = await directory()
  const file = await saveContent({ uri: contentUri('id', name), mimeType: 'x/y', bytes }, folder)
  expect([path.basename(file), await readdir(folder)]).toEqual([expected, [expected]])
  expect(await readFile(file)).toEqual(bytes)
})

test('overwrites no file and no folder, and writes through no link', async () => {
  const [folder, outside] = [await directory(), await directory()]
  await writeFile(path.join(folder, 'a.png'), 'mine')
  await symlink(path.join(outside, 'planted'), path.join(folder, 'a (1).png'))
  await mkdir(path.join(folder, 'a (2).png'))
  const content = { uri: contentUri('id', 'a.png'), mimeType: 'image/png', bytes }
  const files = await Promise.all([1, 2, 3].map(() => saveContent(content, folder)))
  expect(files.map((file) => path.basename(file)).sort()).toEqual(['a (3).png', 'a (4).png', 'a (5).png'])
  expect(await readFile(path.join(folder, 'a.png'), 'utf8')).toBe('mine')
  expect(await readdir(outside)).toEqual([])
  await expect(saveContent(content, path.join(folder, 'none'))).rejects.toMatchObject({ code: 'invalid_input' })
})
