import { expect, test } from 'vitest'
import { folderType, addPath, storage, textAt } from './storage.ts'

const rename = 'FileStorage.RenameFile'
const list = 'GET /drive/v3/files'

test.for([
  ['an id', (id: string) => id],
  ['a link to a file', (id: string) => `https://drive.google.com/file/d/${id}/view?usp=sharing`],
  ['a link of the old kind', (id: string) => `https://drive.google.com/open?id=${id}`],
  ['a link without its scheme', (id: string) => `drive.google.com/file/d/${id}`],
  ['a link to a document', (id: string) => `https://docs.google.com/document/d/${id}/edit#heading=h.1`],
] as const)('uses %s without a look-up', async ([, written]) => {
  await using server = await storage()
  const [, , id = ''] = addPath(server, 'Work/Reports/May.pdf')
  expect(await server.requestsOf(rename, { file_path_or_id: written(id), new_filename: 'June.pdf' })).toEqual([
    `PATCH ${list.slice(4)}/${id}`,
    list,
  ])
})

test.for(['https://example.com/file/d/1aaaaaaaaaaaaaaaaaaaaaaaaaaa/view', 'https://drive.google.com/file/d/trash/view'])(
  'rejects %s as a link to an item',
  async (link) => {
    await using server = await storage()
    expect(await server.fails(rename, { file_path_or_id: link, new_filename: 'x' })).toMatchObject({ code: 'invalid_input' })
    expect(server.sent).toEqual([])
  },
)

test.for([
  ['..', 'not_found'],
  ['trash', 'invalid_input'],
  ['generateIds', 'not_found'],
  ['generateCseToken', 'not_found'],
] as const)('takes %s as a name, never as an endpoint', async ([name, code]) => {
  await using server = await storage()
  expect(await server.fails(rename, { file_path_or_id: name, new_filename: 'x' })).toMatchObject({ code })
  expect(new Set(server.sent)).toEqual(new Set([list, 'GET /drive/v3/drives']))
  const id = server.emulator.addItem({ name })
  expect(await server.call(rename, { file_path_or_id: name, new_filename: 'x' })).toMatchObject({ item: { id }, previous_name: name })
})

test.for(['..', '.', 'trash', 'generateIds', 'a/b', 'short'])(
  'takes %s as the name of a shared drive, never as an endpoint',
  async (drive) => {
    await using server = await storage()
    const error = await server.fails('FileStorage.SearchFiles', { query: 'x', shared_drive_id: drive })
    expect(error).toMatchObject({ code: 'not_found' })
    expect(server.sent).toEqual(['GET /drive/v3/drives'])
  },
)

test('finds a name in the form of an id, first as a name if it has no digit', async () => {
  await using server = await storage()
  server.emulator.addItem({ name: 'quarterly-reports', key: 'first' })
  server.emulator.addItem({ name: 'quarterly-reports-2026', key: 'second' })
  const renamed = (name: string) => server.requestsOf(rename, { file_path_or_id: name, new_filename: 'x' })
  expect((await renamed('quarterly-reports')).length).toBe(2)
  expect((await renamed('quarterly-reports-2026')).length).toBe(3)
})

test('reports an unknown id and that no name matches either', async () => {
  await using server = await storage()
  const error = await server.fails(rename, { file_path_or_id: '1aBcDeFgHiJkLmNoPqRsTuVwXyZ123456', new_filename: 'x' })
  expect(error.code).toBe('not_found')
  expect(error.message).toBe(
    'No item has the id "1aBcDeFgHiJkLmNoPqRsTuVwXyZ123456", or this app has no access to it; nothing in the root of My Drive has that name either. To find the item by name, use FileStorage_SearchFiles.',
  )
})

