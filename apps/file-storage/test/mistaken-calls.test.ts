import { shareOf } from '@mcp-toolkits/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderType, storage, textAt, type Storage } from './storage.ts'

const download = 'FileStorage.DownloadFile'
const search = 'FileStorage.SearchFiles'

let server: Storage
let lake = ''
let logo = ''
let design = ''
beforeAll(async () => {
  server = await storage({ emulated: {} })
  lake = server.emulator.store.named('lake.png')[0]?.id ?? ''
  logo = server.emulator.store.named('Logo.png')[0]?.id ?? ''
  design = server.emulator.store.named('Design')[0]?.id ?? ''
})
afterAll(async () => server[Symbol.asyncDispose]())

/** Ways to write `Photos/Summer 2026/lake.png` that lose no information. */
const forms: readonly ((path: string, id: string) => string)[] = [
  (path) => `/${path}`,
  (path) => `./${path}`,
  (path) => `/./${path}`,
  (path) => `//${path}//`,
  (path) => ` ${path} `,
  (path) => `${path}\n`,
  (path) => `"${path}"`,
  (path) => `'${path}'`,
  (path) => `\`${path}\``,
  (path) => `“${path}”`,
  (path) => `<${path}>`,
  (path) => path.replaceAll('/', '\\'),
  (path) => `\\${path.replaceAll('/', '\\')}`,
  (path) => path.replaceAll('/', '\\\\'),
  (path) => path.replaceAll('/', ' / '),
  (path) => path.replaceAll('/', ' > '),
  (path) => path.replaceAll('/', '//'),
  (path) => path.replaceAll(' ', '%20'),
  (path) => encodeURIComponent(path),
  (path) => path.replaceAll(' ', '+'),
  (path) => path.replaceAll(' ', '\u00a0'),
  (path) => path.replaceAll('/', ' » '),
  (path) => path.replaceAll('/', '／'),
  (path) => `path: ${path}`,
  (path) => `file:///${path}`,
  (path) => `drive:/${path}`,
  (path) => `Drive/${path}`,
  (path) => `My Drive/${path}`,
  (path) => `/My Drive/${path}`,
  (path) => `MyDrive/${path}`,
  (path) => `my-drive/${path}`,
  (path) => `MY DRIVE/${path}`,
  (path) => `root/${path}`,
  (path) => `Google Drive/${path}`,
  (path) => `~/Google Drive/My Drive/${path}`,
  (path) => `/content/drive/MyDrive/${path}`,
  (path) => `G:\\My Drive\\${path.replaceAll('/', '\\')}`,
  (path) => `Photos/../${path}`,
  (path) => `"My Drive\\${path.replaceAll('/', '\\')}"`,
  (_, id) => `/${id}`,
  (_, id) => `${id}/`,
  (_, id) => ` ${id} `,
  (_, id) => `"${id}"`,
  (_, id) => `id:${id}`,
  (_, id) => `ID: ${id}`,
  (_, id) => `file_id=${id}`,
  (_, id) => `(${id})`,
  (_, id) => `[lake.png](https://drive.google.com/file/d/${id}/view)`,
  (_, id) => `https://www.googleapis.com/drive/v3/files/${id}`,
  (_, id) => `Photos/Summer 2026/${id}`,
  (_, id) => `file/d/${id}`,
  (_, id) => `google-drive:///${id}`,
  (_, id) => `google-drive:///${id}/lake.png`,
  (_, id) => `https://drive.google.com/file/d/${id}/view?usp=sharing`,
  (_, id) => `<https://drive.google.com/file/d/${id}/view>`,
  (_, id) => `https://drive.google.com/open?id=${id}`,
  (_, id) => `https://drive.google.com/uc?export=download&id=${id}`,
  (_, id) => `drive.google.com/file/d/${id}`,
]

test.for(
  shareOf(
    forms.map((form, index) => [index, form] as const),
    8,
    0,
  ),
)('form %i of a path or an id reaches the file', async ([, form]) => {
  const written = form('Photos/Summer 2026/lake.png', lake)
  expect(await server.call(download, { file_path_or_id: written }), written).toMatchObject({ file: { id: lake } })
})

