import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { member } from '@mcp-toolkits/core/base'
import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { teamIdOf } from './calls.ts'
import { workspace, type Workspace } from './workspace.ts'

const create = 'IssueTracker.CreateIssue'
const update = 'IssueTracker.UpdateIssue'
const folder = await mkdtemp(join(tmpdir(), 'labels-'))
afterAll(async () => rm(folder, { recursive: true }))

const renamed = 'update labels set name = ?1, nameFold = lower(?1), nameBare = lower(?1) where name = ?2'

interface Relabelled extends Workspace {
  /** Changes labels directly in the emulator's database: it has no API for this. */
  readonly sql: (statement: string, ...values: string[]) => void
}

async function relabelled(toolsets: readonly string[] = []): Promise<Relabelled> {
  const file = join(folder, `${randomUUID()}.db`)
  const server = await workspace({ emulated: { file }, toolsets })
  await server.call('IssueTracker.ListLabels', { limit: 1 })
  const sql = (statement: string, ...values: string[]) => {
    using database = new DatabaseSync(file)
    database.prepare(statement).run(...values)
  }
  return { ...server, sql }
}

const Issue = z.object({ labels: z.array(z.string()).default([]) })
const labelsOf = (issue: unknown) => Issue.parse(issue).labels

test.for(['type: security', 'area/ui', 'p0 → now'])('adds, lists and removes a label called %j', async (name) => {
  await using server = await relabelled()
  server.sql(renamed, name, 'Security')
  const { issue } = await server.call(create, { team: 'ENG', title: 'x', labels_to_add: ['Bug', name.toUpperCase()] })
  expect(labelsOf(issue)).toEqual(expect.arrayContaining(['Bug', name]))
  const { identifier } = z.object({ identifier: z.string() }).parse(issue)
  const listed = await server.call('IssueTracker.ListIssues', { label: name })
  expect(JSON.stringify(listed)).toContain(`"${identifier}"`)
  const after = await server.call(update, { issue_id: identifier, labels_to_remove: [name] })
  expect(labelsOf(after['issue'])).toEqual(['Bug'])
})

test('proposes the full name for a misspelt label in a group, and accepts it', async () => {
  await using server = await workspace()
  for (const [reference, label] of [
    ['Type: Bgu', 'Type/Bug'],
    ['qa/clenup', 'qa/cleanup'],
    ['clenup', 'qa/cleanup'],
  ] as const) {
    const args = { team: 'ENG', title: 'x', labels_to_add: [reference] }
    const error = await server.fails(create, args)
    expect(error).toMatchObject({ suggestions: [{ value: label }], next: { change: { labels_to_add: [label] } } })
    const { issue } = await server.call(create, { ...args, ...error.next?.change })
    expect(labelsOf(issue)).toEqual([label.split('/')[1]])
  }
})

test('rejects a label group as such and leaves it in the proposed list', async () => {
  await using server = await workspace()
  const args = { team: 'ENG', title: 'x', labels_to_add: ['qa', 'Securty'] }
  const error = await server.fails(create, args)
  expect(error.message).toContain('"qa" is a label group')
  expect(error.next?.change).toEqual({ labels_to_add: ['qa', 'Security'] })
  const second = await server.fails(create, { ...args, ...error.next?.change })
  expect(second.message).toContain('"qa" is a label group')
  expect(second.suggestions?.map(({ value }) => value)).toContain('qa/cleanup')
  const removed = await server.fails(update, { issue_id: 'ENG-1', labels_to_remove: ['Type'] })
  expect(removed.message).not.toContain('applied')
})

test('a name that a label and a group share means the label', async () => {
  await using server = await relabelled()
  server.sql(renamed, 'Type', 'Security')
  const { issue } = await server.call(create, { team: 'ENG', title: 'x', labels_to_add: ['Type'] })
  expect(labelsOf(issue)).toEqual(['Type'])
})

