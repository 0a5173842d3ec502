import { expect, test } from 'vitest'
import { Ambiguous, InvalidInput, NotFound, TooLarge, ToolError } from '../../src/errors/errors.ts'
import { findPath, findPaths } from '../../src/references/paths/find.ts'
import { createScope, type ScopeOptions } from './scope.ts'
import type { TreeItem, Tree } from './tree.ts'

/** A tree from paths; a slash at the end makes a folder. */
function tree(...paths: readonly string[]): Tree {
  const rows: TreeItem[] = paths.map((each, index) => {
    const names = each.split('/').filter(Boolean)
    const above = paths.findIndex((other) => other === `${names.slice(0, -1).join('/')}/`)
    return {
      id: `id-${index}`,
      name: names.at(-1) ?? '',
      parent: above === -1 ? 'root-id' : `id-${above}`,
      kind: each.endsWith('/') ? 'folder' : 'file',
      trashed: false,
    }
  })
  return { rootId: 'root-id', rows }
}

const work = tree('Work/', 'Work/Reports/', 'Work/Reports/May.pdf', 'Work/Reports/June.pdf', 'notes.txt')

async function failureOf(text: string, where: Tree = work, options?: ScopeOptions): Promise<ToolError> {
  const error: unknown = await findPath({ text, parameter: 'path' }, createScope(where, options)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ToolError) return error
  throw new Error(`${text} did not fail.`)
}

test('says how far a path goes, and which names there are closest', async () => {
  const error = await failureOf('Work/Reports/Mai.pdf')
  expect(error).toBeInstanceOf(NotFound)
  expect(error.message).toBe(
    'No item has the path "Work/Reports/Mai.pdf": "Work/Reports" exists, but contains no "Mai.pdf" (names are case-sensitive). Closest: "Work/Reports/May.pdf".',
  )
  expect(error.details.suggestions).toMatchObject([{ value: 'Work/Reports/May.pdf', id: 'id-2' }])
})

test('says that one path is taken where the text names several', async () => {
  const error = await failureOf('Work/Reports/May.pdf; notes.txt')
  expect(error.message).toBe('"Work/Reports/May.pdf; notes.txt" names 2 items, and path takes one. Make one call for each.')
  expect(error.details.suggestions).toMatchObject([{ value: 'Work/Reports/May.pdf' }, { value: 'notes.txt' }])
  expect((await failureOf('Work, notes.png')).message).toContain('My Drive has no "Work, notes.png"')
})

test('proposes the whole path where a name on it differs only by case, but does not accept it', async () => {
  const error = await failureOf('work/reports')
  expect(error.message).toContain('My Drive has no "work" (names are case-sensitive). Closest: "Work/Reports".')
  expect(error.details.suggestions).toMatchObject([{ value: 'Work/Reports', id: 'id-1', confidence: 0.99 }])
  expect(error.details.next).toEqual({ change: { path: 'Work/Reports' } })
})

test('never suggests a parent folder as if it were the item', async () => {
  const error = await failureOf('work/Reports/Nothing like it.pdf')
  expect(error.details).not.toHaveProperty('next')
  expect(error.details.suggestions).toEqual([])
  expect(error.message).toContain('Similar, but without the rest of the path: "Work".')
})

test('proposes nothing where two paths are equally close, or the closest is of the wrong kind', async () => {
  const twins = tree('notes.txt', 'Notes.txt', 'Work/')
  expect((await failureOf('NOTES.txt', twins)).details).not.toHaveProperty('next')
  const error: unknown = await findPath({ text: 'work', parameter: 'path', expects: 'file' }, createScope(twins)).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ details: { suggestions: [] } })
  expect(error instanceof NotFound && error.message).toContain('Folders with a similar path: "Work".')
})

test('proposes the name that differs only by case before one that is merely alike', async () => {
  const error = await failureOf('plans', tree('Plans/', 'Plans Drafts/'))
  expect(error.details).toMatchObject({ suggestions: [{ value: 'Plans' }, { value: 'Plans Drafts' }], next: { change: { path: 'Plans' } } })
})

test.for([
  ['./Work/Reports', 'Work/Reports'],
  ['Work\\Reports', 'Work/Reports'],
  ['"Work/Reports"', 'Work/Reports'],
  ['“Work/Reports”', 'Work/Reports'],
  [' Work/Reports\n', 'Work/Reports'],
  ['Work%2FReports', 'Work/Reports'],
  ['Work > Reports', 'Work/Reports'],
  ['Work / Reports', 'Work/Reports'],
  ['Work/./Reports/../Reports', 'Work/Reports'],
  ['my drive/Work/Reports', 'Work/Reports'],
  ['"./My Drive\\Work\\Reports\\"', 'Work/Reports'],
] as const)('reads %j as %s, unless something has that very path', async ([text, path]) => {
  const found = await findPath({ text, parameter: 'path' }, createScope(work))
  expect(found).toMatchObject({ item: { id: 'id-1' }, path, isAsWritten: false })
  const literal: TreeItem = { id: 'literal', name: text, parent: 'root-id', kind: 'file', trashed: false }
  const both = createScope({ ...work, rows: [...work.rows, literal] })
  expect(await findPath({ text, parameter: 'path' }, both)).toMatchObject({ item: { id: 'literal' }, isAsWritten: true })
  expect(both.requests()).toBe(1)
})

test('says that a path leads through a file', async () => {
  expect((await failureOf('notes.txt/today')).message).toContain('"notes.txt" is a file, not a folder.')
})

