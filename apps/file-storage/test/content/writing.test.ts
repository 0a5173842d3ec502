import { isCI } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { md5, pseudoRandomBytes, put } from '../contents.ts'
import { clockWithoutWaits, folderType, storage, textAt, type StorageOptions } from '../storage.ts'
import { uploading } from '../uploading.ts'
import { contentIn, otherWriter, revisionsIn } from './other-program.ts'

const write = 'FileStorage.WriteFile'
const withContent = (options: StorageOptions = {}) => storage({ toolsets: ['content'], ...options })

/** A server with a text file. */
async function withFile(text: string, options: StorageOptions = {}) {
  const server = await withContent(options)
  const { file } = await server.call(write, { file_name: 'Notes.md', content: text })
  const id = textAt(file, 'id')
  return { ...server, id, text: () => contentIn(server, id), revisions: () => revisionsIn(server, id), other: otherWriter(server, id) }
}

test('creates a text file of the type that its name indicates', async () => {
  await using server = await withContent()
  const folder = server.emulator.addItem({ name: 'Team', type: folderType })
  const args = { file_name: 'Minutes.md', content: '# Minutes\n', destination_folder_path_or_id: 'Team' }
  const made = await server.call(write, args)
  expect(made).toMatchObject({ created: true, file: { name: 'Minutes.md', mime_type: 'text/markdown', size: 10, parent_id: folder } })
  expect(await contentIn(server, textAt(made, 'file.id'))).toBe('# Minutes\n')
  const plain = await server.call(write, { file_name: 'README', content: 'x' })
  expect(plain).toMatchObject({ file: { mime_type: 'text/plain' } })
})

test('says that a new file has the same name as another one, and gives the id to change that one instead', async () => {
  await using server = await withFile('one')
  const again = await server.call(write, { file_name: 'Notes.md', content: 'two' })
  expect(again).toMatchObject({ created: true })
  expect(again['notices']).toEqual([
    expect.stringContaining('The folder now has two items named "Notes.md"'),
    `To change an existing file instead, pass its id as file_path_or_id: ${server.id}.`,
  ])
  expect(await server.text()).toBe('one')
})

test('takes the content from a URL, for a new file and in place', async () => {
  // In CI, the new file takes one chunk, and its replacement two.
  const size = isCI ? 6_000_000 : 50_000
  await using server = await uploading({ content: pseudoRandomBytes(size) }, { toolsets: ['content'] })
  const { file } = await server.call(write, { file_name: 'Log.txt', source_url: server.from.url })
  const id = textAt(file, 'id')
  server.from.served.content = pseudoRandomBytes(2 * size, 2)
  const changed = await server.call(write, { file_path_or_id: 'Log.txt', source_url: server.from.url })
  expect(changed).toMatchObject({ created: false, changed: true, file: { id, size: 2 * size } })
  expect(server.emulator.store.files().find((each) => each.id === id)?.md5).toBe(md5(server.from.served.content))
  server.from.served.content = Buffer.from('<!doctype html><title>Sign in</title>')
  await server.call(write, { file_path_or_id: 'Log.txt', source_url: server.from.url })
  const csv = await server.call(write, { file_name: 'a.csv', content: 'a,b\n' })
  const page = await server.fails(write, { file_path_or_id: textAt(csv, 'file.id'), source_url: server.from.url })
  expect(page).toMatchObject({ code: 'invalid_input' })
})

test('writes in place, and keeps what was there as a revision', async () => {
  await using server = await withFile('one')
  const [first = ''] = (await server.revisions()).map(({ id }) => id)
  const changed = await server.call(write, { file_path_or_id: 'Notes.md', content: 'two', expected_revision: first })
  expect(changed).toMatchObject({ created: false, changed: true, previous_revision: first, file: { id: server.id, size: 3 } })
  expect(await server.text()).toBe('two')
  expect((await server.revisions()).map(({ id }) => id)).toEqual([first, changed['revision']])
  const same = await server.call(write, { file_path_or_id: 'Notes.md', content: 'two' })
  expect(same).toMatchObject({ changed: false, revision: changed['revision'], notices: [expect.stringContaining('exactly this content')] })
  expect(await server.revisions()).toHaveLength(2)
})

