import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import { calls, type Args } from './calls.ts'
import { workspace } from './workspace.ts'

const reading = issueTracker.listedTools.filter(({ effect }) => effect === 'read')

/** Calls that take another way than the ordinary ones. */
const others: readonly (readonly [tool: string, args: Args])[] = [
  ['GetNotifications', { unread_only: true }],
  ['GetTeam', { value: 'ENG', lookup_by: 'key' }],
  ['GetProject', { value: 'Billing rewrite', lookup_by: 'name' }],
  ['ListIssues', { team: 'ENG', state: 'Todo', assignee: '@me', keywords: 'a', label: 'bug', project: 'Billing rewrite' }],
  ['ListProjects', { team: 'ENG' }],
  ['ListCycles', { team: 'ENG' }],
  ['ListWorkflowStates', { team: 'ENG' }],
]

test('has one call for each reading tool', () => {
  expect(calls.map(([tool]) => tool)).toEqual(reading.map(({ name }) => name))
  expect(calls.length).toBeGreaterThan(15)
})

test.for([...calls, ...others])('%s sends one request and changes nothing', async ([tool, argsOf]) => {
  await using server = await workspace()
  const args = typeof argsOf === 'function' ? await argsOf(server) : argsOf
  const before = server.requests()
  await server.call(`IssueTracker.${tool}`, args)
  expect(server.requests() - before).toBe(1)
  expect(server.emulator.store.mutations()).toEqual([])
})

test.for(calls)('%s treats null as absent for each optional parameter and for all', async ([tool, argsOf]) => {
  await using server = await workspace()
  const args = await argsOf(server)
  const { properties = {} } = reading.find(({ name }) => name === tool)?.inputSchema ?? {}
  const optional = Object.keys(Object.assign({}, properties)).filter((name) => !(name in args))
  const expected = await server.call(`IssueTracker.${tool}`, args)
  for (const names of [...optional.map((name) => [name]), optional]) {
    const nulls = Object.fromEntries(names.map((name) => [name, null]))
    expect(await server.call(`IssueTracker.${tool}`, { ...args, ...nulls }), names.join()).toEqual(expected)
  }
})
