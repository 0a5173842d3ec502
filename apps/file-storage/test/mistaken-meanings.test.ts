import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeDays } from '../src/vocabulary/parameters.ts'
import { storage, type Storage } from './storage.ts'

const search = 'FileStorage.SearchFiles'

let server: Storage
beforeAll(async () => {
  server = await storage({ emulated: {} })
})
afterAll(async () => server[Symbol.asyncDispose]())

test.for([
  ['filetype:image lake', ['lake.png'], 'the words "lake" and the condition mimeType contains'],
  ['owner:me lake after:2020-01-01', ['lake.png'], "the condition 'me' in owners and the condition modifiedTime >= '2020-01-01T00:00:00'"],
  ['dot before:2020-01-01', [], 'modifiedTime <'],
  ['lak*', ['lake.png'], 'the words "lak". "*" is not a wildcard'],
  ['*.gif', ['dot.gif'], 'the words "gif"'],
  ['sharedWithMe', ['Offsite', 'Onboarding guide'], 'any words and the condition sharedWithMe = true'],
] as const)('filters and wildcards of other searches (%s) are applied, and a notice says how', async ([query, names, reading]) => {
  const { files, notices } = await server.call(search, { query })
  expect(String(notices)).toContain(reading)
  expect(JSON.stringify(files).match(/(?<="name":")[^"]*/g) ?? []).toEqual(names)
})

test('notices on search words do not name words of the query syntax', async () => {
  const { notices } = await server.call(search, { query: "mimeType contains 'image/' and name contains 'lake'" })
  expect(String(notices)).not.toContain('"contain"')
})

