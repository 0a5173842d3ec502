import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import { teamIdOf } from './calls.ts'
import { recordWith, someText, textWith } from './matching.ts'
import { projectNamed } from './project-calls.ts'
import { workspace, type Workspace } from './workspace.ts'

const [create, update, archive] = ['IssueTracker.CreateProject', 'IssueTracker.UpdateProject', 'IssueTracker.ArchiveProject']
const post = 'IssueTracker.CreateProjectUpdate'
const unknownId = '00000000-0000-4000-8000-000000000000'
const createIn = 'mutation Create($input: ProjectCreateInput!) { projectCreate(input: $input) { success } }'

/** A project's teams, by key, as Linear stores them. */
async function teamsOf(server: Workspace, name: string): Promise<string[]> {
  const ids = server.emulator.store.teamsOf(String(projectNamed(server, name)['id']))
  const teams = await Promise.all(['DES', 'OPS', 'ENG', 'LAB'].map(async (key) => ({ key, id: await teamIdOf(server, key) })))
  return teams.filter(({ id }) => ids.includes(id)).map(({ key }) => key)
}

test("creates a project with its arguments and the workspace's defaults", async () => {
  await using server = await workspace()
  const args = { name: 'Gemini', team: 'eng', lead: '@me', state: 'paused', start_date: '2026-01-01', target_date: '2026-02-01' }
  expect(await server.call(create, { ...args, description: 'A short one.' })).toEqual({
    project: recordWith({
      name: 'Gemini',
      start_date: '2026-01-01',
      target_date: '2026-02-01',
      state: 'paused',
      lead: 'Robin Vance',
      teams: ['ENG'],
    }),
  })
  expect(projectNamed(server, 'Gemini')).toMatchObject({ description: 'A short one.' })
  const plain = await server.call(create, { name: 'Plain', team: 'ENG' })
  expect(plain).toMatchObject({ project: { state: 'backlog' } })
  expect(plain['project']).not.toHaveProperty('lead')
})

test('a state sets the status of that type, unless the project has one already', async () => {
  await using server = await workspace()
  const { id } = projectNamed(server, 'Apollo')
  for (const state of ['planned', 'started', 'paused', 'completed', 'canceled', 'backlog']) {
    expect(await server.call(update, { project_id: id, state })).toMatchObject({ project: { state } })
    const changes = server.emulator.store.mutations().length
    expect(await server.call(update, { project_id: id, state })).toMatchObject({ notices: [textWith('already')] })
    expect(server.emulator.store.mutations().length).toBe(changes)
  }
})

test('takes the first status of a type, and rejects a type without one', async () => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'key' })
  const fetch: typeof emulator.fetch = async (input, init) => {
    const answer = await (await emulator.fetch(input, init)).text()
    const later = JSON.stringify({ id: unknownId, name: 'Later', type: 'started', position: 99 })
    const changed = answer.replace('"projectStatuses":[', `"projectStatuses":[${later},`).replace('"type":"paused"', '"type":"other"')
    return Response.json(JSON.parse(changed))
  }
  await using server = await connect(issueTracker, { fetch, environment: { ISSUE_TRACKER_API_KEY: 'key' } })
  const project = { name: 'Gemini', team: 'ENG' }
  expect(await server.call(create, { ...project, state: 'started' })).toMatchObject({ project: { state: 'started' } })
  const error = await server.fails(create, { ...project, team: 'Enginering', state: 'paused' })
  expect(error.message).toContain('no project status of type "paused"')
  expect(error.message).toContain('No team matches')
  expect(emulator.store.mutations().length).toBe(1)
  await emulator.close()
})

test('changes only the fields that the call passes', async () => {
  await using server = await workspace()
  const before = projectNamed(server, 'Apollo')
  await server.call(update, { project_id: before['id'], target_date: '2030-01-01' })
  expect(projectNamed(server, 'Apollo')).toEqual({ ...before, targetDate: '2030-01-01', updatedAt: someText })
  expect(await teamsOf(server, 'Apollo')).toEqual(expect.arrayContaining(['ENG', 'DES']))
})

