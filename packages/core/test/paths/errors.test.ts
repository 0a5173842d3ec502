import { expect, test } from 'vitest'
import { Ambiguous, InvalidInput, NotFound, TooLarge, ToolError } from '../../src/errors.ts'
import { findPath, findPaths } from '../../src/paths/find.ts'
import { searches, type SearchOptions } from './searches.ts'
import type { Row, Tree } from './tree.ts'

/** A tree from paths; a slash at the end makes a folder. */
function tree(...paths: readonly string[]): Tree {
  const rows: Row[] = paths.map((each, index) => {
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

async function failureOf(text: string, where: Tree = work, options?: SearchOptions): Promise<ToolError> {
  const error: unknown = await findPath({ text, parameter: 'path' }, searches(where, options)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ToolError) return error
  throw new Error(`${text} did not fail.`)
}

test('a miss says how far the path goes, and the nearest names there', async () => {
  const error = await failureOf('Work/Reports/Mai.pdf')
  expect(error).toBeInstanceOf(NotFound)
  expect(error.message).toBe(
    'Nothing in My Drive has the path "Work/Reports/Mai.pdf". The path goes as far as "Work/Reports"; in it there is no "Mai.pdf", case included. Closest: "Work/Reports/May.pdf".',
  )
  expect(error.details.suggestions).toMatchObject([{ value: 'Work/Reports/May.pdf', id: 'id-2' }])
})

test('names that differ by case alone are told, not taken', async () => {
  const error = await failureOf('work/Reports')
  expect(error.message).toContain('At the top of My Drive there is no "work", case included. Closest: "Work".')
  expect(error.details.suggestions).toEqual([{ value: 'Work', id: 'id-0', confidence: 0.99 }])
})

test('a path through a file says so', async () => {
  expect((await failureOf('notes.txt/today')).message).toContain('"notes.txt" is a file: nothing lies in it.')
})

test('a path that means several lists them with ids and kinds, 20 at most', async () => {
  const twins = tree(...Array.from({ length: 25 }, () => 'Twin/'), 'a/', 'a/x', 'x')
  const error = await failureOf('Twin', twins)
  expect(error).toBeInstanceOf(Ambiguous)
  expect(error.message).toContain('"Twin" means 25 items in My Drive: folder "Twin" (id id-0, in root-id); folder "Twin" (id id-1')
  expect(error.message).toContain('; and 5 more. Pass the id of the one that is meant.')
  expect(error.details.suggestions?.length).toBe(20)
  const [choice] = error.details.choices ?? []
  expect(choice).toMatchObject({ parameter: 'path', reference: 'Twin', kind: 'item' })
  expect(choice?.options[0]).toEqual({ id: 'id-0', label: 'Twin (folder, in root-id, id-0)' })
  expect(new Set(choice?.options.map(({ label }) => label)).size).toBe(25)
})

test('a name with a slash is a twin of the way through folders', async () => {
  const rows: Row[] = [...tree('a/', 'a/b').rows, { id: 'slashed', name: 'a/b', parent: 'root-id', kind: 'file', trashed: false }]
  const error = await failureOf('a/b', { rootId: 'root-id', rows })
  expect(error.details.suggestions?.map(({ id }) => id).sort()).toEqual(['id-1', 'slashed'])
})

test('the name of the area is understood where it is no folder, and only there', async () => {
  const found = await findPath({ text: 'My Drive/Work/Reports', parameter: 'path' }, searches(work))
  expect(found).toMatchObject({ item: { id: 'id-1' }, path: 'Work/Reports', hasScopeName: true })
  const real = tree('My Drive/', 'My Drive/Work/', 'Work/')
  expect(await findPath({ text: 'My Drive/Work', parameter: 'path' }, searches(real))).toMatchObject({
    item: { id: 'id-1' },
    hasScopeName: false,
  })
  expect((await failureOf('My Drive')).message).toContain('The top of My Drive itself is "root".')
})

test.for(['/', '///', ''])('a path without a name is refused: "%s"', async (text) => {
  const error = await failureOf(text)
  expect(error).toBeInstanceOf(InvalidInput)
  expect(error.message).toContain('holds no name')
})

test.for([
  ['1,500 slashes before a name', `${'/'.repeat(1_500)}a`],
  ['100 slashes between names', Array.from({ length: 101 }, (_, index) => `f${index}`).join('/')],
  ['4,001 characters', 'x'.repeat(4_001)],
] as const)('a path with %s is refused before anything is looked for', async ([, text]) => {
  const area = searches(work)
  const error: unknown = await findPath({ text, parameter: 'path' }, area).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(InvalidInput)
  expect(String(error)).toContain('Pass the id of what is meant')
  expect(area.requests()).toBe(0)
})

test('the longest path that is taken is looked for folder by folder', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(39, 'x'))
  const deep = tree(...names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`))
  const area = searches(deep, { mostNames: 120 })
  expect(await findPath({ text: names.join('/'), parameter: 'path' }, area)).toMatchObject({ item: { id: 'id-99' } })
  expect(area.requests()).toBe(100)
})

test.for([
  ['missing', () => tree('Short/')],
  ['in a folder above', () => tree('Work/', 'Work/Short/')],
] as const)('a folder that cannot be seen, %s, is told as the end of the way', async ([, build]) => {
  const grown = build()
  const rows = grown.rows.map((row) => (row.name === 'Short' ? { ...row, kind: 'shortcut' as const, target: 'gone' } : row))
  const way = rows.map(({ name }) => name).join('/')
  const error = await failureOf(`${way}/Sub`, { ...grown, rows }, { dangling: true })
  expect(error).toBeInstanceOf(NotFound)
  expect(error.message).toContain(`"${way}" is a shortcut, and what it leads to is gone or cannot be seen.`)
})

test('all paths that fail are reported together', async () => {
  const error: unknown = await findPaths(
    ['Work/Report', 'note.txt', 'Work'].map((text) => ({ text, parameter: 'path' })),
    searches(work),
  ).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(NotFound)
  expect(String(error)).toContain('"Work/Report"')
  expect(String(error)).toContain('"note.txt"')
})

test('folders that all have the same name end in an error, not in hundreds of requests', async () => {
  const rows: Row[] = Array.from({ length: 300 }, (_, index) => ({
    id: `id-${index}`,
    name: 'a',
    parent: 'root-id',
    kind: 'folder',
    trashed: false,
  }))
  const area = searches({ rootId: 'root-id', rows })
  await expect(findPath({ text: 'a/b', parameter: 'path' }, area)).rejects.toBeInstanceOf(TooLarge)
  expect(area.requests()).toBeLessThan(5)
})

test('what a search left out is found folder by folder', async () => {
  expect(await findPath({ text: 'Work/Reports/May.pdf', parameter: 'path' }, searches(work, { isIncomplete: () => true }))).toMatchObject({
    item: { id: 'id-2' },
  })
})

test('what a search passes over without a word is not missing', async () => {
  const area = searches(work, { loses: ({ name }) => name === 'Reports' })
  expect(await findPath({ text: 'Work/Reports/May.pdf', parameter: 'path' }, area)).toMatchObject({ item: { id: 'id-2' } })
})