/** Calls with one clear meaning, each with the right tool, if it is a different one, and the change. */
test.for([
  ['SearchFiles', { query: '""', folder_path_or_id: 'Photos' }, undefined, { query: '*' }],
  ['SearchFiles', { directory: 'Photos' }, undefined, { directory: null, folder_path_or_id: 'Photos', query: '*' }],
  ['SearchFiles', { input: { query: 'lake', limit: 3 } }, undefined, { input: null, query: 'lake', limit: 3 }],
  ['SearchFiles', { input: '{"query":"lake"}' }, undefined, { input: null, query: 'lake' }],
  ['SearchFiles', { query: 'lake', file_types: ['spreadshet'] }, undefined, { file_types: ['spreadsheet'] }],
  [
    'SearchFiles',
    { query: 'lake', modifiedAfter: '2026-01-31', updated_before: '2030-01-31', orderBy: 'modifiedTime desc' },
    undefined,
    { modifiedAfter: null, updated_before: null, query: 'lake after:2026-01-31 before:2030-01-31' },
  ],
  ['SearchFiles', { query: 'lake', file_types: 'csv' }, undefined, { file_types: null, query: 'lake csv' }],
  ['SearchFiles', { query: 'lake', mimeType: 'text/csv' }, undefined, { mimeType: null, file_types: null, query: 'lake csv' }],
  ['SearchFiles', { query: 'lake', kind: 'docx' }, undefined, { kind: null, file_types: 'document' }],
  [
    'SearchFiles',
    { input: { query: 'lake', type: 'docx', after: '2026-01-31' } },
    undefined,
    { input: null, file_types: 'document', query: 'lake after:2026-01-31' },
  ],
  ['SearchFiles', { query: 'lake', file_types: ['png', 'jpg'] }, undefined, { file_types: ['image'] }],
  [
    'SearchFiles',
    { query: 'lake', file_types: ['md'], created_by: 'me', limit: '10 files' },
    undefined,
    { file_types: null, created_by: null, limit: 10, query: 'lake md owner:me' },
  ],
  [
    'SearchFiles',
    { keywords: ['lake', 'summer'], pageSize: 10, changedUntil: '2026-01-30' },
    undefined,
    { keywords: null, pageSize: null, limit: 10, changedUntil: null, query: 'lake summer before:2026-01-31' },
  ],
  [
    'GetFileTreeStructure',
    { sort: 'size', direction: 'descending', limit: 'top 3' },
    undefined,
    { sort: null, direction: null, order_by: 'quotaBytesUsed desc', limit: 3 },
  ],
  [
    'GetFileTreeStructure',
    { order_by: 'modified', descending: false, limit: '3' },
    undefined,
    { descending: null, order_by: 'modifiedTime' },
  ],
  ['GetFileTreeStructure', { order_by: ['Name', 'Modified (newest first)'] }, undefined, { order_by: ['name', 'modifiedTime desc'] }],
  ['CreateFolder', { folder_name: '2026', create_parents: true, color: 'red' }, undefined, { create_parents: null, color: null }],
  [
    'DownloadFileChunk',
    { file_path_or_id: 'Photos/Summer 2026/lake.png', range: 'bytes=0-9' },
    undefined,
    { range: null, start_byte: 0, chunk_size: 10 },
  ],
  [
    'DownloadFileChunk',
    { file_path_or_id: 'Photos/Summer 2026/lake.png', chunk_index: 0 },
    undefined,
    { chunk_index: null, start_byte: 0 },
  ],
  [
    'DownloadFileChunk',
    { path: 'Photos/Summer 2026/lake.png', chunk_index: 2, chunk_size: '10 bytes' },
    undefined,
    { path: null, file_path_or_id: 'Photos/Summer 2026/lake.png', chunk_index: null, start_byte: 20 },
  ],
  [
    'DownloadFileChunk',
    { file_path_or_id: 'Photos/Summer 2026/lake.png', start: 10, end_byte: 49 },
    undefined,
    { start: null, start_byte: 10, end_byte: null, chunk_size: 40 },
  ],
  [
    'DownloadFileChunk',
    { file_path_or_id: 'Photos/Summer 2026/lake.png', start_byte: 0, chunk_size: '10 MB' },
    undefined,
    { chunk_size: 5_242_880 },
  ],
  [
    'DownloadFileChunk',
    { file_path_or_id: 'Photos/Summer 2026/lake.png', offset: 0, limit: '100 lines' },
    'DownloadFile',
    { file_path_or_id: 'Photos/Summer 2026/lake.png' },
  ],
  ['SearchFiles', { query: 'lake', order_by: 'oldest' }, undefined, { order_by: null }],
  [
    'SearchFiles',
    { query: 'lake', include_shared_drives: 'Engineering' },
    undefined,
    { include_shared_drives: null, shared_drive_id: 'Engineering' },
  ],
  ['GetFileTreeStructure', { restrict_to_shared_drive_id: 'my-drive' }, undefined, { restrict_to_shared_drive_id: null }],
  ['GetFileTreeStructure', { root_folder: '/' }, undefined, { root_folder: null }],
  [
    'DownloadFileChunk',
    { path: 'Photos/Summer 2026/lake.png' },
    undefined,
    { path: null, file_path_or_id: 'Photos/Summer 2026/lake.png', start_byte: 0 },
  ],
  [
    'DownloadFileChunk',
    { file_path_or_id: 'Photos/Summer 2026/lake.png', start_byte: 0, size: '1 KiB' },
    undefined,
    { size: null, chunk_size: 1024 },
  ],
  [
    'DownloadFile',
    { path: 'Photos/Summer 2026/lake.png', max_bytes: 9 },
    'DownloadFileChunk',
    { file_path_or_id: 'Photos/Summer 2026/lake.png', start_byte: 0, chunk_size: 9 },
  ],
  ['GetFileTreeStructure', { file_types: ['folder'] }, 'SearchFiles', { query: '*', file_types: ['folder'] }],
  ['CreateFolder', { directory: 'Photos/2028' }, undefined, { directory: null, folder_name: '2028', parent_folder_path_or_id: 'Photos' }],
  ['CreateFolder', { path: '2028' }, undefined, { path: null, folder_name: '2028' }],
  [
    'RenameFile',
    { from: 'Photos/Summer 2026/dot.gif', to: 'Photos/Summer 2026/point.gif' },
    undefined,
    { from: null, file_path_or_id: 'Photos/Summer 2026/dot.gif', to: null, new_filename: 'point.gif' },
  ],
  [
    'RenameFile',
    { file_path_or_id: 'Photos/Summer 2026/point.gif', new_filename: 'Photos/dot.gif' },
    'MoveFile',
    {
      source_file_path_or_id: 'Photos/Summer 2026/point.gif',
      destination_folder_path_or_id: 'Photos',
      new_filename: 'dot.gif',
    },
  ],
  [
    'MoveFile',
    { source: 'Photos/dot.gif', new_name: 'spot.gif' },
    'RenameFile',
    { file_path_or_id: 'Photos/dot.gif', new_filename: 'spot.gif' },
  ],
  [
    'ShareFile',
    { file_path_or_id: 'Photos', email_addresses: [{ email: 'ada@example.com', role: 'can edit' }] },
    undefined,
    { email_addresses: ['ada@example.com'], role: 'writer' },
  ],
  [
    'ShareFile',
    { file_path_or_id: 'Photos', grants: { type: 'user', emailAddress: 'ada@example.com', displayName: 'Ada' } },
    undefined,
    { grants: null, email_addresses: ['ada@example.com'] },
  ],
  [
    'ShareFile',
    { file: { path: 'Photos' }, permission: { role: 'commenter', type: 'user', emailAddress: 'eve@example.com' } },
    undefined,
    { file: null, permission: null, file_path_or_id: 'Photos', role: 'commenter', email_addresses: ['eve@example.com'] },
  ],
  [
    'CreateFolder',
    { folder: { name: 'A', parent: { path: 'Photos' } } },
    undefined,
    { folder: null, folder_name: 'A', parent_folder_path_or_id: 'Photos' },
  ],
  [
    'CreateFolder',
    { path: '/Photos/B', recursive: true },
    undefined,
    { path: null, recursive: null, folder_name: 'B', parent_folder_path_or_id: 'Photos' },
  ],
  [
    'RenameFile',
    { file_path_or_id: 'Photos/spot.gif', new_filename: 'Photos/Summer 2026/dot.gif' },
    'MoveFile',
    { source_file_path_or_id: 'Photos/spot.gif', destination_folder_path_or_id: 'Photos/Summer 2026', new_filename: 'dot.gif' },
  ],
  [
    'SearchFiles',
    { query: 'lake', file_type: 'Excel file', limit: 0 },
    undefined,
    { file_type: null, file_types: 'spreadsheet', limit: null },
  ],
  ['GetFileTreeStructure', { path: '/Photos', max_depth: 2 }, undefined, { path: null, max_depth: null }],
] as const)('%s %j proposes a call (%s) that succeeds', async ([tool, args, other, change]) => {
  const error = await server.fails(`FileStorage.${tool}`, args)
  expect(error.next).toEqual(other ? { tool: `FileStorage_${other}`, arguments: change } : { change })
  const corrected = Object.entries({ ...(!other && args), ...change }).filter(([, value]) => value !== null)
  await server.call(`FileStorage.${other ?? tool}`, Object.fromEntries(corrected))
})