test('appends, and replaces a passage that occurs once', async () => {
  await using server = await withFile('# Notes\r\n\r\n- one\r\n- two\r\n')
  await server.call(write, { file_path_or_id: server.id, append: '- three\r\n' })
  await server.call(write, { file_path_or_id: server.id, replace: { passage: '- one\n- two', with: '- 1\n- 2' } })
  expect(await server.text()).toBe('# Notes\r\n\r\n- 1\r\n- 2\r\n- three\r\n')
  await server.call(write, { file_path_or_id: server.id, replace: { passage: '- 2\r\n', with: '' } })
  await server.call(write, { file_path_or_id: server.id, replace: { passage: '- 1', with: '- 1\n- 2' } })
  expect(await server.text()).toBe('# Notes\r\n\r\n- 1\r\n- 2\r\n- three\r\n')
})

test.for([
  [{ passage: 'Two', with: '' }, /does not occur in "Notes.md", except with different spacing or case in line 2\. Pass it exactly/],
  [{ passage: 'four', with: '' }, /does not occur in "Notes.md"\. Pass it exactly/],
  [{ passage: 'e', with: '' }, /occurs 3 times in "Notes.md", in lines 1 and 3\./],
  [{ passage: 'aa', with: '' }, /occurs 2 times in "Notes.md", in line 4\./],
] as const)('says where a passage occurs unless it occurs exactly once: %j', async ([replace, message]) => {
  await using server = await withFile('one\ntwo\nthree\naaa\n')
  const error = await server.fails(write, { file_path_or_id: server.id, replace })
  expect([error.code, error.message]).toEqual(['invalid_input', expect.stringMatching(message)])
  expect(await server.revisions()).toHaveLength(1)
})

test('edits UTF-16 as UTF-16, keeps a byte order mark, and edits no other bytes', async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('eins', 'utf16le')])
  await using server = await uploading({ content: utf16 }, { toolsets: ['content'] })
  const made = await server.call(write, { file_name: 'a.txt', source_url: server.from.url })
  await server.call(write, { file_path_or_id: 'a.txt', append: ' zwei' })
  const wanted = Buffer.concat([utf16, Buffer.from(' zwei', 'utf16le')])
  expect(server.emulator.store.files().find(({ id }) => id === textAt(made, 'file.id'))?.md5).toBe(md5(wanted))
  // A picture, and UTF-16 without a byte order mark.
  for (const content of [Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from('eins', 'utf16le')]) {
    server.from.served.content = content
    const { file } = await server.call(write, { file_name: 'b.bin', source_url: server.from.url })
    const error = await server.fails(write, { file_path_or_id: textAt({ file }, 'file.id'), append: 'x' })
    expect([error.code, error.message]).toEqual(['invalid_input', expect.stringContaining('is not text')])
  }
})

test.for([
  [{ file_name: 'a', content: 'x', append: 'y' }, 'exactly one'],
  [{ file_path_or_id: 'a' }, 'exactly one'],
  [{ content: 'x' }, 'either file_name'],
  [{ file_name: 'a', file_path_or_id: 'a', content: 'x' }, 'either file_name'],
  [{ file_path_or_id: 'a', destination_folder_path_or_id: 'root', content: 'x' }, 'either file_name'],
  [{ file_name: 'a', append: 'x' }, 'for an existing file'],
  [{ file_name: 'a', content: 'x', expected_revision: '1' }, 'for an existing file'],
] as const)('refuses contradictory arguments: %j', async ([args, message]) => {
  await using server = await withContent()
  const error = await server.fails(write, args)
  expect([error.code, error.message]).toEqual(['invalid_input', expect.stringContaining(message)])
  expect(server.sent).toEqual([])
})