test('fixes line breaks that arrive as a backslash and an n, and says so', async () => {
  await using server = await workspace()
  const description = '# Plan\\n\\n- one'
  const fixed = textWith('turned into a line break')
  expect(await server.call(create, { name: 'Mended', team: 'ENG', description })).toMatchObject({ notices: [fixed] })
  const { id } = projectNamed(server, 'Apollo')
  expect(await server.call(update, { project_id: id, description })).toMatchObject({
    notices: [fixed, 'The description had 15,611 characters and now has 13.'],
  })
  for (const name of ['Mended', 'Apollo']) expect(projectNamed(server, name)).toMatchObject({ content: '# Plan\n\n- one' })
  const said = await server.call(post, { project_id: 'Apollo', body: 'One.\\nTwo.' })
  expect(said).toMatchObject({ notices: [textWith('turned into a line break')] })
  expect(server.emulator.store.projectUpdates().at(-1)).toMatchObject({ body: 'One.\nTwo.' })
})

test('adds and removes teams and keeps the others, including archived ones', async () => {
  await using server = await workspace()
  const teamIds = await Promise.all(['ENG', 'LAB'].map(async (key) => teamIdOf(server, key)))
  await server.mutate(createIn, { input: { name: 'Held', teamIds } })
  await server.call(update, { project_id: 'Held', teams_to_add: ['Design', 'ENG'], teams_to_remove: ['OPS'] })
  expect((await teamsOf(server, 'Held')).toSorted()).toEqual(['DES', 'ENG', 'LAB'])
  await server.call(update, { project_id: 'Held', teams_to_remove: ['Labs', 'eng'] })
  expect(await teamsOf(server, 'Held')).toEqual(['DES'])
  await server.call(update, { project_id: 'Held', teams_to_add: ['ENG'], teams_to_remove: ['DES'] })
  expect(await teamsOf(server, 'Held')).toEqual(['ENG'])
})

test('refuses to change the teams of a project with more than one page of teams', async () => {
  await using server = await workspace()
  const teamIds = Array.from({ length: 101 }, (_, index) => server.emulator.addTeam({ key: `T${index}`, name: `Team ${index}` }))
  await server.mutate(createIn, { input: { name: 'Huge', teamIds } })
  const changes = server.emulator.store.mutations().length
  const error = await server.fails(update, { project_id: 'Huge', teams_to_add: ['ENG'] })
  expect(error).toMatchObject({ code: 'invalid_input', message: textWith('more than 100 teams') })
  expect(server.emulator.store.mutations().length).toBe(changes)
})

test.for([
  [create, { name: ' ', team: 'ENG' }, 'name'],
  [create, { name: 'x', team: 'ENG', start_date: '2026-02-01', target_date: '2026-01-31' }, 'after'],
  [create, { name: 'x', team: 'ENG', target_date: '2026-02-30' }, 'target_date'],
  [update, { project_id: 'Apollo' }, 'at least one of name, description'],
  [update, { project_id: 'Apollo', teams_to_add: [], auto_accept_matches: true }, 'at least one of name, description'],
  [update, { project_id: unknownId, start_date: '2026-02-01', target_date: '2026-01-31' }, 'after'],
  [post, { project_id: 'Apollo', body: ' \n' }, 'body'],
  [post, { project_id: 'Apollo', body: 'x', health: 'fine' }, 'health'],
] as const)('%s rejects %j without a request', async ([tool, args, text]) => {
  await using server = await workspace()
  const error = await server.fails(tool, args)
  expect([error.code, server.requests()]).toEqual(['invalid_input', 0])
  expect(error.message).toContain(text)
})