test.for([
  ['report.pdf?token=1', { file_name: 'report.pdf' }],
  ['My%20photo.png', { file_name: 'My photo.png' }],
  ['download?id=7', undefined],
  ['', undefined],
] as const)('an upload of %j without a name gets the change %j', async ([path, change]) => {
  const error = await server.fails('FileStorage.UploadFile', { source_url: `https://example.com/files/${path}` })
  expect(error.next?.change).toEqual(change)
})

test.for(changeDays.split(' '))(
  'a day of change (%s) is added to words, but never to a query in a language that has no place for it',
  async (name) => {
    const { next } = await server.fails(search, { query: 'lake', [name]: '2026-01-31' })
    expect(next?.change).toEqual({ [name]: null, query: `lake ${name.split('_').at(-1)}:2026-01-31` })
    expect(await server.fails(search, { query: "name contains 'lake'", [name]: '2026-01-31' })).not.toHaveProperty('next')
  },
)

test.for(['name newest', 'size oldest', 'modified largest', 'size', 'modified'])(
  'an order whose direction belongs to other keys (%s) is not guessed',
  async (order_by) => {
    expect(await server.fails('FileStorage.GetFileTreeStructure', { order_by })).not.toHaveProperty('next')
  },
)

test('parents to leave are not folders to create', async () => {
  const args = { source_file_path_or_id: 'Photos/Summer 2026/lake.png', destination_folder_path_or_id: 'Photos', remove_parents: true }
  expect((await server.fails('FileStorage.MoveFile', args)).message).not.toContain('Missing folders')
})

test('two searches in one become two candidates', async () => {
  const error = await server.fails(search, { query: ['lake', 'dot'] })
  expect(error).not.toHaveProperty('next')
  expect(error.suggestions?.map(({ value }) => value)).toEqual(['lake', 'dot'])
})

test('an upload to a path is split into folder and name, unless the folder is given', async () => {
  const source = { source_url: 'https://example.com/a.png' }
  expect((await server.fails('FileStorage.UploadFile', { ...source, destination_path: 'Photos/b.png' })).next).toEqual({
    change: { destination_path: null, file_name: 'b.png', destination_folder_path_or_id: 'Photos' },
  })
  const args = { ...source, path: 'Photos/b.png', destination_folder_path_or_id: 'Work' }
  expect(await server.fails('FileStorage.UploadFile', args)).not.toHaveProperty('next')
})

