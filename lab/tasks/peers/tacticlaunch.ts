// @tacticlaunch/mcp-linear. Searches do not print identifiers, but an issue's URL contains its own.
import { member } from '../../../packages/core/src/base/json.ts'
import { bugs } from '../tasks/linear-many.ts'
import { rows } from '../tools.ts'
import { idOf, objectsIn, type PeerCall, type PeerSolutions } from './peer.ts'

const issuesIn = (value: unknown) => objectsIn(value).filter((row) => typeof row['title'] === 'string' && 'priority' in row)
const numberOf = (issue: object) => /\b[A-Z]{3}-\d+\b/.exec(String(member(issue, 'url')))?.[0] ?? ''
const stateOf = (issue: object, name = 'type') => String(member(member(issue, 'state'), name))
const isOpen = (issue: object) => !/completed|canceled|duplicate/.test(stateOf(issue))
const hasLabel = (issue: object, name: string) => JSON.stringify(member(issue, 'labels')).includes(name)

const teamId = async (call: PeerCall, name: string) => idOf(await call('linear_getTeams'), name)
const person = async (call: PeerCall, name: string) => idOf(await call('linear_getUsers'), name)
const stateId = async (call: PeerCall, team: string, name: string) => idOf(await call('linear_getWorkflowStates', { teamId: team }), name)
/** The id of the label, from an issue that has it: the official client refuses the list of labels, which does not match its own schema. */
const bugLabel = async (call: PeerCall) =>
  objectsIn(await call('linear_searchIssues', { query: 'Battery drains' })).find(({ name }) => name === 'Bug')?.['id']

