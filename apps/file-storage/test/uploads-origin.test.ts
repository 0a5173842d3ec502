import { expect, test } from 'vitest'
import { pseudoRandomBytes } from './contents.ts'
import { uploading } from './uploading.ts'

const canary = 'canary-of-the-source'

test('never sends our token to the source or the headers of the source to Drive', async () => {
  const requests: Request[] = []
  await using server = await uploading(
    {
      content: pseudoRandomBytes(9_000_000),
      etag: '"v1"',
      cuts: [8_500_000],
      headers: {
        'content-type': 'text/plain',
        'set-cookie': `session=${canary}`,
        'www-authenticate': `Bearer realm="${canary}"`,
        'x-secret': canary,
      },
    },
    { seen: (request) => requests.push(request) },
  )
  await server.call('FileStorage.UploadFile', { file_name: 'new.txt', source_url: `${server.from.url}?sig=${canary}` })
  expect(server.from.received.length).toBe(2)
  const allowed = ['host', 'accept', 'accept-encoding', 'user-agent', 'connection', 'range', 'if-range']
  for (const headers of server.from.received) expect(Object.keys(headers).filter((name) => !allowed.includes(name))).toEqual([])
  expect(JSON.stringify(server.from.received)).not.toContain('test-token')
  expect(requests.length).toBeGreaterThan(3)
  for (const { headers, url } of requests) {
    expect(new URL(url).origin).toBe('https://www.googleapis.com')
    expect(headers.get('authorization')).toBe('Bearer test-token')
    expect(`${url} ${JSON.stringify([...headers])}`).not.toContain(canary)
  }
  expect(server.logLines.join('')).not.toContain(canary)
})

test('does not use an upload URL on a different host', async () => {
  await using server = await uploading({ content: pseudoRandomBytes(6_000_000) })
  const headers = { location: 'https://elsewhere.example/upload?upload_id=1' }
  server.emulator.faults.add({ match: { method: 'POST' }, action: { kind: 'status', status: 200, headers } })
  const error = await server.fails('FileStorage.UploadFile', { file_name: 'new.bin', source_url: server.from.url })
  expect(error).toMatchObject({ code: 'unavailable', retryable: false })
  expect(server.sent.filter((request) => request.startsWith('PUT'))).toEqual([])
})

test('reads the allowed hosts from the variable too', async () => {
  await using first = await uploading({ content: pseudoRandomBytes(10) })
  const environment = { FILE_STORAGE_ACCESS_TOKEN: 'test-token', FILE_STORAGE_ALLOW_PRIVATE_URLS: ` ${first.from.host} ,other.example` }
  await using second = await first.restarted({ environment })
  expect(await second.call('FileStorage.UploadFile', { file_name: 'new.bin', source_url: first.from.url })).toHaveProperty('file')
})
