import { driveError } from '@mcp-toolkits/drive-emulator'
import { runs } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { addRandomFaults, clockWithoutWaits, folderType, patchByOtherProgram, addPath, storage, textAt, type Storage } from './storage.ts'

const create = 'FileStorage.CreateFolder'

const calls = runs(500)

/** Repeats the call as its errors advise, because so many faults at once use up the retry budget that calls share. */
async function createAsErrorsSay(server: Storage, name: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return textAt(await server.call(create, { folder_name: name }), 'folder.id')
    } catch (error) {
      if (attempt === 20 || !String(error).includes(String.raw`\"retryable\":true`)) throw error
    }
  }
}

test(`${calls} calls under faults before and after commit create exactly ${calls} folders`, async () => {
  await using server = await storage({ clock: clockWithoutWaits })
  const { seed } = addRandomFaults(server.emulator)
  // A quarter of the folders have the same name as another one, but each is still created.
  const names = Array.from({ length: calls }, (_, index) => `folder ${index % (calls * 0.75)}`)
  const made = new Set<string>()
  for (let start = 0; start < names.length; start += 50) {
    for (const id of await Promise.all(names.slice(start, start + 50).map((name) => createAsErrorsSay(server, name)))) made.add(id)
  }
  expect(made.size, `seed ${seed}`).toBe(calls)
  const stored = server.emulator.store.files().filter(({ mimeType, name }) => mimeType === folderType && name.startsWith('folder '))
  expect(stored.map(({ name }) => name).sort()).toEqual(names.sort())
  // Without faults, fewer requests would be enough.
  expect(server.sent.length).toBeGreaterThan(calls * 1.2)
})

test('repeats a call without a response with the same id', async () => {
  await using server = await storage()
  server.emulator.faults.add({ match: { method: 'POST' }, times: 5, action: { kind: 'drop_after' } })
  expect(await server.fails(create, { folder_name: 'Once' })).toMatchObject({ code: 'unavailable', retryable: true })
  expect(server.emulator.store.named('Once').length).toBe(1)
  const made = await server.call(create, { folder_name: 'Once' })
  expect(server.emulator.store.named('Once').map(({ id }) => id)).toEqual([textAt(made, 'folder.id')])
  // The key is used up: the next call creates another folder.
  await server.call(create, { folder_name: 'Once' })
  expect(server.emulator.store.named('Once').length).toBe(2)
})

test('repeats a cancelled call with the same id', async () => {
  await using server = await storage()
  await server.call(create, { folder_name: 'First' })
  server.emulator.faults.add({ match: { method: 'POST' }, action: { kind: 'slow', milliseconds: 60_000 } })
  const cancellation = new AbortController()
  const call = server.client.callTool({ name: create, arguments: { folder_name: 'Once' } }, { signal: cancellation.signal })
  await expect.poll(() => server.emulator.store.named('Once').length).toBe(1)
  cancellation.abort()
  await expect(call).rejects.toThrow()
  // Immediately, before the server can have ended the first call.
  const sent = server.sent.length
  const made = await server.call(create, { folder_name: 'Once' })
  expect(server.emulator.store.named('Once').map(({ id }) => id)).toEqual([textAt(made, 'folder.id')])
  expect(server.sent.slice(sent).map((request) => request.split(' ')[0])).toEqual(['POST', 'GET'])
})

test('creates a folder again when the first one was trashed', async () => {
  await using server = await storage()
  server.emulator.faults.add({ match: { method: 'POST' }, times: 5, action: { kind: 'drop_after' } })
  await server.fails(create, { folder_name: 'Once' })
  const [lost] = server.emulator.store.named('Once')
  await patchByOtherProgram(server, lost?.id ?? '', { trashed: true })
  const made = await server.call(create, { folder_name: 'Once' })
  expect(textAt(made, 'folder.id')).not.toBe(lost?.id)
  expect(server.emulator.store.named('Once').length).toBe(2)
})

test.for(['in the trash', 'below a folder in the trash'])(
  'reports a parent %s on every attempt, and leaves nothing behind',
  async (where) => {
    await using server = await storage()
    const trashed = server.emulator.addItem({ name: 'Old', type: folderType, trashed: true })
    const parent = where === 'in the trash' ? trashed : server.emulator.addItem({ name: 'Deep', type: folderType, parent: trashed })
    const args = { folder_name: 'New', parent_folder_path_or_id: parent }
    for (let times = 0; times < 3; times += 1) {
      const error = await server.fails(create, args)
      expect(error).toMatchObject({ code: 'invalid_input', retryable: false })
      expect(error.message).toContain('is in the trash, so the item created in it was deleted.')
      expect(server.emulator.store.named('New')).toEqual([])
    }
    await patchByOtherProgram(server, trashed, { trashed: false })
    const made = await server.call(create, args)
    expect(server.emulator.store.named('New').map(({ id }) => id)).toEqual([textAt(made, 'folder.id')])
  },
)

