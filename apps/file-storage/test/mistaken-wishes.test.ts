import { member } from '@mcp-toolkits/core/base'
import { changed } from '@mcp-toolkits/core/tool'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storage, type Storage } from './storage.ts'

const search = 'FileStorage.SearchFiles'

let server: Storage
beforeAll(async () => {
  server = await storage({ emulated: {} })
})
afterAll(async () => server[Symbol.asyncDispose]())

test.for([
  [search, { query: 'lake', modified_after: 'last Monday', file_types: 'md' }, / after:\d{4}-\d\d-\d\d md$/, 2],
  [search, { query: 'lake', changed_since: 'last month' }, / since:\d{4}-\d\d-\d\d$/, 2],
  ['FileStorage.GetFileTreeStructure', { order_by: 'size' }, /^quotaBytesUsed( desc)?$/, 2],
  ['FileStorage.CreateFolder', { folder_name: 'Old', parent_folder_path_or_id: 'Photos/Summer 2026/lake.png' }, /^Photos\/Summer 2026$/, 1],
] as const)('%s %j gets candidates (%s)', async ([tool, args, value, count]) => {
  const error = await server.fails(tool, args)
  expect(error).not.toHaveProperty('next')
  const values = error.suggestions?.filter((each) => value.test(each.value)) ?? []
  expect(values).toHaveLength(count)
  expect(error.suggestions).toHaveLength(count)
})

/** Calls that ask for something that the tool cannot do, and the rest of the call. */
test.for([
  ['ShareFile', { file: 'Photos', people: ['Ada Okafor'], role: 'edit' }, 'ask for it.', { role: 'writer', file_path_or_id: 'Photos' }],
  [
    'ShareFile',
    { file_path_or_id: 'Photos', email_addresses: [{ email: 'ada@example.com' }], notify: false, expiration: '2027-01-31' },
    'no end here',
    { file_path_or_id: 'Photos', email_addresses: ['ada@example.com'], send_notification_email: false },
  ],
  [
    'CreateFolder',
    { name: 'Winter', color: 'blue', share_with: ['ada@example.com'], description: 'Cold' },
    'FileStorage_ShareFile does both afterwards',
    { folder_name: 'Winter' },
  ],
] as const)('%s %j says what is left (%s)', async ([tool, args, part, rest]) => {
  const { message, next } = await server.fails(`FileStorage.${tool}`, args)
  expect(next).toBeUndefined()
  expect(message).toContain(part)
  expect(message).toContain(`The rest of the call, corrected: ${JSON.stringify(rest)}.`)
})

test('a search with operators names the searches to make instead', async () => {
  const { notices } = await server.call(search, { query: 'budget OR "all hands" -draft' })
  expect(String(notices)).toContain(
    'search for each term alone: {"query":"budget"}, then {"query":"\\"all hands\\""}. Leave out results with draft yourself.',
  )
})

test('a missing folder below a missing folder is created in named calls', async () => {
  const args = { folder_name: 'Photos', parent_folder_path_or_id: 'Photos/2041/Camp' }
  const { message, next } = await server.fails('FileStorage.CreateFolder', args)
  const calls = [
    '{"folder_name":"2041","parent_folder_path_or_id":"Photos"}',
    '{"folder_name":"Camp","parent_folder_path_or_id":"Photos/2041"}',
  ]
  expect(message).toContain(`with ${[...calls, JSON.stringify(args)].join(', then with ')}.`)
  expect(next).toBeUndefined()
})

test.for([
  ['Enginering', 'Engineering'],
  ['Enginering/Retros', 'Engineering/Retros'],
  ['0', 'root'],
])('a new folder in %j, which is missing, is proposed in %j', async ([parent_folder_path_or_id, place]) => {
  const { message, next } = await server.fails('FileStorage.CreateFolder', { folder_name: 'Sprint notes', parent_folder_path_or_id })
  expect(next).toEqual({ change: { parent_folder_path_or_id: place } })
  expect(message).not.toContain('To create what is missing')
})