test.for([
  [update, { project_id: 'Billing rewrite', teams_to_remove: ['ENG'] }, 1, 'would remove the last one'],
  [update, { project_id: 'Apollo', teams_to_add: ['OPS'], teams_to_remove: ['OPS'] }, 1, 'both'],
  [update, { project_id: unknownId, name: 'x' }, 1, 'ListProjects'],
  [post, { project_id: unknownId, body: 'x', health: 'onTrack' }, 1, 'ListProjects'],
  [archive, { project: unknownId }, 1, 'ListProjects'],
  [archive, { project: 'Apolo' }, 2, 'Closest: "Apollo"'],
  [post, { project_id: 'Apolo', body: 'x' }, 2, 'Closest: "Apollo"'],
  [create, { name: 'x', team: 'Desing', lead: 'Leo Brandt' }, 2, 'Leo Brandt'],
  [
    create,
    { name: 'x', team: 'Desing', lead: 'Ada Okafr' },
    2,
    'Closest: "Design". No person matches "Ada Okafr" (lead). Closest: "Ada Okafor"',
  ],
  [
    update,
    { project_id: 'Apolo', lead: 'Ada Okafr', teams_to_add: ['Desing'], teams_to_remove: ['Enginering'] },
    2,
    'No project matches "Apolo" (project_id). Closest: "Apollo"',
  ],
] as const)('%s rejects %j after %i request(s) and writes nothing', async ([tool, args, requests, text]) => {
  await using server = await workspace()
  const error = await server.fails(tool, args)
  expect(error.message).toContain(text)
  expect([server.requests(), server.emulator.store.mutations()]).toEqual([requests, []])
})

test('reports all unmatched references together, with suggestions', async () => {
  await using server = await workspace()
  const misses = { project_id: 'Apolo', lead: 'Ada Okafr', teams_to_add: ['Desing', 'ENG'], teams_to_remove: ['Enginering Ops'] }
  const error = await server.fails(update, misses)
  expect(error.suggestions?.map(({ value }) => value)).toEqual(
    expect.arrayContaining(['Apollo', 'Ada Okafor', 'Design', 'Engineering Ops']),
  )
  const { change = {} } = error.next ?? {}
  expect(change).toEqual({
    project_id: 'Apollo',
    lead: 'Ada Okafor',
    teams_to_add: ['Design', 'ENG'],
    teams_to_remove: ['Engineering Ops'],
  })
  expect(server.emulator.store.mutations()).toEqual([])
  expect(await server.call(update, { ...misses, ...change })).toMatchObject({ project: { lead: 'Ada Okafor' } })
})

test('a name that two records share is ambiguous, and nothing is written', async () => {
  await using server = await workspace()
  for (const displayName of ['jo.one', 'jo.two']) server.emulator.addUser({ name: 'Jo Twin', displayName })
  for (const name of ['Twin', 'Twin']) await server.call(create, { name, team: 'ENG' })
  const changes = server.emulator.store.mutations().length
  for (const [tool, args, count] of [
    [create, { name: 'x', team: 'ENG', lead: 'Jo Twin' }, 2],
    [update, { project_id: 'twin', lead: 'Jo Twin' }, 4],
    [post, { project_id: 'Twin', body: 'x' }, 2],
    [archive, { project: 'Twin', auto_accept_matches: true }, 2],
  ] as const) {
    const error = await server.fails(tool, args)
    expect(error.code).toBe('ambiguous')
    expect(new Set(error.suggestions?.map(({ id }) => id)).size).toBe(count)
  }
  expect(server.emulator.store.mutations().length).toBe(changes)
})

test('accepts a close match when allowed, with one more request', async () => {
  await using server = await workspace()
  const sent = server.requests()
  const project = { name: 'Near', team: 'Enginering', lead: 'Mikael Lindstrom', auto_accept_matches: true }
  expect(await server.call(create, project)).toMatchObject({ project: { lead: 'Mikael Lindström', teams: ['ENG'] } })
  expect(server.requests() - sent).toBe(3)
  expect(await server.call(archive, { project: 'Incident toling', auto_accept_matches: true })).toMatchObject({
    project: { name: 'Incident tooling', archived_at: someText },
  })
  expect(server.requests() - sent).toBe(6)
})

