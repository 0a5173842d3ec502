import { connect } from '@mcp-toolkits/testing'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import { workspace } from './workspace.ts'

test('shows relations from both sides, with the state of each blocker', async () => {
  await using server = await workspace()
  const relation = server.emulator.store.relations().find(({ type }) => type === 'blocks')
  const see = async (id: unknown) => JSON.stringify((await server.call('IssueTracker.GetIssue', { issue_id: String(id) }))['issue'])
  const { issueId: blocker, relatedIssueId: blocked } = Object.assign({ issueId: '', relatedIssueId: '' }, relation)
  const identifier = (id: unknown) => String(server.emulator.store.issues().find((issue) => issue['id'] === id)?.['identifier'])
  expect(await see(blocker)).toMatch(new RegExp(`"blocks":\\[[^\\]]*"identifier":"${identifier(blocked)}"[^\\]]*"state":`))
  expect(await see(blocked)).toMatch(new RegExp(`"blocked_by":\\[[^\\]]*"identifier":"${identifier(blocker)}"[^\\]]*"state_type":`))
})

test.for(['company', 'edge-cases'] as const)('50 issues from the seed %s take at most 3,000 tokens of four bytes', async (seed) => {
  await using server = await workspace({ emulated: { seed } })
  const { structuredContent, content } = await server.result('IssueTracker.ListIssues', { limit: 50 })
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  expect(JSON.parse(text)).toHaveProperty('issues.length', 50)
  for (const part of [JSON.stringify(structuredContent), text]) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(12_000)
})

test.for([
  ['ListProjects', { limit: 20 }, 4_000],
  ['ListWorkflowStates', {}, 2_400],
  ['GetIssue', { issue_id: 'ENG-1' }, 3_200],
  ['GetNotifications', {}, 3_000],
] as const)('%s %j stays within its size limit', async ([tool, args, most]) => {
  await using server = await workspace()
  expect(Buffer.byteLength(JSON.stringify(await server.call(`IssueTracker.${tool}`, args)))).toBeLessThanOrEqual(most)
})

test('leaves out what the call excludes', async () => {
  await using server = await workspace()
  const none = { include_comments: false, include_attachments: false, include_relations: false, include_children: false }
  const { issue } = await server.call('IssueTracker.GetIssue', { issue_id: 'eng-1', ...none })
  for (const part of ['comments', 'attachments', 'relations', 'children']) expect(issue).not.toHaveProperty(part)
})

test('the notice of an empty list repeats its filters', async () => {
  await using server = await workspace()
  const result = await server.call('IssueTracker.ListIssues', { team: 'ENG', keywords: 'nothing-has-this-word' })
  expect(result).toMatchObject({
    issues: [],
    notices: ['No issue matches keywords "nothing-has-this-word" and team "ENG". To find more, try another keyword or leave out a filter.'],
  })
})

test.each(['ListIssues', 'ListTeams', 'ListProjects', 'ListInitiatives'])(
  '%s refuses more words than one search can hold',
  async (name) => {
    await using server = await workspace()
    for (const keywords of ['word '.repeat(101), 'x'.repeat(2_001), 'word '.repeat(60_000)]) {
      const error = await server.fails(`IssueTracker.${name}`, { keywords })
      expect(error.code).toBe('too_large')
      expect(error.message).toMatch(/^"keywords" has \d+ (words|characters); one search takes at most \d+\./)
    }
    expect(server.requests()).toBe(0)
  },
)

test('a list of paused initiatives is empty, with a notice and without a request', async () => {
  await using server = await workspace()
  expect(await server.call('IssueTracker.ListInitiatives', { state: 'paused' })).toMatchObject({ initiatives: [] })
  expect(server.requests()).toBe(0)
})

test('initiatives have the status in our words', async () => {
  await using server = await workspace()
  const { initiatives } = await server.call('IssueTracker.ListInitiatives', { state: 'started' })
  const rows: unknown[] = Array.isArray(initiatives) ? initiatives : []
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row).toMatchObject({ status: 'started' })
})

test('finds unread notifications if the workspace has no inbox yet', async () => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'k' })
  let refused = 0
  const fetch: typeof emulator.fetch = async (input, init) => {
    const request = new Request(input, init)
    if (!(await request.clone().text()).includes('inboxNotifications')) return emulator.fetch(request, init)
    refused += 1
    const message = 'Cannot query field "inboxNotifications" on type "Query".'
    return Response.json({ errors: [{ message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] }, { status: 400 })
  }
  await using old = await connect(issueTracker, { fetch, environment: { ISSUE_TRACKER_API_KEY: 'k' } })
  await using current = await workspace()
  const ids = (result: Record<string, unknown>) =>
    JSON.stringify(result['notifications'])
      .match(/"title":"[^"]*"/g)
      ?.sort()
  const args = { unread_only: true, limit: 50 }
  expect(ids(await old.call('IssueTracker.GetNotifications', args))).toEqual(ids(await current.call('IssueTracker.GetNotifications', args)))
  expect(refused).toBe(1)
})

