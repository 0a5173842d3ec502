import { expect, test } from 'vitest'
import { Ambiguous, NotFound } from '../../src/errors.ts'
import { findPath } from '../../src/paths/find.ts'
import { meantBy } from './oracle.ts'
import { seeded } from './random.ts'
import { searches, type SearchOptions } from './searches.ts'
import { drawPath, growTree, type Tree } from './tree.ts'

const treeCount = 200
const pathsPerTree = 50
const seedOf = (tree: number) => 20261121 + tree

/** What a path led to, as ids; and how many requests it took. */
async function answerOf(path: string, tree: Tree, options: SearchOptions) {
  const area = searches(tree, options)
  const answer = await findPath({ text: path, parameter: 'path' }, area).then(
    ({ item }) => [item.id],
    (error: unknown) => {
      if (error instanceof NotFound) return []
      // The ways to one item may be several, yet it is listed once; at most 20 are.
      if (error instanceof Ambiguous) return (error.details.suggestions ?? []).map(({ id }) => id ?? '')
      throw error
    },
  )
  return { ids: new Set(answer), requests: area.requests() }
}

/** Tries 10,000 paths; gives what differs from the oracle, and the kinds of answers. */
async function fuzz(options: (tree: number) => SearchOptions) {
  const counts = { unique: 0, ambiguous: 0, absent: 0, requestsForUnique: 0 }
  const mismatches: string[] = []
  for (let index = 0; index < treeCount; index += 1) {
    const random = seeded(seedOf(index))
    const tree = growTree(random, 20 + random.below(60))
    for (let drawn = 0; drawn < pathsPerTree; drawn += 1) {
      const path = drawPath(random, tree)
      const expected = meantBy(path, tree)
      const { ids, requests } = await answerOf(path, tree, options(index))
      if (ids.size !== Math.min(expected.size, 20) || [...ids].some((id) => !expected.has(id))) {
        mismatches.push(`seed ${seedOf(index)}, ${JSON.stringify(path)}: ${[...ids].join()} in place of ${[...expected].join()}`)
      }
      counts[expected.size === 0 ? 'absent' : expected.size === 1 ? 'unique' : 'ambiguous'] += 1
      if (expected.size === 1 && !/^\/*My Drive/.test(path)) counts.requestsForUnique += requests - 1
    }
  }
  return { mismatches, counts }
}

test('10,000 paths mean what a walk by ids says, and what is found takes one request', async () => {
  const { mismatches, counts } = await fuzz(() => ({}))
  expect(mismatches).toEqual([])
  expect(counts.requestsForUnique).toBe(0)
  expect(counts.unique).toBeGreaterThan(3_000)
  expect(counts.ambiguous).toBeGreaterThan(500)
  expect(counts.absent).toBeGreaterThan(1_000)
})

test.for([
  ['pages of five', () => ({ pageSize: 5 })],
  ['searches that did not look everywhere', (tree: number) => ({ isIncomplete: () => tree % 2 === 0 })],
  ['a topmost folder that may not be read', () => ({ rootReadable: false })],
  ['few names in one search', () => ({ mostNames: 5 })],
] as const)('10,000 paths with %s mean the same', async ([, options]) => {
  expect((await fuzz(options)).mismatches).toEqual([])
})