export const tacticlaunch: PeerSolutions = {
  async 'linear-give'(call) {
    await call('linear_assignIssue', { issueId: 'ENG-34', assigneeId: await person(call, 'Yara Costa') })
    return 'Done.'
  },
  async 'linear-finish'(call) {
    const state = await stateId(call, await teamId(call, 'Engineering'), 'Done')
    await call('linear_updateIssue', { id: 'ENG-18', stateId: state })
    return 'Done.'
  },
  async 'linear-file-bug'(call) {
    const team = await teamId(call, 'Engineering')
    const labelIds = [await bugLabel(call)]
    await call('linear_createIssue', { teamId: team, title: 'The compass turns after a call', priority: 2, labelIds })
    return 'Done.'
  },
  async 'linear-decision'(call) {
    const comments = objectsIn(await call('linear_getComments', { issueId: 'ENG-9' }))
    return String(comments.find(({ body }) => String(body).includes('Decided'))?.['body'])
  },
  async 'linear-follow'(call) {
    await call('linear_subscribeToIssue', { issueId: 'OPS-11' })
    return 'Done.'
  },
  async 'linear-blocks'(call) {
    const issueId = idOf(await call('linear_searchIssues', { query: 'Runbook' }), 'Runbook')
    await call('linear_createIssueRelation', { issueId, relatedIssueId: 'OPS-9', type: 'blocks' })
    return 'Done.'
  },
  async 'linear-move'(call) {
    await call('linear_transferIssue', { issueId: 'OPS-12', teamId: await teamId(call, 'Engineering') })
    await call('linear_assignIssue', { issueId: 'OPS-12', assigneeId: await person(call, 'Sam Idowu') })
    return 'Done.'
  },
  async 'linear-duplicate'(call) {
    const issueId = idOf(await call('linear_searchIssues', { query: 'verified' }), 'Crash')
    await call('linear_createComment', { issueId, body: 'Seen on a Pixel 6, too.' })
    return 'Done.'
  },
  async 'linear-reply'(call) {
    const issueId = idOf(await call('linear_searchIssues', { query: 'privacy' }), 'privacy')
    const parentId = idOf(await call('linear_getComments', { issueId }), 'Our lawyer')
    await call('linear_createComment', { issueId, parentId, body: 'The sentence about the 30 days is in.' })
    return 'Done.'
  },
  async 'linear-two-adas'(call) {
    const people = objectsIn(await call('linear_getUsers')).map(({ name }) => String(name))
    return `Which one: ${people.filter((name) => name.startsWith('Ada')).join(' or ')}?`
  },
  async 'linear-lost-answer'(call) {
    const title = 'The alert of the load test went to the wrong phone'
    await call('linear_createIssue', { teamId: await teamId(call, 'Operations'), title })
    return 'Done.'
  },
  async 'linear-triage'(call) {
    const team = await teamId(call, 'Operations')
    const people = await call('linear_getUsers')
    const todo = await stateId(call, team, 'Todo')
    const issues = issuesIn(await call('linear_searchIssues', { teamId: team, states: ['Triage'], limit: 50 }))
    for (const issue of issues) {
      const isBackup = String(issue['title']).includes('backup')
      const change = isBackup ? { assigneeId: idOf(people, 'Tomás'), priority: 1 } : { assigneeId: idOf(people, 'Ada Okonkwo') }
      await call('linear_updateIssue', { id: issue['id'], stateId: todo, ...change })
    }
    return 'Done.'
  },
  async 'linear-hand-over'(call) {
    const people = await call('linear_getUsers')
    const issues = issuesIn(await call('linear_searchIssues', { assigneeId: idOf(people, 'Yara Costa'), limit: 50 }))
    for (const { id } of issues.filter(isOpen)) await call('linear_assignIssue', { issueId: id, assigneeId: idOf(people, 'Ada Okafor') })
    return 'Done.'
  },
  async 'linear-report'(call) {
    const projectId = idOf(await call('linear_getProjects'), 'Trails launch')
    const issues = issuesIn(await call('linear_searchIssues', { projectId, limit: 100 }))
    const blocking = issues.filter((issue) => isOpen(issue) && hasLabel(issue, 'Launch blocker'))
    const body = blocking.map((issue) => `- ${numberOf(issue)} ${String(issue['title'])}`).join('\n')
    await call('linear_createProjectUpdate', { projectId, health: 'atRisk', body })
    return 'Done.'
  },
  async 'linear-ten-bugs'(call) {
    const team = await teamId(call, 'Engineering')
    const labelIds = [await bugLabel(call)]
    for (const title of bugs) {
      const found = issuesIn(await call('linear_searchIssues', { query: title }))
      if (found.every((issue) => issue['title'] !== title)) await call('linear_createIssue', { teamId: team, title, labelIds })
    }
    return 'Done.'
  },
  async 'linear-milestone'(call) {
    const projectId = idOf(await call('linear_getProjects'), 'Trails launch')
    const made = await call('linear_createMilestone', { projectId, name: 'After launch', targetDate: '2027-01-29' })
    const issues = issuesIn(await call('linear_searchIssues', { projectId, limit: 100 }))
    const inLaunch = issues.filter((issue) => member(issue['projectMilestone'], 'name') === 'Launch')
    const waiting = inLaunch.filter((issue) => ['Todo', 'Backlog'].includes(stateOf(issue, 'name')))
    for (const { id } of waiting) await call('linear_updateIssue', { id, projectMilestoneId: idOf(made, 'After launch') })
    return 'Done.'
  },
  async 'linear-document'(call) {
    const found = await call('linear_searchDocuments', { term: 'launch day' })
    const id = idOf(found, 'checklist')
    const content = String(objectsIn(found).find((row) => row['id'] === id)?.['content'])
    await call('linear_updateDocument', { id, content: `${content}\n\n3 steps in all.` })
    return 'Done.'
  },
  async 'linear-stale'(call) {
    const team = await teamId(call, 'Engineering')
    const canceled = await stateId(call, team, 'Canceled')
    const before = new Date(Date.now() - 21 * 86_400_000).toISOString()
    const issues = issuesIn(await call('linear_searchIssues', { teamId: team, states: ['Backlog'], limit: 50 }))
    const stale = issues.filter((issue) => issue['priority'] === 4 && !issue['assignee'] && String(issue['updatedAt']) < before)
    for (const issue of stale)
      if (!hasLabel(issue, 'Customer request')) await call('linear_updateIssue', { id: issue['id'], stateId: canceled })
    return 'Done.'
  },
  async 'linear-hundred'(call) {
    const team = await teamId(call, 'Engineering')
    const canceled = await stateId(call, team, 'Canceled')
    const found = await call('linear_searchIssues', { teamId: team, query: 'of many', limit: 200 })
    const many = rows(issuesIn(found)).filter(({ title }) => /^Issue \d+ of many$/.test(String(title)))
    for (const { id } of many) await call('linear_updateIssue', { id, stateId: canceled })
    return 'Done.'
  },
}
