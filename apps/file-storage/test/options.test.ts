import { PassThrough } from 'node:stream'
import { createServer } from '../src/index.ts'
import { fileStorage } from '../src/server.ts'
import { runCli } from '@mcp-toolkits/server/cli'
import { expect, test } from 'vitest'
import { dataDirectory } from './uploading.ts'

/** Runs a command; resolves with its exit code and stderr. */
async function errorsOf(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const [output, errors] = [new PassThrough({ encoding: 'utf8' }), new PassThrough({ encoding: 'utf8' })]
  const environment = { MCP_TOOLKITS_DATA_DIR: await dataDirectory(), ...variables }
  const console = { input: new PassThrough(), output, errors, environment, program: 'files', onSignal: () => undefined }
  return [await runCli(fileStorage, args, console), String(errors.read() ?? '')]
}

test.for(['0', '-1', '1.5', '5MB', '1e3', '99999999999999999'])('refuses %s as the upload limit', async (limit) => {
  const said = 'must be a number of bytes, at least 1 and at most 9007199254740991, not "'
  const variable = 'FILE_STORAGE_MAX_UPLOAD_BYTES'
  expect(await errorsOf(['tools'], { [variable]: limit })).toEqual([2, expect.stringContaining(`${variable} ${said}`)])
  expect(await errorsOf([`--max-upload-bytes=${limit}`, 'tools'])).toEqual([2, expect.stringContaining(`--max-upload-bytes ${said}`)])
  expect(await errorsOf(['--max-upload-bytes', '5', 'tools'], { [variable]: '7000000000000' })).toEqual([
    0,
    'More tools with --toolsets: content, access.\n',
  ])
})

test.for(['http://foo', 'bad host', 'localhost:99999', '*.lan'])('refuses %j as a non-public host', async (entry) => {
  const said = `${JSON.stringify(entry)} is not a host that can be allowed. Write host or host:port, such as files.example:8080.`
  const variable = 'FILE_STORAGE_ALLOW_PRIVATE_URLS'
  expect(await errorsOf(['tools'], { [variable]: `localhost:1,${entry}` })).toEqual([2, expect.stringContaining(`${variable}: ${said}`)])
  expect(await errorsOf(['--allow-private-urls', entry, 'tools'])).toEqual([2, expect.stringContaining(`--allow-private-urls: ${said}`)])
  for (const account of [{ accessToken: 't' }, { embedded: true }])
    expect(() => createServer({ ...account, allowPrivateUrls: ['localhost:1', entry] })).toThrow(`The option allowPrivateUrls: ${said}`)
})

test('accepts the upload options in a program', () => {
  for (const wrong of [0, -1, 1.5, Infinity, 2 ** 60])
    expect(() => createServer({ accessToken: 't', maxUploadBytes: wrong })).toThrow(
      'The option maxUploadBytes must be a whole number of bytes, at least 1.',
    )
  expect(() => createServer({ accessToken: 't', maxUploadBytes: 1, allowPrivateUrls: ['localhost:1'] })).not.toThrow()
})

test('accepts the ways of returning content, and refuses any other', async () => {
  const said = 'must be resource, structured, file, not "blob"'
  expect(await errorsOf(['--content', 'blob', 'tools'])).toEqual([2, expect.stringContaining(`--content ${said}`)])
  expect(() => createServer({ accessToken: 't', content: 'structured', downloadDir: '/tmp' })).not.toThrow()
  expect(await errorsOf(['tools'], { FILE_STORAGE_CONTENT: 'blob' })).toEqual([2, expect.stringContaining(`FILE_STORAGE_CONTENT ${said}`)])
})

test('says which tools accept the option that reads or writes a file', async () => {
  expect(await errorsOf(['call', 'UploadFile', '--output', 'x', '{}'])).toEqual([
    2,
    expect.stringContaining('--output is for DownloadFile and DownloadFileChunk, not for UploadFile.'),
  ])
  expect(await errorsOf(['call', 'DownloadFile', '--input', 'x', '{}'])).toEqual([
    2,
    expect.stringContaining('--input is for UploadFile and WriteFile, not for DownloadFile.'),
  ])
})