test('accepts blank text as it is, and empty text if nothing else is given', async () => {
  await using server = await withFile('one')
  const blanks = ['\n', ' ', '\n\n', '""', '<br>', '&nbsp;', '\u200B']
  for (const append of blanks) expect(await server.call(write, { file_path_or_id: server.id, append })).not.toHaveProperty('notices')
  expect(await server.text()).toBe(`one${blanks.join('')}`)
  await server.call(write, { file_path_or_id: server.id, content: '""' })
  await server.call(write, { file_path_or_id: server.id, content: '', append: '!', source_url: '', replace: null })
  expect(await server.text()).toBe('""!')
  expect(await server.fails(write, { file_path_or_id: server.id, content: '', append: '' })).toMatchObject({ code: 'invalid_input' })
  expect(await server.call(write, { file_path_or_id: server.id, content: '' })).toMatchObject({ changed: true, file: { size: 0 } })
  for (const [file_name, others] of [
    ['__init__.py', {}],
    ['.gitkeep', { append: '', source_url: '', replace: null, file_path_or_id: '' }],
  ] as const)
    expect(await server.call(write, { file_name, content: '', ...others })).toMatchObject({ created: true, file: { size: 0 } })
})

test('writes no text into an Office file or a picture, and says what to do', async () => {
  await using server = await withContent()
  const refused = await server.fails(write, { file_name: 'Report 1.docx', content: '# Report\n' })
  expect(refused).toMatchObject({ code: 'invalid_input', next: { change: { file_name: 'Report 1.md' } } })
  expect(server.sent).toEqual([])
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  const id = await put(server, 'Report', Buffer.from('PK'), type)
  const written = server.emulator.store.mutations().length
  const error = await server.fails(write, { file_path_or_id: id, content: '# Report\n' })
  expect([error.code, error.message]).toEqual(['invalid_input', expect.stringContaining('source_url with the finished file')])
  expect(server.emulator.store.mutations().length).toBe(written)
  const csv = await put(server, 'a.csv', Buffer.from('a,b'), 'application/vnd.ms-excel')
  await server.call(write, { file_path_or_id: csv, content: 'a,b,c' })
  for (const file_name of ['a.svg', 'a.ts', 'a.mts', 'a.cts', 'a.rtf', 'a.json', 'README'])
    await server.call(write, { file_name, content: 'x' })
})

test('refuses folders, Google documents and items in the trash', async () => {
  await using server = await withContent({ emulated: { seed: 'company' } })
  const { store } = server.emulator
  const idOf = (name: string) => store.named(name)[0]?.id ?? ''
  const document = store.files().find(({ mimeType, trashed }) => mimeType.endsWith('.document') && !trashed)
  for (const id of [idOf('Team'), document?.id ?? '', idOf('Old launch dates.txt')]) {
    expect(await server.fails(write, { file_path_or_id: id, append: 'x' })).toMatchObject({ code: 'invalid_input' })
  }
})

test('a revision other than the expected one is a conflict that shows both, and the current text', async () => {
  await using server = await withFile('one\n')
  const [first = ''] = (await server.revisions()).map(({ id }) => id)
  await server.other('two\n')
  const [, second = ''] = (await server.revisions()).map(({ id }) => id)
  const error = await server.fails(write, { file_path_or_id: server.id, content: 'mine', expected_revision: first })
  expect(error).toMatchObject({ code: 'conflict', retryable: false })
  for (const part of [first, second, 'two', 'Nothing was written']) expect(error.message).toContain(part)
  expect(error.next).toBeUndefined()
  const edit = await server.fails(write, { file_path_or_id: server.id, append: 'three\n', expected_revision: first })
  expect(edit.next).toEqual({ change: { expected_revision: second } })
  await server.call(write, { file_path_or_id: server.id, append: 'three\n', ...edit.next?.change })
  expect(await server.text()).toBe('two\nthree\n')
})

