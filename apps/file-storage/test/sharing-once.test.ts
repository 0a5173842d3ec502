import { ManualClock, manualScope } from '@mcp-toolkits/core/testing'
import { driveEmulator, driveError } from '@mcp-toolkits/drive-emulator'
import { expect, test } from 'vitest'
import { driveClient } from '../src/drive/client.ts'
import { shareWith } from '../src/drive/permissions.ts'
import { folderType, storage, type Storage } from './storage.ts'

const share = 'FileStorage.ShareFile'
const [ada, alias] = ['ada.okafor@lodestar.example', 'ada@lodestar.example']
const onPosts = { method: 'POST' }

const posts = ({ sent }: Storage) => sent.filter((request) => request.startsWith('POST')).length

test('adds a person with two addresses once', async () => {
  await using server = await storage()
  const [plan, list] = ['Plan', 'List'].map((name) => server.emulator.addItem({ name }))
  const first = await server.call(share, { file_path_or_id: plan, email_addresses: [alias, ada] })
  expect(first['people']).toMatchObject([{ outcome: 'added' }, { outcome: 'unchanged', role: 'reader' }])
  expect(server.emulator.store.mails().length).toBe(1)
  const second = await server.call(share, { file_path_or_id: list, email_addresses: [ada, alias] })
  expect(second['people']).toMatchObject([
    { outcome: 'added' },
    { outcome: 'unchanged', role: 'reader', reason: `Already has this role, as ${ada}.` },
  ])
})

test('raises an inherited role through another address, and says so', async () => {
  await using server = await storage()
  const folder = server.emulator.addItem({ name: 'Folder', type: folderType, grants: [[ada, 'commenter']] })
  const id = server.emulator.addItem({ name: 'Plan', parent: folder })
  const { people } = await server.call(share, { file_path_or_id: id, email_addresses: [alias], role: 'writer' })
  expect(people).toEqual([{ email_address: alias, outcome: 'updated', role: 'writer', previous_role: 'commenter' }])
})

test('keeps a higher inherited role through another address', async () => {
  await using server = await storage()
  const folder = server.emulator.addItem({ name: 'Folder', type: folderType, grants: [[ada, 'writer']] })
  const id = server.emulator.addItem({ name: 'Plan', parent: folder })
  const { people } = await server.call(share, { file_path_or_id: id, email_addresses: [alias] })
  expect(people).toMatchObject([
    {
      outcome: 'unchanged',
      role: 'writer',
      reason: 'Has the role "writer" from a folder above or the shared drive; it cannot be lowered here.',
    },
  ])
  expect(server.sent.filter((request) => request.startsWith('PATCH'))).toEqual([])
})

test('does not mistake an inherited role for the outcome of a lost response', async () => {
  await using server = await storage()
  const folder = server.emulator.addItem({ name: 'Folder', type: folderType, grants: [[ada, 'commenter']] })
  const id = server.emulator.addItem({ name: 'Plan', parent: folder })
  server.emulator.faults.add({ match: onPosts, action: { kind: 'drop_before' } })
  const args = { file_path_or_id: id, email_addresses: [ada], role: 'writer' }
  const error = await server.fails(share, args)
  expect(error).toMatchObject({ code: 'unavailable', retryable: true })
  expect(error.message).toContain('It is unknown whether it was shared with anyone.')
  expect(await server.call(share, args)).toMatchObject({ people: [{ outcome: 'updated', previous_role: 'commenter' }] })
})

test('finds the new permission after a lost response about another address', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan', grants: [['tomas.herrera@lodestar.example', 'reader']] })
  server.emulator.faults.add({ match: onPosts, action: { kind: 'drop_after' } })
  const { people } = await server.call(share, { file_path_or_id: id, email_addresses: [alias] })
  expect(people).toEqual([{ email_address: alias, outcome: 'added', role: 'reader' }])
  expect(server.emulator.store.mails().length).toBe(1)
})

test('reports an unknown outcome along with the known ones', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ match: onPosts, action: { kind: 'drop_before' } })
  server.emulator.faults.add({ match: onPosts, action: { kind: 'status', ...driveError(404, 'notFound', { message: 'File not found.' }) } })
  const emails = ['one@example.com', 'two@example.com', 'three@example.com']
  const { people } = await server.call(share, { file_path_or_id: id, email_addresses: emails })
  expect(people).toMatchObject([{ outcome: 'unknown' }, { outcome: 'failed' }, { outcome: 'added' }])
})

