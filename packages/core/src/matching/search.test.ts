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
