import { expect, test } from 'vitest'
import { TreeBuilder } from '../src/drive/listings/tree.ts'
import { folderType, addPath, storage, textAt } from './storage.ts'

const tree = 'FileStorage.GetFileTreeStructure'

test('nests items in their folders in the order of the listing', async () => {
  await using server = await storage()
  const [work = '', reports = '', may = ''] = addPath(server, 'Work/Reports/May.pdf')
  const short = server.emulator.addItem({ name: 'Short', target: work, days: 1 })
  const { drives, ...rest } = await server.call(tree, { order_by: ['folder', 'name'] })
  expect(drives).toEqual([
    {
      name: 'My Drive',
      id: server.emulator.store.files().find(({ id }) => id === work)?.parentId,
      items: [
        {
          id: work,
          name: 'Work',
          kind: 'folder',
          children: [{ id: reports, name: 'Reports', kind: 'folder', children: [{ id: may, name: 'May.pdf' }] }],
        },
        { id: short, name: 'Short', kind: 'shortcut', target_id: work },
      ],
    },
  ])
  expect(rest).toEqual({ unplaced: [], item_count: 4, pagination: { has_more: false, end_cursor: null } })
})

test('lists items shared by others as unplaced, never in the root', async () => {
  await using server = await storage()
  const owner = 'ada.okafor@lodestar.example'
  const grants = [['robin.vance@lodestar.example', 'reader']] as const
  const folder = server.emulator.addItem({ name: 'Theirs', parent: null, type: folderType, owner, grants })
  const inside = server.emulator.addItem({ name: 'Inside', parent: folder, owner })
  expect(await server.call(tree)).toMatchObject({
    drives: [{ name: 'My Drive', items: [] }],
    unplaced: [{ parent_id: null, reason: 'parent_not_visible', items: [{ id: folder, children: [{ id: inside }] }] }],
  })
})

test('lists the first items up to a limit, and marks those whose folder is beyond it', async () => {
  await using server = await storage()
  const folder = server.emulator.addItem({ name: 'Old folder', type: folderType, days: 90 })
  const inside = server.emulator.addItem({ name: 'New file', parent: folder, days: 1 })
  expect(await server.call(tree, { limit: 1 })).toMatchObject({
    drives: [{ items: [] }],
    unplaced: [{ parent_id: folder, reason: 'parent_not_listed', items: [{ id: inside, name: 'New file' }] }],
    item_count: 1,
    pagination: { has_more: true, end_cursor: null },
    notices: ['There are more: raise limit, or leave it out to list everything.'],
  })
  expect(await server.call(tree, { limit: 2 })).not.toHaveProperty('notices')
})

test('lists shared drives with their names, even a single one', async () => {
  await using server = await storage({ emulated: {} })
  const { shared_drives: known } = await server.call('FileStorage.WhoAmI')
  const [id, name] = [textAt(known, '0.id'), textAt(known, '0.name')]
  const all = await server.call(tree, { include_shared_drives: true })
  expect(all['drives']).toMatchObject([{ name: 'My Drive' }, { name }, {}])
  const one = await server.call(tree, { restrict_to_shared_drive_id: id })
  expect(one['drives']).toMatchObject([{ name, id }])
  expect(one['unplaced']).toEqual([])
  expect((await server.fails(tree, { restrict_to_shared_drive_id: `${id.slice(0, -1)}B` })).message).toContain(
    'No shared drive with the id',
  )
})

test('says with drive.file that the root cannot be read and drives cannot be named', async () => {
  await using server = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const folder = await server.call('FileStorage.CreateFolder', { folder_name: 'Mine' })
  const result = await server.call(tree, { include_shared_drives: true })
  expect(JSON.stringify(result)).toContain(textAt(folder, 'folder.id'))
  expect(result['drives']).toMatchObject([{ name: 'My Drive', id: null, items: [{ name: 'Mine' }] }])
  expect(JSON.stringify(result['notices'])).toContain('Shared drives cannot be listed')
  expect(JSON.stringify(result['notices'])).toContain('Only files that this app created or the user chose for it are visible')
})

