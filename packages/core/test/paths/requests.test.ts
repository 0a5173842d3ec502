import { expect, test } from 'vitest'
import { NotFound } from '../../src/errors/errors.ts'
import { findPath, findPaths } from '../../src/references/paths/find.ts'
import { createScope, type ScopeOptions } from './scope.ts'
import type { Tree } from './tree.ts'

/** One file below nested folders; every folder also contains other things. */
function chain(depth: number): Tree {
  const idOf = (level: number) => (level === 0 ? 'root-id' : `id-${level}`)
  const rows = Array.from({ length: depth }, (_, index) => index + 1).flatMap((level) => [
    { id: idOf(level), name: `name ${level}`, parent: idOf(level - 1), kind: level === depth ? ('file' as const) : ('folder' as const) },
    { id: `other-${level}`, name: `other ${level}`, parent: idOf(level - 1), kind: 'folder' as const },
  ])
  return { rootId: 'root-id', rows: rows.map((row) => ({ ...row, trashed: false })) }
}

const pathOf = (depth: number) => Array.from({ length: depth }, (_, index) => `name ${index + 1}`).join('/')

async function requestsFor(text: string, tree: Tree, options?: ScopeOptions): Promise<number> {
  const scope = createScope(tree, options)
  await findPath({ text, parameter: 'path' }, scope).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error
  })
  return scope.requests()
}

async function rowOf(depth: number): Promise<readonly number[]> {
  const tree = chain(depth)
  return [
    depth,
    await requestsFor(pathOf(depth), tree),
    await requestsFor(pathOf(depth), tree, { isIncomplete: () => true }),
    await requestsFor(`${pathOf(depth)}x`, tree),
  ]
}

// The numbers are in apps/file-storage/README.md.
test('takes one request for a path of any depth, and one more for each name where it looks folder by folder', async () => {
  const depths = Array.from({ length: 10 }, (_, index) => index + 1)
  const more = (depth: number) => (depth === 1 ? 0 : 1)
  expect(await Promise.all(depths.map(rowOf))).toEqual(depths.map((depth) => [depth, 1, depth + more(depth), depth + 1 + more(depth)]))
})

test('takes one request for the names of up to three parts where one search cannot ask for all', async () => {
  expect(await requestsFor(pathOf(5), chain(5), { maxNames: 12 })).toBe(1)
  expect(await requestsFor(pathOf(5), chain(5), { maxNames: 11 })).toBe(5)
})

test('finds two paths with one request, even when one is a single name', async () => {
  const scope = createScope(chain(4))
  const found = await findPaths(
    [pathOf(4), 'other 1'].map((text) => ({ text, parameter: 'path' })),
    scope,
  )
  expect(found.map(({ item }) => item.id)).toEqual(['id-4', 'other-1'])
  expect(scope.requests()).toBe(1)
})

test('finds the items of a new name with the same request', async () => {
  const scope = createScope(chain(4))
  const found = await findPath({ text: pathOf(3), parameter: 'path', newName: 'other 4' }, scope)
  expect(found.alsoFound.map(({ id, parents }) => [id, parents])).toEqual([['other-4', [found.item.id]]])
  expect(scope.requests()).toBe(1)
})
