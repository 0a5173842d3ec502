import { ManualClock } from '@mcp-toolkits/core/testing'
import { withCallScope } from '@mcp-toolkits/core/tool'
import { expect, test } from 'vitest'
import type { DriveItem } from '../src/drive/items.ts'
import { RecentChanges } from '../src/drive/listings/recent-changes.ts'
import { folderType, moveByOtherProgram, patchByOtherProgram, addPath, storage, textAt, type Storage } from './storage.ts'

const rename = 'FileStorage.RenameFile'
const move = 'FileStorage.MoveFile'

const made = async (server: Storage, name: string, parent?: string) =>
  textAt(
    await server.call('FileStorage.CreateFolder', { folder_name: name, ...(parent !== undefined && { parent_folder_path_or_id: parent }) }),
    'folder.id',
  )
const fails = async (server: Storage, path: string) => (await server.fails(rename, { file_path_or_id: path, new_filename: 'never' })).code
const search = (server: Storage, folder: string) => server.call('FileStorage.SearchFiles', { query: 'x', folder_path_or_id: folder })

test.for([0, 60_000])('finds an item renamed elsewhere only by its new name, with an index that lags %i ms', async (lag) => {
  await using server = await storage()
  server.emulator.quirks.indexLag = lag
  const id = await made(server, 'New')
  await patchByOtherProgram(server, id, { name: 'Other' })
  expect(await fails(server, 'New')).toBe('not_found')
  expect(await fails(server, 'New/Inner')).toBe('not_found')
  expect(await search(server, 'Other')).toMatchObject({ searched: `directly in "Other" (${id})` })
})

test.for([0, 60_000])('does not find an item trashed elsewhere, with an index that lags %i ms', async (lag) => {
  await using server = await storage()
  server.emulator.quirks.indexLag = lag
  const id = await made(server, 'New')
  await patchByOtherProgram(server, id, { trashed: true })
  expect(await fails(server, 'New')).toBe('not_found')
})

test('does not find an item renamed in the trash', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'Old', trashed: true })
  await server.call(rename, { file_path_or_id: id, new_filename: 'Renamed' })
  expect(await fails(server, 'Renamed')).toBe('not_found')
})

test('does not find a deleted item', async () => {
  await using server = await storage()
  const id = await made(server, 'New')
  await server.emulator.fetch(`http://localhost/drive/v3/files/${id}`, {
    method: 'DELETE',
    headers: { authorization: 'Bearer test-token' },
  })
  expect(await fails(server, 'New')).toBe('not_found')
})

test('looks up only items that searches do not show yet', async () => {
  await using server = await storage()
  addPath(server, 'Work/Reports/May.pdf')
  const id = await made(server, 'New')
  await search(server, 'Work/Reports')
  const list = 'GET /drive/v3/files'
  const args = { query: 'x', folder_path_or_id: 'New' }
  expect(await server.requestsOf('FileStorage.SearchFiles', args)).toEqual([list, list])
  server.emulator.quirks.indexLag = 60_000
  expect(await server.requestsOf('FileStorage.SearchFiles', args)).toEqual([list, `${list}/${id}`, list])
})

test('finds a new name in the root at once with drive.file', async () => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const id = server.emulator.addItem({ name: 'A', type: folderType, granted: true })
  const inner = server.emulator.addItem({ name: 'Inner', type: folderType, parent: id, granted: true })
  await server.call(rename, { file_path_or_id: 'A', new_filename: 'B' })
  expect(await search(server, 'B')).toMatchObject({ searched: `directly in "B" (${id})` })
  expect(await search(server, 'B/Inner')).toMatchObject({ searched: `directly in "Inner" (${inner})` })
  expect(await fails(server, 'A')).toBe('not_found')
})

test('finds a folder created in the root and renamed with drive.file although searches do not see it yet', async () => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  server.emulator.quirks.indexLag = 60_000
  const id = await made(server, 'A')
  await server.call(rename, { file_path_or_id: 'A', new_filename: 'B' })
  expect(await search(server, 'B')).toMatchObject({ searched: `directly in "B" (${id})` })
  const inner = await made(server, 'Inner', 'B')
  expect(await search(server, 'B/Inner')).toMatchObject({ searched: `directly in "Inner" (${inner})` })
})

test('does not look for an item moved elsewhere where it was created', async () => {
  await using server = await storage()
  const work = server.emulator.addItem({ name: 'Work', type: folderType })
  const archive = server.emulator.addItem({ name: 'Archive', type: folderType })
  server.emulator.quirks.indexLag = 60_000
  const id = await made(server, 'New', work)
  await moveByOtherProgram(server, id, { from: work, into: archive })
  expect(await fails(server, 'Work/New')).toBe('not_found')
  server.emulator.quirks.indexLag = 0
  expect(await search(server, 'Archive/New')).toMatchObject({ searched: `directly in "New" (${id})` })
  expect(await server.call(move, { source_file_path_or_id: 'Archive/New', destination_folder_path_or_id: 'root' })).toMatchObject({
    previous_parent_id: archive,
  })
})

test('prefers the later version of a row and a recorded change', async () => {
  const row = { id: 'id', name: 'Row', mimeType: folderType, parents: ['top'], version: '9' }
  const found = async (noted: Partial<DriveItem>) => {
    const clock = new ManualClock()
    const changes = new RecentChanges(clock)
    const isSought = ({ name }: DriveItem) => name !== 'Elsewhere'
    const fetch = () => Promise.reject(new Error('The row was found.'))
    const merged = await withCallScope({ clock }, async (scope) => {
      await changes.record({ item: { ...row, ...noted } }, scope)
      return changes.applyTo([row], { matches: isSought, fetch }, scope)
    })
    return merged.map(({ name }) => name)
  }
  expect(await found({ name: 'Noted', version: '8' })).toEqual(['Row'])
  expect(await found({ name: 'Noted', version: '10' })).toEqual(['Noted'])
  expect(await found({ name: 'Elsewhere', version: '10' })).toEqual([])
  expect(await found({ trashed: true, version: '10' })).toEqual([])
})
