import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import { calls, forExamples, type Args } from './calls.ts'
import { workspace } from './workspace.ts'

const reading = issueTracker.listedTools.filter(({ effect }) => effect === 'read')

/** Calls that are handled differently from ordinary ones. */
const others: readonly (readonly [tool: string, args: Args])[] = [
  ['GetNotifications', { unread_only: true }],
  ['GetTeam', { value: 'Engineering', lookup_by: 'name' }],
  ['GetInitiative', { value: '551a749d-bcca-42d5-aa68-f5c08a0c51ba' }],
  ['GetProject', { value: '676674191280', lookup_by: 'slug_id' }],
  ['ListIssues', { team: 'ENG', state: 'Todo', assignee: '@me', keywords: 'a', label: 'bug', project: 'Trails launch' }],
  ['ListProjects', { team: 'ENG' }],
  ['ListCycles', { team: 'ENG' }],
  ['ListWorkflowStates', { team: 'ENG' }],
]

test.for([...calls, ...others])('%s sends one request and changes nothing', async ([tool, args]) => {
  await using server = await workspace(forExamples)
  await server.call(`IssueTracker.${tool}`, args)
  expect(server.requests()).toBe(1)
  expect(server.emulator.store.mutations()).toEqual([])
})

test.for(calls)('%s treats null as absent in each optional parameter, and in all of them', async ([tool, args]) => {
  await using server = await workspace(forExamples)
  const { properties = {} } = reading.find(({ name }) => name === tool)?.inputSchema ?? {}
  const optional = Object.keys(Object.assign({}, properties)).filter((name) => !(name in args))
  const expected = await server.call(`IssueTracker.${tool}`, args)
  for (const names of [...optional.map((name) => [name]), optional]) {
    const nulls = Object.fromEntries(names.map((name) => [name, null]))
    expect(await server.call(`IssueTracker.${tool}`, { ...args, ...nulls }), names.join()).toEqual(expected)
  }
})
