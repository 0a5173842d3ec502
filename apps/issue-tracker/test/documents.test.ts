import { expect, test } from 'vitest'
import { complexityOf, unbounded } from './complexity.ts'
import { declaredOperations, operations } from './operations.ts'

test('the calculator agrees with Linear’s documentation', () => {
  expect(complexityOf('query A { viewer { id name } }', {})).toBe(2)
  // 50 rows of 2.3 points: the issue 1, its two scalars 0.2, its assignee 1.1.
  expect(complexityOf('query B { issues { nodes { id title assignee { id } } } }', {})).toBe(115)
  expect(complexityOf('query C { issues(first: 5) { nodes { id title assignee { id } } } }', {})).toBe(12)
})

test('the tests cover every document', () => {
  expect(new Set(operations.map(({ name }) => name)).size).toBe(declaredOperations)
})

test.for(operations)('$name costs at most 2,500 points at its largest limit and bounds every connection', ({ name, text }) => {
  const first = ['ListLabels', 'ListWorkflowStates'].includes(name) ? 100 : 50
  expect(complexityOf(text, { first })).toBeLessThanOrEqual(2_500)
  expect(unbounded(text)).toEqual([])
})
