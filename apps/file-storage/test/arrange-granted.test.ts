import { expect, test } from 'vitest'
import { folderType, storage, type Storage } from './storage.ts'

const move = 'FileStorage.MoveFile'
const granted = { emulated: { seed: 'empty', scopes: ['drive.file'] } } as const

const fileOf = ({ emulator }: Storage, id: string) => emulator.store.files().find((file) => file.id === id)

test.for(['by ids', 'by paths'])('moves an item out of a root that cannot be read %s', async (how) => {
  await using server = await storage(granted)
  const plan = server.emulator.addItem({ name: 'Plan', granted: true })
  const archive = server.emulator.addItem({ name: 'Archive', type: folderType, granted: true })
  const [source, destination] = how === 'by ids' ? [plan, archive] : ['Plan', 'Archive']
  const args = { source_file_path_or_id: source, destination_folder_path_or_id: destination }
  expect(await server.call(move, { ...args, new_filename: 'Old plan' })).toMatchObject({ moved: true, item: { parent_id: archive } })
  expect(fileOf(server, plan)).toMatchObject({ parentId: archive, name: 'Old plan' })
})

test('only renames an item that is already in a root that cannot be read', async () => {
  await using server = await storage(granted)
  const plan = server.emulator.addItem({ name: 'Plan', granted: true })
  const args = { source_file_path_or_id: plan, destination_folder_path_or_id: 'root' }
  expect(await server.call(move, args)).toMatchObject({ moved: false, item: { name: 'Plan' } })
  expect(await server.call(move, { ...args, new_filename: 'New plan' })).toMatchObject({ moved: false, item: { name: 'New plan' } })
  expect(fileOf(server, plan)?.name).toBe('New plan')
})

test('moves what the person owns out of a folder that the app cannot see', async () => {
  await using server = await storage(granted)
  const hidden = server.emulator.addItem({ name: 'Hidden', type: folderType })
  const plan = server.emulator.addItem({ name: 'Plan', parent: hidden, granted: true })
  const archive = server.emulator.addItem({ name: 'Archive', type: folderType, granted: true })
  await server.call(move, { source_file_path_or_id: plan, destination_folder_path_or_id: archive })
  expect(fileOf(server, plan)?.parentId).toBe(archive)
})

test('refuses to move the item of another person out of a folder that the app cannot see, and says why', async () => {
  await using server = await storage(granted)
  const owner = 'priya.nair@lodestar.example'
  const hidden = server.emulator.addItem({ name: 'Hidden', type: folderType, parent: null, owner })
  const grants = [['robin.vance@lodestar.example', 'writer']] as const
  const plan = server.emulator.addItem({ name: 'Plan', parent: hidden, owner, grants, granted: true })
  const archive = server.emulator.addItem({ name: 'Archive', type: folderType, granted: true })
  for (const destination of [archive, 'root']) {
    const error = await server.fails(move, { source_file_path_or_id: plan, destination_folder_path_or_id: destination })
    expect(error).toMatchObject({ code: 'forbidden', next: { tool: 'FileStorage_GenerateFilePickerUrl' } })
    expect(error.message).toContain('its current folder is not visible to this app')
  }
  expect(fileOf(server, plan)?.parentId).toBe(hidden)
})
