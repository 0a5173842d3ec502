import { afterAll, beforeAll, expect, test } from 'vitest'
import { storage, type Storage } from './storage.ts'

let server: Storage
let lake = ''
beforeAll(async () => {
  server = await storage({ emulated: {} })
  lake = server.emulator.store.named('lake.png')[0]?.id ?? ''
})
afterAll(async () => server[Symbol.asyncDispose]())

test.for([
  ['MoveFile', { name: 'Report', source_file_path_or_id: 'a', destination_folder_path_or_id: 'b' }],
  ['MoveFile', { source_file_path_or_id: 'a', in: 'Old' }],
  ['MoveFile', { source_file_path_or_id: 'a', parent_folder: 'Old' }],
  ['DownloadFileChunk', { file_path_or_id: 'a', start_byte: 0, chunk_number: 2 }],
  ['DownloadFileChunk', { file_path_or_id: 'a', start_byte: 0, chunk: 2 }],
  ['DownloadFileChunk', { file_path_or_id: 'a', start_byte: 0, number_of_chunks: 3 }],
  ['DownloadFileChunk', { file_path_or_id: 'a', start_byte: 0, count: 3 }],
  ['CreateFolder', { name: 'A', path: 'Work/A' }],
  ['CreateFolder', { folder_name: 'A', path: 'Work/A' }],
  ['UploadFile', { file_name: 'x.pdf', source_url: 'https://example.com/x.pdf', path: 'Work/x.pdf' }],
  ['UploadFile', { file_name: 'x.pdf', source_url: 'https://example.com/x.pdf', path: '/home/me/y.pdf' }],
  ['UploadFile', { file_name: 'x.pdf', path: 'https://example.com/x' }],
  ['UploadFile', { file_name: 'x.pdf', source_file: '/home/me/x.pdf' }],
  ['UploadFile', { file_name: 'x', source_url: 'https://example.com/x', mime_type: 'Google Doc' }],
  ['UploadFile', { file_name: 'x', source_url: 'https://example.com/x', format: 'convert to google doc' }],
  ['ShareFile', { file_path_or_id: 'a', share_with: 'everyone' }],
  ['SearchFiles', { query: 'x', drive: 'all' }],
] as const)('%s %j proposes no change', async ([tool, args]) => {
  expect((await server.fails(`FileStorage.${tool}`, args)).next?.change).toBeUndefined()
})

test.for([
  ['CreateFolder', { folder: 'Work/A' }, { folder: null, folder_name: 'A', parent_folder_path_or_id: 'Work' }],
  ['CreateFolder', { path: '/Work' }, { path: null, folder_name: 'Work' }],
  [
    'UploadFile',
    { file: 'Work/x.pdf', source_url: 'https://example.com/x.pdf' },
    { file: null, file_name: 'x.pdf', destination_folder_path_or_id: 'Work' },
  ],
] as const)('%s %j proposes the name and the folder of the path', async ([tool, args, change]) => {
  expect((await server.fails(`FileStorage.${tool}`, args)).next?.change).toEqual(change)
})

test('an address is suggested as an address, and not as a choice of yes or no', async () => {
  const error = await server.fails('FileStorage.ShareFile', { file_path_or_id: lake, email: 'ada@example.com' })
  expect(error.suggestions?.map(({ value }) => value)).toEqual(['email_addresses'])
})

test.for(['Drive', 'Top'])('a new folder in %s, which may be a missing folder, is proposed at the top level', async (written) => {
  const error = await server.fails('FileStorage.CreateFolder', { folder_name: 'A', parent_folder_path_or_id: written })
  expect(error.next).toEqual({ change: { parent_folder_path_or_id: 'root' } })
})

test('a write proposes the id at the end of a path that does not exist, and changes nothing', async () => {
  const written = `No Such Folder/${lake}`
  const rename = await server.fails('FileStorage.RenameFile', { file_path_or_id: written, new_filename: 'sea.png' })
  expect(rename).toMatchObject({ code: 'not_found', next: { change: { file_path_or_id: lake } } })
  const share = await server.fails('FileStorage.ShareFile', { file_path_or_id: written, email_addresses: ['ada@example.com'] })
  expect(share).toMatchObject({ code: 'not_found', next: { change: { file_path_or_id: lake } } })
  expect(server.emulator.store.named('sea.png')).toEqual([])
})

test.for([
  [
    'SearchFiles',
    { q: 'lake', corpora: 'allDrives', includeItemsFromAllDrives: true, supportsAllDrives: true, fields: 'files(id)' },
    { query: 'lake', include_shared_drives: true },
  ],
  ['SearchFiles', { q: 'lake', driveId: 'Design', corpora: 'drive' }, { query: 'lake', shared_drive_id: 'Design' }],
  ['SearchFiles', { query: 'lake', trashed: true, supportsAllDrives: true }, undefined],
  ['DownloadFile', { fileId: 'a.txt', alt: 'media', supportsAllDrives: true }, { file_path_or_id: 'a.txt' }],
  ['DownloadFile', { fileId: 'a.txt', alt: 'sse' }, undefined],
  ['GetFileTreeStructure', { recursive: true }, {}],
  ['GetFileTreeStructure', { recursive: false }, undefined],
  [
    'CreateFolder',
    { name: '2027', mimeType: 'application/vnd.google-apps.folder', parents: ['Photos'] },
    { folder_name: '2027', parent_folder_path_or_id: 'Photos' },
  ],
  ['CreateFolder', { name: '2027', mimeType: 'text/plain' }, undefined],
  [
    'MoveFile',
    { fileId: 'a.txt', addParents: 'Photos', removeParents: 'root' },
    { source_file_path_or_id: 'a.txt', destination_folder_path_or_id: 'Photos' },
  ],
  [
    'ShareFile',
    { fileId: 'a.txt', type: 'user', emailAddress: 'a@example.com', role: 'reader' },
    { file_path_or_id: 'a.txt', email_addresses: ['a@example.com'] },
  ],
  ['ShareFile', { fileId: 'a.txt', type: 'anyone', emailAddress: 'a@example.com' }, undefined],
] as const)("%s %j from Google's API is corrected if it says nothing else", async ([tool, args, said]) => {
  const { next } = await server.fails(`FileStorage.${tool}`, args)
  const foreign = Object.keys(args).filter((name) => name !== 'query' && name !== 'role')
  expect(next?.change).toEqual(said && { ...Object.fromEntries(foreign.map((name) => [name, null])), ...said })
})