test('suggests the nearest names for a misspelt name in the form of an id', async () => {
  await using server = await storage()
  const id = server.emulator.addItem({ name: 'quarterly-reports-2026' })
  const error = await server.fails(rename, { file_path_or_id: 'quarterly-reports-2025', new_filename: 'x' })
  expect(error.message).toContain('No item has the id "quarterly-reports-2025"')
  expect(error.suggestions).toMatchObject([{ value: 'quarterly-reports-2026', id }])
})

test.for(['Work/\ud83d', 'half \udc00 of it'])('refuses text with a lone surrogate before sending anything', async (text) => {
  await using server = await storage()
  const calls = [
    server.fails(rename, { file_path_or_id: text, new_filename: 'x' }),
    server.fails(rename, { file_path_or_id: 'Work', new_filename: text }),
    server.fails('FileStorage.CreateFolder', { folder_name: 'x', parent_folder_path_or_id: text }),
    server.fails('FileStorage.SearchFiles', { query: text }),
  ]
  for (const error of await Promise.all(calls)) {
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(error.message).toContain('half of a surrogate pair')
  }
  expect(server.sent).toEqual([])
})

test('refuses a path with hundreds of slashes before sending anything', async () => {
  await using server = await storage()
  const error = await server.fails(rename, { file_path_or_id: `${'/'.repeat(1_500)}a`, new_filename: 'x' })
  expect(error).toMatchObject({ code: 'invalid_input' })
  expect(server.sent).toEqual([])
})

test('starts a path at the root of the shared drive', async () => {
  await using server = await storage({ emulated: {} })
  const { shared_drives: drives } = await server.call('FileStorage.WhoAmI')
  const id = textAt(drives, '0.id')
  const folder = textAt(await server.call('FileStorage.CreateFolder', { folder_name: 'Deep', shared_drive_id: id }), 'folder.id')
  const file = server.emulator.addItem({ name: 'inside.txt', parent: folder })
  const args = { file_path_or_id: 'Deep/inside.txt', new_filename: 'renamed.txt' }
  expect(await server.fails(rename, args)).toMatchObject({ code: 'not_found' })
  expect(await server.requestsOf(rename, { ...args, shared_drive_id: id })).toEqual([list, `PATCH ${list.slice(4)}/${file}`])
})

test('follows a shortcut within a path and returns one at its end', async () => {
  await using server = await storage()
  const [work = '', reports = '', may = ''] = addPath(server, 'Work/Reports/May.pdf')
  const short = server.emulator.addItem({ name: 'Short', target: reports })
  expect(work).not.toBe('')
  expect(await server.call(rename, { file_path_or_id: 'Short/May.pdf', new_filename: 'June.pdf' })).toMatchObject({ item: { id: may } })
  expect(await server.call(rename, { file_path_or_id: 'Short', new_filename: 'Long' })).toMatchObject({ item: { id: short } })
})

test('finds, folder by folder, items that searches leave out', async () => {
  await using server = await storage()
  const [, , may] = addPath(server, 'Work/Reports/May.pdf')
  for (let index = 0; index < 1_001; index += 1) server.emulator.addItem({ name: 'Reports', key: `twin ${index}`, type: folderType })
  expect(await server.call(rename, { file_path_or_id: 'Work/Reports/May.pdf', new_filename: 'x' })).toMatchObject({ item: { id: may } })
})

test('with drive.file, starts paths at the items that the app can see: two parallel searches, then one', async () => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const work = textAt(await server.call('FileStorage.CreateFolder', { folder_name: 'Work' }), 'folder.id')
  const inner = await server.call('FileStorage.CreateFolder', { folder_name: 'Reports', parent_folder_path_or_id: work })
  server.emulator.addItem({ name: 'Hidden', type: folderType })
  const found = await server.call(rename, { file_path_or_id: 'Work/Reports', new_filename: 'Results' })
  expect(found).toMatchObject({ item: { id: textAt(inner, 'folder.id') } })
  expect((await server.requestsOf(rename, { file_path_or_id: 'Work/Results', new_filename: 'Reports' })).length).toBeLessThanOrEqual(3)
  expect(await server.fails(rename, { file_path_or_id: 'Hidden', new_filename: 'x' })).toMatchObject({ code: 'not_found' })
})

