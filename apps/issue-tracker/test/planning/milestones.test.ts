import { member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import type { Args } from '../calls.ts'
import { someText, textWith } from '../matching.ts'
import { workspace, type Workspace } from '../workspace.ts'

const [list, get, upsert] = ['IssueTracker.ListMilestones', 'IssueTracker.GetMilestone', 'IssueTracker.UpsertMilestone']
const planning = { toolsets: ['planning'], emulated: { seed: 'company' } } as const
const project = 'Trails launch'

const milestonesNamed = ({ emulator }: Workspace, name: string) => emulator.store.milestones().filter((each) => each['name'] === name)

/** The result of a call, and the requests that it cost. */
async function counted(server: Workspace, name: string, args: Args): Promise<Record<string, unknown>> {
  const before = server.requests()
  const result = await server.call(name, args)
  return { ...result, requests: server.requests() - before }
}

test('lists the milestones of a project in pages, in one request each', async () => {
  await using server = await workspace(planning)
  const first = await counted(server, list, { project, limit: 2 })
  expect(first).toMatchObject({
    project,
    milestones: [
      { name: 'Private beta', status: someText },
      { name: 'Public beta', target_date: someText },
    ],
    pagination: { has_more: true, end_cursor: someText },
    requests: 1,
  })
  const end_cursor = member(first['pagination'], 'end_cursor')
  expect(await counted(server, list, { project, limit: 2, end_cursor })).toMatchObject({ milestones: [{ name: 'Launch' }], requests: 1 })
  await server.call('IssueTracker.CreateProject', { name: 'Bare', team: 'ENG' })
  expect(await server.call(list, { project: 'Bare' })).toMatchObject({ milestones: [], notices: ['The project has no milestones.'] })
})

test('reads one milestone by name, id and URL, in one request', async () => {
  await using server = await workspace(planning)
  const { milestone } = await counted(server, get, { project, query: 'public beta' })
  expect(milestone).toMatchObject({ name: 'Public beta', project, description: 'Everyone who asks gets it.' })
  expect(milestone).toHaveProperty('issues.0.identifier', 'DES-2')
  const id = String(member(milestone, 'id'))
  for (const query of [id, `https://linear.app/lodestar/project/trails-launch-676674191280/overview#milestone-${id}`, '"Public beta"'])
    expect(await counted(server, get, { project: '676674191280', query })).toMatchObject({ milestone: { id }, requests: 1 })
  const error = await server.fails(get, { project, query: 'Publik beta' })
  expect(error).toMatchObject({
    code: 'not_found',
    suggestions: [{ value: 'Public beta' }],
  })
  expect(await counted(server, get, { project, query: 'Publik beta', auto_accept_matches: true })).toMatchObject({
    milestone: { id },
    notices: [textWith('was taken to mean "Public beta"')],
    requests: 2,
  })
  expect(await server.fails(get, { project: 'Trail launch', query: 'Launch' })).toMatchObject({
    code: 'not_found',
    next: { change: { project } },
  })
})

test('creates a milestone in two requests, and no second one with its name', async () => {
  await using server = await workspace(planning)
  const args = { project, name: 'Thousand teams', target_date: '2027-02-01', description: 'A thousand.' }
  expect(await counted(server, upsert, args)).toMatchObject({
    milestone: { name: 'Thousand teams' },
    project,
    outcome: 'created',
    requests: 2,
  })
  expect(milestonesNamed(server, 'Thousand teams')).toMatchObject([{ targetDate: '2027-02-01', description: 'A thousand.' }])
  expect(await counted(server, upsert, { ...args, name: 'thousand TEAMS' })).toMatchObject({
    outcome: 'unchanged',
    notices: [textWith('nothing was changed')],
    requests: 1,
  })
  expect(await counted(server, upsert, { project, name: 'Thousand teams', target_date: '2027-03-01' })).toMatchObject({
    milestone: { target_date: '2027-03-01' },
    outcome: 'changed',
    requests: 2,
  })
  const both = await Promise.all(['a', 'b'].map(async (description) => server.call(upsert, { project, name: 'At once', description })))
  expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['changed', 'created'])
  expect(milestonesNamed(server, 'At once')).toHaveLength(1)
  expect(milestonesNamed(server, 'Thousand teams')).toHaveLength(1)
})