test('lists up to 20 items that a path can mean, with ids and kinds', async () => {
  const twins = tree(...Array.from({ length: 25 }, () => 'Twin/'), 'a/', 'a/x', 'x')
  const error = await failureOf('Twin', twins)
  expect(error).toBeInstanceOf(Ambiguous)
  expect(error.message).toContain('"Twin" matches 25 items in My Drive: folder "Twin" (id id-0, in root-id); folder "Twin" (id id-1')
  expect(error.message).toContain('; and 5 more. Pass the id of the one you mean.')
  expect(error.details.suggestions?.length).toBe(20)
  const [choice] = error.details.choices ?? []
  expect(choice).toMatchObject({ parameter: 'path', reference: 'Twin', kind: 'item' })
  expect(choice?.options[0]).toEqual({ id: 'id-0', label: 'Twin (folder, in root-id, id-0)' })
  expect(new Set(choice?.options.map(({ label }) => label)).size).toBe(25)
})

test('treats a name with a slash and a path through folders as ambiguous', async () => {
  const rows: TreeItem[] = [...tree('a/', 'a/b').rows, { id: 'slashed', name: 'a/b', parent: 'root-id', kind: 'file', trashed: false }]
  const error = await failureOf('a/b', { rootId: 'root-id', rows })
  expect(error.message).toBe(
    '"a/b" matches 2 items in My Drive: file "a/b" (id slashed, in root-id); file "a/b" (id id-1, in id-0). Pass the id of the one you mean.',
  )
  expect(error.details.suggestions?.map(({ id }) => id)).toEqual(['slashed', 'id-1'])
})

test('accepts the name of the scope in front, unless a folder has that name', async () => {
  const found = await findPath({ text: 'My Drive/Work/Reports', parameter: 'path' }, createScope(work))
  expect(found).toMatchObject({ item: { id: 'id-1' }, path: 'Work/Reports', isAsWritten: false })
  const real = tree('My Drive/', 'My Drive/Work/', 'Work/')
  expect(await findPath({ text: 'My Drive/Work', parameter: 'path' }, createScope(real))).toMatchObject({
    item: { id: 'id-1' },
    isAsWritten: true,
  })
})

test.for(['/', '///', ''])('rejects a path without a name: "%s"', async (text) => {
  const error = await failureOf(text)
  expect(error).toBeInstanceOf(InvalidInput)
  expect(error.message).toContain('holds no name')
})

test.for([
  ['1500 slashes', 99, `${'/'.repeat(1_500)}a`],
  ['100 slashes', 99, Array.from({ length: 101 }, (_, index) => `f${index}`).join('/')],
  ['4001 characters', 4_000, 'x'.repeat(4_001)],
] as const)('rejects a path with %s without a request, because at most %i are taken', async ([excess, limit, text]) => {
  const scope = createScope(work)
  const error: unknown = await findPath({ text, parameter: 'path' }, scope).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(InvalidInput)
  expect(String(error)).toContain(`has ${excess}, and at most ${limit} are taken. Pass the id of the item`)
  expect(scope.requests()).toBe(0)
})

test('looks up the longest possible path folder by folder', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(39, 'x'))
  const deep = tree(...names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`))
  const scope = createScope(deep, { maxNames: 120 })
  expect(await findPath({ text: names.join('/'), parameter: 'path' }, scope)).toMatchObject({ item: { id: 'id-99' } })
  expect(scope.requests()).toBe(100)
})

test.for([
  ['missing', () => tree('Short/')],
  ['in a folder above', () => tree('Work/', 'Work/Short/')],
] as const)('reports a hidden folder (%s) as the end of the path', async ([, build]) => {
  const grown = build()
  const rows = grown.rows.map((row) => (row.name === 'Short' ? { ...row, kind: 'shortcut' as const, target: 'gone' } : row))
  const way = rows.map(({ name }) => name).join('/')
  const error = await failureOf(`${way}/Sub`, { ...grown, rows }, { dangling: true })
  expect(error).toBeInstanceOf(NotFound)
  expect(error.message).toContain(`"${way}" is a shortcut whose target is gone or not visible.`)
})

test('reports all paths that fail together', async () => {
  const error: unknown = await findPaths(
    ['Work/Report', 'note.txt', 'Work'].map((text) => ({ text, parameter: 'path' })),
    createScope(work),
  ).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(NotFound)
  expect(String(error)).toContain('"Work/Report"')
  expect(String(error)).toContain('"note.txt"')
})

test('ends with an error, not with hundreds of requests, when all folders have the same name', async () => {
  const rows: TreeItem[] = Array.from({ length: 300 }, (_, index) => ({
    id: `id-${index}`,
    name: 'a',
    parent: 'root-id',
    kind: 'folder',
    trashed: false,
  }))
  const scope = createScope({ rootId: 'root-id', rows })
  await expect(findPath({ text: 'a/b', parameter: 'path' }, scope)).rejects.toBeInstanceOf(TooLarge)
  expect(scope.requests()).toBeLessThan(5)
})

test('finds what an incomplete search left out folder by folder', async () => {
  expect(
    await findPath({ text: 'Work/Reports/May.pdf', parameter: 'path' }, createScope(work, { isIncomplete: () => true })),
  ).toMatchObject({
    item: { id: 'id-2' },
  })
})

test('finds what a search silently skipped', async () => {
  const scope = createScope(work, { skips: ({ name }) => name === 'Reports' })
  expect(await findPath({ text: 'Work/Reports/May.pdf', parameter: 'path' }, scope)).toMatchObject({ item: { id: 'id-2' } })
})
