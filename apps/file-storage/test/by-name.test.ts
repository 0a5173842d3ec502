import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPath, folderType, storage, type Storage, type StorageOptions } from './storage.ts'

const download = 'FileStorage.DownloadFile'
const rename = 'FileStorage.RenameFile'
const robin = ['robin.vance@lodestar.example', 'writer'] as const

/** Values for the parameters that are not references. */
const others: Readonly<Record<string, unknown>> = {
  query: 'x',
  folder_name: 'New',
  new_filename: 'New.md',
  file_name: 'a.txt',
  source_url: 'https://example.com/a.txt',
  start_byte: 0,
  email_addresses: ['ada@example.com'],
}

interface Reference {
  readonly tool: string
  readonly parameter: string
  /** The other arguments of a valid call. */
  readonly args: Readonly<Record<string, unknown>>
}

let server: Storage
let references: Reference[] = []
let guide = ''
let shelf = ''
beforeAll(async () => {
  server = await storage({ emulated: {} })
  guide = server.emulator.addItem({
    name: 'Guide 2026.md',
    parent: null,
    owner: 'priya@example.com',
    grants: [robin],
    text: '# Hello',
  })
  shelf = server.emulator.addItem({
    name: 'Shelf',
    parent: null,
    type: folderType,
    owner: 'priya@example.com',
    grants: [robin],
  })
  const { tools } = await server.client.listTools()
  references = tools.flatMap(({ name, inputSchema: { properties = {}, required = [] } }) =>
    Object.keys(properties)
      .filter((parameter) => parameter.endsWith('path_or_id'))
      .map((parameter) => ({
        tool: name.replace('_', '.'),
        parameter,
        args: Object.fromEntries(
          required.filter((each) => each !== parameter).map((each) => [each, each.endsWith('path_or_id') ? 'Photos' : others[each]]),
        ),
      })),
  )
})
afterAll(async () => server[Symbol.asyncDispose]())

test('every tool finds a shared item by the name that a search shows, and no error proposes what has failed', async () => {
  for (const { tool, parameter, args } of references) {
    const isFolder = parameter.includes('folder')
    const [name, id] = isFolder ? ['Shelf', shelf] : ['Guide 2026.md', guide]
    for (const written of [name, `Shared with me/${name}`, `/Shared with me/${name}`, ` ${name.toLowerCase()} `]) {
      const error = await server.fails(tool, { ...args, [parameter]: written })
      expect([error.code, error.next], `${tool} ${parameter} ${written}`).toEqual(['not_found', { change: { [parameter]: id } }])
      expect(error.message).toContain(`(id ${id}, in no visible folder)`)
    }
  }
})

test('the id of an item deeper in a drive is proposed for reads and renames, but only suggested for other writes', async () => {
  const lake = server.emulator.store.named('lake.png')[0]?.id ?? ''
  const brand = server.emulator.store.named('Brand')[0]?.id ?? ''
  for (const { tool, parameter, args } of references) {
    const isFolder = parameter.includes('folder')
    const [name, id] = isFolder ? ['Brand', brand] : ['lake.png', lake]
    const error = await server.fails(tool, { ...args, [parameter]: name })
    const isProposed = /Search|Download|Rename/.test(tool)
    expect(error.next, tool).toEqual(isProposed ? { change: { [parameter]: id } } : undefined)
    expect(error.suggestions?.[0]).toEqual({ value: name, id, parameter, confidence: 1 })
  }
})

test('an item that is in a different folder, or exists twice, is only suggested, with its place', async () => {
  const first = server.emulator.addItem({ name: 'Twice.md', parent: null, key: 'one', owner: 'priya@example.com', grants: [robin] })
  const [, second = ''] = addPath(server, 'Deep/Twice.md')
  const error = await server.fails(download, { file_path_or_id: 'Twice.md' })
  expect(error.next).toBeUndefined()
  expect(error.message).toContain(`"Twice.md" (id ${second}, path "Deep/Twice.md")`)
  expect(error.suggestions?.map(({ id }) => id).sort()).toEqual([first, second].sort())
  const chosen = await server.fails(download, { file_path_or_id: 'Shared with me/Twice.md' })
  expect(chosen.next).toEqual({ change: { file_path_or_id: first } })
  const elsewhere = await server.fails(download, { file_path_or_id: 'Photos/Twice.md' })
  expect(elsewhere.next).toBeUndefined()
})

test.for([
  ['Qqq/Only.md', true],
  ['Photos/Only.md', false],
  ['Photo/Only.md', false],
] as const)('a namesake of %s elsewhere is proposed (%s) unless the folder exists or resembles one', async ([path, isProposed]) => {
  await using server = await storage()
  addPath(server, 'Photos/Other.md')
  const [, only = ''] = addPath(server, 'Elsewhere/Only.md')
  const { message, next } = await server.fails(download, { file_path_or_id: path })
  expect(message).toContain(`path "Elsewhere/Only.md"`)
  expect(next).toEqual(isProposed ? { change: { file_path_or_id: only } } : undefined)
})

test('a name without its accents is found elsewhere', async () => {
  const [, cafe = ''] = addPath(server, 'Places/Café menu.md')
  expect((await server.fails(download, { file_path_or_id: 'cafe menu.md' })).next).toEqual({ change: { file_path_or_id: cafe } })
})

test('the picker is proposed for a name only if no visible item has it', async () => {
  await using other = await storage({ emulated: { seed: 'empty', scopes: ['drive.file'] } })
  const [, , file = ''] = ['A', 'B', 'c.txt'].reduce<string[]>(
    (ids, name) => [
      ...ids,
      other.emulator.addItem({
        name,
        granted: true,
        ...(ids.length > 0 && { parent: ids.at(-1) ?? '' }),
        ...(name !== 'c.txt' && { type: folderType }),
      }),
    ],
    [],
  )
  const picker = { tool: 'FileStorage_GenerateFilePickerUrl' }
  expect((await other.fails(download, { file_path_or_id: 'd.txt' })).next).toEqual(picker)
  const seen = await other.fails(rename, { file_path_or_id: 'c.txt', new_filename: 'd.txt' })
  expect(seen.next).toEqual({ change: { file_path_or_id: file } })
  expect(seen.message).not.toContain('Picker')
  expect(seen.suggestions?.[0]?.id).toBe(file)
})

test('one search in all drives looks for the name, and its failure changes nothing', async () => {
  let searches = 0
  const inFront: StorageOptions['inFront'] = (drive) => (input, init) => {
    const isWide = new URL(new Request(input).url).searchParams.get('corpora') === 'allDrives'
    if (isWide) searches += 1
    return isWide ? Promise.resolve(Response.json({}, { status: 403 })) : drive(input, init)
  }
  await using other = await storage({ emulated: {}, inFront })
  const error = await other.fails(download, { file_path_or_id: 'lake.png' })
  expect(error.code).toBe('not_found')
  expect(error.message).not.toContain('in another place')
  expect(searches).toBe(1)
})

test.for(['Trash', 'Bin', '/trash', 'My Drive/Trash', 'the Trash folder', 'Trash/Old draft.txt'])(
  'the error says that %s is not a folder, and does not mention the picker',
  async (written) => {
    for (const { tool, parameter, args } of references) {
      const error = await server.fails(tool, { ...args, [parameter]: written })
      expect(error.code, tool).toBe('invalid_input')
      expect(error.message).toContain('A person can trash, restore and delete items in Google Drive')
      expect(error.next).toBeUndefined()
    }
  },
)
