import { expect, test } from 'vitest'
import { storage } from './storage.ts'

const search = 'FileStorage.SearchFiles'

test.for([
  ['composed accents', 'Café menu'.normalize('NFD'), 'café', '"café" with decomposed accents'],
  ['decomposed accents', 'Café menu', 'cafe\u0301', '"café"'],
  ['a plural', 'Budget 2027', 'budgets', '"budget"'],
  ['a plural in -ies', 'Travel policy', 'travel policies', '"travel policy"'],
  ['a plural in -es', 'Tax form', 'taxes', '"tax"'],
] as const)('finds a form other than %s, with a notice and one more request', async ([, name, query, form]) => {
  await using server = await storage()
  server.emulator.addItem({ name })
  await server.call('FileStorage.GetFileTreeStructure')
  const sent = server.sent.length
  const { files, notices } = await server.call(search, { query })
  expect(files).toMatchObject([{ name: name }])
  expect(String(notices)).toContain(`Nothing matches the query as written. These match ${form}`)
  expect(server.sent.slice(sent)).toEqual(['GET /drive/v3/files', 'GET /drive/v3/files'])
})

test('searches once if something matches or no other form exists', async () => {
  await using server = await storage()
  server.emulator.addItem({ name: 'Budgets 2027' })
  server.emulator.addItem({ name: 'Budget 2027' })
  await server.call('FileStorage.GetFileTreeStructure')
  expect(await server.requestsOf(search, { query: 'budgets' })).toEqual(['GET /drive/v3/files'])
  for (const query of ['quagga', 'glass', 'analysis', 'bus'])
    expect(await server.requestsOf(search, { query }), query).toEqual(['GET /drive/v3/files'])
})