test('with a key, a repeat retries the people whose outcome was unknown, and then returns the stored result', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ match: onPosts, action: { kind: 'drop_before' } })
  const people = async () => {
    const { structuredContent, _meta } = await server.client.callTool({
      name: 'FileStorage_ShareFile',
      arguments: { file_path_or_id: id, email_addresses: ['one@example.com', 'two@example.com'] },
      _meta: { 'mcp-toolkits/idempotency-key': 'k' },
    })
    return { result: structuredContent, isReplayed: _meta?.['mcp-toolkits/replayed'] === true }
  }
  expect(await people()).toMatchObject({ result: { people: [{ outcome: 'unknown' }, { outcome: 'added' }] }, isReplayed: false })
  const second = await people()
  expect(second).toMatchObject({ result: { people: [{ outcome: 'added' }, { outcome: 'unchanged' }] }, isReplayed: false })
  expect(await people()).toEqual({ ...second, isReplayed: true })
  expect(server.emulator.store.mails().length).toBe(2)
})

test.for([500, 503])('reports HTTP %i from Drive as a failure for that person, and continues with the others', async (status) => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ match: onPosts, times: 2, action: { kind: 'status', status } })
  const { people } = await server.call(share, { file_path_or_id: id, email_addresses: ['one@example.com', 'two@example.com'] })
  expect(people).toMatchObject([
    { outcome: 'failed', reason: `Google Drive answered HTTP ${status}.` },
    { outcome: 'added', role: 'reader' },
  ])
  expect(server.emulator.store.mails().length).toBe(1)
})

test('checks after a 500 from Drive, and retries once unless the first attempt worked', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  const people = (emailAddress: string) => server.call(share, { file_path_or_id: id, email_addresses: [emailAddress] })
  for (const [kind, address, count] of [
    ['status', 'one@example.com', 2],
    ['status_after_commit', 'two@example.com', 1],
  ] as const) {
    server.emulator.faults.add({ match: onPosts, action: { kind, status: 500 } })
    const before = posts(server)
    expect(await people(address)).toMatchObject({ people: [{ outcome: 'added' }] })
    expect(posts(server) - before).toBe(count)
  }
  expect(server.emulator.store.mails().length).toBe(2)
})

test('does not retry at once if Drive asks to wait', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ match: onPosts, action: { kind: 'status', status: 503, retry_after: 900 } })
  await server.fails(share, { file_path_or_id: id, email_addresses: ['one@example.com'] })
  expect(posts(server)).toBe(1)
})

test('is an error when Drive itself reported a failure for everyone, after at most two people', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ match: onPosts, times: 9, action: { kind: 'status', status: 500 } })
  for (const addresses of [['one@example.com'], ['one@example.com', 'two@example.com', 'three@example.com']]) {
    const before = posts(server)
    const error = await server.fails(share, { file_path_or_id: id, email_addresses: addresses })
    expect(error).toMatchObject({ code: 'unavailable', retryable: true })
    expect(error.message).toContain('It was not shared with anyone. one@example.com: Google Drive answered HTTP 500.')
    expect(posts(server) - before).toBe(2 * Math.min(addresses.length, 2))
  }
  expect(server.emulator.store.permissions()).toEqual([])
})

test.for([
  ['an HTTP 501', { kind: 'status', status: 501 }],
  ['a redirect', { kind: 'redirect', status: 302, location: 'https://elsewhere.example/' }],
] as const)('%s is a permanent failure', async ([, action]) => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ match: onPosts, action })
  const error = await server.fails(share, { file_path_or_id: id, email_addresses: ['one@example.com'] })
  expect(error).toMatchObject({ code: 'unavailable', retryable: false })
  expect(posts(server)).toBe(1)
})

test('finds a permission although the response to it was too long to read', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  const tooLong = { kind: 'status_after_commit', status: 200, body: ' '.repeat(17 * 1024 ** 2) } as const
  server.emulator.faults.add({ match: onPosts, action: tooLong })
  const { people } = await server.call(share, { file_path_or_id: id, email_addresses: ['one@example.com'] })
  expect(people).toEqual([{ email_address: 'one@example.com', outcome: 'added', role: 'reader' }])
  expect(server.emulator.store.mails().length).toBe(1)
})

test('finds a permission although Drive reported a failure', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ match: onPosts, action: { kind: 'status_after_commit', status: 500 } })
  const { people } = await server.call(share, { file_path_or_id: id, email_addresses: ['one@example.com'] })
  expect(people).toEqual([{ email_address: 'one@example.com', outcome: 'added', role: 'reader' }])
  expect(server.emulator.store.mails().length).toBe(1)
})

test('a request that was not sent is a failure, and nothing is checked after it', async () => {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 't' })
  const fileId = emulator.addItem({ name: 'Plan' })
  const clock = new ManualClock()
  const sent: string[] = []
  const fetch: typeof emulator.fetch = (input, init) => {
    const request = new Request(input, init)
    request.headers.set('authorization', 'Bearer t')
    sent.push(request.method)
    return emulator.fetch(request)
  }
  const drive = driveClient({ fetch, url: 'https://www.googleapis.com', clock })
  const outOfTime = { ...manualScope({ clock }), remainingMs: () => (sent.length === 0 ? 28_000 : 0) }
  const request = {
    fileId,
    role: 'reader',
    notification: { message: undefined },
    addresses: ['one@example.com', 'two@example.com'],
  } as const
  const text = 'There was no time left to ask Google Drive. Try again.'
  expect(await shareWith(drive, request, outOfTime)).toMatchObject([
    { outcome: 'failed', reason: text },
    { outcome: 'not_tried', reason: `Not tried because: ${text}` },
  ])
  expect(sent).toEqual(['GET'])
  await emulator.close()
})

