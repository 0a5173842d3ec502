import { manualScope } from '@mcp-toolkits/core/testing'
import { withAuthorization } from '@mcp-toolkits/core/upstream'
import { expect, test } from 'vitest'
import { linearClient } from '../src/linear/client.ts'
import { createResolver } from '../src/resolve/resolver.ts'
import { initiativeNamed, projectNamed } from './project-calls.ts'
import { teamIdOf } from './calls.ts'
import { workspace, type Workspace } from './workspace.ts'

const [getTeam, getProject, getInitiative] = ['IssueTracker.GetTeam', 'IssueTracker.GetProject', 'IssueTracker.GetInitiative']
const id = ({ id: found }: Readonly<Record<string, unknown>>) => String(found)

test('treats an id as an id whatever lookup_by is, archived or not', async () => {
  await using server = await workspace()
  const labs = await teamIdOf(server, 'LAB')
  for (const lookup_by of ['id', 'key', 'name']) {
    expect(await server.call(getTeam, { value: labs.toUpperCase(), lookup_by })).toMatchObject({ team: { key: 'LAB' } })
  }
  const [project, initiative] = [id(projectNamed(server, 'Apollo')), id(initiativeNamed(server, 'Reliability'))]
  await server.call('IssueTracker.ArchiveProject', { project })
  await server.call('IssueTracker.ArchiveInitiative', { initiative })
  for (const lookup_by of ['id', 'name']) {
    expect(await server.call(getProject, { value: project, lookup_by })).toMatchObject({ project: { name: 'Apollo' } })
    expect(await server.call(getInitiative, { value: initiative, lookup_by })).toMatchObject({ initiative: { name: 'Reliability' } })
  }
})

test('after "ambiguous", accepts the id of an archived match', async () => {
  await using server = await workspace()
  for (const name of ['Twin', 'Twin']) await server.call('IssueTracker.CreateInitiative', { name })
  const twin = id(initiativeNamed(server, 'Twin'))
  await server.call('IssueTracker.ArchiveInitiative', { initiative: twin })
  const args = { value: 'Twin', lookup_by: 'name' }
  const error = await server.fails(getInitiative, args)
  expect(error.code).toBe('ambiguous')
  expect(error.message).toContain('archived')
  const advised = error.suggestions?.map((each) => each.id) ?? []
  expect(advised).toContain(twin)
  for (const value of advised) expect(await server.call(getInitiative, { ...args, value })).toMatchObject({ initiative: { id: value } })
})

test.for([
  [{ value: 'ENG', lookup_by: 'name' }, 'key'],
  [{ value: 'engineering ops', lookup_by: 'key' }, 'name'],
] as const)('rejects %j in one request, and names the column that has it', async ([args, column]) => {
  await using server = await workspace()
  for (const accept of [false, true]) {
    const error = await server.fails(getTeam, { ...args, auto_accept_matches: accept })
    expect(error).toMatchObject({ code: 'not_found', next: { change: { lookup_by: column } } })
    expect(await server.call(getTeam, { ...args, ...error.next?.change })).toHaveProperty('team')
  }
  expect(server.requests()).toBe(4)
})

test('a slug is not a name', async () => {
  await using server = await workspace()
  const { slugId: value } = projectNamed(server, 'Apollo')
  expect((await server.fails(getProject, { value, lookup_by: 'name' })).code).toBe('not_found')
  expect(server.requests()).toBe(1)
})

test('finds an initiative by slug and by URL in one request', async () => {
  await using server = await workspace()
  const { slugId } = initiativeNamed(server, 'Reliability')
  const address = `https://linear.app/lodestar/initiative/any-${String(slugId)}`
  const found = { initiative: { name: 'Reliability' } }
  for (const args of [{ value: slugId }, { value: address }, { value: address, lookup_by: 'name' }, { value: `any-${String(slugId)}` }]) {
    expect(await server.call(getInitiative, args)).toMatchObject(found)
  }
  for (const initiative_id of [slugId, address]) {
    expect(await server.call('IssueTracker.GetInitiativeDescription', { initiative_id })).toHaveProperty('text')
  }
  expect(server.requests()).toBe(6)
})

test.for([
  ['GetTeam', { value: 'Enginering Ops' }],
  ['GetProject', { value: 'Apolo' }],
  ['GetProject', { value: 'Apollo', lookup_by: 'slug_id' }],
  ['GetInitiative', { value: 'Relibility' }],
] as const)('%s %j: the proposed change is accepted', async ([tool, args]) => {
  await using server = await workspace()
  const error = await server.fails(`IssueTracker.${tool}`, args)
  expect(error.next?.change).toBeDefined()
  const { isError, content } = await server.result(`IssueTracker.${tool}`, { ...args, ...error.next?.change })
  expect(isError === true ? JSON.stringify(content) : '').toMatch(/^$|not_found/)
})

async function created(server: Workspace, name: string): Promise<string> {
  await server.call('IssueTracker.CreateProject', { name, team: 'ENG' })
  return id(projectNamed(server, name))
}

test('lists projects with the same name by team in every error', async () => {
  await using server = await workspace()
  await server.call('IssueTracker.CreateProject', { name: 'Twin', team: 'DES' })
  const archived = await created(server, 'Twin')
  await server.call('IssueTracker.ArchiveProject', { project: archived })
  for (const [tool, args] of [
    ['GetProject', { value: 'Twin', lookup_by: 'name' }],
    ['ListIssues', { project: 'twin' }],
    ['AddProjectToInitiative', { initiative: 'Reliability', project: 'Twin' }],
    ['ArchiveProject', { project: 'Twin' }],
  ] as const) {
    const { code, message } = await server.fails(`IssueTracker.${tool}`, args)
    expect([tool, code]).toEqual([tool, 'ambiguous'])
    expect(message, tool).toMatch(/archived/)
    expect(message, tool).toMatch(/DES|ENG/)
  }
})

test('lists people with the same name by email address', async () => {
  await using server = await workspace()
  server.emulator.addUser({ name: 'Ada Okafor', displayName: 'ada.two' })
  const error = await server.fails('IssueTracker.ListIssues', { assignee: 'Ada Okafor' })
  expect(error.code).toBe('ambiguous')
  expect(new Set(error.message.match(/\([^()@]+@[^()@]+\)/g)).size).toBe(2)
})

test('offers a choice for the reference as the caller wrote it', async () => {
  await using server = await workspace()
  for (const name of ['Twin', 'Twin']) {
    await server.call('IssueTracker.CreateProject', { name, team: 'ENG' })
    await server.call('IssueTracker.CreateInitiative', { name })
  }
  const url = 'http://localhost/graphql'
  const linear = linearClient({ fetch: withAuthorization(server.emulator.fetch, url, () => 'lin_api_test'), url })
  const resolver = createResolver(linear.forCall(manualScope()), () => undefined)
  const reference = ' tWIN '
  const exact = [
    { id: '1', name: 'Twin' },
    { id: '2', name: 'Twin' },
  ]
  const outcomes = await Promise.allSettled<unknown>([
    resolver.project({ parameter: 'project', reference, autoAccept: false }),
    resolver.initiative({ parameter: 'initiative', reference, autoAccept: false }),
    resolver.list({ project: reference }, () => Promise.resolve({ project: exact })),
    resolver.lookUp({ kind: 'team', column: 'name', reference, autoAccept: false, find: () => Promise.resolve({ exact }) }),
  ])
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { details: { choices: [{ reference }] } } })
  }
})
