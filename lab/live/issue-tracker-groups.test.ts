import { expect } from 'vitest'
import { at, listAt, textAt } from './json.ts'
import { missingKey, needed, newId, openWorkspace, refusalIn, teamOf } from './linear.ts'
import { questionnaire } from './questions.ts'

/** Assumptions made by the tools beyond the default ones. */

const environment = process.env
const question = questionnaire({ server: 'issue-tracker', environment, missing: missingKey(environment) })

const update = `mutation Update($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { issue { assignee { id } delegate { id } labels { nodes { id } } state { name type } } }
}`

question(
  {
    number: 19,
    rules: ['issues/app-as-assignee', 'issues/delegate-is-app'],
    question: 'Does passing an app as `assigneeId` make it the delegate?',
    emulator: 'yes, and the assignee stays; a person as delegateId is a bad argument',
  },
  async (context) => {
    const { ask, run, issue, team } = openWorkspace(environment)
    const found = await run(
      `query People($team: String!) {
        viewer { id }
        team(id: $team) { members(filter: { app: { eq: true }, active: { eq: true } }) { nodes { id } } }
      }`,
      { team: await team() },
    )
    const app = textAt(needed(context, listAt(found, 'team.members.nodes')[0], 'install an app in the team in LIVE_TEAM.'), 'id')
    const me = textAt(found, 'viewer.id')
    const { id } = await issue('19', { assigneeId: me })
    const changed = await run(update, { id, input: { assigneeId: app } })
    expect(at(changed, 'issueUpdate.issue')).toMatchObject({ assignee: { id: me }, delegate: { id: app } })
    expect(refusalIn(await ask(update, { id, input: { delegateId: me } })).code).toBe('INVALID_INPUT')
  },
)

question(
  {
    number: 20,
    rules: ['issues/one-label-per-group'],
    question: 'Are two labels from the same group refused?',
    emulator: 'yes, also when the issue has the first',
  },
  async (context) => {
    const { ask, run, issue } = openWorkspace(environment)
    const found = await run(
      'query Groups { issueLabels(first: 50, filter: { isGroup: { eq: true }, team: { null: true } }) { nodes { children { nodes { id } } } } }',
    )
    const children = listAt(found, 'issueLabels.nodes').map((group) => listAt(group, 'children.nodes'))
    const pair = needed(
      context,
      children.find((each) => each.length > 1),
      'make a group of two labels for all teams.',
    )
    const [one, other] = pair.map((label) => textAt(label, 'id'))
    const { id } = await issue('20', { labelIds: [one] })
    const answer = await ask(update, { id, input: { addedLabelIds: [other] } })
    expect([answer.data, answer.errors.length]).toEqual([null, 1])
  },
)

question(
  {
    number: 21,
    rules: ['issues/batch'],
    question: 'Does one invalid issue make a whole batch fail?',
    emulator: 'yes: 200, data null and one error, and none is created',
  },
  async () => {
    const { ask, run, team, named } = openWorkspace(environment)
    const [teamId, title] = [await team(), named('21')]
    const issues = [
      { id: newId(), teamId, title },
      { teamId, title: '' },
    ]
    const document = 'mutation Batch($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { issues { id } } }'
    const { data, errors } = await ask(document, { input: { issues } })
    expect([data, errors.length]).toEqual([null, 1])
    const found = await run('query Titled($title: String!) { issues(filter: { title: { eq: $title } }) { nodes { id } } }', { title })
    expect(listAt(found, 'issues.nodes')).toEqual([])
  },
)

question(
  {
    number: 22,
    rules: ['issues/move-state', 'issues/move-labels'],
    question: 'What does an issue lose when it moves to another team?',
    emulator: 'the labels of the former team; it gets a state of the same type',
  },
  async (context) => {
    const { run, issue, team } = openWorkspace(environment)
    const other = needed(context, environment['LIVE_OTHER_TEAM'], 'set LIVE_OTHER_TEAM to the key of a second team.')
    const found = await run(
      `query Labels($team: String!) {
        team(id: $team) { labels(first: 1, filter: { isGroup: { eq: false } }) { nodes { id } } states { nodes { id type } } }
      }`,
      { team: await team() },
    )
    const label = needed(context, listAt(found, 'team.labels.nodes')[0], 'make a label of the team in LIVE_TEAM.')
    const started = listAt(found, 'team.states.nodes').find((state) => at(state, 'type') === 'started')
    const { id } = await issue('22', { labelIds: [textAt(label, 'id')], stateId: textAt(started, 'id') })
    const moved = at(await run(update, { id, input: { teamId: await teamOf({ run }, other) } }), 'issueUpdate.issue')
    expect(moved).toMatchObject({ labels: { nodes: [] }, state: { type: 'started' } })
  },
)
