import { expect, test } from 'vitest'
import { recordWith, someText, textWith } from './matching.ts'
import { initiativeNamed, projectNamed } from './project-calls.ts'
import { workspace } from './workspace.ts'

const [create, update, archive] = ['IssueTracker.CreateInitiative', 'IssueTracker.UpdateInitiative', 'IssueTracker.ArchiveInitiative']
const link = 'IssueTracker.AddProjectToInitiative'
const unknownId = '00000000-0000-4000-8000-000000000000'

test('creates an initiative with its arguments, in our words and in Linear’s', async () => {
  await using server = await workspace()
  const args = { name: 'Expansion', description: 'Two\\nlines', target_date: '2027-01-31' }
  for (const status of ['planned', 'started', 'completed']) {
    expect(await server.call(create, { ...args, status })).toEqual({
      initiative: recordWith({
        name: 'Expansion',
        status,
        target_date: '2027-01-31',
      }),
      notices: [textWith('turned into a line break')],
    })
  }
  expect(initiativeNamed(server, 'Expansion')).toMatchObject({ description: 'Two', content: 'Two\nlines' })
  expect(await server.call(create, { name: 'Plain' })).toMatchObject({ initiative: { status: 'planned' } })
})

test('changes only the fields that the call passes', async () => {
  await using server = await workspace()
  const before = initiativeNamed(server, 'Self-serve growth')
  await server.call(update, { initiative_id: before['id'], name: 'Growth' })
  expect(initiativeNamed(server, 'Growth')).toEqual({ ...before, name: 'Growth', updatedAt: someText })
})

test.for([
  [create, { name: '' }, 'name'],
  [
    create,
    { name: 'x', status: 'paused' },
    'Linear has no paused initiatives. Pass planned, started, completed, proposed or canceled as "status"',
  ],
  [create, { name: 'x', status: 'active' }, 'status'],
  [create, { name: 'x', target_date: '31.01.2027' }, 'target_date'],
  [update, { initiative_id: unknownId }, 'at least one of name, description, status, target_date'],
  [
    update,
    { initiative_id: unknownId, status: 'paused' },
    'Linear has no paused initiatives. Pass planned, started, completed, proposed or canceled as "status"',
  ],
] as const)('%s rejects %j without a request', async ([tool, args, text]) => {
  await using server = await workspace()
  const error = await server.fails(tool, args)
  expect([error.code, server.requests()]).toEqual(['invalid_input', 0])
  expect(error.message).toContain(text)
})

test.for([
  [update, { initiative_id: unknownId, name: 'x' }, 1, 'ListInitiatives'],
  [archive, { initiative: unknownId }, 1, 'ListInitiatives'],
  [update, { initiative_id: 'Relability', name: 'x' }, 2, 'Closest: "Reliability"'],
  [archive, { initiative: 'Brand refesh' }, 2, 'Closest: "Brand refresh"'],
  [link, { initiative: unknownId, project: unknownId }, 2, 'No project matches'],
  [link, { initiative: 'Relability', project: 'Apolo' }, 2, 'Closest: "Reliability". No project matches "Apolo". Closest: "Apollo"'],
] as const)('%s rejects %j after %i request(s) and writes nothing', async ([tool, args, requests, text]) => {
  await using server = await workspace()
  const error = await server.fails(tool, args)
  expect(error.code).toBe('not_found')
  expect(error.message).toContain(text)
  expect([server.requests(), server.emulator.store.mutations()]).toEqual([requests, []])
})

test('a name that two records share is ambiguous, and nothing is written', async () => {
  await using server = await workspace()
  for (const name of ['Twin', 'Twin']) await server.call(create, { name })
  for (const name of ['Two', 'Two']) await server.call('IssueTracker.CreateProject', { name, team: 'ENG' })
  const changes = server.emulator.store.mutations().length
  for (const [tool, args, count] of [
    [update, { initiative_id: 'Twin', name: 'x' }, 2],
    [archive, { initiative: 'twin', auto_accept_matches: true }, 2],
    [link, { initiative: 'Twin', project: 'Two' }, 4],
  ] as const) {
    const error = await server.fails(tool, args)
    expect(error.code).toBe('ambiguous')
    expect(new Set(error.suggestions?.map(({ id }) => id)).size).toBe(count)
  }
  expect(server.emulator.store.mutations().length).toBe(changes)
})

test('puts a project into an initiative once', async () => {
  await using server = await workspace()
  const args = { initiative: 'Brand refresh', project: 'Apollo' }
  const added = await server.call(link, args)
  expect(added).toMatchObject({ initiative: 'Brand refresh', project: 'Apollo', changed: true })
  const { id } = projectNamed(server, 'Apollo')
  expect(await server.call(link, { ...args, project: id })).toEqual({
    ...added,
    changed: false,
    notices: ['Project "Apollo" is already in "Brand refresh".'],
  })
  const { initiative }: { initiative: Record<string, unknown> } = Object.assign(
    { initiative: {} },
    await server.call('IssueTracker.GetInitiative', { value: 'Brand refresh', lookup_by: 'name' }),
  )
  expect(initiative['projects']).toEqual(expect.arrayContaining([recordWith({ name: 'Apollo' })]))
})

