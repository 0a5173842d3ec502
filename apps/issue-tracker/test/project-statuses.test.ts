import { expect, test } from 'vitest'
import { workspace, type Workspace } from './workspace.ts'

const [create, update, list] = ['IssueTracker.CreateProject', 'IssueTracker.UpdateProject', 'IssueTracker.ListProjects']

async function withStatuses(...statuses: readonly (readonly [name: string, type: string])[]): Promise<Workspace> {
  const server = await workspace()
  const document = 'mutation New($input: ProjectStatusCreateInput!) { projectStatusCreate(input: $input) { success } }'
  for (const [name, type] of statuses) await server.mutate(document, { input: { name, type, color: '#5e6ad2', position: 99 } })
  return server
}

test("a status can be set, kept and used as a filter by the workspace's own name, at no extra cost", async () => {
  await using server = await withStatuses(['In field test', 'started'])
  expect(await server.call(create, { name: 'One', team: 'ENG', state: 'in field TEST' })).toMatchObject({
    project: { state: 'started' },
    notices: ['Its status is "In field test", of type started.'],
  })
  await server.call(create, { name: 'Two', team: 'ENG', state: 'started' })
  const statusOf = (name: string) => server.emulator.store.projects().find((each) => each['name'] === name)?.['statusId']
  expect(statusOf('One')).not.toBe(statusOf('Two'))
  await server.call(update, { project_id: 'Two', state: 'In field test' })
  expect(statusOf('Two')).toBe(statusOf('One'))
  expect(server.requests()).toBe(6)
  expect(await server.call(list, { state: 'In field test' })).toMatchObject({ projects: [{ name: 'Two' }, { name: 'One' }] })
  expect(server.requests()).toBe(7)
})

test('the words in the specification take precedence over names', async () => {
  await using server = await withStatuses(['planned', 'paused'], ['Doing', 'started'])
  expect(await server.call(create, { name: 'One', team: 'ENG', state: 'planned' })).toMatchObject({ project: { state: 'planned' } })
  expect(await server.call(create, { name: 'Two', team: 'ENG', state: 'Doing' })).toMatchObject({ project: { state: 'started' } })
})

test.for([
  ['STARTED', 'started'],
  ['strated', 'started'],
  ['plannd', 'planned'],
  ['In Progres', 'In Progress'],
  ['unstarted', undefined],
] as const)('the status %s may mean %s', async ([written, meant]) => {
  await using server = await withStatuses(['Twice', 'started'], ['Twice', 'paused'])
  const { next } = await server.fails(create, { name: 'One', team: 'ENG', state: written })
  expect(next?.change).toEqual(meant && { state: meant })
})

test.for([create, list])(
  '%s: the error for an unknown status lists the types and the names, and proposes the intended type',
  async (tool) => {
    await using server = await withStatuses(['Twice', 'started'], ['Twice', 'paused'])
    const args = tool === create ? { name: 'One', team: 'ENG' } : {}
    const { message, next } = await server.fails(tool, { ...args, state: 'on hold' })
    expect(message).toContain('The types are backlog, planned, started, paused, completed and canceled; the names are "Backlog", "Planned"')
    expect(next).toEqual({ change: { state: 'paused' } })
    if (tool === create)
      expect((await server.fails(tool, { ...args, state: 'twice' })).message).toContain('Pass the type of one: started or paused.')
  },
)
