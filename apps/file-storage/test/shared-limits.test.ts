import { ManualClock } from '@mcp-toolkits/core/testing'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { driveError } from '@mcp-toolkits/drive-emulator'
import { shareOf } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { pseudoRandomBytes, put } from './contents.ts'
import { addPath, storage } from './storage.ts'

const search = 'FileStorage.SearchFiles'
const share = 'FileStorage.ShareFile'
const find = { query: 'x' }

test.for(['rateLimitExceeded', 'userRateLimitExceeded'])('%s holds all requests, and the waiting calls succeed later', async (reason) => {
  const clock = new ManualClock()
  await using server = await storage({ clock })
  server.emulator.faults.add({ action: { kind: 'status', ...driveError(403, reason), retry_after: 20 } })
  expect(await server.call(search, find)).toHaveProperty('files')
  expect(clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(20_000)
  expect(server.sent.length).toBe(2)
})

test('sends nothing more until the end of a hold that is longer than a call', async () => {
  const clock = new ManualClock()
  await using server = await storage({ clock })
  server.emulator.faults.add({ action: { kind: 'status', ...driveError(403, 'userRateLimitExceeded'), retry_after: 120 } })
  for (const tool of [search, 'FileStorage.DownloadFileChunk', 'FileStorage.CreateFolder']) {
    const args = { [search]: find, 'FileStorage.CreateFolder': { folder_name: 'x' } }[tool] ?? {
      file_path_or_id: `1${'a'.repeat(32)}`,
      start_byte: 0,
    }
    expect(await server.fails(tool, args)).toMatchObject({ code: 'rate_limited', retryable: true })
  }
  expect(server.sent.length).toBe(1)
  await clock.advance(121_000)
  expect(await server.call(search, find)).toHaveProperty('files')
})

test('holds only sharing when only sharing is limited', async () => {
  const clock = new ManualClock()
  await using server = await storage({ clock })
  const id = server.emulator.addItem({ name: 'Plan' })
  const limited = { ...driveError(403, 'sharingRateLimitExceeded'), retry_after: 300 }
  server.emulator.faults.add({ match: { method: 'POST' }, action: { kind: 'status', ...limited } })
  const args = { file_path_or_id: id, email_addresses: ['one@example.com'] }
  for (const posts of [1, 1]) {
    expect(await server.fails(share, args)).toMatchObject({ code: 'rate_limited', retryable: true })
    expect(server.sent.filter((request) => request.startsWith('POST')).length).toBe(posts)
  }
  expect(await server.call(search, find)).toHaveProperty('files')
  expect(await server.call('FileStorage.CreateFolder', { folder_name: 'x' })).toHaveProperty('folder')
  await clock.advance(301_000)
  expect(await server.call(share, args)).toMatchObject({ people: [{ outcome: 'added' }] })
})

test.for(['dailyLimitExceeded', 'quotaExceeded'])('sends nothing after %s, and says when to try again', async (reason) => {
  const clock = new ManualClock({ start: Date.UTC(2026, 0, 1, 20) })
  await using server = await storage({ clock })
  server.emulator.faults.add({ action: { kind: 'status', ...driveError(403, reason) } })
  const error = await server.fails(search, find)
  expect(error).toMatchObject({ code: 'rate_limited', retryable: true })
  expect(error.message).toContain('used up for today')
  expect(error.retry_after_seconds).toBeGreaterThan(600)
  // It is noon in California, so twelve hours of the day are left.
  for (let calls = 0; calls < 12; calls += 1) {
    expect(await server.fails(search, find)).toMatchObject({ code: 'rate_limited' })
    await clock.advance(3_600_000)
  }
  expect(server.sent.length).toBe(1)
  expect(await server.call(search, find)).toHaveProperty('files')
})

test('an exhausted quota resets at midnight Pacific Time', async () => {
  const clock = new ManualClock({ start: Date.UTC(2026, 0, 2, 7, 50) })
  await using server = await storage({ clock })
  server.emulator.faults.add({ action: { kind: 'status', ...driveError(403, 'dailyLimitExceeded') } })
  expect(await server.fails(search, find)).toMatchObject({ retry_after_seconds: 600 })
  await clock.advance(601_000)
  expect(await server.call(search, find)).toHaveProperty('files')
})

test.for([
  ['storageQuotaExceeded', 'conflict'],
  ['downloadQuotaExceeded', 'rate_limited'],
] as const)('%s affects one request and holds no other', async ([reason, code]) => {
  await using server = await storage()
  const id = await put(server, 'plain.bin', pseudoRandomBytes(10))
  server.emulator.faults.add({ action: { kind: 'status', ...driveError(403, reason) } })
  expect(await server.fails('FileStorage.DownloadFileChunk', { file_path_or_id: id, start_byte: 0 })).toMatchObject({
    code,
    retryable: false,
  })
  expect(await server.call(search, find)).toHaveProperty('files')
  expect(server.sent.length).toBe(2)
})

test('50 calls to a Drive that fails make fewer than 75 requests', async () => {
  await using server = await storage()
  server.emulator.faults.add({ times: 1_000, action: { kind: 'status', status: 503 } })
  for (let calls = 0; calls < 50; calls += 1) expect(await server.fails(search, find)).toMatchObject({ code: 'unavailable' })
  expect(server.sent.length).toBeLessThan(75)
})

test('a download ended by the retry budget says at once what happened', async () => {
  const clock = new ManualClock()
  await using server = await storage({ clock })
  const id = await put(server, 'plain.bin', pseudoRandomBytes(10))
  server.emulator.faults.add({ times: 1_000, action: { kind: 'status', status: 503 } })
  const args = { file_path_or_id: id, start_byte: 0 }
  for (let calls = 0; calls < 6; calls += 1) {
    await server.fails('FileStorage.DownloadFileChunk', args)
    // Without these calls, the circuit breaker would open before the retry budget is used up.
    server.emulator.faults.clear()
    await server.call(search, find)
    server.emulator.faults.add({ times: 1_000, action: { kind: 'status', status: 503 } })
  }
  const [sent, sleeps] = [server.sent.length, clock.sleeps.length]
  const error = await server.fails('FileStorage.DownloadFileChunk', args)
  expect(error).toMatchObject({ code: 'unavailable', message: 'Google Drive answered HTTP 503.', retryable: true })
  expect(error).not.toHaveProperty('retry_after_seconds')
  expect(clock.sleeps.length - sleeps).toBeLessThanOrEqual(server.sent.length - sent)
})

/** Responses that arrive once, in place of the right one. */
const badResponses: Readonly<Record<string, () => Response>> = {
  'an HTML page': () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } }),
  'an empty response': () => new Response(null),
  'JSON that was cut off': () => new Response('{"files":[{"id":', { headers: { 'content-type': 'application/json' } }),
  'a list instead of an object': () => Response.json([17, null, 'x']),
  'another type': () => new Response('{}', { headers: { 'content-type': 'text/plain' } }),
  'more than is read': () => new Response(Buffer.alloc(17 * 1024 ** 2, '[')),
}

