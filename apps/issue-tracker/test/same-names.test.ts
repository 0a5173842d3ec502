import { expect, test } from 'vitest'
import { teamIdOf } from './calls.ts'
import { workspace, type Workspace } from './workspace.ts'

const createProject = 'mutation Create($input: ProjectCreateInput!) { projectCreate(input: $input) { success } }'
const createInitiative = 'mutation Create($input: InitiativeCreateInput!) { initiativeCreate(input: $input) { success } }'

async function addProjects(server: Workspace, ...names: readonly string[]): Promise<void> {
  const teamIds = [await teamIdOf(server, 'ENG')]
  for (const name of names) await server.mutate(createProject, { input: { name, teamIds } })
}

test.for([
  ['GetProject', createProject, 'Warehouse move', 'Warehouse moves', 'Warehouse moev'],
  ['GetProject', createProject, 'Rollout phase 1', 'Rollout phase 2', 'Rollout phase 3'],
  ['GetProject', createProject, 'Onboarding EU', 'Onboarding US', 'Onboarding UK'],
  ['GetInitiative', createInitiative, 'Customer trust', 'Customer truss', 'Customer truse'],
  ['GetInitiative', createInitiative, 'Plan A', 'Plan B', 'Plan C'],
] as const)('%s: does not accept a typo that is close to two names, even when allowed', async ([tool, create, one, other, misspelt]) => {
  await using server = await workspace()
  if (create === createProject) await addProjects(server, one, other)
  else for (const name of [one, other]) await server.mutate(create, { input: { name } })
  for (const accept of [false, true]) {
    const error = await server.fails(`IssueTracker.${tool}`, { value: misspelt, lookup_by: 'name', auto_accept_matches: accept })
    expect(error.code).toBe('not_found')
    expect(error.suggestions?.map(({ value }) => value)).toEqual(expect.arrayContaining([one, other]))
  }
  for (const name of [one, other]) {
    expect(JSON.stringify(await server.call(`IssueTracker.${tool}`, { value: name.toUpperCase(), lookup_by: 'name' }))).toContain(
      `"name":"${name}"`,
    )
  }
})

test('accepts the same typo when allowed and no other name is close', async () => {
  await using server = await workspace()
  await addProjects(server, 'Warehouse move')
  const lookup = { value: 'Warehouse moev', lookup_by: 'name', auto_accept_matches: true }
  expect(await server.call('IssueTracker.GetProject', lookup)).toMatchObject({ project: { name: 'Warehouse move' } })
})

test('distinguishes teams with similar names', async () => {
  await using server = await workspace()
  server.emulator.addTeam({ key: 'PAY', name: 'Payments' })
  server.emulator.addTeam({ key: 'PYM', name: 'Payment' })
  const lookup = { lookup_by: 'name', auto_accept_matches: true }
  const error = await server.fails('IssueTracker.GetTeam', { ...lookup, value: 'Paymens' })
  expect(error.suggestions?.map(({ value }) => value)).toEqual(expect.arrayContaining(['Payments', 'Payment']))
  expect(await server.call('IssueTracker.GetTeam', { ...lookup, value: 'payment' })).toMatchObject({ team: { key: 'PYM' } })
})

test('rejects a name that two projects have and lists both', async () => {
  await using server = await workspace()
  await addProjects(server, 'Twin', 'Twin')
  expect(server.emulator.store.projects().filter(({ name }) => name === 'Twin').length).toBe(2)
  const listed = await server.fails('IssueTracker.ListIssues', { project: 'Twin' })
  expect(listed).toMatchObject({ code: 'ambiguous', suggestions: [{ value: 'Twin' }, { value: 'Twin' }] })
  expect(new Set(listed.suggestions?.map(({ id }) => id)).size).toBe(2)
  expect(await server.fails('IssueTracker.GetProject', { value: 'Twin', lookup_by: 'name' })).toMatchObject({ code: 'ambiguous' })
})

