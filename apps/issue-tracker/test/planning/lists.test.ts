import { member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import type { Args } from '../calls.ts'
import { someText, textWith } from '../matching.ts'
import { workspace, type Workspace } from '../workspace.ts'

const [statuses, createStatus] = ['IssueTracker.ListAvailableProjectStatuses', 'IssueTracker.CreateProjectStatus']
const [users, needs] = ['IssueTracker.ListUsers', 'IssueTracker.ListCustomerNeeds']
const planning = { toolsets: ['planning'], emulated: { seed: 'company' } } as const

test('lists the statuses of projects by type, and creates one with a new name', async () => {
  await using server = await workspace(planning)
  const names = async (status_type?: string) => {
    const rows = (await server.call(statuses, { status_type }))['project_statuses']
    return Object.assign<{ name: string }[], unknown>([], rows).map(({ name }) => name)
  }
  expect(await names()).toEqual(['Backlog', 'Planned', 'In Progress', 'Paused', 'Completed', 'Canceled'])
  const created = await server.call(createStatus, { name: 'In beta', status_type: 'started', description: 'With guides.' })
  expect(created).toEqual({
    project_status: { name: 'In beta', type: 'started', color: '#f2c94c', description: 'With guides.' },
    notices: ['To give it to a project, pass its name as "state" to IssueTracker_UpdateProject.'],
  })
  expect(server.requests()).toBe(3)
  expect(await names('started')).toEqual(['In Progress', 'In beta'])
  expect(await server.fails(createStatus, { name: 'in BETA', status_type: 'paused' })).toMatchObject({
    code: 'conflict',
    message: textWith('already a project status "In beta"'),
  })
  expect(await server.fails(createStatus, { name: 'Red', status_type: 'paused', color: 'red' })).toMatchObject({ code: 'invalid_input' })
  expect(server.emulator.store.projectStatuses()).toHaveLength(7)
})

test('lists people in pages, finds them by words, and says who has left and who is an app', async () => {
  await using server = await workspace(planning)
  const found = async (args: Args) => Object.assign<object[], unknown>([], (await server.call(users, args))['users'])
  expect(await found({ keywords: 'ada ok' })).toHaveLength(2)
  expect(await found({ keywords: 'grace.kim@studio' })).toMatchObject([{ name: 'Grace Kim', guest: true, teams: ['DES'] }])
  expect(await found({ keywords: 'beacon' })).toMatchObject([{ name: 'Beacon', app: true }])
  expect(await server.call(users, { keywords: 'leo' })).toMatchObject({ users: [], notices: [textWith('pass include_deactivated')] })
  expect(await found({ keywords: 'leo', include_deactivated: true })).toMatchObject([{ name: 'Leo Brandt', deactivated: true }])
  const first = await server.call(users, { limit: 3 })
  const end_cursor = member(first['pagination'], 'end_cursor')
  expect(await found({ limit: 50, end_cursor })).toHaveLength(10)
  expect(server.requests()).toBe(7)
})

test('lists what customers ask for, by project, issue and customer', async () => {
  await using server = await workspace(planning)
  const trails = server.emulator.store.projects().find((project) => project['name'] === 'Trails launch')
  const projectId = String(trails?.['id'])
  const customerId = await customer(server, 'Alpenpass Guides')
  const need = 'mutation($input: CustomerNeedCreateInput!) { customerNeedCreate(input: $input) { success } }'
  await server.mutate(need, { input: { customerId, projectId, body: 'Maps of Austria.', priority: 1 } })
  await server.mutate(need, { input: { customerId, issueId: 'ENG-12', body: 'Search offline.' } })
  const found = async (args: Args) => (await server.call(needs, args))['customer_needs']
  expect(await found({})).toHaveLength(2)
  const austria = {
    customer: 'Alpenpass Guides',
    body: 'Maps of Austria.',
    important: true,
    project: 'Trails launch',
    creator: 'Robin Vance',
  }
  expect(await found({ project: 'trails launch' })).toEqual([{ ...austria, created_at: someText }])
  expect(await found({ issue: 'eng-12', customer: 'guides alpen' })).toMatchObject([{ issue: 'ENG-12' }])
  expect(server.requests()).toBe(3)
  expect(await server.call(needs, { customer: 'nobody' })).toMatchObject({
    customer_needs: [],
    notices: [textWith('No customer request matches')],
  })
  expect(await server.fails(needs, { project: 'Trail lunch' })).toMatchObject({ code: 'not_found', message: textWith('Trails launch') })
})

test.for(['ListDocuments', 'ListCustomerNeeds'])('%s finds an issue that has moved, and reports one that does not exist', async (tool) => {
  await using server = await workspace({ toolsets: ['planning', 'triage'], emulated: { seed: 'company' } })
  const list = `IssueTracker.${tool}`
  const documentInput = { input: { title: 'Notes on ENG-12', issueId: 'ENG-12' } }
  await server.mutate('mutation($input: DocumentCreateInput!) { documentCreate(input: $input) { success } }', documentInput)
  const need = { input: { issueId: 'ENG-12', body: 'Search offline.', customerId: await customer(server, 'Alpenpass Guides') } }
  await server.mutate('mutation($input: CustomerNeedCreateInput!) { customerNeedCreate(input: $input) { success } }', need)
  await server.call('IssueTracker.MoveIssueToTeam', { issue: 'ENG-12', team: 'DES' })
  const [rows] = Object.values(await server.call(list, { issue: 'eng-12' }))
  expect(rows).toMatchObject([{ issue: textWith('DES-') }])
  expect(await server.fails(list, { issue: 'EGN-9' })).toMatchObject({
    code: 'not_found',
    message: textWith('Candidates: "ENG-9"'),
  })
  expect(await server.call(list, { issue: 'ENG-9' })).toMatchObject({ notices: [textWith('matches issue "ENG-9"')] })
})

async function customer(server: Workspace, name: string): Promise<string> {
  const id = crypto.randomUUID()
  await server.mutate('mutation($input: CustomerCreateInput!) { customerCreate(input: $input) { success } }', { input: { id, name } })
  return id
}
