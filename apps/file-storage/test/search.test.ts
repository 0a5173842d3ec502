import fc from 'fast-check'
import { runs } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { folderType, addPath, storage, textAt } from './storage.ts'

const search = 'FileStorage.SearchFiles'
const listPath = '/drive/v3/files'

/** Records the parameters of the searches that are sent. */
function watched() {
  const searches: URLSearchParams[] = []
  const seen = ({ url }: Request) => {
    const { pathname, searchParams } = new URL(url)
    if (pathname === listPath) searches.push(searchParams)
  }
  return { searches, seen }
}

const namesIn = (result: Record<string, unknown>) =>
  JSON.stringify(result['files'])
    .match(/"name":"[^"]*"/g)
    ?.map((name) => name.slice(8, -1)) ?? []

test('searches names and contents, and nothing in the trash', async () => {
  await using server = await storage()
  server.emulator.addItem({ name: 'Budget 2026' })
  server.emulator.addItem({ name: 'Minutes', text: 'we spoke about the budget at length' })
  server.emulator.addItem({ name: 'Budget old', trashed: true })
  const result = await server.call(search, { query: 'budget' })
  expect(namesIn(result).sort()).toEqual(['Budget 2026', 'Minutes'])
  expect(result).toMatchObject({ searched: 'My Drive and files shared with you', pagination: { has_more: false } })
})

test('says how to get more when the limit cuts off results', async () => {
  await using server = await storage()
  for (let number = 0; number <= 1000; number += 1) server.emulator.addItem({ name: `Budget ${number}`, key: `budget-${number}` })
  const cut = { pagination: { has_more: true, end_cursor: null } }
  const more = ['There are more: raise limit (up to 1000).']
  expect(await server.call(search, { query: 'budget', limit: 1 })).toMatchObject({ ...cut, notices: more })
  const most = await server.call(search, { query: 'budget', limit: 1000 })
  expect(most).toMatchObject(cut)
  expect(most['notices']).toContain('There are more: search for more words.')
  expect(await server.call(search, { query: 'budget 7', limit: 1000 })).not.toHaveProperty('notices')
})

test.for([
  'report -draft',
  'report NOT draft',
  'files modified yesterday',
  'report not draft',
  'budget type:odd',
  'owner:Ada interview',
  'report before:May',
  'in:Photos lake',
  'type:pdf report in:Photos',
])('says that %j was searched for as plain words', async (query) => {
  await using server = await storage()
  server.emulator.addItem({ name: 'Report' })
  const notices = String((await server.call(search, { query }))['notices'])
  expect(notices).toContain('query was read as plain words')
  expect(notices).toContain('For a type, pass file_types')
})

test.for(['report', 'sign-up', 'last', 'research and development', 'https://example.com', 'Re: type'])(
  'does not mention plain words for %j',
  async (query) => {
    await using server = await storage()
    expect(String((await server.call(search, { query }))['notices'])).not.toContain('plain words')
  },
)

const drivesLeftOut = 'Shared drives were not searched: pass include_shared_drives to search them too.'

test('says that shared drives were left out if little was found, and only then', async () => {
  await using server = await storage({ emulated: {} })
  for (const args of [{ query: 'lake' }, { query: 'nothing at all' }])
    expect((await server.call(search, args))['notices']).toContain(drivesLeftOut)
  for (const args of [{ include_shared_drives: true }, { shared_drive_id: 'Design' }, { folder_path_or_id: 'Photos' }])
    expect(String((await server.call(search, { query: 'lake', ...args }))['notices'])).not.toContain(drivesLeftOut)
  for (let number = 0; number < 10; number += 1) server.emulator.addItem({ name: `Quagga ${number}`, key: `quagga-${number}` })
  expect(await server.call(search, { query: 'quagga' })).not.toHaveProperty('notices')
})