test('changes the milestone that milestone_id names, and refuses a name that another one has', async () => {
  await using server = await workspace(planning)
  const change = { project, milestone_id: 'Public beta', name: 'Open beta' }
  expect(await server.call(upsert, change)).toMatchObject({ milestone: { name: 'Open beta' }, outcome: 'changed' })
  expect(milestonesNamed(server, 'Open beta')).toMatchObject([{ description: 'Everyone who asks gets it.' }])
  expect(await server.fails(upsert, { ...change, milestone_id: 'Launch' })).toMatchObject({
    code: 'conflict',
    message: textWith('another milestone'),
  })
  expect(await server.fails(upsert, { project, milestone_id: 'Lunch', name: 'x' })).toMatchObject({ code: 'not_found' })
  expect(await server.fails(upsert, { project })).toMatchObject({ code: 'invalid_input', message: textWith('Pass "name"') })
  expect(await server.fails(upsert, { project, milestone_id: 'Launch' })).toMatchObject({
    code: 'invalid_input',
    message: textWith('Nothing to change'),
  })
  const cut = await server.fails(upsert, { project, milestone_id: 'Launch', description: 'In both stores, announced' })
  expect(cut).toMatchObject({ code: 'invalid_input', message: textWith('only the beginning of the current text') })
})

test('changes the milestone whose name matches exactly, and none if several match only in a different case', async () => {
  await using server = await workspace(planning)
  const others = ['PUBLIC BETA', 'public beta']
  const create = 'mutation ($input: ProjectMilestoneCreateInput!) { projectMilestoneCreate(input: $input) { success } }'
  const projectId = server.emulator.store.projects().find(({ name }) => name === 'Trails launch')?.['id']
  for (const name of others) await server.mutate(create, { input: { name, projectId } })
  const description = 'Everyone who asks gets it. And more.'
  expect(await server.call(upsert, { project, name: 'PUBLIC BETA', description })).toMatchObject({ milestone: { name: 'PUBLIC BETA' } })
  expect(await server.fails(upsert, { project, name: 'Public Beta', description })).toMatchObject({
    code: 'conflict',
    message: textWith('several milestones with that name'),
  })
})

test('says what Linear has not stored', async () => {
  await using server = await workspace(planning)
  const silent = await workspace({
    ...planning,
    async vendor(input, init) {
      const response = await server.emulator.fetch(input, init)
      return Response.json(JSON.parse((await response.text()).replaceAll('"targetDate":"2028-01-01"', '"targetDate":null')))
    },
  })
  const args = { project, name: 'Private beta', target_date: '2028-01-01' }
  expect(await silent.fails(upsert, args)).toMatchObject({
    code: 'unavailable',
    message: textWith('target_date does not have the value that you passed'),
  })
  expect(await silent.call(upsert, { ...args, name: 'New one' })).toMatchObject({ notices: [textWith('did not take effect: target_date')] })
  await silent[Symbol.asyncDispose]()
})

test.for([
  ['- a - b', '- a\n- b', 'changed'],
  ['- a\n- b', '- a\r\n- b', 'unchanged'],
  ['See ENG-9.', 'See ENG-9.', 'unchanged'],
] as const)('compares the text %j with %j line by line', async ([first, second, outcome]) => {
  await using server = await workspace(planning)
  const write = async (description: string) => server.call(upsert, { project, name: 'Lines', description })
  await write(first)
  expect(await write(second)).toMatchObject({ outcome })
  if (outcome === 'changed') expect(milestonesNamed(server, 'Lines')).toMatchObject([{ description: second }])
})
