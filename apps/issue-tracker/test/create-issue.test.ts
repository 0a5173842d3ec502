import { expect, test } from 'vitest'
import type { Args } from './calls.ts'
import { textWith } from './matching.ts'
import { misbehaving } from './misbehaving.ts'
import { workspace, type Workspace } from './workspace.ts'

const create = 'IssueTracker.CreateIssue'

test('resolves every name within the team', async () => {
  await using server = await workspace()
  const { issue, attachment, notices } = await server.call(create, {
    team: 'engineering',
    title: 'Invitations expire too early',
    description: 'They should last a week.',
    assignee: 'ada okafor',
    labels_to_add: ['bug', 'qa: regression', 'Performance'],
    priority: 'high',
    state: 'in progress',
    project: 'billing rewrite',
    cycle: 'current',
    parent_issue: 'https://linear.app/lodestar/issue/ENG-1/sign-up-form',
    estimate: 3,
    due_date: '2027-02-28',
    attachment_url: 'https://example.com/report',
    attachment_title: 'The report',
  })
  expect(issue).toMatchObject({
    identifier: textWith('ENG-'),
    assignee: 'Ada Okafor',
    priority: 'high',
    state: 'In Progress',
    project: 'Billing rewrite',
    parent: 'ENG-1',
    estimate: 3,
    due_date: '2027-02-28',
  })
  expect(issue).toHaveProperty('labels', expect.arrayContaining(['Bug', 'regression']))
  expect(attachment).toMatchObject({ title: 'The report', url: 'https://example.com/report' })
  expect(notices).toBeUndefined()
  expect(created(server)).toMatchObject({ description: 'They should last a week.' })
})

test("uses the team's default state and assigns the current user", async () => {
  await using server = await workspace()
  const { issue } = await server.call(create, { team: 'ENG', title: 'Plain' })
  expect(issue).toMatchObject({ state: 'Backlog', assignee: 'Robin Vance' })
  for (const field of ['priority', 'labels', 'project']) expect(issue).not.toHaveProperty(field)
})

test('"@me" must be a member of the team; "none" leaves the issue unassigned', async () => {
  await using server = await workspace()
  const error = await server.fails(create, { team: 'OPS', title: 'Rotate the keys' })
  expect(error).toMatchObject({ code: 'not_found', next: { change: { assignee: 'none' } } })
  expect(error.message).toContain('"Robin Vance", who is not a member of team OPS')
  expect(server.emulator.store.mutations()).toEqual([])
  const { issue } = await server.call(create, { team: 'OPS', title: 'Rotate the keys', ...error.next?.change })
  expect(issue).toHaveProperty('identifier', textWith('OPS-'))
  expect(issue).not.toHaveProperty('assignee')
})

test('ignores a label in another team and takes the one in this team', async () => {
  await using server = await workspace()
  const labels = async (name: string) => (await server.call(create, { team: 'ENG', title: name, labels_to_add: [name] }))['issue']
  expect(await labels('Performance')).toMatchObject({ labels: ['Performance'] })
  expect(await labels('Regression')).toMatchObject({ labels: ['Regression'] })
  expect(await labels('qa → regression')).toMatchObject({ labels: ['regression'] })
  expect((await server.fails(create, { team: 'ENG', title: 'x', labels_to_add: ['On-call'] })).code).toBe('not_found')
})

test('reports all bad references together with suggestions, with one more request and another for the parent', async () => {
  await using server = await workspace()
  const error = await server.fails(create, {
    team: 'ENG',
    title: 'x',
    assignee: 'Ada Okafo',
    labels_to_add: ['Bug', 'Securty'],
    state: 'In Progres',
    project: 'Biling rewrite',
    cycle: '4711',
    parent_issue: 'ENG-99999',
  })
  expect(error.code).toBe('not_found')
  expect(error.suggestions?.map(({ value }) => value)).toEqual(
    expect.arrayContaining(['Ada Okafor', 'Security', 'In Progress', 'Billing rewrite']),
  )
  for (const parameter of ['assignee', 'Securty', 'state', 'project', '4711', 'ENG-99999']) expect(error.message).toContain(parameter)
  expect(error.next?.change).toMatchObject({ assignee: 'Ada Okafor', labels_to_add: ['Bug', 'Security'], state: 'In Progress' })
  expect([server.requests(), server.emulator.store.mutations()]).toEqual([3, []])
})

test('reports an unknown team together with names that do not exist in the workspace', async () => {
  await using server = await workspace()
  const args = { team: 'Enginering', title: 'x', labels_to_add: ['Bug', 'Securty'], state: 'Toddo', assignee: 'Ada Okafor' }
  const error = await server.fails(create, args)
  expect(error.next?.change).toMatchObject({ team: 'Engineering', labels_to_add: ['Bug', 'Security'], state: 'Todo' })
  expect(error.message).not.toContain('Ada')
  expect([server.requests(), server.emulator.store.mutations()]).toEqual([2, []])
})