/** Calls that lead to another, with its tool and arguments, and part of the text. */
test.for([
  [
    'DownloadFile',
    { file_path_or_id: 'a.txt', start: 5, end: 9 },
    'DownloadFileChunk',
    { file_path_or_id: 'a.txt', start_byte: 5, chunk_size: 5 },
  ],
  [
    'RenameFile',
    { file: 'a.txt', destination: 'Plans', new_name: 'b.txt' },
    'MoveFile',
    { source_file_path_or_id: 'a.txt', destination_folder_path_or_id: 'Plans', new_filename: 'b.txt' },
  ],
  [
    'SearchFiles',
    { api_query: "fullText contains 'plan'", page_size: 10, order_by: 'relevance desc' },
    'SearchFiles',
    { query: "fullText contains 'plan'", limit: 10 },
  ],
  [
    'ShareFile',
    {
      file_path_or_id: 'Plans',
      email_addresses: [
        { email: 'ada@example.com', role: 'commenter' },
        { email: 'bo@example.com', role: 'commenter' },
      ],
    },
    'ShareFile',
    { file_path_or_id: 'Plans', email_addresses: ['ada@example.com', 'bo@example.com'], role: 'commenter' },
  ],
] as const)('%s %j leads to %s %j', async ([tool, args, other, meant]) => {
  const { next } = await server.fails(`FileStorage.${tool}`, args)
  expect(next?.change ? changed(args, next.change) : { tool: next?.tool, ...next?.arguments }).toEqual({
    ...(tool !== other && { tool: `FileStorage_${other}` }),
    ...meant,
  })
})

test.for([
  [
    'ShareFile',
    {
      file_path_or_id: 'Plans',
      email_addresses: [
        { email: 'ada@example.com', role: 'reader' },
        { email: 'bo@example.com', role: 'writer' },
      ],
    },
    'one call for each role',
  ],
  ['DownloadFile', { file_path_or_id: 'a.txt', start: 9, end: 5 }, 'For a part of it'],
  ['UploadFile', { title: 'a.md', textContent: '# A', parentId: 'Plans' }, 'Content cannot be passed here'],
  [
    'MoveFile',
    { source_file_path_or_id: ['a.txt', 'b.txt'], destination: 'Plans' },
    'Make these calls: {"source_file_path_or_id":"a.txt","destination_folder_path_or_id":"Plans"}, then {"source_file_path_or_id":"b.txt","destination_folder_path_or_id":"Plans"}.',
  ],
] as const)('%s %j leads nowhere (%s)', async ([tool, args, part]) => {
  const { message, next } = await server.fails(`FileStorage.${tool}`, args)
  expect(message).toContain(part)
  expect(next).toBeUndefined()
})

test.for(['/me/drive/root:/Photos/contacts.json:/content', 'drive:/Photos/contacts.json', 'gdrive://Photos/contacts.json'])(
  '%s is read as a path',
  async (file_path_or_id) => {
    const { notices } = await server.call('FileStorage.DownloadFile', { file_path_or_id })
    expect(String(notices)).toContain('was read as')
  },
)