test('the error for a tree of one folder proposes the search that lists the folder', async () => {
  const { next } = await server.fails('FileStorage.GetFileTreeStructure', { parent_folder_id: 'Photos' })
  expect(next).toEqual({ tool: 'FileStorage_SearchFiles', arguments: { query: '*', folder_path_or_id: 'Photos' } })
  expect(String((await server.call(search, { ...next?.arguments }))['searched'])).toContain('directly in "Photos"')
})

test.for([
  {
    users: [
      { email: 'a@example.com', role: 'writer' },
      { email: 'b@example.com', role: 'reader' },
    ],
  },
  { users: [{ email: 'a@example.com', role: 'owner' }] },
  { users: [{ email: 'a@example.com', role: 'writer' }], role: 'reader' },
  { permissions: [{ type: 'anyone', role: 'reader' }] },
  { permissions: [{ type: 'user', emailAddress: 'a@example.com', expirationTime: '2027-01-01' }] },
])('with roles that one call cannot give (%j), nothing is shared with anyone', async (args) => {
  expect(await server.fails('FileStorage.ShareFile', { file_path_or_id: 'Photos', ...args })).not.toHaveProperty('next')
})

test('a tool in a disabled toolset names the tool that reads the same; one that writes names none', async () => {
  const called = (tool: string) => server.call(`FileStorage.${tool}`, { file_path_or_id: 'Photos' })
  await expect(called('ReadFile')).rejects.toThrow('which --toolsets content turns on. FileStorage_DownloadFile does the same.')
  await expect(called('TrashFile')).rejects.toThrow(/which --toolsets content turns on\.$/)
})

test.for([[['md', 'pdf']], ['application/zip']])(
  'a format without a type (%j) is not a document, and the error says how to search for it',
  async ([file_types]) => {
    const error = await server.fails(search, { query: 'lake', file_types })
    expect(error).not.toHaveProperty('next')
    expect(error.suggestions ?? []).toEqual([])
    expect(error.message).toContain('leave file_types out and add its extension to the query.')
  },
)

/** Wishes that no call of the tool can fulfil, each with part of the error's text, and the tool that the error names. */
test.for([
  ['ShareFile', { file_path_or_id: 'Photos', email_addresses: ['a@example.com'], transfer_ownership: true }, 'Ownership, or', undefined],
  ['ShareFile', { file_path_or_id: 'Photos', email_addresses: ['a@example.com'], role: 'no access' }, 'take access away', undefined],
  ['ShareFile', { file_path_or_id: 'Photos', email_addresses: ['public'] }, 'everyone with the link', undefined],
  ['ShareFile', { file_path_or_id: 'Photos', email_addresses: ['a@example.com'], expiration: '2027-01-01' }, 'no end here', undefined],
  ['UploadFile', { file_name: 'a.txt', text: 'Hello' }, 'Content cannot be passed', undefined],
  ['UploadFile', { file_name: 'a.png', source_url: 'C:\\a.png' }, 'A path on a computer', 'GenerateFilePickerUrl'],
  ['UploadFile', { file_name: 'a', source_url: 'https://docs.google.com/document/d/1a/edit' }, 'not to its content', undefined],
  ['SearchFiles', { query: 'lake', next_page_token: 'x' }, 'no pages', undefined],
  ['SearchFiles', { query: 'lake', updated_since: 'the launch' }, 'after:2026-01-31', undefined],
  ['WhoAmI', { user: 'ada@example.com' }, 'always about the current user', undefined],
  ['CreateFolder', { folder_name: '2026', parents: true }, 'create each on its own', undefined],
  ['DownloadFile', { file_path_or_id: 'Photos', format: 'zip' }, 'one by one', undefined],
  ['DownloadFile', { file_path_or_id: 'Onboarding guide', export_format: 'pdf' }, 'export a Google document', undefined],
  ['GetFileTreeStructure', { max_depth: 2 }, 'all levels', 'SearchFiles'],
  ['GetFileTreeStructure', { folder: 'root', depth: 1 }, 'directly in a folder', 'SearchFiles'],
  ['SearchFiles', { query: 'lake', mime_type: 'application/zip' }, 'add its extension', undefined],
  ['SearchFiles', { query: 'lake OR sea', include_trashed: true }, 'one search for each term. The trash', undefined],
  ['GenerateFilePickerUrl', { upload_to: 'Photos', multi_select: true }, 'The person chooses', undefined],
  ['DownloadFile', { file_path_or_id: 'Photos', zip: true }, 'one by one', undefined],
  ['RenameFile', { file_path_or_id: 'Photos/*.png', new_filename: 'a.png' }, 'not a wildcard', 'SearchFiles'],
  ['DownloadFile', { file_path_or_id: 'Photos/a.png, Photos/b.png' }, 'about one item', undefined],
  [
    'MoveFile',
    { source_file_path_or_id: 'Photos/Summer 2026/dot.gif', destination_folder_path_or_id: 'Photos', new_filename: 'null' },
    'no value',
    undefined,
  ],
] as const)('%s %j says what it cannot do (%s) and leads to %s', async ([tool, args, part, other]) => {
  const { message, next, suggestions = [] } = await server.fails(`FileStorage.${tool}`, args)
  expect(message).toContain(part)
  expect(next?.tool).toBe(other && `FileStorage_${other}`)
  expect(suggestions).toEqual([])
})

