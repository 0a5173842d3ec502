import { expect, test } from 'vitest'
import * as z from 'zod'
import { teamIdOf, type Args } from './calls.ts'
import { textWith } from './matching.ts'
import { workspace, type Workspace } from './workspace.ts'

/** Checks that tools accept every value that a list prints. */

const text = z.string()
const optional = text.optional()
const Issue = z.object({
  identifier: text,
  state: text,
  priority: optional,
  assignee: optional,
  labels: z.array(text).default([]),
  project: optional,
  cycle: optional,
  parent: optional,
  estimate: z.number().optional(),
  due_date: optional,
})

async function rows<Row extends z.ZodType>(
  server: Workspace,
  [tool, list]: readonly [string, string],
  row: Row,
  args: Args = {},
): Promise<z.output<Row>[]> {
  return z.array(row).parse((await server.call(`IssueTracker.${tool}`, args))[list])
}

const limits = { requests: 1e6, points: 1e9 }

test('an issue accepts every value in its row, and the lists find it by those values', async () => {
  await using server = await workspace({ emulated: { limits } })
  let found = 0
  const tried = new Set<string>()
  for (const team of ['ENG', 'OPS', 'DES']) {
    for (const issue of await rows(server, ['ListIssues', 'issues'], Issue, { team, limit: 50 })) {
      const { identifier, labels, parent, cycle, ...fields } = issue
      const written = { ...fields, ...(cycle !== undefined && { cycle }), labels_to_add: labels }
      const after = await server.call('IssueTracker.UpdateIssue', { issue_id: identifier, ...written })
      expect(Issue.parse(after['issue'])).toEqual(issue)
      const { state, assignee, project, priority } = fields
      for (const [filter, value] of Object.entries({ state, assignee, project, priority, label: labels[0] })) {
        if (value === undefined || tried.has(`${team} ${filter} ${value}`)) continue
        tried.add(`${team} ${filter} ${value}`)
        const listed = await rows(server, ['ListIssues', 'issues'], Issue, { team, [filter]: value, limit: 50 })
        expect(listed.map((each) => each.identifier)).toContain(identifier)
      }
      if (parent !== undefined) await server.call('IssueTracker.GetIssue', { issue_id: parent })
      found += 1
    }
  }
  expect(found).toBeGreaterThan(50)
})

test('a project accepts every value in its row', async () => {
  await using server = await workspace({ emulated: { limits } })
  const Project = z.object({
    ...{ name: text, slug_id: text, state: text, health: optional, lead: optional, teams: z.array(text) },
    target_date: optional,
  })
  const projects = await rows(server, ['ListProjects', 'projects'], Project)
  expect(projects.length).toBeGreaterThan(3)
  for (const project of projects) {
    const { name, slug_id: slug, health, teams, ...fields } = project
    const after = await server.call('IssueTracker.UpdateProject', { project_id: slug, name, teams_to_add: teams, ...fields })
    expect(Project.parse(after['project'])).toEqual(project)
    expect(await server.call('IssueTracker.GetProject', { value: name, lookup_by: 'name' })).toMatchObject({ project: { slug_id: slug } })
    expect(await rows(server, ['ListProjects', 'projects'], Project, { state: fields.state, team: teams[0] })).toContainEqual(project)
    expect(await server.call('IssueTracker.GetProjectDescription', { project_id: slug })).toHaveProperty('text')
    await server.call('IssueTracker.CreateProjectUpdate', { project_id: slug, body: 'As before.', ...(health !== undefined && { health }) })
  }
})