/** Calls to tools that do not exist, each with the tool in `next` (undefined if it has none), and part of the text. */
test.for([
  ['files_create', { name: 'Taxes', mimeType: 'application/vnd.google-apps.folder' }, 'CreateFolder', ''],
  ['files_create', { name: 'a.txt', content: 'Hello' }, undefined, 'WriteFile does this. It is in the toolset content'],
  ['files_list', { q: "name = 'a'", pageSize: 10 }, 'SearchFiles', ''],
  ['files_list', {}, 'GetFileTreeStructure', ''],
  ['files_update', { fileId: 'Photos', addParents: 'root' }, 'MoveFile', ''],
  ['files_update', { fileId: 'Photos', requestBody: { name: 'Pictures' } }, 'RenameFile', ''],
  ['files_update', { fileId: 'Photos', trashed: true }, undefined, 'TrashFile does this.'],
  ['permissions_create', { fileId: 'Photos', role: 'reader', emailAddress: 'a@example.com' }, 'ShareFile', ''],
  ['permissions_create', { fileId: 'Photos', role: 'reader', type: 'anyone' }, undefined, 'SetGeneralAccess does this.'],
  ['permissions_delete', { fileId: 'Photos', permissionId: '1' }, undefined, 'RevokeFileAccess does this.'],
  ['drives_list', { pageSize: 5 }, 'WhoAmI', ''],
  ['gdrive_search', { query: 'lake' }, 'SearchFiles', ''],
  ['copy_file', { file: 'Photos' }, undefined, 'Otherwise, a person can do it in Google Drive.'],
  ['delete_drive', {}, undefined, 'No tool changes shared drives.'],
  ['list_buckets', {}, 'WhoAmI', ''],
  ['rm', { path: 'a.txt' }, undefined, 'TrashFile does this.'],
  ['append_to_file', { path: 'a.txt', content: 'x' }, undefined, 'WriteFile does this.'],
  ['share_with', { path: 'Photos', email: 'ada@example.com' }, 'ShareFile', ''],
  ['s3_get_object', { Bucket: 'Engineering', Key: 'Runbooks/Pager.md' }, 'DownloadFile', ''],
  ['list_objects_v2', { Bucket: 'Engineering', Prefix: 'Runbooks/', MaxKeys: 100 }, 'SearchFiles', ''],
  ['head_object', { Bucket: 'Engineering', Key: 'Runbooks/Pager.md' }, 'SearchFiles', ''],
  ['put_object', { Bucket: 'My Drive', Key: 'today.txt', Body: 'Call the bank' }, undefined, 'WriteFile does this.'],
  ['upload_document', { fileName: 'a.md', contentBase64: 'aGk=' }, undefined, 'To store a file from a public URL'],
  ['list_recent_files', { pageSize: 5 }, 'GetFileTreeStructure', ''],
  ['get_starred_files', {}, 'SearchFiles', ''],
  ['list_files_shared_with_me', {}, 'SearchFiles', ''],
  ['list_children', { itemId: 'Photos' }, 'SearchFiles', ''],
  ['list_trash', {}, undefined, 'No tool shows or empties the trash.'],
  ['transcribe_file', { file: 'Photos' }, undefined, ''],
] as const)('the unknown tool %s %j means %s, and the error says "%s"', async ([name, args, tool, said]) => {
  const error: unknown = await server.call(`FileStorage.${name}`, args).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: -32602 })
  expect(member(error, 'message')).toContain(said)
  expect(member(member(member(error, 'data'), 'next'), 'tool')).toEqual(
    tool && expect.stringMatching(new RegExp(`^FileStorage[._]${tool}$`)),
  )
})

test.for([
  ['files_move_v2', { from_path: '/empty.txt' }, 'MoveFile'],
  ['read_text_file', { path: 'Photos/prices.csv' }, 'DownloadFile'],
  ['add_file_member', { file: 'Photos', members: [{ '.tag': 'email', email: 'ada@example.com' }] }, 'ShareFile'],
  ['update_file', { fileId: 'Photos', body: { name: 'Pictures' } }, 'RenameFile'],
] as const)('%s %j means %s', async ([tool, args, meant]) => {
  await expect(server.call(tool, args)).rejects.toMatchObject({ data: { next: { tool: `FileStorage_${meant}` } } })
})

test.for<readonly [string, (id: string) => string]>([
  ['its id', (id) => id],
  ["the reference server's URI", (id) => `gdrive:///${id}`],
  ['a link', (id) => `https://drive.google.com/drive/folders/${id}`],
])('a search for %s of a folder finds the folder', async ([, written]) => {
  const id = server.emulator.store.named('Photos')[0]?.id ?? ''
  const { files, notices } = await server.call(search, { query: written(id) })
  expect(files).toMatchObject([{ id, name: 'Photos' }])
  expect(String(notices)).toContain(`pass query "*" and folder_path_or_id "${id}"`)
})

test('a search for an id of nothing finds nothing', async () => {
  const { files, notices } = await server.call(search, { query: '1AbCdEfGhIjKlMnOpQrStUvWxYz0123456' })
  expect(files).toEqual([])
  expect(String(notices)).toContain('Nothing matches')
})

test('a download does not convert a document to a format', async () => {
  const call = server.call('FileStorage.ExportFile', { file_path_or_id: 'Projects', mime_type: 'application/pdf' })
  await expect(call).rejects.toThrow('which --toolsets content turns on. Closest: FileStorage_DownloadFile.')
})
