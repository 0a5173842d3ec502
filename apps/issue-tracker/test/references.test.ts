import { expect, test } from 'vitest'
import { workspace } from './workspace.ts'

test.for([
  ['ListIssues', { team: 'Enginering' }, 'Engineering'],
  ['ListIssues', { state: 'Bakclog' }, 'Backlog'],
  ['ListIssues', { team: 'Enginering', state: 'Bakclog' }, 'Engineering'],
  ['ListProjects', { team: 'Desing' }, 'Design'],
  ['ListCycles', { team: 'Enginering' }, 'Engineering'],
  ['ListWorkflowStates', { team: 'Desing' }, 'Design'],
] as const)('%s %j: suggests the nearest name with one more request', async ([tool, args, expected]) => {
  await using server = await workspace()
  const error = await server.fails(`IssueTracker.${tool}`, args)
  expect(error.code).toBe('not_found')
  expect(error.suggestions?.map(({ value }) => value)).toContain(expected)
  expect(server.requests()).toBe(2)
})

test('accepts a close match only when allowed', async () => {
  await using server = await workspace()
  const lookup = { value: 'Enginering', lookup_by: 'name' }
  expect(await server.fails('IssueTracker.GetTeam', lookup)).toMatchObject({
    code: 'not_found',
    next: { change: { value: 'Engineering' } },
  })
  expect(await server.call('IssueTracker.GetTeam', { ...lookup, auto_accept_matches: true })).toMatchObject({
    team: { name: 'Engineering' },
  })
  expect(await server.call('IssueTracker.GetTeam', { value: 'engineering', lookup_by: 'name' })).toMatchObject({
    team: { name: 'Engineering' },
  })
})

test.for([
  ['GetIssue', { issue_id: 'ENG-99999' }],
  ['ListComments', { issue: 'NOPE-1' }],
  ['GetProject', { value: '00000000-0000-4000-8000-000000000000' }],
  ['GetProjectDescription', { project_id: 'no-such-slug' }],
  ['GetCycle', { cycle_id: '00000000-0000-4000-8000-000000000000' }],
  ['GetInitiative', { value: '00000000-0000-4000-8000-000000000000' }],
] as const)('%s %j: reports what does not exist and where to look', async ([tool, args]) => {
  await using server = await workspace()
  const error = await server.fails(`IssueTracker.${tool}`, args)
  expect(error.code).toBe('not_found')
  expect(error.message).toContain(Object.values(args)[0])
})

test.for([
  ['ListIssues', { limit: 0 }, '"limit" must be at least 1, not 0.'],
  ['ListIssues', { limit: 51 }, '"limit" must be at most 50, not 51.'],
  ['ListIssues', { limit: 1.5 }, '"limit" must be a whole number.'],
  ['CreateIssue', { team: '', title: 'x' }, '"team" must not be empty.'],
  ['ListLabels', { limit: 101 }, '"limit" must be at most 100, not 101.'],
  ['GetRecentActivity', { days: 0 }, '"days" must be at least 1, not 0.'],
  ['GetRecentActivity', { days: 91 }, '"days" must be at most 90, not 91.'],
  ['ListIssues', { created_after: '01.02.2026' }, 'created_after'],
  ['ListIssues', { created_after: '2026-02-30' }, 'created_after'],
  ['ListIssues', { priority: 'hihg' }, '"priority" must be'],
  ['GetProject', { value: 'Billing rewrite', lookup_by: 'slug_id' }, 'lookup_by "name"'],
  ['GetProjectDescription', { project_id: 'x', limit: 20_001 }, 'limit'],
  ['GetProjectDescription', { project_id: 'x', offset: -1 }, 'offset'],
  ['ListCycles', { end_cursor: 'not a cursor' }, 'cursor'],
] as const)('%s rejects %j and says what to fix', async ([tool, args, text]) => {
  await using server = await workspace()
  const error = await server.fails(`IssueTracker.${tool}`, args)
  expect(error.code).toBe('invalid_input')
  expect(error.message).toContain(text)
  expect(server.requests()).toBe(0)
})

test('proposes lookup_by "slug_id" for a slug that is passed as a name', async () => {
  await using server = await workspace()
  const error = await server.fails('IssueTracker.GetProject', { value: 'billing-rewrite-0123456789ab', lookup_by: 'name' })
  expect(error).toMatchObject({ code: 'not_found', next: { change: { lookup_by: 'slug_id' } } })
})

test('rejects a cursor from another list or for different filters', async () => {
  await using server = await workspace()
  const { pagination } = await server.call('IssueTracker.ListIssues', { limit: 2 })
  const cursor: { end_cursor: string } = Object.assign({ end_cursor: '' }, pagination)
  const error = await server.fails('IssueTracker.ListIssues', { team: 'ENG', end_cursor: cursor.end_cursor })
  expect(error.message).toContain('other arguments')
  expect((await server.fails('IssueTracker.ListTeams', { end_cursor: cursor.end_cursor })).code).toBe('invalid_input')
})