test.for([
  'photos/Summer 2026/lake.png',
  'Photos/Sumer 2026/lake.png',
  'Photos/summer 2026/Lake.png',
  'Photos/Summer 2026/lake',
  'Photos/Summer 2026/lakes.png',
  'photos/Summer 2026/lakes',
  'My Drive/photos/summer 2026/lake.png',
  '"photos/Summer 2026/lake.png"',
])('the error for a near miss (%s) has the whole path, which is accepted', async (written) => {
  const error = await server.fails(download, { file_path_or_id: written })
  expect(error.next).toEqual({ change: { file_path_or_id: 'Photos/Summer 2026/lake.png' } })
  expect(await server.call(download, { file_path_or_id: written, ...error.next?.change })).toMatchObject({ file: { id: lake } })
})

test.for([
  ['Pictures/lake.png', () => lake],
  ['Lakes.png', () => lake],
] as const)('a path (%s) with only a wrong folder or letter leads a read to the item', async ([written, id]) => {
  expect((await server.fails(download, { file_path_or_id: written })).next).toEqual({ change: { file_path_or_id: id() } })
  const error = await server.fails('FileStorage.RenameFile', { file_path_or_id: written, new_filename: 'sea.png' })
  expect(error.next).toBeUndefined()
  expect(error.suggestions?.[0]).toMatchObject({ id: id() })
})

test.for(['Photos/Summer 2025/lake.png', 'Photos/Winter 2026/sea.png', 'Nothing like it', 'Photos/Summer 2026/sea.jpg'])(
  'a missing item (%s) leads to no other item',
  async (written) => {
    const error = await server.fails(download, { file_path_or_id: written })
    expect(error.code).toBe('not_found')
    expect(error.next).toBeUndefined()
    for (const { value } of error.suggestions ?? []) expect(value).toMatch(/\.\w+$/)
  },
)

test.for([
  ['/Design/Brand/Logo.png', undefined],
  ['Shared drives/Design/Brand/Logo.png', undefined],
  ['Brand/Logo.png', 'design'],
  ['Brand/Logo.png', '"Design"'],
  ['Brand/Logo.png', ' Design '],
  ['Brand/Logo.png', 'the Design drive'],
  ['Brand/Logo.png', 'Shared drives/Design'],
  ['Brand/Logo.png', 'Design (shared drive)'],
  ['design/Brand/Logo.png', undefined],
  ['Design/Brand/Logo.png', 'Design'],
  ['./Brand/Logo.png', 'Design'],
] as const)('%s in the shared drive %s is found, with a notice', async ([path, drive]) => {
  const result = await server.call(download, { file_path_or_id: path, ...(drive !== undefined && { shared_drive_id: drive }) })
  expect(result).toMatchObject({ file: { id: logo } })
  expect(String(result['notices'])).toContain('was read as')
})

test.for([
  ['Design/Brand/Logo.png', undefined],
  ['Brand/Logo.png', 'Design'],
] as const)('%s in the shared drive %s is found without a pointless notice', async ([path, drive]) => {
  const result = await server.call(download, { file_path_or_id: path, ...(drive !== undefined && { shared_drive_id: drive }) })
  expect(result).toMatchObject({ file: { id: logo } })
  expect(String(result['notices'])).not.toContain('was read as')
})

test('an unknown shared drive is refused with similar names, and a folder in My Drive takes precedence over a shared drive', async () => {
  const error = await server.fails(download, { file_path_or_id: 'Brand/Logo.png', shared_drive_id: 'Desing' })
  expect(error).toMatchObject({ code: 'not_found', next: { change: { shared_drive_id: 'Design' } } })
  await using other = await storage({ emulated: {} })
  const folder = other.emulator.addItem({ name: 'Design', type: folderType, key: 'own' })
  const own = other.emulator.addItem({ name: 'Logo.png', parent: folder, text: 'mine' })
  expect(await other.call(download, { file_path_or_id: 'Design/Logo.png' })).toMatchObject({ file: { id: own } })
})

test('the error for a path that only a shared drive can contain names the drives to look in', async () => {
  const error = await server.fails(download, { file_path_or_id: 'Brand/Poster.png' })
  expect(error.code).toBe('not_found')
  expect(error.message).toContain(
    'The path was looked up in My Drive. To look in a shared drive, begin file_path_or_id with its name: "Engineering" or "Design".',
  )
})

test.for([
  ['an id', { file_path_or_id: '1aaaaaaaaaaaaaaaaaaaaaaaaaaa0' }],
  ['a path in a shared drive', { file_path_or_id: 'Missing.png', shared_drive_id: 'Design' }],
] as const)('the error for %s that is missing names no other drives', async ([, args]) => {
  const error = await server.fails(download, args)
  expect(error.code).toBe('not_found')
  expect(error.message).not.toContain('To look in a shared drive')
})