test('distinguishes a trashed parent from a trashed folder after a call without a response', async () => {
  await using server = await storage()
  const parent = server.emulator.addItem({ name: 'Old', type: folderType })
  const args = { folder_name: 'Once', parent_folder_path_or_id: parent }
  server.emulator.faults.add({ match: { method: 'POST' }, times: 5, action: { kind: 'drop_after' } })
  await server.fails(create, args)
  await patchByOtherProgram(server, parent, { trashed: true })
  expect(await server.fails(create, args)).toMatchObject({ code: 'invalid_input' })
  expect(server.emulator.store.named('Once').length).toBe(1)
})

test('refuses a parent id that is not a folder, and follows a shortcut to one', async () => {
  await using server = await storage()
  const [, reports = '', may = ''] = addPath(server, 'Work/Reports/May.pdf')
  const [toFolder, toFile] = [reports, may].map((target, index) => server.emulator.addItem({ name: `Short ${index}`, target }))
  for (const parent of [may, toFile]) {
    const error = await server.fails(create, { folder_name: 'New', parent_folder_path_or_id: parent })
    expect(error).toMatchObject({ code: 'invalid_input', retryable: false })
    expect(error.message).toContain('not a folder')
    expect(error.next).toBeUndefined()
  }
  expect(server.emulator.store.named('New').length).toBe(0)
  const made = await server.call(create, { folder_name: 'New', parent_folder_path_or_id: toFolder })
  expect(textAt(made, 'folder.parent_id')).toBe(reports)
  expect(textAt(made, 'created_in')).toContain(reports)
})

test('does not retry a refusal that is not about the parent', async () => {
  await using server = await storage()
  server.emulator.faults.add({
    match: { method: 'POST' },
    times: 9,
    action: { kind: 'status', ...driveError(403, 'insufficientPermissions') },
  })
  expect(await server.fails(create, { folder_name: 'New' })).toMatchObject({ code: 'forbidden' })
  expect(server.sent.filter((request) => request.startsWith('POST')).length).toBe(1)
})

test('creates two folders for two equal calls, in sequence and in parallel', async () => {
  await using server = await storage()
  await server.call(create, { folder_name: 'Twin' })
  await Promise.all([server.call(create, { folder_name: 'Twin' }), server.call(create, { folder_name: 'Twin' })])
  expect(server.emulator.store.named('Twin').length).toBe(3)
})

test('accepts a path, an id, a link or a shortcut as the parent, and names it in the result', async () => {
  await using server = await storage()
  const [work = '', reports = ''] = addPath(server, 'Work/Reports/May.pdf')
  server.emulator.addItem({ name: 'Latest', target: reports })
  const parents = ['Work/Reports', '/Work/Reports/', reports, `https://drive.google.com/drive/folders/${reports}?usp=sharing`, 'Latest']
  for (const parent of parents) {
    const made = await server.call(create, { folder_name: 'Inner', parent_folder_path_or_id: parent })
    expect(textAt(made, 'folder.parent_id'), parent).toBe(reports)
    expect(textAt(made, 'created_in')).toContain(reports)
  }
  const top = await server.call(create, { folder_name: 'Top' })
  expect(textAt(top, 'created_in')).toBe('the root of My Drive')
  expect(work).not.toBe(reports)
})

test('creates a folder in the root of a shared drive without a parent', async () => {
  await using server = await storage({ emulated: {} })
  const { shared_drives: drives } = await server.call('FileStorage.WhoAmI')
  const id = textAt(drives, '0.id')
  const made = await server.call(create, { folder_name: 'New', shared_drive_id: id })
  expect(made).toMatchObject({ folder: { parent_id: id, shared_drive_id: id }, created_in: `the root of the shared drive ${id}` })
  const error = await server.fails(create, { folder_name: 'New', shared_drive_id: `${id.slice(0, -1)}B` })
  expect(error).toMatchObject({ code: 'not_found' })
  expect(error.message).toContain('No shared drive with the id')
})

test('creates nothing when a folder on the path is missing', async () => {
  await using server = await storage()
  addPath(server, 'Work/Reports/May.pdf')
  const before = server.emulator.store.files().length
  expect(await server.fails(create, { folder_name: 'New', parent_folder_path_or_id: 'Work/Report/2026' })).toMatchObject({
    code: 'not_found',
  })
  const error = await server.fails(create, { folder_name: 'New', parent_folder_path_or_id: 'Work/Reports/May.pdf' })
  expect(error).toMatchObject({ code: 'invalid_input' })
  expect(error.message).toContain('not a folder')
  expect(server.emulator.store.files().length).toBe(before)
})