test('says that the shorter word can find more than a plural that finds little', async () => {
  await using server = await storage()
  server.emulator.addItem({ name: 'Notes', text: 'of the interviews' })
  server.emulator.addItem({ name: 'Interview with Ada' })
  const { files, notices } = await server.call(search, { query: 'interviews' })
  expect(files).toMatchObject([{ name: 'Notes' }])
  expect(notices).toContain('Names match from the beginning of a word: "interview" can find more than "interviews".')
  expect(namesIn(await server.call(search, { query: 'interview' }))).toEqual(['Interview with Ada'])
  expect(String((await server.call(search, { query: 'glass' }))['notices'])).not.toContain('beginning of a word:')
})

test('says where each item of a short list is', async () => {
  await using server = await storage({ emulated: {} })
  const brand = server.emulator.store.named('Brand')[0]?.id
  const design = server.emulator.store.named('Design')[0]?.id
  const { files } = await server.call(search, { query: 'logo', include_shared_drives: true })
  expect(files).toContainEqual(expect.objectContaining({ name: 'Logo.png', parent_id: brand, shared_drive_id: design }))
})

test('accepts order_by in every form, never sends it, and says so', async () => {
  const { searches, seen } = watched()
  await using server = await storage({ seen })
  for (const order of ['name', 'modifiedTime desc', ['folder', 'name_natural desc']]) {
    const result = await server.call(search, { query: 'x', order_by: order })
    expect(result['notices']).toContain('order_by was not applied: Google Drive sorts a full-text search by relevance.')
  }
  expect(searches.map((sent) => sent.get('orderBy'))).toEqual([null, null, null])
})

test('searches only directly in a folder, and says so', async () => {
  await using server = await storage()
  const [, reports = ''] = addPath(server, 'Work/Reports/May report')
  const folder = server.emulator.addItem({ name: 'Deeper', parent: reports, type: folderType })
  server.emulator.addItem({ name: 'May report, deeper', parent: folder })
  const result = await server.call(search, { query: 'may', folder_path_or_id: 'Work/Reports' })
  expect(namesIn(result)).toEqual(['May report'])
  expect(result['searched']).toBe(`directly in "Reports" (${reports})`)
  expect(JSON.stringify(result['notices'])).toContain('not its subfolders')
})

test('narrows a search by one type or several', async () => {
  await using server = await storage()
  server.emulator.addItem({ name: 'plan a', type: 'application/pdf' })
  server.emulator.addItem({ name: 'plan b', type: folderType })
  server.emulator.addItem({ name: 'plan c', type: 'image/png' })
  server.emulator.addItem({ name: 'plan d', type: 'application/vnd.google-apps.presentation' })
  expect(namesIn(await server.call(search, { query: 'plan', file_types: 'pdf' }))).toEqual(['plan a'])
  expect(namesIn(await server.call(search, { query: 'plan', file_types: ['folder', 'image', 'slides'] })).sort()).toEqual([
    'plan b',
    'plan c',
    'plan d',
  ])
})

test('turns the scope of a search into corpora, and sends a drive id only with a drive', async () => {
  const { searches, seen } = watched()
  await using server = await storage({ seen, emulated: {} })
  const { shared_drives: drives } = await server.call('FileStorage.WhoAmI')
  const id = textAt(drives, '0.id')
  await server.call(search, { query: 'x' })
  await server.call(search, { query: 'x', include_shared_drives: true })
  await server.call(search, { query: 'x', shared_drive_id: id, include_shared_drives: true })
  await server.call(search, { query: 'x', include_organization_domain_documents: true })
  await server.call(search, { query: 'x', folder_path_or_id: 'root' })
  expect(searches.map((sent) => [sent.get('corpora'), sent.get('driveId'), sent.get('includeItemsFromAllDrives')])).toEqual([
    ['user', null, 'false'],
    ['allDrives', null, 'true'],
    ['drive', id, 'true'],
    ['user', null, 'false'],
    ['domain', null, 'false'],
    [null, null, 'true'],
  ])
})