test('auto_accept_matches accepts close matches, including for the team', async () => {
  await using server = await workspace()
  const args = { team: 'Enginering', title: 'x', state: 'In Progres', project: 'Biling rewrite', auto_accept_matches: true }
  const { issue } = await server.call(create, args)
  expect(issue).toMatchObject({ identifier: textWith('ENG-'), state: 'In Progress', project: 'Billing rewrite' })
})

const refused: readonly (readonly [args: Args, text: string])[] = [
  [{ title: '' }, 'title'],
  [{ title: '   ' }, 'title'],
  [{ due_date: '31.12.2026' }, 'YYYY-MM-DD'],
  [{ due_date: '2026-02-30' }, 'YYYY-MM-DD'],
  [{ priority: 'highest' }, 'priority'],
  [{ estimate: 4 }, '1, 2, 3, 5, 8'],
  [{ team: 'DES', estimate: 1 }, 'does not use estimates'],
  [{ team: 'DES', cycle: 'current' }, 'does not use cycles'],
  [{ labels_to_add: ['Bug', 'Feature'] }, 'the same group, "Type"'],
  [{ labels_to_add: ['Type'] }, 'label group'],
  [{ labels_to_add: ['REGRESSION'] }, 'more than one label'],
  [{ assignee: 'Grace Kim' }, 'not a member of team ENG'],
  [{ assignee: 'Leo Brandt' }, '"Leo Brandt" is deactivated'],
  [{ project: 'Design system' }, 'is not part of project'],
  [{ parent_issue: 'nonsense' }, 'parent_issue'],
  [{ attachment_title: 'A title without a URL' }, 'attachment_url'],
  [{ attachment_url: 'javascript:alert(1)' }, 'http'],
  [{ team: 'LAB' }, 'Team LAB is retired'],
  [{ parent: 'ENG-1' }, 'Unknown argument'],
]

test.for(refused)('rejects %j and writes nothing', async ([args, text]) => {
  await using server = await workspace()
  const error = await server.fails(create, { team: 'ENG', title: 'x', assignee: 'none', ...args })
  expect(error.message).toContain(text)
  expect(error.retryable).toBe(false)
  expect(server.emulator.store.mutations()).toEqual([])
})

test('fixes line breaks that arrive as a backslash and an n, and says so', async () => {
  await using server = await workspace()
  const { notices } = await server.call(create, { team: 'ENG', title: 'x', description: 'First\\nSecond' })
  expect(String(notices)).toContain('turned into a line break')
  expect(created(server)).toMatchObject({ description: 'First\nSecond' })
  expect(await server.call(create, { team: 'ENG', title: 'y', description: 'a `\\n` stays\nhere' })).not.toHaveProperty('notices')
  expect(created(server)).toMatchObject({ description: 'a `\\n` stays\nhere' })
})

/**
 * A workspace where Linear does everything except attach `https://a.example`, for which it answers "success: false" or an error of this
 * type.
 */
async function withoutAttaching(answer: string, instead: string) {
  const server = await misbehaving()
  server.vendor = async (request) => {
    const body = await request.clone().text()
    if (!body.includes('attachmentCreate')) return server.emulator.fetch(request)
    const stored = await server.emulator.fetch(new Request(request, { body: body.replaceAll('https://a.example', instead) }))
    const { data } = Object.assign({ data: {} }, await stored.json())
    return answer === 'success: false'
      ? Response.json({ data: { ...data, attachmentCreate: { success: false } } })
      : Response.json({ errors: [{ message: 'No', extensions: { type: answer } }] })
  }
  return server
}

test.for(['success: false', 'other', 'unknown'])(
  'the issue is still reported if Linear answers its attachment with "%s"',
  async (answer) => {
    await using server = await withoutAttaching(answer, 'no URL')
    const { issue, notices } = await server.call(create, { team: 'ENG', title: 'Kept', attachment_url: 'https://a.example' })
    expect(issue).toMatchObject({ title: 'Kept' })
    expect(notices).toEqual([textWith('The issue was created, but the URL was not attached')])
  },
)

test('UpdateIssue says that only the URL failed with "success: false"', async () => {
  await using server = await withoutAttaching('success: false', 'https://other.example')
  const page = { issue_id: 'ENG-3', attachment_url: 'https://a.example', attachment_title: 'A' }
  const update = 'IssueTracker.UpdateIssue'
  const { issue, notices } = await server.call(update, { ...page, title: 'Changed' })
  expect([issue, notices]).toEqual([expect.objectContaining({ title: 'Changed' }), [textWith('did not take effect: attachment_url')]])
  expect(await server.fails(update, page)).toMatchObject({ code: 'unavailable', retryable: false })
})

/** The newest issue as the tracker stores it. */
function created({ emulator }: Workspace): unknown {
  return emulator.store.issues().at(-1)
}