test.for([
  ['/', 'My Drive'],
  ['My Drive', 'My Drive'],
  ['MyDrive/', 'My Drive'],
  ['./', 'My Drive'],
  ['.', 'My Drive'],
  ['root/', 'My Drive'],
  ['https://drive.google.com/drive/my-drive', 'My Drive'],
  ['Design', 'the shared drive "Design"'],
  ['Design/', 'the shared drive "Design"'],
] as const)('%s as a folder is the root of %s', async ([written, place]) => {
  expect(await server.call(search, { query: 'x', folder_path_or_id: written })).toMatchObject({
    searched: `directly in the root of ${place}`,
  })
})

test('a folder really named "My Drive", or "%20", comes first', async () => {
  await using other = await storage()
  for (const name of ['My Drive', '%20', 'root folder']) {
    const folder = other.emulator.addItem({ name, type: folderType })
    const file = other.emulator.addItem({ name: 'a.txt', parent: folder, key: `in ${name}`, text: 'a' })
    expect(await other.call(download, { file_path_or_id: `${name}/a.txt` })).toMatchObject({ file: { id: file } })
  }
})

test.for([
  ["name contains 'lake'", ['lake.png']],
  ["name = 'lake' and trashed = false", ['lake.png']],
  ["fullText contains 'lake' and mimeType = 'image/png'", ['lake.png']],
  ["mimeType = 'image/gif' or name contains 'lake'", ['dot.gif', 'lake.png']],
  ["mimeType contains 'image/' and not (name contains 'lake') and modifiedTime > '2020-01-01'", ['dot.gif']],
  ["title = 'lake' and 'me' in owners", ['lake.png']],
  ["name contains 'lake' and hasThumbnail = true", ['lake.png']],
  ["name contains 'lake' or hasThumbnail = true", []],
  ["mimeType = 'application/pdf' and name contains 'report'", ['Report.pdf', 'Report.pdf']],
] as const)("a query in Drive's own syntax (%s) is read, or searched as words with a notice", async ([query, names]) => {
  const { files, notices } = await server.call(search, { query })
  expect(String(notices)).toContain("Google Drive's own syntax")
  expect((JSON.stringify(files).match(/(?<="name":")[^"]*/g) ?? []).sort()).toEqual(names)
})

test("a folder in a query in Drive's own syntax is searched alone, and a second one is not searched for as a word", async () => {
  const summer = server.emulator.store.named('Summer 2026')[0]?.id ?? ''
  const found = await server.call(search, { query: `'${summer}' in parents and name contains 'dot'` })
  expect(found).toMatchObject({ files: [{ name: 'dot.gif' }], searched: `directly in ${summer}` })
  expect(String(found['notices'])).toContain(`the words "dot" and folder_path_or_id ${summer}`)
  const all = await server.call(search, { query: `'${summer}' in parents` })
  expect(all['files']).toMatchObject([{ name: 'dot.gif' }, { name: 'lake.png' }])
  const other = await server.call(search, { query: `'${summer}' in parents`, folder_path_or_id: 'Photos' })
  expect(String(other['notices'])).toContain(`it was read as any words. Left out: "'${summer}' in parents".`)
  expect(JSON.stringify(other['files'])).toContain('"Photos/Summer 2026"')
})

test('a path may begin with the id of a folder', async () => {
  const photos = server.emulator.store.named('Photos')[0]?.id ?? ''
  const written = `${photos}/Summer 2026/lake.png`
  expect(await server.call(download, { file_path_or_id: written })).toMatchObject({ file: { id: lake } })
  expect(await server.fails(download, { file_path_or_id: `${photos}/Summer 2026/sea.png` })).toMatchObject({ code: 'not_found' })
})

test.for([
  ['CreateFolder', 'parent_folder_path_or_id', 'Photos/2027', { folder_name: '2027' }],
  ['UploadFile', 'destination_folder_path_or_id', 'Photos/a.txt', { file_name: 'a.txt', source_url: 'https://example.com/a.txt' }],
  ['MoveFile', 'destination_folder_path_or_id', 'Photos/Readme.md', { source_file_path_or_id: 'Projects/Gemini/Readme.md' }],
  ['SearchFiles', 'folder_path_or_id', 'Photos/*', { query: 'x' }],
  ['SearchFiles', 'folder_path_or_id', 'the Photos folder', { query: 'x' }],
] as const)('%s proposes the folder itself for %s %s', async ([tool, parameter, written, args]) => {
  const error = await server.fails(`FileStorage.${tool}`, { ...args, [parameter]: written })
  expect(error.next).toEqual({ change: { [parameter]: 'Photos' } })
})

