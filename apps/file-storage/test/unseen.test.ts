import { expect, test } from 'vitest'
import { folderType, plantPath, storage, textAt } from './storage.ts'

const rename = 'FileStorage.RenameFile'
const search = 'FileStorage.SearchFiles'
const list = 'GET /drive/v3/files'

test('a shortcut to a folder that is gone ends a path, and the error says so', async () => {
  await using server = await storage()
  const gone = server.emulator.plant({ name: 'Gone', type: folderType })
  server.emulator.plant({ name: 'Short', target: gone })
  await server.emulator.fetch(`http://localhost/drive/v3/files/${gone}`, {
    method: 'DELETE',
    headers: { authorization: 'Bearer test-token' },
  })
  const error = await server.fails(rename, { file_path_or_id: 'Short/Sub', new_filename: 'x' })
  expect(error).toMatchObject({ code: 'not_found' })
  expect(error.message).toContain('"Short" is a shortcut, and what it leads to is gone or cannot be seen.')
})

test('under drive.file a shortcut to a folder that was not granted does not hide the folder beside it', async () => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const hidden = server.emulator.plant({ name: 'Hidden', type: folderType })
  server.emulator.plant({ name: 'Work', key: 'short', target: hidden, granted: true })
  const work = server.emulator.plant({ name: 'Work', type: folderType, granted: true })
  const sub = server.emulator.plant({ name: 'Sub', type: folderType, parent: work, granted: true })
  expect(await server.call(search, { query: 'x', folder_path_or_id: 'Work/Sub' })).toMatchObject({
    searched: `directly in "Sub" (${sub})`,
  })
  const error = await server.fails(rename, { file_path_or_id: 'Work/Other', new_filename: 'x' })
  expect(error.message).toContain('The path goes as far as "Work"; in it there is no "Other"')
})

test('a path in a shared drive that is not there says so', async () => {
  await using server = await storage({ emulated: {} })
  const id = textAt((await server.call('FileStorage.WhoAmI'))['shared_drives'], '0.id')
  const args = { new_filename: 'x', shared_drive_id: `${id.slice(0, -1)}B` }
  for (const path of ['Work', 'Work/Reports']) {
    const error = await server.fails(rename, { file_path_or_id: path, ...args })
    expect(error).toMatchObject({ code: 'not_found' })
    expect(error.message).toContain('No shared drive with the id')
  }
})

test('a path that a search says it did not look for everywhere is found folder by folder, or not told at all', async () => {
  await using server = await storage()
  plantPath(server, 'Work/Reports/May.pdf')
  server.emulator.quirks.incompleteSearch = true
  const error = await server.fails(rename, { file_path_or_id: 'Work/Reports/May.pdf', new_filename: 'x' })
  expect(error).toMatchObject({ code: 'unavailable', retryable: true })
  expect(error.message).toContain('could not search everything just now')
  expect(server.sent.filter((request) => request === list).length).toBe(2)
  expect(server.emulator.store.mutations()).toEqual([])
})

test('a search over everything that is incomplete is not relied on', async () => {
  let searches = 0
  await using server = await storage({
    seen: ({ url }) => {
      if (!url.includes('/drive/v3/files?')) return
      searches += 1
      server.emulator.quirks.incompleteSearch = searches === 1
    },
  })
  const [, , may = ''] = plantPath(server, 'Work/Reports/May.pdf')
  expect(await server.call(rename, { file_path_or_id: 'Work/Reports/May.pdf', new_filename: 'x' })).toMatchObject({ item: { id: may } })
  expect(searches).toBe(4)
})

test('three first paths at once ask for the top once', async () => {
  await using server = await storage()
  plantPath(server, 'Work/Reports/May.pdf')
  const calls = Array.from({ length: 3 }, () => server.call(search, { query: 'x', folder_path_or_id: 'Work/Reports' }))
  await Promise.all(calls)
  expect(server.sent.filter((request) => request === `${list}/root`).length).toBe(1)
})

test('a caller that gives up does not take the answer from another one', async () => {
  await using server = await storage()
  plantPath(server, 'Work/Reports/May.pdf')
  server.emulator.faults.add({ match: { path: '/drive/v3/files/root' }, action: { kind: 'hang' } })
  const giveUp = new AbortController()
  const args = { query: 'x', folder_path_or_id: 'Work/Reports' }
  const first = server.client.callTool({ name: search, arguments: args }, { signal: giveUp.signal })
  await expect.poll(() => server.sent).toContain(`${list}/root`)
  const second = server.call(search, args)
  await expect.poll(() => server.sent.filter((request) => request === list).length).toBe(2)
  giveUp.abort()
  await expect(first).rejects.toThrow()
  expect(await second).toHaveProperty('files')
  expect(server.sent.filter((request) => request === `${list}/root`).length).toBe(2)
})

test('names that do not fit into one search are asked for in several, and the longest by listing the folder', async () => {
  const lengths: number[] = []
  await using server = await storage({ seen: ({ url }) => lengths.push(url.length) })
  for (const letter of ['x', 'ä']) {
    const names = Array.from({ length: 12 }, (_, index) => `${index}`.padStart(300, letter))
    const ids = plantPath(server, names.join('/'))
    expect(await server.call(rename, { file_path_or_id: names.join('/'), new_filename: 'x' })).toMatchObject({ item: { id: ids.at(-1) } })
  }
  expect(Math.max(...lengths)).toBeLessThan(8_000)
})
