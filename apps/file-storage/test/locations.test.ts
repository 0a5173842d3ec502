import { expect, test } from 'vitest'
import { addPath, folderType, storage, type Storage, textAt } from './storage.ts'

const search = 'FileStorage.SearchFiles'
const tree = 'FileStorage.GetFileTreeStructure'
const list = 'GET /drive/v3/files'
const root = 'GET /drive/v3/files/root'
const owner = 'ada.okafor@lodestar.example'
const grants = [['robin.vance@lodestar.example', 'reader']] as const

async function pathsIn(server: Storage, args: Record<string, unknown>): Promise<string[]> {
  const { files } = await server.call(search, args)
  return Array.isArray(files) ? files.map((_, index) => textAt(files, `${index}.path`)).sort() : []
}

test('gives each file its path with one request for all folders, and every path leads back to the file', async () => {
  await using server = await storage()
  addPath(server, 'Work/Reports/2026/May review')
  addPath(server, 'Archive/Old review')
  server.emulator.addItem({ name: 'Review of the year' })
  const theirs = server.emulator.addItem({ name: 'Theirs', parent: null, type: folderType, owner, grants })
  server.emulator.addItem({ name: 'Their review', parent: theirs, owner })
  const expected = ['Archive/Old review', 'Review of the year', 'Shared with me/Theirs/Their review', 'Work/Reports/2026/May review']
  expect(await pathsIn(server, { query: 'review' })).toEqual(expected)
  expect(await server.requestsOf(search, { query: 'review' })).toEqual([list, list])
  for (const path of expected.filter((each) => !each.startsWith('Shared')))
    expect(await server.call('FileStorage.DownloadFile', { file_path_or_id: path })).toHaveProperty('file')
})

test('requests no folder that is known: the root, the folder that was searched, folders among the results', async () => {
  await using server = await storage()
  const [work = ''] = addPath(server, 'Work/Workshop notes')
  server.emulator.addItem({ name: 'Menu' })
  server.emulator.addItem({ name: 'Letter', parent: null, owner, grants })
  expect(await server.requestsOf(search, { query: 'menu' })).toEqual([list, root])
  expect(await server.requestsOf(search, { query: 'menu' })).toEqual([list])
  expect(await pathsIn(server, { query: 'letter' })).toEqual(['Shared with me/Letter'])
  expect(await server.requestsOf(search, { query: 'letter' })).toEqual([list])
  expect(await pathsIn(server, { query: 'work' })).toEqual(['Work', 'Work/Workshop notes'])
  expect(await server.requestsOf(search, { query: 'work' })).toEqual([list])
  const inFolder = { query: 'notes', folder_path_or_id: 'Work' }
  expect(await pathsIn(server, inFolder)).toEqual(['Work/Workshop notes'])
  expect(await server.requestsOf(search, inFolder)).toEqual([list, list])
  expect(await pathsIn(server, { query: 'notes', folder_path_or_id: work })).toEqual(['Work/Workshop notes'])
})

test('begins the path of an item in a shared drive with the name of the drive', async () => {
  await using server = await storage({ emulated: {} })
  const everywhere = await pathsIn(server, { query: 'logo', include_shared_drives: true })
  expect(everywhere).toContain('Design/Brand/Logo.png')
  const byName = { query: 'logo', shared_drive_id: 'Design' }
  expect(await pathsIn(server, byName)).toContain('Design/Brand/Logo.png')
  const { file } = await server.call('FileStorage.DownloadFile', { file_path_or_id: 'Design/Brand/Logo.png' })
  expect(file).toMatchObject({ name: 'Logo.png' })
})

test('reads missing folders by their ids if there are more than a page of them, with few requests', async () => {
  await using server = await storage()
  const [, , found = ''] = addPath(server, 'Deep/Deeper/Quagga')
  server.emulator.quirks.shortPages = true
  const requests = await server.requestsOf(search, { query: 'quagga' })
  expect(requests.length).toBeLessThanOrEqual(6)
  expect((await server.call(search, { query: 'quagga' }))['files']).toEqual([
    expect.objectContaining({ id: found, path: 'Deep/Deeper/Quagga' }),
  ])
})

test('finds files although the request for their folders fails', async () => {
  const isForFolders = (url: string) => decodeURIComponent(url).includes('q=trashed = false and mimeType')
  await using server = await storage({
    inFront: (drive) => (input, init) =>
      isForFolders(new Request(input, init).url) ? Promise.resolve(new Response('', { status: 500 })) : drive(input, init),
  })
  addPath(server, 'Work/Review')
  const { files } = await server.call(search, { query: 'review' })
  expect(files).toMatchObject([{ name: 'Review' }])
  expect(files).not.toHaveProperty('0.path')
})

test('says where the items of a truncated tree are', async () => {
  await using server = await storage()
  const reports = addPath(server, 'Work/Reports/May.pdf')[1] ?? ''
  server.emulator.addItem({ name: 'New', parent: reports, days: 0 })
  server.emulator.addItem({ name: 'Letter', parent: null, owner, grants, days: 0 })
  const { unplaced } = await server.call(tree, { limit: 2 })
  expect(unplaced).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ parent_id: reports, path: 'Work/Reports' }),
      expect.objectContaining({ parent_id: null, path: 'Shared with me' }),
    ]),
  )
  expect(await server.requestsOf(tree, { limit: 2 })).toEqual([list, list])
  expect(await server.requestsOf(tree, {})).toEqual([list])
})

test('does not mention shared drives to an account that is known to have none', async () => {
  await using server = await storage()
  expect(String((await server.call(search, { query: 'x' }))['notices'])).toContain('Shared drives were not searched')
  await server.call('FileStorage.WhoAmI')
  expect(String((await server.call(search, { query: 'x' }))['notices'])).not.toContain('Shared drives')
})