test('explains an empty list when the state or label belongs to another team', async () => {
  await using server = await workspace()
  expect(await server.call('IssueTracker.ListIssues', { team: 'DES', state: 'triage' })).toMatchObject({
    issues: [],
    notices: [
      '"Design" (DES) has no workflow state "triage". It has: "Backlog", "Todo", "In Progress", "In Review", "Done", "Canceled", "Duplicate".',
    ],
  })
  expect(await server.call('IssueTracker.ListIssues', { team: 'Design', label: 'on-call', state: 'Todo' })).toMatchObject({
    issues: [],
    notices: ['Label "on-call" belongs to "Engineering Ops" (OPS), not to "Design" (DES).'],
  })
  expect(server.requests()).toBe(2)
})

test('a list that is empty for another reason repeats its filters and says how to find more', async () => {
  await using server = await workspace()
  const args = { team: 'OPS', state: 'todo', label: 'on-call', keywords: 'nothing-has-this-word' }
  const { notices } = await server.call('IssueTracker.ListIssues', args)
  expect(String(notices)).toBe(
    'No issue matches keywords "nothing-has-this-word" and team "OPS" and state "todo" and label "on-call". To find more, try another keyword or leave out a filter.',
  )
  const none = await server.call('IssueTracker.ListIssues', { team: 'DES', label: 'security', keywords: 'nothing-has-this-word' })
  expect(String(none['notices'])).toContain('No issue matches')
})

test.for([
  ['ListLabels', { limit: 2 }, 'There are more: raise limit (up to 100).'],
  ['ListWorkflowStates', { limit: 2 }, 'There are more: raise limit (up to 100), or narrow by team or state_type.'],
  ['ListWorkflowStates', { limit: 2, team: 'ENG', state_type: 'started' }, undefined],
  ['ListWorkflowStates', { limit: 1, team: 'ENG', state_type: 'started' }, 'There are more: raise limit (up to 100).'],
  ['GetRecentActivity', { limit: 1, days: 90 }, 'There are more: raise limit (up to 50), or ask for fewer days.'],
] as const)('%s %j, which takes no cursor, says how to see the rest', async ([tool, args, notice]) => {
  await using server = await workspace()
  const result = await server.call(`IssueTracker.${tool}`, args)
  expect(result).toMatchObject({ pagination: { has_more: notice !== undefined, end_cursor: null } })
  expect(result['notices']).toEqual(notice && [notice])
})

test('says when there are more rows than the largest limit', async () => {
  await using server = await workspace()
  for (let number = 1; number <= 15; number += 1) server.emulator.addTeam({ key: `T${number}`, name: `Team ${number}` })
  const result = await server.call('IssueTracker.ListWorkflowStates', { limit: 100 })
  expect(result).toMatchObject({ pagination: { has_more: true }, notices: ['There are more: narrow by team or state_type.'] })
})

test('lists within records say when they are truncated', async () => {
  await using server = await workspace()
  const ids = Array.from({ length: 11 }, (_, number) => server.emulator.addTeam({ key: `T${number}`, name: `Team ${number}` }))
  const create = 'mutation Create($input: ProjectCreateInput!) { projectCreate(input: $input) { success } }'
  await server.mutate(create, { input: { name: 'Of many teams', teamIds: ids } })
  await server.mutate(create, { input: { name: 'Of ten teams', teamIds: ids.slice(1) } })
  const { projects }: { projects: { name: string; teams: unknown[]; has_more_teams?: boolean }[] } = Object.assign(
    { projects: [] },
    await server.call('IssueTracker.ListProjects', { keywords: 'of teams' }),
  )
  expect(projects.map(({ name, teams, has_more_teams: more }) => [name, teams.length, more]).toSorted()).toEqual([
    ['Of many teams', 10, true],
    ['Of ten teams', 10, undefined],
  ])
  const { issue } = await server.call('IssueTracker.GetIssue', { issue_id: 'ENG-1' })
  expect(JSON.stringify(issue)).not.toContain('has_more')
  expect((await server.call('IssueTracker.GetTeam', { value: 'ENG', lookup_by: 'key' }))['team']).not.toHaveProperty('has_more_states')
})

test('returns the states of a team in the order of its workflow', async () => {
  await using server = await workspace()
  const { team } = await server.call('IssueTracker.GetTeam', { value: 'ENG', lookup_by: 'key' })
  const { states }: { states: { name: string }[] } = Object.assign({ states: [] }, team)
  const usual = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Canceled', 'Duplicate']
  expect(states.map(({ name }) => name).filter((name) => name !== 'Triage')).toEqual(usual)
})

test.for([
  ['ListIssues', { team: 'LAB' }, '"Labs" is archived.'],
  ['ListCycles', { team: 'labs' }, '"Labs" is archived.'],
  ['ListProjects', { team: 'LAB' }, '"Labs" is archived.'],
  ['ListIssues', { project: 'Design system', keywords: 'nothing-has-this-word' }, '"Design system" is archived.'],
] as const)('%s %j: an empty list says that its team or project is archived', async ([tool, args, text]) => {
  await using server = await workspace()
  await server.call('IssueTracker.ArchiveProject', { project: 'Design system' })
  const result = await server.call(`IssueTracker.${tool}`, args)
  expect(String(result['notices'])).toContain(text)
})

