import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { exitOf, runNode, startNode, temporaryDirectory } from './command.ts'

const storage = path.join(import.meta.dirname, '..', 'apps', 'file-storage', 'dist', 'main.js')
const tracker = path.join(import.meta.dirname, '..', 'apps', 'issue-tracker', 'dist', 'main.js')
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

let directory = ''
beforeAll(async () => {
  directory = await temporaryDirectory()
})

/** Runs file-storage on its embedded default, with a separate directory for temporary files. */
async function run(
  args: readonly string[],
  { input = '', variables = {} }: { input?: string; variables?: Readonly<Record<string, string>> } = {},
) {
  const temporary = path.join(directory, 'tmp')
  await mkdir(temporary, { recursive: true })
  const environment = { MCP_TOOLKITS_EMBEDDED: '1', MCP_TOOLKITS_DATA_DIR: directory, TMPDIR: temporary, ...variables }
  const finished = await runNode([storage, ...args], { environment, input })
  expect((await readdir(temporary)).filter((name) => name.startsWith('upload-'))).toEqual([])
  return finished
}

async function fileOf(name: string, content: Uint8Array): Promise<string> {
  const file = path.join(directory, name)
  await writeFile(file, content)
  return file
}

describe('call UploadFile --input', () => {
  test('uploads a file under its name, with its type, byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) % 251)
    const file = await fileOf('Räume 2026.png', bytes)
    const { code, output, errors } = await run(['call', 'UploadFile', '--input', file])
    expect([code, errors]).toEqual([0, ''])
    expect(JSON.parse(output)).toMatchObject({ md5_checksum: md5(bytes), file: { name: 'Räume 2026.png', mime_type: 'image/png' } })
    const copy = path.join(directory, 'copy.png')
    await run(['call', 'DownloadFile', '--file-path-or-id', 'Räume 2026.png', '--output', copy])
    expect(md5(await readFile(copy))).toBe(md5(bytes))
  })

  test('takes another name and a folder, an empty file, and what is piped in', async () => {
    const empty = await fileOf('empty.txt', new Uint8Array())
    const renamed = await run(['call', 'UploadFile', '--file-name', 'other.txt', '--input', empty])
    expect(JSON.parse(renamed.output)).toMatchObject({ file: { name: 'other.txt' }, md5_checksum: md5(new Uint8Array()) })
    const piped = await run(['call', 'UploadFile', '{"file_name":"notes.md"}', '--input', '-'], { input: '# Notes\n' })
    expect(JSON.parse(piped.output)).toMatchObject({ file: { name: 'notes.md' }, md5_checksum: md5(Buffer.from('# Notes\n')) })
    const printed = await run(['call', 'DownloadFile', '--file-path-or-id', 'notes.md', '--output', '-'])
    expect(printed).toEqual({ code: 0, output: '# Notes\n', errors: '' })
    const nameless = await run(['call', 'UploadFile', '--input', '-'], { input: 'x' })
    expect([nameless.code, nameless.errors]).toEqual([1, expect.stringContaining('file_name')])
  })

  test('a repeat with the same idempotency key and file makes no second one', async () => {
    const file = await fileOf('once.txt', Buffer.from('once'))
    const args = ['call', 'UploadFile', '--input', file, '--idempotency-key', 'upload-once']
    const [first, second] = [await run(args), await run(args)]
    expect(JSON.parse(second.output)).toEqual(JSON.parse(first.output))
    expect(second.errors).toContain('Nothing was done again.')
    await writeFile(file, 'twice!')
    expect((await run(args)).errors).toContain('"conflict"')
  })

  test('a proxy is not asked for the file', async () => {
    const file = await fileOf('direct.txt', Buffer.from('direct'))
    const { code } = await run(['call', 'UploadFile', '--input', file], { variables: { HTTP_PROXY: 'http://127.0.0.1:9' } })
    expect(code).toBe(0)
  })

  test.each([
    [['call', 'SearchFiles', '--input', '-'], '--input is for UploadFile and WriteFile, not for SearchFiles.'],
    [['call', 'SearchRockets', '--input', '-'], 'There is no tool "SearchRockets".'],
  ])('%j ends without what a program pipes in', async (args, said) => {
    const child = startNode([storage, ...args], { MCP_TOOLKITS_EMBEDDED: '1', MCP_TOOLKITS_DATA_DIR: directory })
    child.stdin.write('more to come')
    const errors = await text(child.stderr)
    expect([await exitOf(child), errors]).toEqual([2, expect.stringContaining(said)])
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('%s while content is piped in leaves no temporary file', async (signal) => {
    const temporary = path.join(directory, signal)
    await mkdir(temporary)
    const variables = { MCP_TOOLKITS_EMBEDDED: '1', MCP_TOOLKITS_DATA_DIR: directory, TMPDIR: temporary }
    const child = startNode([storage, 'call', 'UploadFile', '--file-name', 'x.bin', '--input', '-'], variables)
    child.stdin.write('secret')
    const stored = async () => (await readdir(temporary, { recursive: true })).filter((name) => name.endsWith('content'))
    await expect.poll(stored).toHaveLength(1)
    child.kill(signal)
    expect([await exitOf(child), await stored()]).toEqual([130, []])
  })

  test.each([
    [['call', 'UploadFile', '--input', 'missing.txt'], 'missing.txt cannot be read (ENOENT).'],
    [['call', 'UploadFile', '--input', '.'], '. is not a file. Name a file, or pipe the content to --input -.'],
    [['call', 'WhoAmI', '--input', storage], '--input is for UploadFile and WriteFile, not for WhoAmI.'],
    [['call', 'UploadFile', '--input', storage, '--source-url', 'https://a.example'], 'Give either --input or source_url, not both.'],
    [['tools', '--input', storage], '--input is only for: call.'],
  ])('%j is a usage error', async (args, said) => {
    const { code, output, errors } = await run(args)
    expect([code, output, errors]).toEqual([2, '', expect.stringContaining(said)])
  })
})

test('a server without uploads says so', async () => {
  const { code, errors } = await runNode([tracker, 'call', 'WhoAmI', '--input', storage], {
    environment: { MCP_TOOLKITS_DATA_DIR: directory },
  })
  expect([code, errors]).toEqual([2, expect.stringContaining('WhoAmI has no parameter "--input".')])
})
