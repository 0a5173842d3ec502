import { isObject, member } from '@mcp-toolkits/core/base'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { expect, onTestFinished, test } from 'vitest'
import { attachmentsOf, changesOf } from '../../src/linear/issues/batches.ts'
import { issueChangeParameters } from '../../src/tools/issues/change-inputs.ts'
import type { Args } from '../calls.ts'
import { complexityOf, unbounded } from '../complexity.ts'
import { textWith } from '../matching.ts'
import { misbehaving } from '../misbehaving.ts'
import { losingLine } from '../processes.ts'
import { workspace, type Workspace } from '../workspace.ts'

const create = 'IssueTracker.BatchCreateIssues'
const update = 'IssueTracker.BatchUpdateIssues'
const triage = { toolsets: ['triage'] }

const fifty = Array.from({ length: 50 }, (_, index) => ({
  team: ['ENG', 'engineering', 'DES'][index % 3],
  title: `Batch ${index + 1}`,
  assignee: 'none',
  ...(index % 3 === 2 ? {} : { labels_to_add: ['bug'], state: 'todo', priority: 'high', parent_issue: 'ENG-1' }),
}))

async function rowsOf(server: Workspace, tool: string, args: Args): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { issues } = await server.call(tool, args)
  return Array.isArray(issues) ? issues.filter(isObject) : []
}
const issuesOf = (server: Workspace) => server.emulator.store.mutations().length

test('creates 50 issues in two requests, each once and as its row says', async () => {
  await using server = await workspace(triage)
  const rows = await rowsOf(server, create, { issues: fifty })
  expect(server.requests()).toBe(2)
  expect(rows.map(({ row, outcome }) => [row, outcome])).toEqual(fifty.map((_, index) => [index + 1, 'created']))
  expect(rows.map(({ issue }) => member(issue, 'title'))).toEqual(fifty.map(({ title }) => title))
  expect(rows[0]?.['issue']).toMatchObject({
    identifier: textWith('ENG-'),
    state: 'Todo',
    labels: ['Bug'],
    priority: 'high',
    parent: 'ENG-1',
  })
  expect(rows[2]?.['issue']).toMatchObject({ identifier: textWith('DES-') })
  expect(rows.every(({ notices }) => notices === undefined)).toBe(true)
})

test('shows with dry_run exactly what it would write, and writes nothing', async () => {
  await using server = await workspace(triage)
  const issues = [
    {
      team: 'engineering',
      title: 'One',
      assignee: 'ada okafor',
      labels_to_add: ['qa: regression'],
      state: 'in progress',
      cycle: 'current',
    },
    { team: 'ENG', title: 'Two', attachment_url: 'https://a.example/2' },
  ]
  const dry = await rowsOf(server, create, { issues, dry_run: true })
  expect([server.requests(), issuesOf(server)]).toEqual([1, 0])
  expect(dry[0]?.['write']).toMatchObject({ team: 'ENG', assignee: 'Ada Okafor', labels_to_add: ['qa/regression'], state: 'In Progress' })
  expect(dry[1]?.['write']).toMatchObject({ assignee: 'Robin Vance', attachment_url: 'https://a.example/2' })
  const again = await rowsOf(server, create, { issues: dry.map(({ write }) => write), dry_run: true })
  expect(again.map(({ write }) => write)).toEqual(dry.map(({ write }) => write))
  const written = await rowsOf(server, create, { issues: dry.map(({ write }) => write) })
  expect(written.map(({ outcome }) => outcome)).toEqual(['created', 'created'])
  expect(written[1]?.['attachment']).toMatchObject({ url: 'https://a.example/2' })
})

test.for([
  [create, { team: 'ENG', title: 'One' }],
  [update, { issue_id: 'ENG-9' }],
] as const)('shows with dry_run what links and mentions become: %s', async ([tool, row]) => {
  await using server = await workspace(triage)
  const issues = [{ ...row, description: 'As in ENG-1, ask @robin.vance' }]
  const dry = await server.call(tool, { issues, dry_run: true })
  expect([server.requests(), issuesOf(server)]).toEqual([2, 0])
  const link = '[ENG-1](https://linear.app/lodestar/issue/ENG-1/sign-up-form-loses-the-invitation-code)'
  const description = `As in ${link}, ask https://linear.app/lodestar/profiles/robin.vance`
  expect(dry).toMatchObject({ issues: [{ write: { description } }], notices: [textWith('mentions @robin.vance')] })
  const { notices } = await server.call(tool, { issues: [{ ...row, description }] })
  expect([notices, server.emulator.store.issues().some((issue) => String(issue['description']).includes(link))]).toEqual([undefined, true])
})