test.for([
  [
    'UploadFile',
    { file_name: 'a.txt', source_url: 'https://example.com/a.txt', destination_folder_path_or_id: 'Photos/2031/May' },
    { folder_name: '2031', parent_folder_path_or_id: 'Photos' },
  ],
  ['MoveFile', { source_file_path_or_id: 'Photos/Summer 2026/lake.png', destination_folder_path_or_id: 'Shelf' }, { folder_name: 'Shelf' }],
] as const)('%s %j names the folder to create first, but does not lead to it', async ([tool, args, folder]) => {
  const { message, next } = await server.fails(`FileStorage.${tool}`, args)
  expect(message).toContain(`call FileStorage_CreateFolder with ${JSON.stringify(folder)}`)
  expect(next).toBeUndefined()
})

test.for([
  ['CreateFolder', { folder_name: '2027', parent_folder_path_or_id: 'Photoss/May' }, 'Similar, but without the rest of the path: "Photos"'],
  [
    'MoveFile',
    { source_file_path_or_id: 'Photos/Summer 2026/lake.png', destination_folder_path_or_id: 'Brand' },
    'Found elsewhere under this name',
  ],
  ['MoveFile', { source_file_path_or_id: 'Brand', destination_folder_path_or_id: 'Photos', shared_drive_id: 'Design' }, 'My Drive has it.'],
] as const)('%s %j creates no folder that may exist (%s)', async ([tool, args, part]) => {
  const { message, next } = await server.fails(`FileStorage.${tool}`, args)
  expect(message).toContain(part)
  expect(next).toBeUndefined()
})

test('for an item in a shared drive and a destination in My Drive, the drive is left out if both paths can then be found', async () => {
  const args = { source_file_path_or_id: 'Design/Brand/Logo.png', destination_folder_path_or_id: 'Photos', shared_drive_id: 'Design' }
  expect((await server.fails('FileStorage.MoveFile', args)).next).toEqual({ change: { shared_drive_id: null } })
})

test("a new name with another format's extension converts nothing, as a notice says", async () => {
  const rename = async (from: string, to: string) =>
    server.call('FileStorage.RenameFile', { file_path_or_id: `Photos/Summer 2026/${from}`, new_filename: to })
  expect(String((await rename('lake.png', 'lake.pdf'))['notices'])).toContain('the content is still image/png')
  expect(await rename('lake.pdf', 'lake.png')).not.toHaveProperty('notices')
})

test('a search that finds nothing of a type names what the same words find without the type', async () => {
  const { files, notices } = await server.call(search, { query: 'lake', file_types: 'pdf' })
  expect(files).toEqual([])
  expect(String(notices)).toContain('Without file_types, the query matches "lake.png".')
})

test('a new name without an extension is kept, with a notice', async () => {
  const args = { file_path_or_id: 'Photos/Summer 2026/lake.png', new_filename: 'sea' }
  expect(String((await server.call('FileStorage.RenameFile', args))['notices'])).toContain('"sea.png"')
  const back = {
    source_file_path_or_id: 'Photos/Summer 2026/sea',
    destination_folder_path_or_id: 'Photos/Summer 2026',
    new_filename: 'lake.png',
  }
  expect(await server.call('FileStorage.MoveFile', back)).not.toHaveProperty('notices')
})

test('a size in megabytes or kilobytes is understood, and several items need several calls', async () => {
  const args = { file_path_or_id: 'Photos/Summer 2026/lake.png', chunk_size: '1 KB' }
  const { notices } = await server.call('FileStorage.DownloadFileChunk', { ...args, start_byte: 0 })
  expect(notices).toContain('Read chunk_size "1 KB" as 1024.')
  const error = await server.fails('FileStorage.DownloadFile', { files: ['Photos/a.gif', 'Photos/b.gif'] })
  expect(error).not.toHaveProperty('next')
  expect(error.suggestions?.map(({ value }) => value)).toEqual(['Photos/a.gif', 'Photos/b.gif'])
})
