import { expect, test } from 'vitest'
import { recordWith, textWith } from '../matching.ts'
import { workspace } from '../workspace.ts'

const move = 'IssueTracker.MoveIssueToTeam'
const setMilestone = 'IssueTracker.SetIssueMilestone'
const triage = { toolsets: ['triage'] }

test('says what a move would lose, and loses just that', async () => {
  await using server = await workspace(triage)
  await server.call('IssueTracker.UpdateIssue', { issue_id: 'ENG-3', labels_to_add: ['Performance'] })
  const dry = await server.call(move, { issue: 'ENG-3', team: 'ops', dry_run: true })
  expect(dry).toMatchObject({ issue: { identifier: 'ENG-3' }, team: 'OPS', changed: false, previous_state: 'Todo', state: 'Todo' })
  const written = server.emulator.store.mutations().length
  const before = server.requests()
  const moved = await server.call(move, { issue: 'ENG-3', team: 'ops' })
  expect(server.requests() - before).toBe(2)
  expect(server.emulator.store.mutations()).toHaveLength(written + 1)
  const { issue, team, changed, ...effect } = moved
  expect([team, changed]).toEqual(['OPS', true])
  expect(issue).toMatchObject({ identifier: textWith('OPS-') })
  expect({ ...dry, issue, team, changed }).toEqual(moved)
  expect(effect).toMatchObject({ previous_identifier: 'ENG-3', lost_cycle: 'Cycle 4', lost_project: 'Apollo' })
  expect(await server.call(move, { issue: 'ENG-3', team: 'OPS' })).toMatchObject({
    changed: false,
    notices: [textWith('already in that team')],
  })
})

test('refuses an unknown team with suggestions', async () => {
  await using server = await workspace(triage)
  expect(await server.fails(move, { issue: 'ENG-3', team: 'Desing' })).toMatchObject({ next: { change: { team: 'Design' } } })
  const args = { issue: 'DES-4', team: 'Enginering', auto_accept_matches: true }
  const dry = await server.call(move, { ...args, dry_run: true })
  const { issue, team, changed, ...effect } = await server.call(move, args)
  expect(dry).toMatchObject({ ...effect, issue: { identifier: 'DES-4' }, changed: false })
  expect([team, changed, issue]).toEqual(['ENG', true, recordWith({ state: effect['state'] })])
})

test('puts an issue into a milestone of its project and takes it out', async () => {
  await using server = await workspace(triage)
  expect(await server.call(setMilestone, { issue: 'ENG-1', milestone: 'none' })).toEqual({
    issue: recordWith({ identifier: 'ENG-1' }),
    previous_milestone: 'Beta',
    changed: true,
  })
  expect(await server.call(setMilestone, { issue: 'ENG-1', milestone: 'none' })).toMatchObject({ changed: false })
  const before = server.requests()
  expect(await server.call(setMilestone, { issue: 'ENG-1', milestone: 'beta' })).toMatchObject({ milestone: 'Beta', changed: true })
  expect(server.requests() - before).toBe(2)
  expect(await server.fails(setMilestone, { issue: 'ENG-1', milestone: 'Betta' })).toMatchObject({ code: 'not_found' })
})

test('says that a milestone belongs to another project', async () => {
  await using server = await workspace(triage)
  await server.mutate('mutation New($input: ProjectMilestoneCreateInput!) { projectMilestoneCreate(input: $input) { success } }', {
    input: { name: 'Far away', projectId: server.emulator.store.projects().find(({ name }) => name === 'Billing rewrite')?.['id'] },
  })
  expect((await server.fails(setMilestone, { issue: 'ENG-1', milestone: 'far away' })).message).toContain(
    '"Far away" is a milestone of project "Billing rewrite", and this project has none by that name.',
  )
})

test.for(['ENG-1', 'ENG-2', 'ENG-3', 'ENG-4', 'ENG-5', 'ENG-7', 'ENG-9'])('dry_run says what moving %s does', async (issue) => {
  await using server = await workspace(triage)
  // State names that have a different type here.
  const states = [
    { name: 'Todo', type: 'backlog' },
    { name: 'In Review', type: 'unstarted' },
    { name: 'Paused', type: 'started' },
    { name: 'Backlog', type: 'completed' },
  ]
  server.emulator.addTeam({ key: 'NEW', name: 'Newcomers', states })
  await server.call('IssueTracker.UpdateIssue', { issue_id: 'ENG-9', state: 'In Review' })
  const dry = await server.call(move, { issue, team: 'NEW', dry_run: true })
  const moved = await server.call(move, { issue, team: 'NEW' })
  expect({ ...dry, issue: moved['issue'], changed: true }).toEqual(moved)
  if (issue === 'ENG-1') expect(moved).toMatchObject({ lost_project: textWith(''), lost_milestone: 'Beta' })
})