test('names the rows with unknown names, proposes the corrected list, and creates nothing', async () => {
  await using server = await workspace(triage)
  const issues = [
    { team: 'ENG', title: 'Right', labels_to_add: ['Bug'] },
    { team: 'ENG', title: 'Wrong', state: 'In Progres' },
    { team: 'Enginering', title: 'Near' },
  ]
  const error = await server.fails(create, { issues })
  expect(error.message).toContain('Row 2: No workflow state')
  expect(error.message).toContain('Row 3: No team')
  expect(error.message).not.toContain('Row 1')
  expect(issuesOf(server)).toBe(0)
  expect(error.next?.change).toEqual({
    issues: [issues[0], { ...issues[1], state: 'In Progress' }, { ...issues[2], team: 'Engineering' }],
  })
  const rows = await rowsOf(server, create, { ...error.next?.change })
  expect(rows).toHaveLength(3)
  const accepted = await rowsOf(server, create, { issues, auto_accept_matches: true })
  expect(accepted.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created'])
  expect(accepted[2]?.['notices']).toEqual([textWith('was taken to mean "Engineering"'), textWith('has the same title')])
})

test('changes 50 issues in two requests', async () => {
  await using server = await workspace(triage)
  const found = await rowsOf(server, 'IssueTracker.ListIssues', { limit: 50 })
  const before = server.requests()
  const issues = found.map(({ identifier }, index) => ({ issue_id: identifier, title: `Changed ${index}`, priority: 'high' }))
  const rows = await rowsOf(server, update, { issues })
  expect(server.requests() - before).toBe(2)
  expect(rows.map(({ outcome, issue }) => [outcome, member(issue, 'title')])).toEqual(issues.map(({ title }) => ['updated', title]))
  expect(rows).toHaveLength(50)
})

test('accepts a link to another workspace in a text', async () => {
  await using server = await workspace(triage)
  const issues = [{ team: 'ENG', title: 'x', description: 'https://linear.app/partner/issue/ABC-1 broke this.' }]
  expect(await server.call('IssueTracker.BatchCreateIssues', { issues })).toMatchObject({ issues: [{ outcome: 'created' }] })
})

test('counts rows from 1, whatever is wrong with them', async () => {
  await using server = await workspace(triage)
  const args = [{ issue_id: 'ENG-1', priority: 'low' }, { issue_id: 'ENG-2', priority: 'hihg' }, { titel: 'x' }]
  const { message } = await server.fails(update, { issues: args })
  expect(message).toMatch(/^Row 2: "priority" must be .*, not "hihg"\. Row 3: "issue_id" is required\. Row 3 has unknown keys: titel\.$/)
  expect(issuesOf(server)).toBe(0)
})

test('changes each issue as its row says, and says what changed', async () => {
  await using server = await workspace(triage)
  const before = server.requests()
  const rows = await rowsOf(server, update, {
    issues: [
      { issue_id: 'eng-9', priority: 'low', labels_to_remove: ['Security'], state: 'In Review' },
      { issue_id: 'ENG-2', assignee: 'Ada Okafor', due_date: '2027-01-31' },
      { issue_id: 'DES-4', title: 'Another title' },
    ],
  })
  expect(server.requests() - before).toBe(2)
  expect(rows).toMatchObject([
    { outcome: 'updated', issue: { identifier: 'ENG-9', priority: 'low', state: 'In Review' } },
    { outcome: 'updated', issue: { assignee: 'Ada Okafor', due_date: '2027-01-31' }, changed: ['due_date'] },
    { outcome: 'updated', issue: { title: 'Another title' }, changed: ['title'] },
  ])
  expect(rows[0]?.['changed']).toEqual(['state', 'priority', 'labels'])
  const again = await rowsOf(server, update, { issues: [{ issue_id: 'DES-4', title: 'Another title' }] })
  expect(again).toMatchObject([{ outcome: 'unchanged' }])
})

/** A Linear that receives requests in which some text has been replaced. */
function replacing(text: string, other: string): Workspace['emulator']['fetch'] {
  return async (input, init) => {
    const request = new Request(input, init)
    const [server] = servers
    if (!server) throw new Error('There is no workspace yet.')
    return server.emulator.fetch(new Request(request, { body: (await request.clone().text()).replaceAll(text, other) }))
  }
}
const servers: Workspace[] = []

test('changes the other rows when Linear refuses one, and says why', async () => {
  await using server = await workspace({ ...triage, vendor: replacing('"title":"refused"', '"title":""') })
  servers.splice(0, 1, server)
  const issues = Array.from({ length: 8 }, (_, index) => ({
    issue_id: `ENG-${index + 1}`,
    title: index === 4 ? 'refused' : `Title ${index}`,
    attachment_url: `https://a.example/${index}`,
  }))
  const rows = await rowsOf(server, update, { issues })
  expect(rows.map(({ outcome }) => outcome)).toEqual(issues.map(({ title }) => (title === 'refused' ? 'refused' : 'updated')))
  expect(rows[4]?.['error']).toMatch(/title.* Its URL was not attached\.$/)
  expect(rows[4]).not.toHaveProperty('attachment')
  expect(rows.filter((row) => 'attachment' in row)).toHaveLength(7)
})

test('says so if Linear answers "success" but applies nothing in a row', async () => {
  await using server = await workspace({ ...triage, vendor: replacing('"priority":4', '"trashed":false') })
  servers.splice(0, 1, server)
  const issues = [
    { issue_id: 'ENG-9', priority: 'low' },
    { issue_id: 'ENG-2', title: 'New' },
  ]
  const { issues: rows, updated } = await server.call(update, { issues })
  expect(updated).toBe(1)
  expect(rows).toMatchObject([
    { outcome: 'not_applied', notices: [textWith('1 field did not take effect: priority')] },
    { outcome: 'updated' },
  ])
})

const described = 'mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }'
test.for([
  [undefined, 'New text'],
  ['- a - b', '- a\n- b'],
] as const)('says that the description %j changed to %j', async ([description, text]) => {
  await using server = await workspace(triage)
  if (description !== undefined) await server.mutate(described, { id: 'ENG-3', input: { description } })
  const row = { issue_id: 'ENG-3', description: text, fields_to_clear: ['description'] }
  const [first] = await rowsOf(server, update, { issues: [row] })
  expect(first).toMatchObject({ outcome: 'updated', changed: ['description'] })
  expect(first?.['notices']).toEqual(description && ['The description had 7 characters and now has 7.'])
  expect(await rowsOf(server, update, { issues: [row] })).toMatchObject([{ outcome: 'unchanged' }])
})

const forbidden = { errors: [{ message: 'No access', extensions: { type: 'forbidden' } }] }
/**
 * A Linear that refuses the second row of a batch, each time in a different way; or one that accepts all rows but whose response is lost.
 */
const partly = {
  '"success: false"': (answer: object) =>
    Response.json({ data: { ...Object.assign({ data: {} }, answer).data, row_1: { success: false } } }),
  forbidden: () => Response.json(forbidden),
  'no answer': () => Response.json({}, { status: 503 }),
}

test.for([
  ['"success: false"', 'BatchUpdateIssues', ['updated', 'refused', 'updated']],
  ['forbidden', 'BatchUpdateIssues', ['updated', 'refused', 'refused']],
  ['"success: false"', 'BatchAttach', ['updated', 'refused', 'updated']],
  ['forbidden', 'BatchAttach', ['updated', 'refused', 'refused']],
  ['no answer', 'BatchAttach', ['updated', 'unknown', 'unknown']],
] as const)('reads what is stored after %s for one row of %s', async ([way, operation, outcomes]) => {
  await using server = await misbehaving({}, triage)
  server.vendor = async (request) => {
    const body = await request.clone().text()
    if (!body.includes(`mutation ${operation}`)) return server.emulator.fetch(request)
    const other =
      way === '"success: false"' ? body.replace('"title":"New 1"', '"trashed":false').replace('a.example/1', 'other.example') : body
    const refused = other.replace(/"(?:New 1|https:..a.example.1)"/, '""')
    const answer = await server.emulator.fetch(new Request(request, { body: refused }))
    return partly[way](Object.assign({}, await answer.json()))
  }
  const isPage = operation === 'BatchAttach'
  const values = [0, 1, 2].map((row) => (isPage ? `https://a.example/${row}` : `New ${row}`))
  const issues = values.map((value, row) => ({
    issue_id: `ENG-${row + 1}`,
    ...(isPage ? { attachment_url: value, attachment_title: 'A' } : { title: value }),
  }))
  const rows = await rowsOf(server, update, { issues })
  expect(rows.map(({ outcome }) => outcome)).toEqual(outcomes)
  const { store } = server.emulator
  const stored = [...store.attachments().map(({ url }) => url), ...store.issues().map(({ title }) => title)]
  expect(values.map((value) => stored.includes(value))).toEqual(outcomes.map((outcome) => outcome === 'updated'))
})

test('says that it is not known whether a URL was attached if the response is lost and the lookup is refused', async () => {
  await using server = await misbehaving({}, triage)
  server.vendor = async (request) => {
    const body = await request.clone().text()
    if (body.includes('query CreatedIssues')) return Response.json(forbidden)
    const answer = await server.emulator.fetch(request)
    return body.includes('mutation BatchAttach') ? partly['no answer']() : answer
  }
  const page = { attachment_url: 'https://a.example/1', attachment_title: 'A' }
  const error = textWith('It is not known whether the URL was attached')
  expect(await rowsOf(server, update, { issues: [{ issue_id: 'ENG-1', ...page }] })).toMatchObject([{ outcome: 'unknown', error }])
})

test('says that a null in a row clears nothing, and how to clear', async () => {
  await using server = await workspace(triage)
  const issues = [
    { issue_id: 'ENG-9', title: 'New', assignee: null },
    { issue_id: 'ENG-2', title: 'New', due_date: null, fields_to_clear: ['due_date'] },
    { issue_id: 'ENG-3', title: 'New', assignee: null },
  ]
  const said =
    'Rows 1 and 3: assignee was null and counts as not given: nothing was cleared. To clear assignee, pass fields_to_clear: ["assignee"].'
  expect(await server.call(update, { issues })).toMatchObject({ updated: 3, notices: [said] })
  const text = JSON.stringify([{ issue_id: 'ENG-1', title: '[{"a":null}]', project: null }])
  expect(await server.call(update, { issues: text })).toMatchObject({
    issues: [{ issue: { title: '[{"a":null}]' } }],
    notices: [textWith('Read issues'), textWith('Row 1: project was null and counts as not given: nothing was cleared.')],
  })
  const row = { team: 'ENG', title: 'New', assignee: null }
  for (const each of [row, { ...row, project: null }])
    expect(await server.call(create, { issues: [each] })).toMatchObject({
      notices: [textWith('A null or blank assignee means you.')],
    })
})

test('says nothing about nulls if a host sends one for everything that is not set', async () => {
  await using server = await workspace(triage)
  const unset = Object.fromEntries(Object.keys(issueChangeParameters).map((name) => [name, null]))
  const { updated, notices } = await server.call(update, { issues: [{ ...unset, issue_id: 'ENG-9', title: 'New' }] })
  expect([updated, notices]).toEqual([1, undefined])
})

test('creates nothing again if an earlier attempt created everything', async () => {
  const twice: Workspace['emulator']['fetch'] = async (input, init) => {
    const [server] = servers
    const request = new Request(input, init)
    if (!server) throw new Error('There is no workspace yet.')
    if ((await request.clone().text()).includes('mutation')) await server.emulator.fetch(request.clone())
    return server.emulator.fetch(request)
  }
  await using server = await workspace({ ...triage, vendor: twice })
  servers.splice(0, 1, server)
  const issues = fifty.slice(0, 3).map((row, index) => ({ ...row, attachment_url: `https://a.example/${index}` }))
  const stored = server.emulator.store.issues().length
  const rows = await rowsOf(server, create, { issues })
  expect(server.emulator.store.issues()).toHaveLength(stored + 3)
  expect(rows.map(({ attachment }) => member(attachment, 'url'))).toEqual(issues.map((row) => row.attachment_url))
  for (const { outcome, notices } of rows)
    expect([outcome, notices]).toEqual(['created', [textWith('An earlier attempt at this call already created this item')]])
})

test('refuses a batch with an issue twice, an unknown issue or a row without changes, and names the row', async () => {
  await using server = await workspace(triage)
  const error = await server.fails(update, {
    issues: [
      { issue_id: 'ENG-2', priority: 'low' },
      { issue_id: 'ENG-2', title: 'x' },
      { issue_id: 'ENG-9999', title: 'x' },
      { issue_id: 'ENG-3' },
    ],
  })
  for (const text of ['Row 2: ENG-2 is in another row', 'Row 3: No issue "ENG-9999"', 'Row 4: Nothing to change'])
    expect(error.message).toContain(text)
  expect(issuesOf(server)).toBe(0)
})

test('says what a lost attempt changed when the call is retried', async () => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'lin_api_test' })
  onTestFinished(() => emulator.close())
  const line = losingLine(emulator.fetch, 'after')
  await using server = await workspace({ ...triage, vendor: line.fetch })
  const issues = [
    { issue_id: 'ENG-9', priority: 'low', description: 'See ENG-1.', fields_to_clear: ['description'] },
    { issue_id: 'ENG-1', assignee: 'Robin Vance' },
    { issue_id: 'ENG-2', title: 'New' },
  ]
  const cancelled = new AbortController()
  const lost = server.client.callTool({ name: update, arguments: { issues } }, { signal: cancelled.signal })
  await line.lost
  const refused = expect(lost).rejects.toThrow()
  cancelled.abort()
  const changed = { outcome: 'updated', notices: [textWith('An earlier attempt')] }
  expect(await server.call(update, { issues })).toMatchObject({ updated: 2, issues: [changed, { outcome: 'unchanged' }, changed] })
  await refused
  expect(await server.call(update, { issues })).toMatchObject({ updated: 0 })
})

test.for([changesOf(50), attachmentsOf(50)])('the largest $name costs at most 2,500 points', ({ text }) => {
  expect(complexityOf(text, {})).toBeLessThanOrEqual(2_500)
  expect(unbounded(text)).toEqual([])
})
