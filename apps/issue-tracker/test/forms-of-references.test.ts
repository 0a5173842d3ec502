import { expect, test } from 'vitest'
import * as z from 'zod'
import { workspace, type Workspace } from './workspace.ts'

const Rows = z.array(z.object({ name: z.string() }))
const Named = z.object({ id: z.string(), name: z.string() })
const Detail = z.object({ state: Named, labels: z.array(Named).default([]), team: Named, project: Named.optional() })

const listings = { projects: 'ListProjects', initiatives: 'ListInitiatives', teams: 'ListTeams' } as const

async function namesIn(server: Workspace, list: keyof typeof listings, keywords: string): Promise<string[]> {
  const answer: Record<string, unknown> = await server.call(`IssueTracker.${listings[list]}`, { keywords })
  return Rows.parse(answer[list]).map(({ name }) => name)
}

async function identifiers(server: Workspace, filters: Record<string, unknown>): Promise<string[]> {
  const { issues }: { issues: { identifier: string }[] } = Object.assign(
    { issues: [] },
    await server.call('IssueTracker.ListIssues', filters),
  )
  return issues.map(({ identifier }) => identifier)
}

test.for(['qa/cleanup', 'qa: cleanup', 'QA → Cleanup', 'qa / cleanup'])('the label %s means cleanup in the group qa', async (label) => {
  await using server = await workspace()
  const all = await identifiers(server, { label: 'cleanup' })
  expect(all.length).toBeGreaterThan(0)
  expect(await identifiers(server, { label })).toEqual(all)
})

test.for([
  ['clenup', 'qa/cleanup'],
  ['qa: clenup', 'qa/cleanup'],
  ['qa', 'qa/regression'],
  ['Perfomance', 'Performance'],
] as const)('the unknown label %s suggests %s', async ([label, suggested]) => {
  await using server = await workspace()
  const error = await server.fails('IssueTracker.ListIssues', { label })
  expect(error.code).toBe('not_found')
  expect(error.suggestions?.map(({ value }) => value)).toContain(suggested)
  expect(await server.call('IssueTracker.ListIssues', { label: suggested })).toHaveProperty('issues')
})

test('filters by the id of a workflow state, a label, a team and a project', async () => {
  await using server = await workspace()
  const issues = ['ENG-3', 'OPS-2', 'DES-3', 'ENG-9', 'DES-1'].map(async (issue) => {
    return Detail.parse((await server.call('IssueTracker.GetIssue', { issue_id: issue }))['issue'])
  })
  const found = (await Promise.all(issues)).flatMap(({ state, labels, team, project }) => [
    { filter: 'state', ...state },
    ...labels.map((label) => ({ filter: 'label', ...label })),
    { filter: 'team', ...team },
    ...(project ? [{ filter: 'project', ...project }] : []),
  ])
  for (const [filter, name] of [
    ['state', 'Todo'],
    ['label', 'Security'],
    ['team', 'Design'],
    ['project', 'Apollo'],
  ] as const) {
    const ids = new Set(found.filter((each) => each.filter === filter && each.name === name).map(({ id }) => id))
    const byId = await Promise.all([...ids].map(async (id) => identifiers(server, { [filter]: id, limit: 50 })))
    expect(byId.flat().length, filter).toBeGreaterThan(0)
    expect(byId.flat().toSorted(), filter).toEqual((await identifiers(server, { [filter]: name, limit: 50 })).toSorted())
  }
})

test('an unknown id is not found, like an unknown name', async () => {
  await using server = await workspace()
  const error = await server.fails('IssueTracker.ListIssues', { state: '00000000-0000-4000-8000-000000000000' })
  expect(error.code).toBe('not_found')
})

test.for(['me', 'Me', ' myself '])('suggests "@me" for the assignee %j without another request', async (assignee) => {
  await using server = await workspace()
  const error = await server.fails('IssueTracker.ListIssues', { assignee })
  expect(error).toMatchObject({ code: 'not_found', suggestions: [{ value: '@me' }], next: { change: { assignee: '@me' } } })
  expect(server.requests()).toBe(1)
})

test('"me" means a person with that name if there is one', async () => {
  await using server = await workspace()
  server.emulator.addUser({ name: 'Me' })
  expect(await server.call('IssueTracker.ListIssues', { assignee: 'me' })).toMatchObject({ issues: [] })
})

test('finds an issue by its URL, with or without a title or a fragment', async () => {
  await using server = await workspace()
  const { issue } = await server.call('IssueTracker.GetIssue', { issue_id: 'ENG-1' })
  const { url }: { url: string } = Object.assign({ url: '' }, issue)
  expect(url).toContain('/issue/ENG-1/')
  for (const address of [
    url,
    url.slice(0, url.lastIndexOf('/')),
    `${url}#comment-1`,
    url.replace('https://', ' '),
    url.replace('ENG', 'eng'),
  ]) {
    expect(await server.call('IssueTracker.GetIssue', { issue_id: address }), address).toEqual({ issue })
    expect(await server.call('IssueTracker.ListComments', { issue: address }), address).toMatchObject({ issue: 'ENG-1' })
  }
  expect((await server.fails('IssueTracker.GetIssue', { issue_id: 'https://example.com/acme/issue/ENG-1/x' })).code).toBe('not_found')
})

test('finds a project by the URL of its page, its slug and the end of the URL', async () => {
  await using server = await workspace()
  const { project } = await server.call('IssueTracker.GetProject', { value: 'Billing rewrite', lookup_by: 'name' })
  const { url, slug_id: slug, id } = z.object({ url: z.string(), slug_id: z.string(), id: z.string() }).parse(project)
  const found = { project: { id } }
  expect(url).toMatch(new RegExp(`.-${slug}$`))
  for (const value of [url, `${url}/overview`]) {
    for (const column of ['id', 'slug_id', 'name']) {
      expect(await server.call('IssueTracker.GetProject', { value, lookup_by: column }), `${column} ${value}`).toMatchObject(found)
    }
  }
  for (const value of [slug, url, url.slice(url.lastIndexOf('/') + 1)]) {
    expect(await server.call('IssueTracker.GetProject', { value, lookup_by: 'slug_id' }), value).toMatchObject(found)
    expect(await server.call('IssueTracker.GetProjectDescription', { project_id: value }), value).toHaveProperty('text')
    expect(await identifiers(server, { project: value }), value).toEqual(await identifiers(server, { project: id }))
  }
})

test('searches for each word of a name separately', async () => {
  await using server = await workspace()
  const names = async (list: keyof typeof listings, keywords: string) => namesIn(server, list, keywords)
  expect(await names('projects', 'rewrite BILLING')).toEqual(['Billing rewrite'])
  expect(await names('initiatives', 'growth self')).toEqual(['Self-serve growth'])
  expect(await names('teams', 'ops eng')).toEqual(['Engineering Ops'])
  expect(await names('projects', 'billing nowhere')).toEqual([])
})