test.for([
  ['GetIssue', { issue_id: ' ' }],
  ['ListComments', { issue: '\n' }],
  ['ArchiveIssue', { issue: ' ' }],
  ['GetTeam', { value: ' ', lookup_by: 'name' }],
  ['GetProject', { value: ' ', lookup_by: 'name' }],
  ['GetInitiative', { value: ' ', lookup_by: 'name' }],
  ['GetCycle', { cycle_id: ' ' }],
] as const)('%s rejects the blank %j without a request', async ([tool, args]) => {
  await using server = await workspace()
  const error = await server.fails(`IssueTracker.${tool}`, args)
  expect(error.message).toContain('must not be empty')
  expect(server.requests()).toBe(0)
})

test.for([
  ['ListIssues', 'team'],
  ['ListIssues', 'label'],
  ['ListIssues', 'keywords'],
  ['ListProjects', 'team'],
  ['ListCycles', 'team'],
] as const)('%s does not filter by a blank %s, and says so', async ([tool, parameter]) => {
  await using server = await workspace()
  const { notices, ...all } = await server.call(`IssueTracker.${tool}`, { [parameter]: ' ' })
  expect(notices).toEqual([`${parameter} was blank and counts as not given.`])
  expect(all).toEqual(await server.call(`IssueTracker.${tool}`))
})

const long = 'x'.repeat(20_000)

test.for([
  ['GetIssue', { issue_id: long }],
  ['GetTeam', { value: long }],
  ['GetProject', { value: long, lookup_by: 'slug_id' }],
  ['GetProject', { value: long, lookup_by: 'name' }],
  ['GetCycle', { cycle_id: long }],
  ['ListIssues', { team: long, label: long, assignee: long }],
  ['ListIssues', { keywords: long }],
  ['CreateIssueRelation', { issue: long, related_issue: `${long}y`, relation_type: 'blocks' }],
  ['AddProjectToInitiative', { initiative: long, project: long }],
  ['UpdateProject', { project_id: long, teams_to_add: Array.from({ length: 3_000 }, (_, index) => `${long.slice(0, 50)}${index}`) }],
  ['LinkCodeHostToIssue', { issue: 'ENG-1', code_host_url: long }],
] as const)('%s does not repeat a long argument in full', async ([tool, args]) => {
  await using server = await workspace()
  const { content, structuredContent } = await server.result(`IssueTracker.${tool}`, args)
  expect(JSON.stringify([content, structuredContent]).length).toBeLessThan(2_000)
})

test.for([
  ['ListIssues', 'is:unassigned label:bug', 'Filter by team, state, assignee, priority, label, project or created_after.'],
  ['ListIssues', 'assignee = currentUser() OR label = bug', 'keywords was read as plain words; it has no filter syntax.'],
  ['ListProjects', 'sprint:4', 'Filter by state, team or created_after.'],
  ['ListInitiatives', 'is:active', 'Filter by state.'],
  ['ListTeams', 'team:ENG', 'Filter by include_archived or created_after.'],
  ['ListIssues', '"sign-up form"', 'Quotes, *, -, AND, OR and NOT have no meaning in keywords'],
  ['ListIssues', 'not urgent', 'none of them excludes or filters anything. Filter by team, state'],
  ['ListIssues', 'issues assigned to Ada due this week', 'keywords was read as plain words'],
  ['ListIssues', 'export OR zebra', 'each word must appear as it is.'],
] as const)('%s reads %j as words and says so', async ([tool, keywords, text]) => {
  await using server = await workspace()
  expect(String((await server.call(`IssueTracker.${tool}`, { keywords }))['notices'])).toContain(text)
})

test.for(['export', 'Sign-up form', 'feat: export'])('says nothing about syntax for %j', async (keywords) => {
  await using server = await workspace()
  expect(String((await server.call('IssueTracker.ListIssues', { keywords }))['notices'])).not.toMatch(/syntax|meaning/)
})

test.for([
  ['ListIssues', { keywords: 'zebra quagga' }, 'use fewer keywords (each must appear).'],
  ['ListIssues', { created_after: '2999-01-01' }, 'choose an earlier day.'],
  ['ListTeams', { keywords: 'zebra' }, 'pass include_archived or try another keyword.'],
  ['ListProjects', { state: 'canceled' }, 'leave out state.'],
  ['ListWorkflowStates', { team: 'ENG', state_type: 'triage' }, 'leave out a filter.'],
] as const)('an empty result of %s %j says how to find more', async ([tool, args, text]) => {
  await using server = await workspace()
  expect(String((await server.call(`IssueTracker.${tool}`, args))['notices'])).toContain(`To find more, ${text}`)
})