test('reads pages until the limit and says that there are more', async () => {
  await using server = await storage()
  server.emulator.quirks.shortPages = true
  for (let index = 0; index < 12; index += 1) server.emulator.addItem({ name: `plan ${index}` })
  const some = await server.call(search, { query: 'plan', limit: 10 })
  expect(namesIn(some).length).toBe(10)
  expect(some).toMatchObject({ pagination: { has_more: true, end_cursor: null } })
  const all = await server.call(search, { query: 'plan', limit: 1000 })
  expect(namesIn(all).length).toBe(12)
  expect(all).toMatchObject({ pagination: { has_more: false } })
})

test('escapes any text in a search term or a path, so that Drive understands every query', async () => {
  const { searches, seen } = watched()
  await using server = await storage({ seen })
  const secret = server.emulator.addItem({ name: 'unrelated', trashed: true })
  const hostile = fc.string({
    unit: fc.constantFrom("'", '\\', '"', ' ', 'a', ')', '(', ' or ', ' and ', 'trashed = true', "\\'", 'in parents', '/'),
    minLength: 1,
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(hostile, async (text) => {
      searches.length = 0
      const tried = [
        await server.result(search, { query: text }),
        await server.result('FileStorage.RenameFile', { file_path_or_id: text, new_filename: 'x' }),
      ]
      for (const result of tried) {
        expect(JSON.stringify(result)).not.toContain(secret)
        expect(JSON.stringify(result)).not.toContain('Google Drive refused the request')
      }
      for (const sent of searches) expect(withoutLiterals(sent.get('q') ?? '')).toMatch(/^[a-zA-Z =?().]+$/)
    }),
    { numRuns: runs(300) },
  )
})

test('drops an unpaired quote and treats a pair as a phrase', async () => {
  const { searches, seen } = watched()
  await using server = await storage({ seen })
  server.emulator.addItem({ name: 'Minutes', text: 'the annual budget of the club' })
  server.emulator.addItem({ name: 'Notes', text: 'the budget, annual as ever' })
  expect(namesIn(await server.call(search, { query: '"annual budget"' }))).toEqual(['Minutes'])
  expect(namesIn(await server.call(search, { query: '"annual budget' })).sort()).toEqual(['Minutes', 'Notes'])
  const terms = searches.map((sent) => /fullText contains '([^']*)'/.exec(sent.get('q') ?? '')?.[1])
  expect(terms).toEqual(['"annual budget"', 'annual budget'])
})

test('reports an id that is not a folder when nothing is found, and follows a shortcut', async () => {
  await using server = await storage()
  const [, reports = '', may = ''] = addPath(server, 'Work/Reports/May report')
  const short = server.emulator.addItem({ name: 'Short', target: reports })
  const trashed = server.emulator.addItem({ name: 'Thrown away', type: folderType, trashed: true })
  const file = await server.fails(search, { query: 'may', folder_path_or_id: may })
  expect(file).toMatchObject({ code: 'invalid_input' })
  expect(file.message).toContain('"May report" is a file, not a folder.')
  const thrown = await server.fails(search, { query: 'may', folder_path_or_id: trashed })
  expect(thrown).toMatchObject({ code: 'invalid_input' })
  expect(thrown.message).toContain('"Thrown away" is in the trash.')
  const found = await server.call(search, { query: 'may', folder_path_or_id: short })
  expect(namesIn(found)).toEqual(['May report'])
  expect(found['searched']).toBe(`directly in "Short" (${reports})`)
})

test('ignores wider scopes within a folder, and says so', async () => {
  await using server = await storage()
  const wide = { include_shared_drives: true, include_organization_domain_documents: true }
  const { notices } = await server.call(search, { query: 'x', folder_path_or_id: 'root', ...wide })
  expect(JSON.stringify(notices)).toContain('were not applied: folder_path_or_id says where to search')
  expect(JSON.stringify(await server.call(search, { query: 'x', folder_path_or_id: 'root' }))).not.toContain('were not applied')
})

/** A query without its literals: the rest is our own text. */
function withoutLiterals(query: string): string {
  return query.replace(/'(?:[^'\\]|\\['\\])*'/g, '?')
}
