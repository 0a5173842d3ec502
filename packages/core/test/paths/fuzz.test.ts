import { expect, test } from 'vitest'
import { Ambiguous, NotFound } from '../../src/errors/errors.ts'
import { findPath } from '../../src/references/paths/find.ts'
import { readingsOf } from '../../src/references/paths/path.ts'
import { runs } from '../../../testing/src/runs.ts'
import { expectedItems } from './oracle.ts'
import { seeded } from './random.ts'
import { createScope, type ScopeOptions } from './scope.ts'
import { drawPath, growTree, type Tree } from './tree.ts'

const treeCount = runs(200)
const pathsPerTree = 50
const seedOf = (tree: number) => 20261121 + tree

/** The ids that a path led to, the number of requests, and the path that was read in place of the written one. */
async function resolve(path: string, tree: Tree, options: ScopeOptions) {
  const scope = createScope(tree, options)
  const result = await findPath({ text: path, parameter: 'path' }, scope).then(
    ({ item, ...match }) => ({ ids: [item.id], reading: match.isAsWritten ? undefined : match.path }),
    (error: unknown) => {
      if (error instanceof NotFound) return { ids: [], reading: undefined }
      // An item is listed once even if several ways lead to it, and at most 20 items are listed.
      if (error instanceof Ambiguous) return { ids: (error.details.suggestions ?? []).map(({ id }) => id ?? ''), reading: undefined }
      throw error
    },
  )
  return { ...result, ids: new Set(result.ids), requests: scope.requests() }
}

/** Meanings of a path: items that exist exactly as written, or else those of its readings. */
function meaningsOf(path: string, tree: Tree): readonly ReadonlySet<string>[] {
  const written = expectedItems(path, tree)
  const readings = readingsOf(path).map((reading) => expectedItems(reading, tree))
  return written.size > 0 ? [written] : [...readings.filter(({ size }) => size > 0), written].slice(0, 1)
}

/** Compares every path with the oracle, and counts the kinds of results. */
async function fuzz(options: (tree: number) => ScopeOptions) {
  const counts = { unique: 0, ambiguous: 0, absent: 0, requestsForUnique: 0 }
  const mismatches: string[] = []
  for (let index = 0; index < treeCount; index += 1) {
    const random = seeded(seedOf(index))
    const tree = growTree(random, 20 + random.below(60))
    for (let drawn = 0; drawn < pathsPerTree; drawn += 1) {
      const path = drawPath(random, tree)
      const [expected = new Set()] = meaningsOf(path, tree)
      const { ids, requests, reading } = await resolve(path, tree, options(index))
      if (ids.size !== Math.min(expected.size, 20) || [...ids].some((id) => !expected.has(id))) {
        mismatches.push(`seed ${seedOf(index)}, ${JSON.stringify(path)}: ${[...ids].join()} instead of ${[...expected].join()}`)
      }
      counts[expected.size === 0 ? 'absent' : expected.size === 1 ? 'unique' : 'ambiguous'] += 1
      if (expected.size === 1 && reading === undefined) counts.requestsForUnique += requests - 1
    }
  }
  return { mismatches, counts }
}

test('finds what a walk by ids finds, with one request for what exists', async () => {
  const { mismatches, counts } = await fuzz(() => ({}))
  expect(mismatches).toEqual([])
  expect(counts.requestsForUnique).toBe(0)
  const paths = treeCount * pathsPerTree
  expect(counts.unique).toBeGreaterThan(0.25 * paths)
  expect(counts.ambiguous).toBeGreaterThan(0.05 * paths)
  expect(counts.absent).toBeGreaterThan(0.1 * paths)
})

test.for([
  ['pages of five', () => ({ pageSize: 5 })],
  ['incomplete searches', (tree: number) => ({ isIncomplete: () => tree % 2 === 0 })],
  ['a root that cannot be read', () => ({ isRootReadable: false })],
  ['few names in one search', () => ({ maxNames: 5 })],
] as const)('finds the same with %s', async ([, options]) => {
  expect((await fuzz(options)).mismatches).toEqual([])
})
