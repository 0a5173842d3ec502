import { expect } from 'vitest'
import { at, listAt, textAt } from './json.ts'
import { badArgument, missingKey, needed, newId, openWorkspace, refusalIn, teamOf, tokenIn } from './linear.ts'
import { questionnaire } from './questions.ts'

const environment = process.env
const question = questionnaire({ server: 'issue-tracker', environment, missing: missingKey(environment) })

question(
  {
    number: 1,
    rules: ['access/initiative-scopes'],
    question: "Does a user's token need `initiative:read` to read initiatives?",
    emulator: 'yes: a token of scope read is refused',
  },
  async (context) => {
    const { ask } = openWorkspace(environment)
    const token = needed(
      context,
      tokenIn(environment),
      'set ISSUE_TRACKER_ACCESS_TOKEN to a token of a user, granted the scope read alone.',
    )
    const write = 'mutation Update($id: String!) { issueUpdate(id: $id, input: {}) { success } }'
    const isReader = String(refusalIn(await ask(write, { id: newId() }, token)).message).includes('write')
    context.skip(!isReader, 'The token in ISSUE_TRACKER_ACCESS_TOKEN was granted more than the scope read.')
    expect(refusalIn(await ask('{ initiatives(first: 1) { nodes { id } } }', {}, token))).toMatchObject({
      status: 400,
      message: 'Invalid scope: `initiative:read` required',
      code: 'FORBIDDEN',
    })
  },
)

question(
  {
    number: 2,
    rules: ['graphql/not-found', 'graphql/not-found-extensions'],
    question: 'What exactly is the response for a nonexistent id?',
    emulator: '200, data null, "Entity not found: TYPE", INPUT_ERROR',
  },
  async () => {
    const { ask } = openWorkspace(environment)
    const miss = async (field: string) => refusalIn(await ask(`query Miss($id: String!) { ${field}(id: $id) { id } }`, { id: newId() }))
    const not = (type: string) => ({ status: 200, data: null, message: `Entity not found: ${type}`, code: 'INPUT_ERROR' })
    expect({ issue: await miss('issue'), project: await miss('project'), cycle: await miss('cycle') }).toEqual({
      issue: not('Issue'),
      project: not('Project'),
      cycle: not('Cycle'),
    })
  },
)

question(
  {
    number: 3,
    rules: ['filters/ids', 'graphql/bad-argument-status'],
    question: 'Does an id filter refuse a string that is not a UUID?',
    emulator: 'yes: as a bad argument, with 200 and data null',
  },
  async () => {
    const { ask } = openWorkspace(environment)
    expect(refusalIn(await ask('{ teams(filter: { id: { eq: "x" } }) { nodes { id } } }'))).toEqual(badArgument)
  },
)

question(
  {
    number: 4,
    rules: ['references/former-identifier'],
    question: 'Can a moved issue still be found by its former identifier?',
    emulator: 'yes',
  },
  async (context) => {
    const workspace = openWorkspace(environment)
    const key = needed(context, environment['LIVE_OTHER_TEAM'], 'set LIVE_OTHER_TEAM to the key of a second team.')
    const { id, identifier } = await workspace.issue('4')
    const move =
      'mutation Move($id: String!, $teamId: String!) { issueUpdate(id: $id, input: { teamId: $teamId }) { issue { identifier } } }'
    const moved = await workspace.run(move, { id, teamId: await teamOf(workspace, key) })
    expect(textAt(moved, 'issueUpdate.issue.identifier')).not.toBe(identifier)
    const { data } = await workspace.ask('query Former($id: String!) { issue(id: $id) { id } }', { id: identifier })
    expect(data).toEqual({ issue: { id } })
  },
)

question(
  {
    number: 5,
    rules: ['notifications/unread', 'notifications/snoozed'],
    question: 'Does `inboxNotifications` exist in every workspace, and does it hide snoozed notifications?',
    emulator: 'it exists, holds unread ones alone on request, and leaves out what is snoozed, which notifications still holds',
  },
  async (context) => {
    const { ask, run } = openWorkspace(environment)
    const inbox = '{ inboxNotifications(first: 50, unreadOnly: true) { nodes { id readAt snoozedUntilAt } } }'
    const { data, errors } = await ask(inbox)
    expect(errors, 'inboxNotifications is answered').toEqual([])
    const before = listAt(data, 'inboxNotifications.nodes')
    expect(before.map((each) => at(each, 'readAt'))).toEqual(before.map(() => null))
    const id = needed(
      context,
      before.map((each) => textAt(each, 'id'))[0],
      'have another user mention the owner of the key, and leave that unread.',
    )
    const snooze =
      'mutation Snooze($id: String!, $until: DateTime) { notificationUpdate(id: $id, input: { snoozedUntilAt: $until }) { success } }'
    context.onTestFinished(async () => {
      await run(snooze, { id, until: null })
    })
    await run(snooze, { id, until: new Date(Date.now() + 86_400_000).toISOString() })
    const shown = listAt(await run(inbox), 'inboxNotifications.nodes').map((each) => at(each, 'id'))
    const all = listAt(await run('{ notifications(first: 50) { nodes { id } } }'), 'notifications.nodes').map((each) => at(each, 'id'))
    expect({ inInbox: shown.includes(id), amongAll: all.includes(id) }).toEqual({ inInbox: false, amongAll: true })
  },
)

