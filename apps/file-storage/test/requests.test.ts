import { expect, test } from 'vitest'
import { addPath, storage, textAt, type Storage } from './storage.ts'

const list = 'GET /drive/v3/files'
const create = 'POST /drive/v3/files'
const item = (id: string | undefined, method = 'GET') => `${method} /drive/v3/files/${id ?? ''}`

interface SeededIds {
  readonly work: string
  readonly report: string
  readonly archive: string
}

/** `Work/Reports/May.pdf` and `Archive`; the id of the root and new ids are cached. */
async function connectSeeded(): Promise<Storage & SeededIds> {
  const server = await storage()
  const [work = '', , report = ''] = addPath(server, 'Work/Reports/May.pdf')
  const archive = textAt(await server.call('FileStorage.CreateFolder', { folder_name: 'Archive' }), 'folder.id')
  await server.call('FileStorage.SearchFiles', { query: 'x', folder_path_or_id: 'Work/Reports' })
  return { ...server, work, report, archive }
}

/** One ordinary call of each kind, and the requests that it takes. */
const calls: readonly (readonly [
  what: string,
  tool: string,
  args: (ids: SeededIds) => Record<string, unknown>,
  requests: (ids: SeededIds) => string[],
])[] = [
  ['the profile', 'WhoAmI', () => ({}), () => ['GET /drive/v3/about', 'GET /drive/v3/drives']],
  ['a tree', 'GetFileTreeStructure', () => ({}), () => [list]],
  ['a tree with shared drives', 'GetFileTreeStructure', () => ({ include_shared_drives: true }), () => [list, 'GET /drive/v3/drives']],
  ['a search', 'SearchFiles', () => ({ query: 'May' }), () => [list, list]],
  ['a search that finds nothing', 'SearchFiles', () => ({ query: 'June' }), () => [list]],
  ['a search in a folder by id', 'SearchFiles', ({ work }) => ({ query: 'Reports', folder_path_or_id: work }), () => [list, list]],
  [
    'a search in a folder by id that finds nothing',
    'SearchFiles',
    ({ work }) => ({ query: 'May', folder_path_or_id: work }),
    ({ work }) => [list, item(work)],
  ],
  ['a search in a folder by path', 'SearchFiles', () => ({ query: 'May', folder_path_or_id: 'Work/Reports' }), () => [list, list]],
  ['a folder at the top', 'CreateFolder', () => ({ folder_name: 'New' }), () => [create, list]],
  ['a folder by id', 'CreateFolder', ({ work }) => ({ folder_name: 'New', parent_folder_path_or_id: work }), () => [create, list]],
  ['a folder by path', 'CreateFolder', () => ({ folder_name: 'New', parent_folder_path_or_id: 'Work/Reports' }), () => [list, create]],
  [
    'a new name by id',
    'RenameFile',
    ({ report }) => ({ file_path_or_id: report, new_filename: 'June.pdf' }),
    ({ report }) => [item(report, 'PATCH'), list],
  ],
  [
    'a new name by path',
    'RenameFile',
    () => ({ file_path_or_id: 'Work/Reports/May.pdf', new_filename: 'June.pdf' }),
    ({ report }) => [list, item(report, 'PATCH')],
  ],
  [
    'a move by paths',
    'MoveFile',
    () => ({ source_file_path_or_id: 'Work/Reports/May.pdf', destination_folder_path_or_id: 'Archive' }),
    ({ report }) => [list, item(report, 'PATCH')],
  ],
  [
    'a move by ids',
    'MoveFile',
    ({ report, archive }) => ({ source_file_path_or_id: report, destination_folder_path_or_id: archive }),
    ({ report, archive }) => [item(report), item(archive), item(report, 'PATCH'), list],
  ],
  [
    'a move to the top',
    'MoveFile',
    ({ report }) => ({ source_file_path_or_id: report, destination_folder_path_or_id: 'root' }),
    ({ report }) => [item(report), item(report, 'PATCH'), list],
  ],
  ['an empty file by path', 'DownloadFile', () => ({ file_path_or_id: 'Work/Reports/May.pdf' }), () => [list]],
  ['a small download by id', 'DownloadFile', ({ report }) => ({ file_path_or_id: report }), ({ report }) => [item(report), item(report)]],
  ['a chunk by id', 'DownloadFileChunk', ({ report }) => ({ file_path_or_id: report, start_byte: 0 }), ({ report }) => [item(report)]],
  [
    'sharing with two people by id',
    'ShareFile',
    ({ report }) => ({ file_path_or_id: report, email_addresses: ['ada@example.com', 'bob@example.com'] }),
    ({ report }) => [
      item(report),
      `${item(report)}/permissions`,
      `${item(report, 'POST')}/permissions`,
      `${item(report, 'POST')}/permissions`,
    ],
  ],
  [
    'sharing by path',
    'ShareFile',
    () => ({ file_path_or_id: 'Work/Reports/May.pdf', email_addresses: ['ada@example.com'] }),
    ({ report }) => [list, `${item(report)}/permissions`, `${item(report, 'POST')}/permissions`],
  ],
]

test.for(calls)('sends exactly these requests for %s', async ([, tool, args, requests]) => {
  await using server = await connectSeeded()
  expect((await server.requestsOf(`FileStorage.${tool}`, args(server))).sort()).toEqual(requests(server).sort())
})

test('requests the id of the root with the first path, and a thousand ids with the first new item', async () => {
  await using server = await storage()
  addPath(server, 'Work/Reports/May.pdf')
  expect(await server.requestsOf('FileStorage.CreateFolder', { folder_name: 'New', parent_folder_path_or_id: 'Work/Reports' })).toEqual([
    list,
    item('root'),
    item('generateIds'),
    create,
  ])
  expect(await server.requestsOf('FileStorage.CreateFolder', { folder_name: 'New', parent_folder_path_or_id: 'Work/Reports' })).toEqual([
    list,
    create,
  ])
})

test('resolves a path of any depth with one search', async () => {
  await using server = await storage()
  const names = Array.from({ length: 10 }, (_, index) => `folder ${index}`)
  addPath(server, [...names, 'file'].join('/'))
  await server.call('FileStorage.SearchFiles', { query: 'x', folder_path_or_id: 'folder 0/folder 1' })
  for (let depth = 1; depth <= names.length; depth += 1) {
    const path = names.slice(0, depth).join('/')
    expect(await server.requestsOf('FileStorage.SearchFiles', { query: 'x', folder_path_or_id: path })).toEqual([list, list])
  }
})