test('accepts close matches when allowed, and looks them up before it links them', async () => {
  await using server = await workspace()
  const args = { initiative: 'Relability', project: 'Billing rewrit', auto_accept_matches: true }
  expect(await server.call(link, args)).toMatchObject({
    initiative: 'Reliability',
    project: 'Billing rewrite',
    changed: true,
  })
  expect(await server.call(link, args)).toMatchObject({ changed: false })
  expect(await server.call(archive, { initiative: 'Relability', auto_accept_matches: true })).toMatchObject({
    initiative: { name: 'Reliability', archived_at: someText },
  })
})

test('close matches cost two more requests in all: one for suggestions, one to look them up', async () => {
  await using server = await workspace()
  const args = { initiative: 'Relability', project: 'Billing rewrit', auto_accept_matches: true }
  expect(await server.call(link, args)).toMatchObject({ changed: true })
  expect(server.requests()).toBe(4)
})

test('when several calls add the same project at once, only one reports a change', async () => {
  await using server = await workspace()
  const links = server.emulator.store.projectLinks().length
  const add = async () => server.call(link, { initiative: 'Brand refresh', project: 'Apollo' })
  const results = await Promise.all([add(), add(), add()])
  expect(results.map(({ changed }) => changed).toSorted()).toEqual([false, false, true])
  expect(server.emulator.store.projectLinks().length - links).toBe(1)
})

test('archiving by a close match can be repeated', async () => {
  await using server = await workspace()
  const args = { initiative: 'Brand refesh', auto_accept_matches: true }
  const { initiative } = await server.call(archive, args)
  expect(await server.call(archive, args)).toMatchObject({ initiative })
  const error = await server.fails(update, { initiative_id: 'Brand refesh', name: 'x' })
  expect([error.code, error.next?.change]).toEqual(['not_found', undefined])
  expect(error.suggestions?.map(({ value }) => value)).not.toContain('Brand refresh')
  expect(error.message).not.toContain('Closest')
})

test('says that the initiative or project is archived', async () => {
  await using server = await workspace()
  await server.call(archive, { initiative: 'Brand refresh' })
  await server.call('IssueTracker.ArchiveProject', { project: 'Apollo' })
  expect(await server.call(link, { initiative: 'Brand refresh', project: 'Apollo' })).toMatchObject({
    changed: true,
    notices: ['The initiative is archived.', 'The project is archived.'],
  })
})

test('rejects a project that is in a sub-initiative, and says where it is', async () => {
  await using server = await workspace()
  const error = await server.fails(link, { initiative: 'Reliability', project: 'Incident tooling' })
  expect(error).toMatchObject({ code: 'conflict', message: textWith('is already in "Faster recovery"') })
  expect(server.emulator.store.mutations()).toEqual([])
})

test('a link whose response was lost is made once and counts as a change', async () => {
  await using server = await workspace()
  const links = server.emulator.store.projectLinks().length
  server.emulator.faults.add({ action: { kind: 'slow', milliseconds: 0 } })
  server.emulator.faults.add({ action: { kind: 'drop_after' } })
  expect(await server.call(link, { initiative: 'Brand refresh', project: 'Apollo' })).toMatchObject({ changed: true })
  expect([server.requests(), server.emulator.store.projectLinks().length - links]).toEqual([4, 1])
})

test('archiving again changes nothing and says when it was archived', async () => {
  await using server = await workspace()
  const { initiative } = await server.call(archive, { initiative: 'Brand refresh' })
  expect(initiative).toMatchObject({ name: 'Brand refresh', archived_at: someText })
  const { id }: { id: string } = Object.assign({ id: '' }, initiative)
  expect(await server.call(archive, { initiative: id })).toEqual({ initiative })
  expect(await server.call(archive, { initiative: 'brand refresh' })).toEqual({ initiative, notices: [textWith('already')] })
})

test('a token without the scopes for initiatives can still write projects', async () => {
  await using server = await workspace({
    emulated: { scopes: ['read', 'write'] },
    environment: { ISSUE_TRACKER_ACCESS_TOKEN: 'lin_oauth_emulator' },
  })
  expect(await server.call('IssueTracker.CreateProject', { name: 'Alone', team: 'ENG', lead: '@me' })).toHaveProperty('project')
  expect(await server.call('IssueTracker.ArchiveProject', { project: 'Alone' })).toHaveProperty('project')
  for (const [tool, args] of [
    [create, { name: 'x' }],
    [update, { initiative_id: 'Reliability', name: 'x' }],
    [link, { initiative: 'Reliability', project: 'Apollo' }],
    [archive, { initiative: 'Reliability' }],
  ] as const) {
    expect((await server.fails(tool, args)).code).toBe('forbidden')
  }
})
