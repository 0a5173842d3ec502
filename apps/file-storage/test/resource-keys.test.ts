import { expect, test } from 'vitest'
import { folderType, storage } from './storage.ts'

test.for(['path', 'id'])('uses the resource key of a shortcut passed by %s to reach its target', async (by) => {
  await using server = await storage()
  const owner = 'grace.kim@studio-kim.example'
  const grants = [['anyone', 'writer']] as const
  const folder = server.emulator.addItem({ name: 'Old', type: folderType, parent: null, owner, grants, resourceKey: '0-key' })
  const shortcut = server.emulator.addItem({ name: 'Short', target: folder })
  const source = server.emulator.addItem({ name: 'Plan' })
  const straight = { source_file_path_or_id: source, destination_folder_path_or_id: folder }
  expect(await server.fails('FileStorage.MoveFile', straight)).toMatchObject({ code: 'not_found' })
  const args = { source_file_path_or_id: source, destination_folder_path_or_id: by === 'id' ? shortcut : 'Short' }
  expect(await server.call('FileStorage.MoveFile', args)).toMatchObject({ moved: true, item: { parent_id: folder } })
})
