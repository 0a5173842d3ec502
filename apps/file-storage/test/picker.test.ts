import { expect, test } from 'vitest'
import { storage } from './storage.ts'

const picker = 'FileStorage_GenerateFilePickerUrl'
const unknown = '1aBcDeFgHiJkLmNoPqRsTuVwXyZ123456'

/** Calls that find nothing, in every way in which a call can look for an item. */
const calls: readonly (readonly [what: string, tool: string, args: Record<string, unknown>])[] = [
  ['a path', 'RenameFile', { file_path_or_id: 'Work/May.pdf', new_filename: 'x' }],
  ['a name', 'ShareFile', { file_path_or_id: 'nothing', email_addresses: ['ada@example.com'] }],
  ['an id', 'ShareFile', { file_path_or_id: unknown, email_addresses: ['ada@example.com'] }],
  ['a link', 'RenameFile', { file_path_or_id: `https://drive.google.com/file/d/${unknown}/view`, new_filename: 'x' }],
  ['a parent', 'CreateFolder', { folder_name: 'x', parent_folder_path_or_id: unknown }],
  ['a folder to search', 'SearchFiles', { query: 'x', folder_path_or_id: unknown }],
  ['two paths', 'MoveFile', { source_file_path_or_id: 'a/b', destination_folder_path_or_id: 'c/d' }],
  ['two ids', 'MoveFile', { source_file_path_or_id: unknown, destination_folder_path_or_id: 'c/d' }],
]

test.for(calls)('%s that may exist but be hidden points to the file picker', async ([, tool, args]) => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const error = await server.fails(`FileStorage.${tool}`, args)
  expect(error).toMatchObject({ code: 'not_found', next: { tool: picker } })
  expect(error.message).toContain(picker)
})

test.for(calls)('%s does not point to the file picker if everything is visible', async ([, tool, args]) => {
  await using server = await storage()
  await server.call('FileStorage.WhoAmI')
  const error = await server.fails(`FileStorage.${tool}`, args)
  expect(error.code).toBe('not_found')
  expect(JSON.stringify(error)).not.toContain(picker)
})

test('a shared drive that is missing points to the list of them', async () => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const error = await server.fails('FileStorage.GetFileTreeStructure', { restrict_to_shared_drive_id: unknown })
  expect(error).toMatchObject({ code: 'not_found', next: { tool: 'FileStorage_WhoAmI' } })
})
