import { expect, it } from 'vitest'
import { createSearch } from './search.ts'

const search = createSearch([
  'ListIssues: issues that match filters, newest first',
  'GetIssue: one issue with its comments',
  'ListTeams: teams of the workspace',
  'AddComment: comments on an issue',
])
const found = (query: string) => search(query).map(({ index }) => index)

it.each<[string, number[]]>([
  ['teams', [2]],
  ['newest', [0]],
  ['team workspaces', [2]],
  ['xyzzy', []],
  ['', []],
])('finds the documents with the words of %j', (query, indexes) => {
  expect(found(query)).toEqual(indexes)
})

it('ranks a rare word above a common one, and more words above fewer', () => {
  expect(found('issue filters')[0]).toBe(0)
  expect(found('add a comment')[0]).toBe(3)
  expect(found('comment').toSorted()).toEqual([1, 3])
})

it('finds nothing among no documents', () => {
  expect(createSearch([])('a')).toEqual([])
})

it('compares the words that the caller wants compared', () => {
  const exact = createSearch(['one issue', 'many issues'], (text) => text.split(' '))
  expect(exact('issues').map(({ index }) => index)).toEqual([1])
})

// The scores are those that any implementation of BM25 gives with k1 = 1.2 and b = 0.75.
it.each<[string, [index: number, score: number][]]>([
  [
    'file',
    [
      [0, 0.4616],
      [1, 0.3737],
      [2, 0.365],
    ],
  ],
  [
    'folder',
    [
      [1, 0.7262],
      [2, 0.7093],
    ],
  ],
  [
    'file drive file',
    [
      [3, 0.897],
      [2, 0.8271],
      [0, 0.4616],
      [1, 0.3737],
    ],
  ],
])('scores %j by how rare its words are, how often a document has them and how long that is', (query, expected) => {
  const hits = createSearch(['file', 'file folder', 'file file folder folder drive', 'drive'])(query)
  expect(hits.map(({ index, score }) => [index, Number(score.toFixed(4))])).toEqual(expected)
})

it('leaves documents with equal scores in their order', () => {
  expect(createSearch(['red apple', 'green apple', '', 'dry apple'])('apples').map(({ index }) => index)).toEqual([0, 1, 3])
  expect(createSearch(['', ''])('apple')).toEqual([])
})