test.for([502, 504])('reports an unknown outcome after HTTP %i from a gateway', async (status) => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ match: onPosts, action: { kind: 'status', status } })
  const args = { file_path_or_id: id, email_addresses: ['one@example.com'] }
  const error = await server.fails(share, args)
  expect(error).toMatchObject({ code: 'unavailable', retryable: true })
  expect(error.message).toContain(`one@example.com: Google Drive answered HTTP ${status}. The person is not listed yet.`)
  expect(await server.call(share, args)).toMatchObject({ people: [{ outcome: 'added' }] })
  expect(server.emulator.store.mails().length).toBe(1)
})

test('does not look for a deleted item under a different name while sharing', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  const namedAlike = server.emulator.addItem({ name: id })
  server.emulator.faults.add({ match: onPosts, action: { kind: 'status', ...driveError(404, 'notFound', { message: 'File not found.' }) } })
  const error = await server.fails(share, { file_path_or_id: id, email_addresses: ['one@example.com'] })
  expect(error).toMatchObject({ code: 'not_found' })
  expect(error.message).toContain(
    'one@example.com: Google Drive has no such item, or this app has no access to it. Google Drive says: "File not found."',
  )
  expect(server.emulator.store.permissions().filter(({ fileId }) => fileId === namedAlike)).toEqual([])
})

test.for([
  [403, 'insufficientFilePermissions', 'forbidden', 1],
  [403, 'insufficientPermissions', 'forbidden', 1],
  [403, 'accessNotConfigured', 'forbidden', 1],
  [401, 'authError', 'unauthenticated', 1],
  [403, 'dailyLimitExceeded', 'rate_limited', 1],
  [403, 'domainPolicy', 'forbidden', 3],
] as const)('%d %s is %s after %d requests for three people', async ([status, reason, code, times]) => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  server.emulator.faults.add({ match: onPosts, times: 9, action: { kind: 'status', ...driveError(status, reason) } })
  const addresses = ['one@example.com', 'two@example.com', 'three@example.com']
  const error = await server.fails(share, { file_path_or_id: id, email_addresses: addresses })
  expect(error).toMatchObject({ code })
  expect(posts(server)).toBe(times)
})

test('says that a message was sent to no one', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan', grants: [[ada, 'reader']] })
  const args = { file_path_or_id: id, email_addresses: [ada], message: 'Have a look' }
  for (const role of ['reader', 'writer']) {
    expect(await server.call(share, { ...args, role })).toMatchObject({
      notices: [`No email was sent to ${ada}: Google Drive sends one only to people who had no access before.`],
    })
  }
  const mixed = await server.call(share, { ...args, role: 'reader', email_addresses: ['new@example.com', ada] })
  expect(String(mixed['notices'])).toMatch(new RegExp(`^No email was sent to ${ada}:`))
})

test('shares with a group as a group', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  const group = 'team-engineering@lodestar.example'
  expect(await server.call(share, { file_path_or_id: id, email_addresses: [group] })).toMatchObject({ people: [{ outcome: 'added' }] })
  expect(server.emulator.store.permissions()).toMatchObject([{ type: 'group', emailAddress: group }])
  expect(server.emulator.store.mails().length).toBe(1)
})

test('never proposes an email that the caller ruled out', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Plan' })
  const args = { file_path_or_id: id, email_addresses: ['stranger@example.com'], send_notification_email: false }
  const error = await server.fails(share, args)
  expect(error).toMatchObject({ code: 'invalid_input' })
  expect(error).not.toHaveProperty('next')
  expect(error.message).toContain('Without an email, Google Drive can only share with Google accounts.')
  expect(posts(server)).toBe(1)
  expect(await server.call(share, { ...args, send_notification_email: true })).toMatchObject({ people: [{ outcome: 'added' }] })
})

test('knows people on later pages of the permissions', async () => {
  await using server = await storage()
  const people = Array.from({ length: 130 }, (_, index) => `person${index}@example.com`)
  const id = server.emulator.addItem({ name: 'Plan', grants: people.map((address) => [address, 'reader'] as const) })
  const { people: rows } = await server.call(share, { file_path_or_id: id, email_addresses: people.slice(-2) })
  expect(rows).toMatchObject([{ outcome: 'unchanged' }, { outcome: 'unchanged' }])
  expect(posts(server)).toBe(0)
})
