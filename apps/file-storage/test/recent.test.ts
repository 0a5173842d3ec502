import { ManualClock } from '@mcp-toolkits/core/manual-clock'
import { expect, test } from 'vitest'
import type { DriveItem } from '../src/drive/items.ts'
import { RecentChanges } from '../src/drive/paths.ts'
import { folderType, moveElsewhere, patch, plantPath, storage, textAt, type Storage } from './storage.ts'

const rename = 'FileStorage.RenameFile'
const move = 'FileStorage.MoveFile'

const made = async (server: Storage, name: string, parent?: string) =>
  textAt(
    await server.call('FileStorage.CreateFolder', { folder_name: name, ...(parent !== undefined && { parent_folder_path_or_id: parent }) }),
    'folder.id',
  )
const fails = async (server: Storage, path: string) => (await server.fails(rename, { file_path_or_id: path, new_filename: 'never' })).code
const search = (server: Storage, folder: string) => server.call('FileStorage.SearchFiles', { query: 'x', folder_path_or_id: folder })

test.for([0, 60_000])('what was renamed by hand has its new name alone, with an index %i ms behind', async (lag) => {
  await using server = await storage()
  server.emulator.quirks.indexLag = lag
  const id = await made(server, 'New')
  await patch(server, id, { name: 'Other' })
  expect(await fails(server, 'New')).toBe('not_found')
  expect(await fails(server, 'New/Inner')).toBe('not_found')
  expect(await search(server, 'Other')).toMatchObject({ searched: `directly in "Other" (${id})` })
})

test.for([0, 60_000])('what was thrown away by hand is not found, with an index %i ms behind', async (lag) => {
  await using server = await storage()
  server.emulator.quirks.indexLag = lag
  const id = await made(server, 'New')
  await patch(server, id, { trashed: true })
  expect(await fails(server, 'New')).toBe('not_found')
})

test('what is renamed in the trash is not found', async () => {
  await using server = await storage()
  const id = server.emulator.plant({ name: 'Old', trashed: true })
  await server.call(rename, { file_path_or_id: id, new_filename: 'Renamed' })
  expect(await fails(server, 'Renamed')).toBe('not_found')
})

test('what is gone altogether is not found', async () => {
  await using server = await storage()
  const id = await made(server, 'New')
  await server.emulator.fetch(`http://localhost/drive/v3/files/${id}`, {
    method: 'DELETE',
    headers: { authorization: 'Bearer test-token' },
  })
  expect(await fails(server, 'New')).toBe('not_found')
})

test('only what memory alone gives is looked up', async () => {
  await using server = await storage()
  plantPath(server, 'Work/Reports/May.pdf')
  const id = await made(server, 'New')
  await search(server, 'Work/Reports')
  const list = 'GET /drive/v3/files'
  const args = { query: 'x', folder_path_or_id: 'New' }
  expect(await server.requestsOf('FileStorage.SearchFiles', args)).toEqual([list, list])
  server.emulator.quirks.indexLag = 60_000
  expect(await server.requestsOf('FileStorage.SearchFiles', args)).toEqual([list, `${list}/${id}`, list])
})

test('under drive.file a new name at the top is found at once', async () => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const id = server.emulator.plant({ name: 'A', type: folderType, granted: true })
  const inner = server.emulator.plant({ name: 'Inner', type: folderType, parent: id, granted: true })
  await server.call(rename, { file_path_or_id: 'A', new_filename: 'B' })
  expect(await search(server, 'B')).toMatchObject({ searched: `directly in "B" (${id})` })
  expect(await search(server, 'B/Inner')).toMatchObject({ searched: `directly in "Inner" (${inner})` })
  expect(await fails(server, 'A')).toBe('not_found')
})

test('under drive.file a folder that was made at the top and renamed is found although searches do not see it yet', async () => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  server.emulator.quirks.indexLag = 60_000
  const id = await made(server, 'A')
  await server.call(rename, { file_path_or_id: 'A', new_filename: 'B' })
  expect(await search(server, 'B')).toMatchObject({ searched: `directly in "B" (${id})` })
  const inner = await made(server, 'Inner', 'B')
  expect(await search(server, 'B/Inner')).toMatchObject({ searched: `directly in "Inner" (${inner})` })
})

test('what was moved by hand is not looked for where it was made', async () => {
  await using server = await storage()
  const work = server.emulator.plant({ name: 'Work', type: folderType })
  const archive = server.emulator.plant({ name: 'Archive', type: folderType })
  server.emulator.quirks.indexLag = 60_000
  const id = await made(server, 'New', work)
  await moveElsewhere(server, id, { from: work, into: archive })
  expect(await fails(server, 'Work/New')).toBe('not_found')
  server.emulator.quirks.indexLag = 0
  expect(await search(server, 'Archive/New')).toMatchObject({ searched: `directly in "New" (${id})` })
  expect(await server.call(move, { source_file_path_or_id: 'Archive/New', destination_folder_path_or_id: 'root' })).toMatchObject({
    previous_parent_id: archive,
  })
})

test('of a row and what was noted the later version counts', async () => {
  const row = { id: 'id', name: 'Row', mimeType: folderType, parents: ['top'], version: '9' }
  const found = async (noted: Partial<DriveItem>) => {
    const changes = new RecentChanges(new ManualClock())
    changes.record({ ...row, ...noted })
    const isSought = ({ name }: DriveItem) => name !== 'Elsewhere'
    const merged = await changes.applyTo([row], { matches: isSought, fetch: () => Promise.reject(new Error('The row was found.')) })
    return merged.map(({ name }) => name)
  }
  expect(await found({ name: 'Noted', version: '8' })).toEqual(['Row'])
  expect(await found({ name: 'Noted', version: '10' })).toEqual(['Noted'])
  expect(await found({ name: 'Elsewhere', version: '10' })).toEqual([])
  expect(await found({ trashed: true, version: '10' })).toEqual([])
})
