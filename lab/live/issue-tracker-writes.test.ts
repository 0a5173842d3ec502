import { expect } from 'vitest'
import { at, listAt, textAt } from './json.ts'
import { badArgument, documents, missingKey, needed, newId, openWorkspace, refusalIn, type Variables } from './linear.ts'
import { questionnaire } from './questions.ts'

const environment = process.env
const question = questionnaire({ server: 'issue-tracker', environment, missing: missingKey(environment) })

question(
  {
    number: 10,
    rules: ['ids/conflict'],
    question: 'Does reusing an id fail with "conflict on insert" for every kind of record?',
    emulator: 'yes: 200, data null, "conflict on insert of TYPE", INPUT_ERROR',
  },
  async () => {
    const { ask, issue, project, initiative, team, named } = openWorkspace(environment)
    const [id, teamId] = [newId(), await team()]
    const [issueId, projectId, initiativeId] = [newId(), newId(), newId()]
    const relatedIssueId = (await issue('10-related')).id
    await issue('10', { id: issueId })
    await project('10', { id: projectId })
    await initiative('10', { id: initiativeId })
    const again = async (document: string, input: Variables) => refusalIn(await ask(document, { input }))
    const twice = async (document: string, input: Variables) => {
      expect((await ask(document, { input })).errors).toEqual([])
      return again(document, input)
    }
    const conflict = (type: string) => ({ status: 200, data: null, message: `conflict on insert of ${type}`, code: 'INPUT_ERROR' })
    expect({
      issue: await again(documents.issue, { id: issueId, teamId, title: named('10') }),
      comment: await twice(documents.comment, { id, issueId, body: named('10') }),
      project: await again(documents.project, { id: projectId, teamIds: [teamId], name: named('10') }),
      update: await twice(documents.update, { id, projectId, body: named('10'), health: 'onTrack' }),
      initiative: await again(documents.initiative, { id: initiativeId, name: named('10') }),
      relation: await twice(documents.relation, { id, issueId, relatedIssueId, type: 'related' }),
    }).toEqual({
      issue: conflict('Issue'),
      comment: conflict('Comment'),
      project: conflict('Project'),
      update: conflict('ProjectUpdate'),
      initiative: conflict('Initiative'),
      relation: conflict('IssueRelation'),
    })
  },
)

/** Issues with exactly this title. */
const titled = 'query Titled($title: String!) { issues(filter: { title: { eq: $title } }) { nodes { title } } }'

question(
  {
    number: 11,
    rules: ['graphql/several-mutations'],
    question: 'If the second of two mutations in a request fails, does the first take effect?',
    emulator: 'yes, although data is null',
  },
  async () => {
    const { ask, issue, run, named } = openWorkspace(environment)
    const { id: issueId } = await issue('11')
    const title = named('11-renamed')
    const both = `mutation Both($id: String!, $title: String!, $input: AttachmentCreateInput!) {
      issueUpdate(id: $id, input: { title: $title }) { success }
      attachmentCreate(input: $input) { success }
    }`
    const input = { issueId, url: 'https://example.com/', title: '' }
    expect(refusalIn(await ask(both, { id: issueId, title, input }))).toEqual(badArgument)
    expect(await run(titled, { title })).toEqual({ issues: { nodes: [{ title }] } })
  },
)

question(
  {
    number: 12,
    rules: ['attachments/same-url'],
    question: 'If a URL is already attached, does `attachmentCreate` update that attachment or add another?',
    emulator: 'it changes it: the attachment keeps its id and gets the last title',
  },
  async () => {
    const { issue, run, named } = openWorkspace(environment)
    const { id: issueId } = await issue('12')
    const url = `https://example.com/${named('12')}`
    const attach = async (title: string) =>
      textAt(await run(documents.attachment, { input: { issueId, url, title } }), 'attachmentCreate.attachment.id')
    const id = await attach('First')
    expect((await attach('Second')) === id).toBe(true)
    const found = await run('query Attached($id: String!) { issue(id: $id) { attachments { nodes { title } } } }', { id: issueId })
    expect(listAt(found, 'issue.attachments.nodes')).toEqual([{ title: 'Second' }])
  },
)

question(
  {
    number: 13,
    rules: ['relations/created-twice', 'initiatives/project-link-twice'],
    question: "What happens if a relation, or a project's link to an initiative, already exists?",
    emulator: 'a second relation is made; a second link is a bad argument',
  },
  async () => {
    const { ask, issue, project, initiative, run } = openWorkspace(environment)
    const [issueId, relatedIssueId] = [(await issue('13')).id, (await issue('13-related')).id]
    const [projectId, initiativeId] = [await project('13'), await initiative('13')]
    await run(documents.relation, { input: { issueId, relatedIssueId, type: 'related' } })
    await run(documents.link, { input: { projectId, initiativeId } })
    const relation = await ask(documents.relation, { input: { issueId, relatedIssueId, type: 'related' } })
    const link = await ask(documents.link, { input: { projectId, initiativeId } })
    const related = await run('query Related($id: String!) { issue(id: $id) { relations { nodes { type } } } }', { id: issueId })
    expect({
      relation: refusalIn(relation).message,
      related: listAt(related, 'issue.relations.nodes').length,
      link: refusalIn(link),
    }).toEqual({
      relation: undefined,
      related: 2,
      link: badArgument,
    })
  },
)

