import { expect, test } from 'vitest'
import { folderType, addPath, storage, textAt } from './storage.ts'

const rename = 'FileStorage.RenameFile'
const search = 'FileStorage.SearchFiles'
const list = 'GET /drive/v3/files'

test('reports that a path ends at a shortcut to a deleted folder', async () => {
  await using server = await storage()
  const gone = server.emulator.addItem({ name: 'Gone', type: folderType })
  server.emulator.addItem({ name: 'Short', target: gone })
  await server.emulator.fetch(`http://localhost/drive/v3/files/${gone}`, {
    method: 'DELETE',
    headers: { authorization: 'Bearer test-token' },
  })
  const error = await server.fails(rename, { file_path_or_id: 'Short/Sub', new_filename: 'x' })
  expect(error).toMatchObject({ code: 'not_found' })
  expect(error.message).toContain('"Short" is a shortcut whose target is gone or not visible.')
})

test('finds a folder next to a shortcut to one that was not granted with drive.file', async () => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const hidden = server.emulator.addItem({ name: 'Hidden', type: folderType })
  server.emulator.addItem({ name: 'Work', key: 'short', target: hidden, granted: true })
  const work = server.emulator.addItem({ name: 'Work', type: folderType, granted: true })
  const sub = server.emulator.addItem({ name: 'Sub', type: folderType, parent: work, granted: true })
  expect(await server.call(search, { query: 'x', folder_path_or_id: 'Work/Sub' })).toMatchObject({
    searched: `directly in "Sub" (${sub})`,
  })
  const error = await server.fails(rename, { file_path_or_id: 'Work/Other', new_filename: 'x' })
  expect(error.message).toContain('"Work" exists, but contains no "Other"')
})

test('reports an unknown shared drive', async () => {
  await using server = await storage({ emulated: {} })
  const id = textAt((await server.call('FileStorage.WhoAmI'))['shared_drives'], '0.id')
  const args = { new_filename: 'x', shared_drive_id: `${id.slice(0, -1)}B` }
  for (const path of ['Work', 'Work/Reports']) {
    const error = await server.fails(rename, { file_path_or_id: path, ...args })
    expect(error).toMatchObject({ code: 'not_found' })
    expect(error.message).toContain('No shared drive with the id')
  }
})

test('resolves a path folder by folder after an incomplete search, or fails', async () => {
  await using server = await storage()
  addPath(server, 'Work/Reports/May.pdf')
  server.emulator.quirks.incompleteSearch = true
  const error = await server.fails(rename, { file_path_or_id: 'Work/Reports/May.pdf', new_filename: 'x' })
  expect(error).toMatchObject({ code: 'unavailable', retryable: true })
  expect(error.message).toContain('could not search everything just now')
  expect(server.sent.filter((request) => request === list).length).toBe(2)
  expect(server.emulator.store.mutations()).toEqual([])
})

test('does not rely on an incomplete search', async () => {
  let searches = 0
  await using server = await storage({
    seen: ({ url }) => {
      if (!url.includes('/drive/v3/files?')) return
      searches += 1
      server.emulator.quirks.incompleteSearch = searches === 1
    },
  })
  const [, , may = ''] = addPath(server, 'Work/Reports/May.pdf')
  expect(await server.call(rename, { file_path_or_id: 'Work/Reports/May.pdf', new_filename: 'x' })).toMatchObject({ item: { id: may } })
  expect(searches).toBe(4)
})

test('requests the root once for three parallel paths', async () => {
  await using server = await storage()
  addPath(server, 'Work/Reports/May.pdf')
  const calls = Array.from({ length: 3 }, () => server.call(search, { query: 'x', folder_path_or_id: 'Work/Reports' }))
  await Promise.all(calls)
  expect(server.sent.filter((request) => request === `${list}/root`).length).toBe(1)
})

test('does not cancel a shared request when one caller gives up', async () => {
  await using server = await storage()
  addPath(server, 'Work/Reports/May.pdf')
  server.emulator.faults.add({ match: { path: '/drive/v3/files/root' }, action: { kind: 'hang' } })
  const cancellation = new AbortController()
  const args = { query: 'x', folder_path_or_id: 'Work/Reports' }
  const first = server.client.callTool({ name: search, arguments: args }, { signal: cancellation.signal })
  await expect.poll(() => server.sent).toContain(`${list}/root`)
  const second = server.call(search, args)
  await expect.poll(() => server.sent.filter((request) => request === list).length).toBe(2)
  cancellation.abort()
  await expect(first).rejects.toThrow()
  expect(await second).toHaveProperty('files')
  expect(server.sent.filter((request) => request === `${list}/root`).length).toBe(2)
})

test('divides names among several searches, and lists the folder for one that is too long', async () => {
  const lengths: number[] = []
  await using server = await storage({ seen: ({ url }) => lengths.push(url.length) })
  for (const letter of ['x', 'ä']) {
    const names = Array.from({ length: 12 }, (_, index) => `${index}`.padStart(300, letter))
    const ids = addPath(server, names.join('/'))
    expect(await server.call(rename, { file_path_or_id: names.join('/'), new_filename: 'x' })).toMatchObject({ item: { id: ids.at(-1) } })
  }
  expect(Math.max(...lengths)).toBeLessThan(8_000)
})