test('removes the label that the issue has, whatever else has that name', async () => {
  await using server = await relabelled()
  const { issue } = await server.call(create, { team: 'ENG', title: 'x', labels_to_add: ['qa/regression', 'Security', 'Performance'] })
  const { identifier } = z.object({ identifier: z.string() }).parse(issue)
  const read = await server.call('IssueTracker.GetIssue', { issue_id: identifier })
  const Labels = z.object({ labels: z.array(z.object({ id: z.string(), name: z.string() })) })
  const ids = new Map(Labels.parse(read['issue']).labels.map(({ id, name }) => [name, id]))
  const remove = async (label = '') => {
    const changed = await server.call(update, { issue_id: identifier, labels_to_remove: [label] })
    return labelsOf(changed['issue'])
  }
  expect((await server.fails(create, { team: 'ENG', title: 'y', labels_to_add: ['REGRESSION'] })).code).toBe('ambiguous')
  expect(await remove('REGRESSION')).toEqual(expect.not.arrayContaining(['regression']))
  server.sql("update labels set archivedAt = '2026-01-01T00:00:00.000Z' where name = ?", 'Security')
  expect(await remove('security')).toEqual(['Performance'])
  server.sql("update labels set teamId = (select id from teams where key = 'OPS') where id = ?", ids.get('Performance') ?? '')
  expect(await remove(ids.get('Performance'))).toEqual([])
})

test('distinguishes labels with the same name, and says which list a misspelt one is in', async () => {
  await using server = await workspace()
  const tie = await server.fails(create, { team: 'ENG', title: 'x', labels_to_add: [' REGRESSION '] })
  expect(tie.message).toContain('"qa/regression", "Regression"')
  const error = await server.fails(update, { issue_id: 'ENG-1', labels_to_add: ['zzzz'], labels_to_remove: ['yyyy'] })
  expect(error.message).toContain('"zzzz" (labels_to_add)')
  expect(error.message).toContain('"yyyy" (labels_to_remove)')
})

test('rejects a label that is both added and removed, and two labels from one group', async () => {
  await using server = await workspace()
  const both = await server.fails(update, { issue_id: 'ENG-1', labels_to_add: ['Security'], labels_to_remove: ['security'] })
  expect(both.message).toContain('"Security" is in both')
  const rivals = { team: 'ENG', title: 'x', labels_to_add: ['Bug', 'Featurs'], auto_accept_matches: true }
  expect((await server.fails(create, rivals)).message).toContain('are in the same group')
  expect(server.emulator.store.mutations()).toEqual([])
})

test('25 labels cost no more requests than one; hundreds are rejected with a readable error', async () => {
  await using server = await relabelled()
  const names = Array.from({ length: 25 }, (_, index) => `Area ${index}`)
  const columns = 'archivedAt, createdAt, updatedAt, description, color, isGroup, parentId, teamId, creatorId'
  for (const name of names)
    server.sql(
      `insert into labels (id, name, nameFold, nameBare, ${columns}) select ?1, ?2, lower(?2), lower(?2), ${columns} from labels where name = 'Security'`,
      randomUUID(),
      name,
    )
  const sent = server.requests()
  const { issue } = await server.call(create, { team: 'ENG', title: 'x', labels_to_add: names })
  expect(Issue.parse(issue).labels.length).toBe(10)
  expect(server.requests() - sent).toBe(2)
  const wrong = Array.from({ length: 50 }, (_, index) => `${'x'.repeat(1000)}${index}`)
  expect(JSON.stringify(await server.fails(create, { team: 'ENG', title: 'x', labels_to_add: wrong })).length).toBeLessThan(10_000)
  expect((await server.fails(create, { team: 'ENG', title: 'x', labels_to_add: [...wrong, 'y'] })).code).toBe('invalid_input')
})