const calls = [
  ['WhoAmI', {}],
  ['GetFileTreeStructure', {}],
  ['SearchFiles', find],
  ['CreateFolder', { folder_name: 'New' }],
  ['RenameFile', { file_path_or_id: 'Work/May.pdf', new_filename: 'June.pdf' }],
  ['MoveFile', { source_file_path_or_id: 'Work/May.pdf', destination_folder_path_or_id: 'root' }],
  ['DownloadFile', { file_path_or_id: 'Work/May.pdf' }],
  ['ShareFile', { file_path_or_id: 'Work/May.pdf', email_addresses: ['one@example.com'] }],
] as const

const badCases = Object.keys(badResponses).flatMap((name) => calls.map((call) => [name, ...call] as const))

// Each share covers every response; all of them cover every tool as well.
test.for(shareOf(badCases, 7, 0))('%s on the first request of %s is fixed by a retry', async ([name, tool, args]) => {
  let isOn = false
  await using server = await storage({
    inFront: (next) => (input, init) => {
      if (!isOn) return next(input, init)
      isOn = false
      return Promise.resolve(badResponses[name]?.() ?? new Response(null))
    },
  })
  addPath(server, 'Work/May.pdf')
  isOn = true
  await server.call(`FileStorage.${tool}`, args)
  expect(isOn).toBe(false)
})

test.for([
  ['WhoAmI', {}, '/about'],
  ['GetFileTreeStructure', { include_shared_drives: true }, '/drives'],
] as const)('%s leaves no request running when one of several fails', async ([tool, args, failing]) => {
  const open = new Set<string>()
  const ended: string[] = []
  const inFront = (): Fetch => async (input, init) => {
    const { pathname } = new URL(new Request(input, init).url)
    if (pathname.endsWith(failing)) return new Response('{"error":{"code":401}}', { status: 401 })
    open.add(pathname)
    const { promise, reject } = Promise.withResolvers<Response>()
    init?.signal?.addEventListener('abort', () => {
      open.delete(pathname)
      ended.push(pathname)
      reject(new DOMException('Aborted.', 'AbortError'))
    })
    return promise
  }
  await using server = await storage({ inFront })
  expect(await server.fails(`FileStorage.${tool}`, args)).toMatchObject({ code: 'unauthenticated' })
  expect([...open]).toEqual([])
  expect(ended.length).toBeGreaterThan(0)
})