question(
  { number: 14, rules: ['comments/reply-depth'], question: 'Is a reply to a reply refused?', emulator: 'yes: as a bad argument' },
  async () => {
    const { ask, issue, run } = openWorkspace(environment)
    const { id: issueId } = await issue('14')
    const comment = async (parentId: string | null) =>
      textAt(await run(documents.comment, { input: { issueId, parentId, body: 'A test.' } }), 'commentCreate.comment.id')
    const parentId = await comment(await comment(null))
    expect(refusalIn(await ask(documents.comment, { input: { issueId, parentId, body: 'A test.' } }))).toEqual(badArgument)
  },
)

question(
  {
    number: 15,
    rules: ['issues/archive-twice'],
    question: 'What does archiving an archived issue return?',
    emulator: 'it succeeds, and the first moment of archiving stays',
  },
  async () => {
    const { issue, project, initiative, run } = openWorkspace(environment)
    const archive = async (mutation: string, id: string) => {
      const document = `mutation Archive($id: String!) { ${mutation}(id: $id) { success entity { archivedAt } } }`
      const first = textAt(await run(document, { id }), `${mutation}.entity.archivedAt`)
      const again = at(await run(document, { id }), mutation)
      return { success: at(again, 'success'), isUnmoved: at(again, 'entity.archivedAt') === first }
    }
    const unchanged = { success: true, isUnmoved: true }
    expect({
      issue: await archive('issueArchive', (await issue('15')).id),
      project: await archive('projectArchive', await project('15')),
      initiative: await archive('initiativeArchive', await initiative('15')),
    }).toEqual({ issue: unchanged, project: unchanged, initiative: unchanged })
  },
)

question(
  {
    number: 16,
    rules: ['projects/update-health'],
    question: 'What is the default health of a project update?',
    emulator: 'that of the project, and onTrack where the project has none',
  },
  async () => {
    const { project, run } = openWorkspace(environment)
    const projectId = await project('16')
    const post = async (health: object = {}) =>
      at(await run(documents.update, { input: { projectId, body: 'A test.', ...health } }), 'projectUpdateCreate.projectUpdate.health')
    const first = await post()
    await post({ health: 'atRisk' })
    expect({ withoutHealth: first, withHealth: await post() }).toEqual({ withoutHealth: 'onTrack', withHealth: 'atRisk' })
  },
)

question(
  {
    number: 17,
    rules: ['issues/estimate-scale'],
    question: "Are estimates that are not on the team's scale refused?",
    emulator: 'yes: as a bad argument',
  },
  async (context) => {
    const { ask, team, run, issue } = openWorkspace(environment)
    const teamId = await team()
    const scale = at(
      await run('query Scale($id: String!) { team(id: $id) { issueEstimationType } }', { id: teamId }),
      'team.issueEstimationType',
    )
    needed(context, scale === 'fibonacci' ? scale : undefined, 'let the team in LIVE_TEAM estimate in Fibonacci numbers.')
    const { id } = await issue('17')
    const estimate = 'mutation Estimate($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }'
    expect((await ask(estimate, { id, input: { estimate: 5 } })).errors).toEqual([])
    expect(refusalIn(await ask(estimate, { id, input: { estimate: 4 } }))).toEqual(badArgument)
  },
)

question(
  {
    number: 18,
    rules: ['labels/unique'],
    question: 'Can a team label have the same name as a workspace label?',
    emulator: 'yes, and an issue can have both',
  },
  async (context) => {
    const { issue, run, team } = openWorkspace(environment)
    const found = await run(
      `query Labels($team: String!) {
        team(id: $team) { labels(first: 100, filter: { isGroup: { eq: false } }) { nodes { id name } } }
        organization { labels(first: 100, filter: { isGroup: { eq: false } }) { nodes { id name } } }
      }`,
      { team: await team() },
    )
    const called = (label: unknown) => textAt(label, 'name').toLowerCase()
    const pair = listAt(found, 'organization.labels.nodes')
      .flatMap((label) => listAt(found, 'team.labels.nodes').map((own) => [label, own]))
      .find(([label, own]) => called(label) === called(own))
    const prepare =
      'make a label of the team in LIVE_TEAM that is called as one of the workspace. If Linear lets you not, that is the answer.'
    const labelIds = needed(context, pair, prepare).map((label) => textAt(label, 'id'))
    const { id } = await issue('18', { labelIds })
    const labels = await run('query Labels($id: String!) { issue(id: $id) { labels { nodes { id } } } }', { id })
    expect(listAt(labels, 'issue.labels.nodes').map((each) => at(each, 'id'))).toEqual(expect.arrayContaining(labelIds))
  },
)