test('names a retired label as such, keeps it and removes it, but does not add it', async () => {
  await using server = await workspace({ toolsets: ['triage'] })
  const { issue } = await server.call(create, { team: 'ENG', title: 'Before', labels_to_add: ['Bug'] })
  const { identifier } = z.object({ identifier: z.string() }).parse(issue)
  const { labels } = z.object({ labels: z.array(z.object({ id: z.string(), name: z.string() })) }).parse(await labelsIn(server))
  await server.mutate('mutation($id: String!) { issueLabelRetire(id: $id) { success } }', {
    id: labels.find(({ name }) => name === 'Bug')?.id,
  })
  const written = server.emulator.store.mutations().length
  const message = 'Label "Type/Bug" is retired and cannot be added to issues. Choose another label.'
  for (const reference of ['bug', 'Type/Bug'])
    expect((await server.fails(create, { team: 'ENG', title: 'After', labels_to_add: [reference] })).message).toContain(message)
  expect((await server.fails(update, { issue_id: 'ENG-2', labels_to_add: ['Bug'] })).message).toContain(message)
  const rows = [{ issue_id: 'ENG-2', labels_to_add: ['Bug'] }]
  expect((await server.fails('IssueTracker.BatchUpdateIssues', { issues: rows })).message).toContain(message)
  expect(server.emulator.store.mutations()).toHaveLength(written)
  expect(await server.call('IssueTracker.ListLabels')).toMatchObject({
    notices: ['These labels are retired, so they cannot be added to issues: "Bug".'],
  })
  expect(await server.call(update, { issue_id: identifier, labels_to_add: ['Bug'] })).toMatchObject({ issue: { labels: ['Bug'] } })
  expect(labelsOf((await server.call(update, { issue_id: identifier, labels_to_remove: ['Bug'] }))['issue'])).toEqual([])
})

async function labelsIn({ emulator }: Workspace): Promise<unknown> {
  const headers = { authorization: 'lin_api_test', 'content-type': 'application/json' }
  const body = JSON.stringify({ query: '{ issueLabels { nodes { id name } } }' })
  const answer = await (await emulator.fetch('http://localhost/graphql', { method: 'POST', headers, body })).json()
  return { labels: member(member(member(answer, 'data'), 'issueLabels'), 'nodes') }
}

test.for(['UpdateIssue', 'BatchUpdateIssues'])('%s removes an archived label, but does not add one', async (tool) => {
  await using server = await relabelled(['triage'])
  const row = { issue_id: 'ENG-9', description: null, project: null }
  const change = async (labels: object) =>
    server.result(`IssueTracker.${tool}`, tool === 'UpdateIssue' ? { ...row, ...labels } : { issues: [{ ...row, ...labels }] })
  server.sql("update labels set archivedAt = '2026-01-01T00:00:00.000Z' where name in (?1, ?2)", 'Security', 'Performance')
  expect(await change({ labels_to_add: ['Performance'] })).toMatchObject({ isError: true })
  const { structuredContent, isError } = await change({ labels_to_remove: ['security'] })
  expect([isError, JSON.stringify(structuredContent)]).toEqual([undefined, expect.not.stringContaining('Security')])
})

test('a batch reads the labels of its own teams, however many other teams have labels with the same names', async () => {
  await using server = await workspace({ toolsets: ['triage'] })
  const labels = ['Chorus', 'Question', 'Idea']
  const teams = Array.from({ length: 25 }, (_, team) => server.emulator.addTeam({ key: `T${team}`, name: `Team ${team}` }))
  for (const teamId of [await teamIdOf(server, 'ENG'), ...teams])
    for (const name of labels)
      await server.mutate('mutation ($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { success } }', {
        input: { name, teamId },
      })
  for (const [tool, row] of [
    ['BatchCreateIssues', { team: 'T3', title: 'x', assignee: 'none' }],
    ['BatchUpdateIssues', { issue_id: 'ENG-9' }],
  ] as const) {
    const { issues } = await server.call(`IssueTracker.${tool}`, { issues: [{ ...row, labels_to_add: labels }] })
    const [done] = z.array(z.object({ issue: Issue })).parse(issues)
    expect(done?.issue.labels).toEqual(expect.arrayContaining(labels))
  }
})