test.for([
  ['Photos/Start.md', 'Photos', 'Start.md', true],
  ['/Photos/2026.pdf', '/Photos', '2026.pdf', false],
  ['/Start.md', 'root', 'Start.md', true],
  ['Start.md', 'root', 'Start.md', false],
] as const)(
  'the destination %s, which ends in a new name, gets suggestions, and a change if clear',
  async ([written, folder, name, isClear]) => {
    const args = { source_file_path_or_id: 'Projects/Gemini/Readme.md', destination_folder_path_or_id: written }
    const error = await server.fails('FileStorage.MoveFile', args)
    expect(error.next?.change).toEqual(isClear ? { destination_folder_path_or_id: folder, new_filename: name } : undefined)
    expect(error.suggestions).toEqual([
      { parameter: 'destination_folder_path_or_id', value: folder, confidence: 0.6 },
      { parameter: 'new_filename', value: name, confidence: 0.6 },
    ])
    expect(server.emulator.store.named('Readme.md')).toHaveLength(1)
  },
)

test('a destination that ends in the old name of a renamed file is corrected to the folder', async () => {
  const args = { source_file_path_or_id: 'Projects/Gemini/Readme.md', new_filename: 'Start.md' }
  const error = await server.fails('FileStorage.MoveFile', { ...args, destination_folder_path_or_id: 'Photos/Readme.md' })
  expect(error.next).toEqual({ change: { destination_folder_path_or_id: 'Photos' } })
})

test.for([
  ['CreateFolder', { name: '2027', path: 'Photos' }, { name: null, path: null, folder_name: '2027', parent_folder_path_or_id: 'Photos' }],
  ['CreateFolder', { path: 'Photos/2027' }, { path: null, folder_name: '2027', parent_folder_path_or_id: 'Photos' }],
  ['CreateFolder', { folder_name: '2027', path: 'Photos' }, { path: null, parent_folder_path_or_id: 'Photos' }],
  [
    'UploadFile',
    { file_name: 'a.txt', source_url: 'https://example.com/a.txt', path: 'Photos' },
    { path: null, destination_folder_path_or_id: 'Photos' },
  ],
] as const)('%s reads the path in %j as the folder', async ([tool, args, change]) => {
  expect((await server.fails(`FileStorage.${tool}`, args)).next).toEqual({ change })
})

test.for([
  ['reader', 'viewer view can_view Read-Only view+access role:reader reader+(view+only)'],
  ['commenter', 'comment can_comment'],
  ['writer', 'editor edit write can_edit edit+permissions can+write read/write'],
  [undefined, 'owner organizer admin none remove not_reader no+access no+edit+access cannot+edit write-only'],
] as const)('roles that mean %s: %s', async ([role, written]) => {
  for (const each of written.split(' ').map((word) => word.replaceAll('+', ' '))) {
    const args = { file_path_or_id: lake, email_addresses: ['ada@example.com'], role: each }
    const error = await server.fails('FileStorage.ShareFile', args)
    expect(error.next?.change?.['role'], each).toBe(role)
  }
})

test('shares with everyone whom one text names, or with no one', async () => {
  await using other = await storage()
  const id = other.emulator.addItem({ name: 'Plan' })
  const share = (written: string) => ({ file_path_or_id: id, email_addresses: [written] })
  await other.call(
    'FileStorage.ShareFile',
    share('Dee, Ann <d@example.com>; e@example.com, "F" <f@example.com>, G@example.com <g@example.com>'),
  )
  const addresses = other.emulator.store.permissions().map(({ emailAddress }) => emailAddress)
  expect(addresses.sort()).toEqual(['d', 'e', 'f', 'g'].map((name) => `${name}@example.com`))
  const error = await other.fails('FileStorage.ShareFile', share('h@example.com Ida <i@example.com>'))
  expect(error.message).toContain('Not an email address in "email_addresses": "h@example.com ida <i@example.com>". Nothing was shared.')
})