question(
  {
    number: 6,
    rules: ['limits/complexity-page-info'],
    question: "Does a connection's `pageInfo` add to the complexity once, or once per row?",
    emulator: 'once per row: at first 250, pageInfo with one field costs 275 points',
  },
  async () => {
    const { ask } = openWorkspace(environment)
    const cost = async (selection: string) =>
      Number((await ask(`query Cost($first: Int!) { issues(first: $first) { ${selection} } }`, { first: 250 })).headers.get('x-complexity'))
    const rows = await cost('nodes { id }')
    expect(rows).toBe(275)
    expect((await cost('nodes { id } pageInfo { hasNextPage }')) - rows).toBe(275)
  },
)

question(
  {
    number: 7,
    rules: ['initiatives/projects-of-subinitiatives'],
    question: "Do an initiative's `projects` include those of its sub-initiatives?",
    emulator: 'yes, unless includeSubInitiatives is false',
  },
  async (context) => {
    const { run } = openWorkspace(environment)
    const families = await run(
      '{ initiatives(first: 20) { nodes { id subInitiatives(first: 5) { nodes { projects(first: 5) { nodes { id } } } } } } }',
    )
    const family = listAt(families, 'initiatives.nodes')
      .map((each) => ({
        id: textAt(each, 'id'),
        below: listAt(each, 'subInitiatives.nodes').flatMap((sub) => listAt(sub, 'projects.nodes').map((project) => textAt(project, 'id'))),
      }))
      .find(({ below }) => below.length > 0)
    const { id, below } = needed(context, family, 'make an initiative with a sub-initiative that has a project.')
    const held = await run(
      `query Held($id: String!) { initiative(id: $id) {
        usual: projects(first: 50) { nodes { id } } own: projects(first: 50, includeSubInitiatives: false) { nodes { id } }
      } }`,
      { id },
    )
    const idsOf = (name: string) => listAt(held, `initiative.${name}.nodes`).map((project) => at(project, 'id'))
    expect(idsOf('usual')).toEqual(expect.arrayContaining(below))
    expect(idsOf('own').filter((each) => below.some((one) => one === each))).toEqual([])
  },
)

question(
  {
    number: 8,
    rules: ['pages/ties'],
    question: 'Do pages stay in order while their rows change?',
    emulator: 'a cursor is a position in the order: a changed row moves to the front, and no other row is missed or repeated',
  },
  async () => {
    const { issue, run, named } = openWorkspace(environment)
    for (const place of [1, 2, 3, 4, 5, 6]) await issue(`8-${place}`)
    const page = `query Page($first: Int!, $after: String, $name: String!) {
      issues(first: $first, after: $after, orderBy: updatedAt, filter: { title: { startsWith: $name } }) {
        nodes { id } pageInfo { endCursor hasNextPage }
      }
    }`
    const read = async (first: number, after: string | null) => {
      const found = await run(page, { first, after, name: named('8-') })
      const isMore = at(found, 'issues.pageInfo.hasNextPage') === true
      return {
        nodes: listAt(found, 'issues.nodes').map((each) => textAt(each, 'id')),
        end: isMore ? textAt(found, 'issues.pageInfo.endCursor') : null,
      }
    }
    const edit = (id: string | undefined) =>
      run('mutation Edit($id: String!) { issueUpdate(id: $id, input: { priority: 4 }) { success } }', { id })
    const [newest, fifth, fourth, third, second, oldest] = (await read(6, null)).nodes
    const first = await read(2, null)
    expect(first.nodes).toEqual([newest, fifth])
    // The row from which the cursor was made, and one that is still to come.
    await edit(fifth)
    await edit(third)
    const next = await read(2, first.end)
    expect(next.nodes).toEqual([fourth, second])
    expect(await read(2, next.end)).toEqual({ nodes: [oldest], end: null })
  },
)

question(
  {
    number: 9,
    rules: ['issues/identifier-in-mutations', 'issues/identifier-elsewhere'],
    question: 'Do `issueUpdate`, `issueArchive`, `issueSubscribe` and `attachmentCreate` accept an identifier instead of an id?',
    emulator: 'yes, all of them',
  },
  async () => {
    const { issue, ask, named } = openWorkspace(environment)
    const { identifier } = await issue('9')
    const does = async (mutation: string) => {
      const answered = await ask(`mutation { done: ${mutation} { success } }`)
      return at(answered.data, 'done.success') ?? refusalIn(answered).message
    }
    const attachment = `issueId: "${identifier}", url: "https://example.com/${named('9')}", title: "${named('9')}"`
    expect({
      issueUpdate: await does(`issueUpdate(id: "${identifier}", input: { priority: 4 })`),
      issueSubscribe: await does(`issueSubscribe(id: "${identifier}")`),
      attachmentCreate: await does(`attachmentCreate(input: { ${attachment} })`),
      issueArchive: await does(`issueArchive(id: "${identifier}")`),
    }).toEqual({ issueUpdate: true, issueSubscribe: true, attachmentCreate: true, issueArchive: true })
  },
)