test('lists the possible meanings of an ambiguous path and changes nothing', async () => {
  await using server = await storage()
  const ids = ['one', 'two'].map((key) => server.emulator.addItem({ name: 'Twin', key }))
  const error = await server.fails(rename, { file_path_or_id: 'Twin', new_filename: 'x' })
  expect(error.code).toBe('ambiguous')
  expect(error.suggestions?.map(({ id }) => id).sort()).toEqual(ids.sort())
  expect(server.emulator.store.named('Twin').length).toBe(2)
})

test('finds items just created, renamed or moved even if searches do not show them yet', async () => {
  await using server = await storage()
  const create = 'FileStorage.CreateFolder'
  server.emulator.quirks.indexLag = 60_000
  const work = textAt(await server.call(create, { folder_name: 'Work' }), 'folder.id')
  const inner = await server.call(create, { folder_name: 'Inner', parent_folder_path_or_id: 'Work' })
  expect(inner).toMatchObject({ folder: { parent_id: work } })
  await server.call(rename, { file_path_or_id: 'Work/Inner', new_filename: 'Renamed' })
  expect(await server.fails(rename, { file_path_or_id: 'Work/Inner', new_filename: 'x' })).toMatchObject({ code: 'not_found' })
  await server.call('FileStorage.MoveFile', { source_file_path_or_id: 'Work/Renamed', destination_folder_path_or_id: 'root' })
  expect(await server.fails(rename, { file_path_or_id: 'Work/Renamed', new_filename: 'x' })).toMatchObject({ code: 'not_found' })
  expect(await server.call(rename, { file_path_or_id: 'Renamed', new_filename: 'Last' })).toMatchObject({
    item: { id: textAt(inner, 'folder.id') },
  })
})

test('reports a path as ambiguous after creating a second item with that name', async () => {
  await using server = await storage()
  server.emulator.addItem({ name: 'Twin', type: folderType })
  server.emulator.quirks.indexLag = 60_000
  await server.call('FileStorage.CreateFolder', { folder_name: 'Twin' })
  expect(await server.fails(rename, { file_path_or_id: 'Twin', new_filename: 'x' })).toMatchObject({ code: 'ambiguous' })
})

test('reaches an item that needs a resource key by its link, and by its id afterwards', async () => {
  await using server = await storage({ emulated: {} })
  const owned = { parent: null, owner: 'grace.kim@studio-kim.example', resourceKey: '0-key_Of-This' } as const
  const id = server.emulator.addItem({ name: 'Old', ...owned, grants: [['anyone', 'writer']] })
  expect(await server.fails(rename, { file_path_or_id: id, new_filename: 'x' })).toMatchObject({ code: 'not_found' })
  const link = `https://drive.google.com/file/d/${id}/view?usp=sharing&resourcekey=0-key_Of-This`
  expect(await server.call(rename, { file_path_or_id: link, new_filename: 'New' })).toMatchObject({ item: { id, name: 'New' } })
  expect(await server.call(rename, { file_path_or_id: id, new_filename: 'Newer' })).toMatchObject({ item: { id } })
})

test('reaches the target of a shortcut with the resource key in the shortcut', async () => {
  await using server = await storage({ emulated: {} })
  const owned = { parent: null, owner: 'grace.kim@studio-kim.example', resourceKey: '0-key_Of-This' } as const
  const grants = [['anyone', 'writer']] as const
  const folder = server.emulator.addItem({ name: 'Theirs', type: folderType, ...owned, grants })
  server.emulator.addItem({ name: 'Short', target: folder })
  const args = { folder_name: 'New', parent_folder_path_or_id: 'Short' }
  expect(await server.call('FileStorage.CreateFolder', args)).toMatchObject({ folder: { parent_id: folder } })
})