test('takes addresses in the forms that people write, and never widens or reverses what was asked', async () => {
  await using other = await storage()
  const id = other.emulator.addItem({ name: 'Plan' })
  const share = 'FileStorage.ShareFile'
  await other.call(share, { file_path_or_id: id, email_addresses: 'a@example.com, b@example.com' })
  await other.call(share, { file_path_or_id: id, email_addresses: ['c@example.com', 'Dee <d@example.com>', 'mailto:e@example.com'] })
  const addresses = other.emulator.store.permissions().map(({ emailAddress }) => emailAddress)
  expect(addresses.sort()).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@example.com`))
  for (const extra of [{ remove_email_addresses: ['a@example.com'] }, { unshare: true }, { exclude_email_addresses: ['x@example.com'] }]) {
    const error = await other.fails(share, { file_path_or_id: id, ...extra })
    expect(error).not.toHaveProperty('next')
  }
  expect(other.emulator.store.permissions().length).toBe(5)
})

test.for([
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
  ['image/jpg', 'image/jpeg'],
  ['markdown', 'text/markdown'],
  ['application/zip', null],
  ['image/webp', null],
  ['video/mp4', null],
  ['video/gif', null],
  ['audio/json', null],
  ['application/vnd.google-apps.document', undefined],
] as const)('the type %s of an upload becomes %s, never another type', async ([written, type]) => {
  const args = { file_name: 'a', source_url: 'https://example.com/a', mime_type: written }
  expect((await server.fails('FileStorage.UploadFile', args)).next?.change?.['mime_type']).toBe(type)
})

test.for([
  ['CreateFolder', { folder_name: 'Photos/2027' }, { folder_name: '2027', parent_folder_path_or_id: 'Photos' }],
  ['CreateFolder', { folder_name: '/Photos/2027/' }, { folder_name: '2027', parent_folder_path_or_id: 'Photos' }],
  ['CreateFolder', { folder_name: 'Photos/' }, { folder_name: 'Photos' }],
  ['CreateFolder', { folder_name: 'Photos/2027', parent_folder_path_or_id: 'Work' }, undefined],
  ['CreateFolder', { folder_name: '//' }, undefined],
  ['RenameFile', { file_path_or_id: 'Photos/a.png', new_filename: 'Photos/b.png' }, { new_filename: 'b.png' }],
  ['RenameFile', { file_path_or_id: 'a.png', new_filename: 'Photos/b' }, undefined],
  ['RenameFile', { file_path_or_id: 'a.png', new_filename: '/b.png' }, { new_filename: 'b.png' }],
  ['MoveFile', { source_file_path_or_id: 'a', destination_folder_path_or_id: 'Photos', new_filename: 'Work/b.png' }, undefined],
] as const)('%s %j refuses a path as a name before anything is sent', async ([tool, args, change]) => {
  const before = server.sent.length
  const error = await server.fails(`FileStorage.${tool}`, args)
  expect(error.code).toBe('invalid_input')
  expect(error.message).toContain('must be a name, not a path')
  expect(error.next?.change).toEqual(change)
  expect(server.sent.length).toBe(before)
})

test('says that two items now have the same name', async () => {
  await using other = await storage()
  const create = (folder_name: string) => other.call('FileStorage.CreateFolder', { folder_name })
  const first = textAt(await create('Invoices'), 'folder.id')
  expect(String((await create('Invoices'))['notices'])).toContain(`two items named "Invoices": ${first}, and`)
})

test('lists twenty results in 4,800 bytes, and every id, name and drive that is printed is accepted', async () => {
  await using other = await storage()
  for (let index = 0; index < 25; index += 1) {
    other.emulator.addItem({ name: `Quarterly budget report ${index}.pdf`, key: `${index}`, type: 'application/pdf', content: 'x' })
  }
  const result = await other.call(search, { query: 'budget', limit: 20 })
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(4_800)
  const rows = await server.call(search, { query: 'lake' })
  const id = textAt(rows, 'files.0.id')
  expect(await server.call(download, { file_path_or_id: id })).toMatchObject({ file: { id } })
  expect(await server.call(search, { query: 'logo', shared_drive_id: design })).toMatchObject({ files: [{ id: logo }] })
})

test('says on every list that only chosen files are visible after a sign-in with drive.file', async () => {
  await using other = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const made = textAt(await other.call('FileStorage.CreateFolder', { folder_name: 'Mine' }), 'folder.id')
  const tree = await other.call('FileStorage.GetFileTreeStructure')
  expect(tree).toMatchObject({ drives: [{ name: 'My Drive', items: [{ id: made }] }], unplaced: [] })
  for (const result of [tree, await other.call(search, { query: 'x' })]) {
    expect(String(result['notices'])).toMatch(/Only files .* are visible \(drive\.file scope\)\..*FileStorage_GenerateFilePickerUrl/)
  }
})