test('reads all of 2,500 items in three pages, and says that the result shows a part of them', async () => {
  await using server = await storage()
  server.emulator.addFiles(2_500)
  const requests = await server.requestsOf(tree, {})
  expect(requests.sort()).toEqual(['GET /drive/v3/files', 'GET /drive/v3/files', 'GET /drive/v3/files', 'GET /drive/v3/files/root'])
  const result = await server.call(tree)
  expect(result).toMatchObject({ item_count: 2_500, unplaced: [], pagination: { has_more: true } })
  expect(String(result['notices'])).toContain('shortened to 80000 bytes')
})

test('reports progress while it reads pages', async () => {
  await using server = await storage()
  server.emulator.addFiles(2_500)
  const told: number[] = []
  await server.client.callTool({ name: tree, arguments: {} }, { onprogress: ({ progress }) => told.push(progress) })
  expect(told).toEqual([1_000, 2_000, 2_500])
})

test('does not mistake an item in a hidden folder for one beyond the limit', async () => {
  await using server = await storage()
  const owner = 'ada.okafor@lodestar.example'
  const grants = [['robin.vance@lodestar.example', 'reader']] as const
  server.emulator.addItem({ name: 'Theirs', parent: null, owner, grants, days: 1 })
  server.emulator.addItem({ name: 'Mine', days: 2 })
  expect(await server.call(tree, { limit: 1 })).toMatchObject({
    unplaced: [{ parent_id: null, reason: 'parent_not_visible', items: [{ name: 'Theirs' }] }],
    pagination: { has_more: true },
  })
})

test('lists an item once even if it is on two pages because its position changed', () => {
  const items = new TreeBuilder(Infinity)
  const item = { id: 'id', name: 'Moved', mimeType: folderType, parents: ['root'] }
  items.add(item)
  items.add({ ...item, name: 'Moved on' })
  expect(items.count).toBe(1)
  expect(items.build({ id: 'root', children: new Set() }).roots.get('root')).toEqual([{ id: 'id', name: 'Moved', kind: 'folder' }])
})

test('adds the documents of the domain to a tree and a search, each once, in the order of the list', async () => {
  await using server = await storage()
  const owner = 'ada.okafor@lodestar.example'
  server.emulator.addItem({ name: 'Plan of mine', days: 2 })
  const both = [
    ['domain', 'reader'],
    ['robin.vance@lodestar.example', 'reader'],
  ] as const
  server.emulator.addItem({ name: 'Plan for both', parent: null, owner, days: 1, grants: both })
  server.emulator.addItem({ name: 'Plan of the domain', parent: null, owner, days: 3, grants: [['domain', 'reader']] })
  server.emulator.addItem({ name: 'Plan of others', parent: null, owner, days: 4 })
  const domain = { include_organization_domain_documents: true }
  const requests = await server.requestsOf(tree, domain)
  expect(requests.sort()).toEqual(['GET /drive/v3/files', 'GET /drive/v3/files', 'GET /drive/v3/files/root'])
  const all = await server.call(tree, domain)
  expect(all).toMatchObject({ item_count: 3, drives: [{ items: [{ name: 'Plan of mine' }] }] })
  expect(JSON.stringify(all['unplaced'])).toMatch(/Plan for both.*Plan of the domain/)
  const first = await server.call(tree, { ...domain, limit: 2 })
  expect(JSON.stringify(first)).not.toContain('Plan of the domain')
  expect(first).toMatchObject({ item_count: 2, pagination: { has_more: true } })
  const byName = await server.call(tree, { ...domain, limit: 2, order_by: 'name' })
  expect(JSON.stringify(byName)).toMatch(/Plan of mine.*Plan for both/)
  const found = await server.call('FileStorage.SearchFiles', { query: 'plan', ...domain })
  const searched = "My Drive and files shared with you; documents of your organization's domain"
  expect(found).toMatchObject({ searched, pagination: { has_more: false } })
  expect(
    JSON.stringify(found['files'])
      .match(/(?<="name":")Plan [^"]+/g)
      ?.sort(),
  ).toEqual(['Plan for both', 'Plan of mine', 'Plan of the domain'])
})