test('never accepts a close match for the project to change', async () => {
  await using server = await workspace()
  const args = { project_id: 'Incident toling', name: 'Renamed', auto_accept_matches: true }
  const error = await server.fails(update, args)
  expect(error).toMatchObject({ code: 'not_found', next: { change: { project_id: 'Incident tooling' } } })
  expect(server.emulator.store.mutations()).toEqual([])
  const { notices } = await server.call(update, { project_id: 'Incident tooling', teams_to_add: ['Enginering'], auto_accept_matches: true })
  expect(notices).toEqual(['"Enginering" (teams_to_add) was taken to mean "Engineering" (95% similar).'])
})

test('archiving by a close match can be repeated', async () => {
  await using server = await workspace()
  const args = { project: 'Incident toling', auto_accept_matches: true }
  const { project } = await server.call(archive, args)
  expect(await server.call(archive, args)).toMatchObject({ project })
  const error = await server.fails(update, { project_id: 'Incident toling', name: 'x' })
  expect([error.code, error.next?.change]).toEqual(['not_found', undefined])
  expect(error.suggestions?.map(({ value }) => value)).not.toContain('Incident tooling')
  expect(error.message).not.toContain('Closest')
})

test('says that the project is archived', async () => {
  await using server = await workspace()
  const { id } = projectNamed(server, 'Apollo')
  await server.call(archive, { project: 'Apollo' })
  const notices = [textWith('The project is archived.')]
  expect(await server.call(post, { project_id: id, body: 'Late.', health: 'onTrack' })).toMatchObject({ notices })
  expect(await server.call(update, { project_id: 'Apollo', name: 'Late' })).toMatchObject({ notices })
  expect(await server.call(update, { project_id: id, name: 'Later' })).toMatchObject({ notices })
})

test('rejects an archived team as archived, not as unknown', async () => {
  await using server = await workspace()
  for (const [tool, args] of [
    [create, { name: 'x', team: 'LAB' }],
    [update, { project_id: 'Apollo', teams_to_add: ['labs'] }],
  ] as const) {
    expect((await server.fails(tool, args)).message).toContain('Team "Labs" is archived')
  }
  expect(server.emulator.store.mutations()).toEqual([])
})

test.for(['me', 'Myself'])('suggests "@me" for the lead %j, and accepts it', async (lead) => {
  await using server = await workspace()
  const args = { name: 'Mine', team: 'ENG', lead }
  const error = await server.fails(create, args)
  expect(error).toMatchObject({ code: 'not_found', next: { change: { lead: '@me' } } })
  expect(await server.call(create, { ...args, ...error.next?.change })).toMatchObject({ project: { lead: 'Robin Vance' } })
})

test('a status post without health leaves the health unchanged', async () => {
  await using server = await workspace()
  const project = projectNamed(server, 'Incident tooling')
  expect(project['health']).toBe('atRisk')
  expect(await server.call(post, { project_id: project['id'], body: 'Slow.' })).toEqual({
    project_update: recordWith({ health: 'atRisk', project: 'Incident tooling' }),
  })
  expect(await server.call(post, { project_id: project['id'], body: 'Good.', health: 'onTrack' })).not.toHaveProperty('notices')
  expect(projectNamed(server, 'Incident tooling')['health']).toBe('onTrack')
  const first = await server.call(post, { project_id: 'Billing rewrite', body: 'First.' })
  expect(first).toMatchObject({ notices: ['The project had no health before; Linear set it to onTrack.'] })
})

test('archiving again changes nothing and says when it was archived', async () => {
  await using server = await workspace()
  const { project } = await server.call(archive, { project: 'Design system' })
  expect(project).toMatchObject({ name: 'Design system', archived_at: someText })
  expect(await server.call(archive, { project: projectNamed(server, 'Design system')['id'] })).toEqual({ project })
  expect(await server.call(archive, { project: 'design system' })).toEqual({ project, notices: [textWith('already')] })
})
