import { expect, test } from 'vitest'
import { storage } from './storage.ts'

const search = 'FileStorage.SearchFiles'
const args = { query: 'x' }

/** An error in Google's older form, with the reason in `errors`. */
const refusal = (code: number, reason: string, message = 'no') => ({
  error: { code, message, errors: [{ domain: 'global', reason, message }] },
})
/** An error in the newer form, with the reason in `details`, in capitals. */
const newer = (code: number, reason: string) => ({
  error: { code, message: 'no', status: 'X', details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }] },
})

test('retries after a lost connection, a server error and a rate limit', async () => {
  await using server = await storage()
  server.emulator.faults.add({ action: { kind: 'drop_before' } })
  server.emulator.faults.add({ action: { kind: 'status', status: 503, retry_after: 0 } })
  server.emulator.faults.add({ action: { kind: 'status', status: 403, body: refusal(403, 'userRateLimitExceeded'), retry_after: 0 } })
  server.emulator.faults.add({ action: { kind: 'status', status: 403, body: newer(403, 'RATE_LIMIT_EXCEEDED'), retry_after: 0 } })
  expect(await server.call(search, args)).toHaveProperty('files')
  expect(server.sent.length).toBe(5)
})

test('reports a rate limit at once when it exceeds the budget', async () => {
  await using server = await storage()
  server.emulator.faults.add({ action: { kind: 'status', status: 403, body: refusal(403, 'rateLimitExceeded'), retry_after: 90 } })
  expect(await server.fails(search, args)).toMatchObject({ code: 'rate_limited', retryable: true, retry_after_seconds: 90 })
  expect(server.sent.length).toBe(1)
})

test('retries server errors in one place only', async () => {
  await using server = await storage()
  server.emulator.faults.add({ times: 50, action: { kind: 'status', status: 500, retry_after: 0 } })
  expect(await server.fails(search, args)).toMatchObject({ code: 'unavailable', retryable: true })
  expect(server.sent.length).toBe(5)
})

test.for([
  [401, refusal(401, 'authError'), 'unauthenticated', 'Google refused the access token'],
  [403, refusal(403, 'insufficientPermissions'), 'forbidden', 'lacks a scope'],
  [403, newer(403, 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'), 'forbidden', 'lacks a scope'],
  [403, refusal(403, 'insufficientFilePermissions'), 'forbidden', 'does not allow this on this item'],
  [403, refusal(403, 'storageQuotaExceeded'), 'conflict', 'The storage is full'],
  [403, refusal(403, 'teamDrivesFolderMoveInNotSupported'), 'invalid_input', 'A folder cannot be moved into a shared drive'],
  [403, refusal(403, 'domainPolicy'), 'forbidden', 'administrator'],
  [404, refusal(404, 'notFound', 'File not found: x.'), 'not_found', 'File not found: x.'],
  [400, refusal(400, 'invalid', 'Invalid Value'), 'invalid_input', 'Google Drive says: "Invalid Value".'],
  [413, 'too large', 'too_large', 'too large'],
] as const)('does not retry HTTP %i with %j: %s', async ([status, body, code, told]) => {
  await using server = await storage()
  server.emulator.faults.add({ action: { kind: 'status', status, body } })
  const error = await server.fails(search, args)
  expect(error).toMatchObject({ code, retryable: false })
  expect(error.message).toContain(told)
  expect(server.sent.length).toBe(1)
})

test('does not follow a redirect', async () => {
  await using server = await storage()
  server.emulator.faults.add({ action: { kind: 'redirect', status: 307, location: 'https://elsewhere.example/' } })
  expect(await server.fails(search, args)).toMatchObject({ code: 'unavailable', retryable: false })
  expect(server.sent.length).toBe(1)
})

test('does not accept an HTML page as a response from the vendor', async () => {
  await using server = await storage()
  const headers = { 'content-type': 'text/html' }
  const page = { kind: 'status', status: 200, body: '<html>Sign in</html>', headers } as const
  server.emulator.faults.add({ action: page })
  expect(await server.call(search, args)).toHaveProperty('files')
  expect(server.sent.length).toBe(2)
  server.emulator.faults.add({ times: 99, action: page })
  const error = await server.fails(search, args)
  expect(error).toMatchObject({ code: 'unavailable', retryable: true })
  expect(error.message).toContain('may not be Google Drive that answered')
  expect(error.message).not.toContain('Sign in')
})

test('stops upstream work when the caller gives up', async () => {
  await using server = await storage()
  server.emulator.faults.add({ action: { kind: 'hang' } })
  const cancellation = new AbortController()
  const call = server.client.callTool({ name: search, arguments: args }, { signal: cancellation.signal })
  await expect.poll(() => server.sent.length).toBe(1)
  cancellation.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(() => server.logLines.join('')).toContain('"outcome":"cancelled"')
  expect(server.sent.length).toBe(1)
})

test('with --read-only, lists only tools that read', async () => {
  await using server = await storage({ readOnly: true })
  const { tools } = await server.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'FileStorage_WhoAmI',
    'FileStorage_GetFileTreeStructure',
    'FileStorage_GenerateFilePickerUrl',
    'FileStorage_SearchFiles',
    'FileStorage_DownloadFile',
    'FileStorage_DownloadFileChunk',
  ])
})
