import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { expect, onTestFinished, test } from 'vitest'
import { attachmentsOf, changesOf } from '../src/linear/issues/batches.ts'
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

const withErrors = { name: 'Wrong', text: 'query Wrong($id: String!) { issue(id: $id) { colour } }' }

test('the vendor’s published schema has everything that the documents select, and none of them is too long', async () => {
  const emulator = linearEmulator({ apiKey: 'lin_api_test', limits: { requests: 1e6, points: 1e9 } })
  onTestFinished(() => emulator.close())
  const headers = { authorization: 'lin_api_test', 'content-type': 'application/json' }
  const refused: string[] = []
  for (const { name, text } of [...operations, changesOf(50), attachmentsOf(50), withErrors]) {
    // A document is checked against the schema before its variables, which are missing here.
    const body = JSON.stringify({ query: text, operationName: name, variables: {} })
    const response = await emulator.fetch('https://api.linear.app/graphql', { method: 'POST', headers, body })
    if (!/^\{"data":|"message":"Variable /.test(await response.text())) refused.push(name)
  }
  expect(refused).toEqual([withErrors.name])
})