test.for(['ListIssues', 'ListProjects', 'ListCycles', 'ListWorkflowStates'])(
  '%s rejects the key of one team that is the name of another, without another request, and accepts the id of either',
  async (tool) => {
    await using server = await workspace()
    const operations = await teamIdOf(server, 'OPS')
    const before = server.requests()
    const ids = [operations, server.emulator.addTeam({ key: 'SEC', name: 'Ops' })]
    const error = await server.fails(`IssueTracker.${tool}`, { team: 'ops' })
    expect(server.requests() - before).toBe(1)
    expect(error.code).toBe('ambiguous')
    expect(error.message).toContain('Engineering Ops (OPS)')
    expect(error.message).toContain('Ops (SEC)')
    expect(error.suggestions?.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    for (const id of ids) expect(await server.call(`IssueTracker.${tool}`, { team: id })).toHaveProperty('pagination')
  },
)

test('GetTeam looks in one column: the same text is the key of one team and the name of another', async () => {
  await using server = await workspace()
  server.emulator.addTeam({ key: 'SEC', name: 'Ops' })
  expect(await server.call('IssueTracker.GetTeam', { value: 'ops', lookup_by: 'key' })).toMatchObject({ team: { key: 'OPS' } })
  expect(await server.call('IssueTracker.GetTeam', { value: 'ops', lookup_by: 'name' })).toMatchObject({ team: { key: 'SEC' } })
})

test('tells teams with the same name apart by their keys and parents, and says which one is retired', async () => {
  await using server = await workspace()
  const createTeam = 'mutation($input: TeamCreateInput!) { teamCreate(input: $input) { success } }'
  for (const [key, parent] of [
    ['PLA', 'ENG'],
    ['PLB', 'DES'],
  ] as const)
    await server.mutate(createTeam, { input: { name: 'Platform', key, parentId: await teamIdOf(server, parent) } })
  for (const [tool, args] of [
    ['GetTeam', { value: 'Platform', lookup_by: 'name' }],
    ['CreateIssue', { team: 'Platform', title: 'x' }],
    ['ListIssues', { team: 'Platform' }],
  ] as const)
    expect((await server.fails(`IssueTracker.${tool}`, args)).message).toMatch(
      /\(PLB, "?part of Design"?\).*\(PLA, "?part of Engineering"?\)/,
    )
  await server.mutate('mutation($id: String!, $input: TeamUpdateInput!) { teamUpdate(id: $id, input: $input) { success } }', {
    id: await teamIdOf(server, 'PLA'),
    input: { retiredAt: '2026-11-01T00:00:00Z' },
  })
  const { notices } = await server.call('IssueTracker.ListIssues', { team: 'PLA' })
  expect(notices).toContain('"Platform" is retired.')
  expect((await server.fails('IssueTracker.ListIssues', { team: 'Platform' })).message).toContain('retired')
})

test('says which projects are no longer in use, in choices and close matches', async () => {
  await using server = await workspace()
  await addProjects(server, 'Twin', 'Twin', 'Twin')
  const statuses = server.emulator.store.projectStatuses()
  const statusId = statuses.find(({ type }) => type === 'completed')?.['id']
  const twins = server.emulator.store.projects().filter(({ name }) => name === 'Twin')
  const update = 'mutation($id: String!, $input: ProjectUpdateInput!) { projectUpdate(id: $id, input: $input) { success } }'
  await server.mutate(update, { id: twins[0]?.['id'], input: { statusId } })
  await server.mutate(update, { id: twins[1]?.['id'], input: { trashed: true } })
  const { message } = await server.fails('IssueTracker.UpdateProject', { project_id: 'Twin', name: 'One' })
  for (const part of ['"Twin" (ENG, completed)', '"Twin" (ENG, trashed)']) expect(message).toContain(part)
  const created = await server.fails('IssueTracker.CreateIssue', { team: 'ENG', title: 'x', project: 'Twin' })
  expect(created.message).toContain('completed')
  await server.mutate(update, { id: twins[2]?.['id'], input: { name: 'Warehouse move', statusId } })
  const near = await server.fails('IssueTracker.CreateIssue', { team: 'ENG', title: 'x', project: 'Warehouse moev' })
  expect(near).toMatchObject({ suggestions: [{ value: 'Warehouse move' }] })
  expect(near.message).toContain('Closest: "Warehouse move" (completed).')
})