test('an intervening change is a conflict, kept forever, and not overwritten a second time', async () => {
  let meanwhile: (() => Promise<unknown>) | undefined
  const seen = async ({ method }: Request) => {
    const change = meanwhile
    if (method !== 'PUT' || !change) return
    meanwhile = undefined
    await change()
  }
  await using server = await withFile('one\n', { seen })
  meanwhile = () => server.other('one\nof another\n')
  const args = { file_path_or_id: server.id, append: 'mine\n' }
  const error = await server.fails(write, args)
  const [first, between, mine] = await server.revisions()
  expect(error).toMatchObject({ code: 'conflict', retryable: false })
  for (const revision of [first, between, mine]) expect(error.message).toContain(revision?.id)
  expect(error.message).toContain('of another')
  expect([first?.kept, between?.kept, mine?.kept]).toEqual([false, true, false])
  expect(await server.text()).toBe('one\nmine\n')
  expect(await server.fails(write, args)).toMatchObject({ code: 'conflict' })
  expect(await server.revisions()).toHaveLength(3)
})

test('an append whose responses are lost is written once', async () => {
  await using server = await withFile('one\n')
  for (const match of [{ method: 'PATCH' }, { method: 'PUT' }, { method: 'GET', path: `/drive/v3/files/${server.id}/revisions` }]) {
    server.emulator.faults.add({ match, action: { kind: 'drop_after' } })
    await server.call(write, { file_path_or_id: server.id, append: `${match.method}\n` })
  }
  expect(await server.text()).toBe('one\nPATCH\nPUT\nGET\n')
  expect(await server.revisions()).toHaveLength(4)
})

test('writes once into the target of a shortcut given by name or id', async () => {
  await using server = await withFile('one\n')
  const link = server.emulator.addItem({ name: 'link', target: server.id })
  for (const file_path_or_id of ['link', link])
    expect(await server.call(write, { file_path_or_id, append: `${file_path_or_id}\n` })).toMatchObject({
      file: { id: server.id },
      changed: true,
    })
  server.emulator.faults.add({ match: { method: 'PUT' }, action: { kind: 'drop_after' } })
  await server.call(write, { file_path_or_id: link, append: 'two\n' })
  expect(await server.text()).toBe(`one\nlink\n${link}\ntwo\n`)
  expect(await server.revisions()).toHaveLength(4)
})

test('calls to one server write a file one after another', async () => {
  await using server = await withFile('zero\n', { clock: clockWithoutWaits })
  const lines = ['one', 'two', 'three', 'four']
  await Promise.all(lines.map((line) => server.call(write, { file_path_or_id: server.id, append: `${line}\n` })))
  expect((await server.text()).trim().split('\n').sort()).toEqual([...lines, 'zero'].sort())
})

test('an edit takes one lookup, one read, two write requests and one request for the revisions', async () => {
  await using server = await withFile('one\n')
  // The account is looked up once.
  await server.call(write, { file_path_or_id: server.id, append: 'one\n' })
  const paths = (await server.requestsOf(write, { file_path_or_id: server.id, append: 'two\n' })).map((each) =>
    each.replace(server.id, 'ID'),
  )
  expect(paths).toEqual([
    'GET /drive/v3/files/ID',
    'GET /drive/v3/files/ID',
    'PATCH /upload/drive/v3/files/ID',
    'PUT /upload/drive/v3/files/ID',
    'GET /drive/v3/files/ID/revisions',
  ])
})

test('an edit by path needs no lookup besides the search', async () => {
  await using server = await withFile('one\n')
  const edit = async (line: string) =>
    (await server.requestsOf(write, { file_path_or_id: 'Notes.md', append: line })).map((each) => each.replace(server.id, 'ID'))
  await edit('two\n')
  const written = [
    'GET /drive/v3/files/ID',
    'PATCH /upload/drive/v3/files/ID',
    'PUT /upload/drive/v3/files/ID',
    'GET /drive/v3/files/ID/revisions',
  ]
  expect(await edit('three\n')).toEqual(['GET /drive/v3/files', ...written])
  expect(await server.text()).toBe('one\ntwo\nthree\n')
})
