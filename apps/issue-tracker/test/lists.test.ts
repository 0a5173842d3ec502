import { connect } from '@mcp-toolkits/testing'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import { workspace } from './workspace.ts'

test('relations are told from both sides, with the state of each blocker', async () => {
  await using server = await workspace()
  const relation = server.emulator.store.relations().find(({ type }) => type === 'blocks')
  const see = async (id: unknown) => JSON.stringify((await server.call('IssueTracker.GetIssue', { issue_id: String(id) }))['issue'])
  const { issueId: blocker, relatedIssueId: blocked } = Object.assign({ issueId: '', relatedIssueId: '' }, relation)
  expect(await see(blocker)).toMatch(new RegExp(`"blocks":\\[[^\\]]*"id":"${blocked}"[^\\]]*"state":`))
  expect(await see(blocked)).toMatch(new RegExp(`"blocked_by":\\[[^\\]]*"id":"${blocker}"[^\\]]*"state":`))
})

test('what is not asked for is left out', async () => {
  await using server = await workspace()
  const none = { include_comments: false, include_attachments: false, include_relations: false, include_children: false }
  const { issue } = await server.call('IssueTracker.GetIssue', { issue_id: 'eng-1', ...none })
  for (const part of ['comments', 'attachments', 'relations', 'children']) expect(issue).not.toHaveProperty(part)
})

test('an empty list says what was searched', async () => {
  await using server = await workspace()
  const result = await server.call('IssueTracker.ListIssues', { team: 'ENG', keywords: 'nothing-has-this-word' })
  expect(result).toMatchObject({ issues: [], notice: 'No issue matches keywords "nothing-has-this-word" and team "ENG".' })
})

test('paused initiatives do not exist: an empty list and a notice, without a request', async () => {
  await using server = await workspace()
  expect(await server.call('IssueTracker.ListInitiatives', { state: 'paused' })).toMatchObject({ initiatives: [] })
  expect(server.requests()).toBe(0)
})

test('initiatives carry the status in our word and in Linear’s', async () => {
  await using server = await workspace()
  const { initiatives } = await server.call('IssueTracker.ListInitiatives', { state: 'started' })
  const rows: unknown[] = Array.isArray(initiatives) ? initiatives : []
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row).toMatchObject({ status: 'started', vendor_status: 'Active' })
})

test('unread notifications are found where the workspace has no inbox to filter yet', async () => {
  const emulator = linearEmulator({ apiKey: 'k' })
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
  const wanted = { unread_only: true, limit: 50 }
  expect(ids(await old.call('IssueTracker.GetNotifications', wanted))).toEqual(
    ids(await current.call('IssueTracker.GetNotifications', wanted)),
  )
  expect(refused).toBe(1)
})

test('a name that two projects have is refused, with both', async () => {
  await using server = await workspace()
  const [team] = /[0-9a-f-]{36}/.exec(JSON.stringify(await server.call('IssueTracker.ListTeams'))) ?? []
  const create = 'mutation Create($input: ProjectCreateInput!) { projectCreate(input: $input) { success } }'
  for (let times = 0; times < 2; times += 1) {
    await server.emulator.fetch('http://localhost/graphql', {
      method: 'POST',
      headers: { authorization: 'lin_api_test', 'content-type': 'application/json' },
      body: JSON.stringify({ query: create, variables: { input: { name: 'Twin', teamIds: [team] } } }),
    })
  }
  expect(server.emulator.store.projects().filter(({ name }) => name === 'Twin').length).toBe(2)
  const listed = await server.fails('IssueTracker.ListIssues', { project: 'Twin' })
  expect(listed).toMatchObject({ code: 'ambiguous', suggestions: [{ value: 'Twin' }, { value: 'Twin' }] })
  expect(new Set(listed.suggestions?.map(({ id }) => id)).size).toBe(2)
  expect(await server.fails('IssueTracker.GetProject', { value: 'Twin', lookup_by: 'name' })).toMatchObject({ code: 'ambiguous' })
})
