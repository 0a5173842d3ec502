import { execFileSync } from 'node:child_process'
import { connect, isCI } from '@mcp-toolkits/testing'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { expect, test } from 'vitest'
import { fileStorage } from '../src/server.ts'
import { source } from './source.ts'

/** Every tool's example, with an upload from this machine. */
const callsWith = async (sourceUrl: string) =>
  (await fileStorage.load.tools()).map(
    ({ name, example }) => [name, { ...example, ...(name === 'UploadFile' && { source_url: sourceUrl }) }] as const,
  )

test('sends every request with the token to the configured root and to no other host', async () => {
  const emulator = driveEmulator({ seed: 'company', accessToken: 'canary-token' })
  const requests: Request[] = []
  const fetch: typeof emulator.fetch = async (input, init) => {
    const request = new Request(input, init)
    requests.push(request.clone())
    return emulator.fetch(request, init)
  }
  const environment = {
    FILE_STORAGE_ACCESS_TOKEN: 'canary-token',
    FILE_STORAGE_API_URL: 'https://drive.example/',
    FILE_STORAGE_CLIENT_ID: 'desktop',
  }
  await using from = await source({ content: Buffer.from('text') })
  await using server = await connect(fileStorage, { fetch, environment: { ...environment, FILE_STORAGE_ALLOW_PRIVATE_URLS: from.host } })
  for (const [tool, args] of await callsWith(from.url)) await server.call(`FileStorage.${tool}`, args)
  expect(new Set(requests.map(({ url }) => new URL(url).origin))).toEqual(new Set(['https://drive.example']))
  expect(requests.every(({ headers }) => headers.get('authorization') === 'Bearer canary-token')).toBe(true)
  expect(requests.length).toBeGreaterThan(fileStorage.listedTools.length)
  await emulator.close()
})

test('keeps the path of a configured root', async () => {
  const urls: string[] = []
  const fetch = (input: string | URL | Request, init?: RequestInit) => {
    urls.push(new URL(new Request(input, init).url).pathname)
    return Promise.resolve(Response.json({ files: [] }))
  }
  const environment = { FILE_STORAGE_ACCESS_TOKEN: 't', FILE_STORAGE_API_URL: 'https://gateway.example/google/' }
  await using server = await connect(fileStorage, { fetch, environment })
  await server.call('FileStorage.SearchFiles', { query: 'x' })
  expect(urls).toEqual(['/google/drive/v3/files'])
})

test.runIf(isCI)('ignores a proxy and a different universe domain in the environment', () => {
  const client = new URL('../src/drive/client.ts', import.meta.url).href
  const files = new URL('../src/drive/files.ts', import.meta.url).href
  const scopes = import.meta.resolve('@mcp-toolkits/core/tool')
  const program = `
    import { driveClient } from '${client}'
    import { getRootId } from '${files}'
    import { withCallScope } from '${scopes}'
    const fetch = (url) => { console.log(new Request(url).url); return Promise.resolve(Response.json({ id: 'top' })) }
    const drive = driveClient({ fetch, url: 'https://www.googleapis.com' })
    console.log(await withCallScope({}, (scope) => getRootId(drive, scope)))
  `
  const elsewhere = {
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    GOOGLE_CLOUD_UNIVERSE_DOMAIN: 'elsewhere.example',
  }
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, ...elsewhere },
  })
  expect(told.trim().split('\n')).toEqual(['https://www.googleapis.com/drive/v3/files/root?fields=id', 'top'])
})

test('never shows the token in a result, error or log line', async () => {
  const canary = 'canary-0123456789abcdef'
  const emulator = driveEmulator({ seed: 'company', accessToken: canary })
  await using from = await source({ content: Buffer.from('text') })
  await using server = await connect(fileStorage, {
    fetch: emulator.fetch,
    environment: { FILE_STORAGE_ACCESS_TOKEN: canary, FILE_STORAGE_ALLOW_PRIVATE_URLS: from.host },
  })
  const results = []
  for (const [tool, args] of await callsWith(from.url)) results.push(await server.result(`FileStorage.${tool}`, args))
  emulator.faults.add({ times: 9, action: { kind: 'drop_before' } })
  results.push(await server.result('FileStorage.WhoAmI'))
  emulator.expire()
  results.push(await server.result('FileStorage.WhoAmI'))
  expect(JSON.stringify(results) + server.logLines.join('')).not.toContain(canary)
  await emulator.close()
})

test.for([
  ['an empty token', { FILE_STORAGE_ACCESS_TOKEN: '' }, 'set but empty'],
  ['a placeholder', { FILE_STORAGE_ACCESS_TOKEN: '${TOKEN}' }, 'placeholder'],
  ['a URL without a token', { FILE_STORAGE_API_URL: 'https://example.com/' }, 'set without credentials'],
  ['a URL that is not https', { FILE_STORAGE_ACCESS_TOKEN: 't', FILE_STORAGE_API_URL: 'http://example.com/' }, 'https://'],
] as const)('rejects %s as unauthenticated and never uses the embedded default', async ([, environment, told]) => {
  const fetch = () => Promise.reject(new Error('A request was sent.'))
  await using server = await connect(fileStorage, { fetch, environment })
  const error = await server.fails('FileStorage.WhoAmI')
  expect(error.code).toBe('unauthenticated')
  expect(error.message).toContain(told)
})