test('teams, states, labels, cycles, initiatives and comments are found by what their lists print', async () => {
  await using server = await workspace({ emulated: { limits } })
  for (const { key, name } of await rows(server, ['ListTeams', 'teams'], z.object({ key: text, name: text }))) {
    expect(await server.call('IssueTracker.GetTeam', { value: key, lookup_by: 'key' })).toMatchObject({ team: { key } })
    expect(await server.call('IssueTracker.GetTeam', { value: name, lookup_by: 'name' })).toMatchObject({ team: { key } })
  }
  const States = z.object({ team: text, states: z.array(z.object({ name: text, type: text })) })
  for (const { team, states } of await rows(server, ['ListWorkflowStates', 'workflow_states'], States)) {
    for (const { name } of states) expect(await server.call('IssueTracker.ListIssues', { team, state: name })).toHaveProperty('issues')
  }
  const Label = z.object({ name: text, group: optional, is_group: z.boolean().optional() })
  for (const { name, group, is_group: isGroup } of await rows(server, ['ListLabels', 'labels'], Label)) {
    if (isGroup === true) continue
    for (const label of [name, ...(group === undefined ? [] : [`${group}/${name}`])])
      expect(await server.call('IssueTracker.ListIssues', { label })).toHaveProperty('issues')
  }
  for (const cycle of await rows(server, ['ListCycles', 'cycles'], z.object({ id: text, team: text }))) {
    expect(await server.call('IssueTracker.GetCycle', { cycle_id: cycle.id })).toMatchObject({ cycle })
    expect(await rows(server, ['ListCycles', 'cycles'], z.object({ id: text }), { team: cycle.team })).toContainEqual({ id: cycle.id })
  }
  for (const initiative of await rows(server, ['ListInitiatives', 'initiatives'], z.object({ id: text, name: text, status: text }))) {
    const { id, name, status } = initiative
    expect(await server.call('IssueTracker.GetInitiative', { value: id })).toMatchObject({ initiative })
    expect(await server.call('IssueTracker.GetInitiative', { value: name, lookup_by: 'name' })).toMatchObject({ initiative })
    expect(await server.call('IssueTracker.UpdateInitiative', { initiative_id: id, status })).toMatchObject({ initiative })
  }
  for (const { id } of await rows(server, ['ListComments', 'comments'], z.object({ id: text }), { issue: 'ENG-1' }))
    await server.call('IssueTracker.ReplyToComment', { issue: 'ENG-1', parent_comment_id: id, body: 'Yes.' })
})

test('notifications name records as other tools accept them', async () => {
  await using server = await workspace({ emulated: { limits } })
  const Notification = z.object({ issue: optional, comment_id: optional, project: optional, initiative: optional })
  for (const row of await rows(server, ['GetNotifications', 'notifications'], Notification)) {
    const { issue, comment_id: comment, project, initiative } = row
    if (issue !== undefined)
      expect(await server.call('IssueTracker.GetIssue', { issue_id: issue })).toHaveProperty('issue.identifier', issue)
    if (comment !== undefined) await server.call('IssueTracker.ReplyToComment', { issue, parent_comment_id: comment, body: 'Yes.' })
    if (project !== undefined) await server.call('IssueTracker.GetProject', { value: project, lookup_by: 'name' })
    if (initiative !== undefined) await server.call('IssueTracker.GetInitiative', { value: initiative, lookup_by: 'name' })
  }
})

test('two people or projects with the same name are printed with what tells them apart, and accepted in that form', async () => {
  await using server = await workspace()
  const createProject = 'mutation Create($input: ProjectCreateInput!) { projectCreate(input: $input) { success } }'
  const teamIds = [await teamIdOf(server, 'ENG')]
  for (const displayName of ['anna', 'anna2']) server.emulator.addUser({ name: 'Anna Berg', displayName, teams: ['Engineering'] })
  for (const name of ['Twin', 'Twin']) await server.mutate(createProject, { input: { name, teamIds } })
  const slugs = server.emulator.store.projects().flatMap((row) => (row['name'] === 'Twin' ? [String(row['slugId'])] : []))
  const args = (index: number) => ({ team: 'ENG', title: 'Told apart', assignee: ['anna', 'anna2'][index], project: slugs[index] })
  for (const index of [0, 1]) await server.call('IssueTracker.CreateIssue', args(index))
  const created = await rows(server, ['ListIssues', 'issues'], Issue, { keywords: 'Told apart' })
  expect(created).toHaveLength(2)
  for (const { identifier, assignee, project } of created) {
    expect([assignee, project]).toEqual([textWith('Anna Berg (anna'), textWith('Twin (slug ')])
    const listed = await rows(server, ['ListIssues', 'issues'], Issue, { assignee, project })
    expect(listed.map((each) => each.identifier)).toEqual([identifier])
    await server.call('IssueTracker.UpdateIssue', { issue_id: identifier, assignee, project })
  }
})
