import { IssueRelationType, LinearClient, SLADayCountType } from '@linear/sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { linearEmulator } from '../../src/index.ts'
import { commonCalls } from './common-calls.ts'

async function open() {
  const emulator = linearEmulator({ seed: 'edge-cases', limits: { requests: 100_000, points: 1_000_000_000 } })
  onTestFinished(emulator.close)
  const { url } = await emulator.listen()
  const linear = new LinearClient({ apiKey: 'lin_api_emulator', apiUrl: `${url}/graphql` })
  const teams = (await linear.teams()).nodes
  const teamId = teams.find(({ key }) => key === 'ENG')?.id ?? ''
  return { linear, url, teamId }
}

type Opened = Awaited<ReturnType<typeof open>>

const url = 'https://example.com/spec'

/** The effect of each call, as seen by later calls. */
const calls: Readonly<Record<(typeof commonCalls)[number], (opened: Opened) => Promise<unknown>>> = {
  viewer: async ({ linear }) => (await linear.viewer).name,
  'viewer.assignedIssues': async ({ linear }) => (await (await linear.viewer).assignedIssues({ first: 2 })).nodes.length,
  organization: async ({ linear }) => (await linear.organization).urlKey,
  users: async ({ linear }) => (await linear.users({ filter: { name: { startsWith: 'Ada' } } })).nodes.map(({ name }) => name),
  user: async ({ linear }) => (await linear.user((await linear.viewer).id)).isMe,
  async updateUser({ linear }) {
    const { id } = await linear.viewer
    await linear.updateUser(id, { statusEmoji: ':palm_tree:', title: 'Lead' })
    const { title, statusEmoji } = await linear.user(id)
    return [title, statusEmoji]
  },
  teams: async ({ linear }) => (await linear.teams()).nodes.length,
  team: async ({ linear, teamId }) => (await linear.team(teamId)).name,
  'team.members': async ({ linear, teamId }) => (await (await linear.team(teamId)).members()).nodes.length,
  async createTeam({ linear }) {
    const team = await (await linear.createTeam({ name: 'Research', triageEnabled: true, autoArchivePeriod: 6 })).team
    const states = (await team?.states())?.nodes.map(({ name }) => name).sort()
    const issue = await (await linear.createIssue({ teamId: team?.id ?? '', title: 'First' })).issue
    return [team?.key, team?.autoArchivePeriod, states, issue?.identifier, (await issue?.state)?.name]
  },
  async updateTeam({ linear, teamId }) {
    await linear.updateTeam(teamId, { name: 'Engine', cyclesEnabled: false, autoClosePeriod: 3 })
    const { name, cyclesEnabled, autoClosePeriod } = await linear.team(teamId)
    return [name, cyclesEnabled, autoClosePeriod]
  },
  async createTeamMembership({ linear }) {
    const [user] = (await linear.users({ filter: { name: { startsWith: 'Ada' } } })).nodes
    const team = await (await linear.createTeam({ name: 'Research' })).team
    const membership = await (await linear.createTeamMembership({ userId: user?.id ?? '', teamId: team?.id ?? '' })).teamMembership
    const before = (await team?.members())?.nodes.length
    await linear.deleteTeamMembership(membership?.id ?? '')
    return [(await membership?.user)?.name.split(' ')[0], before, (await team?.members())?.nodes.length]
  },
  issues: async ({ linear }) =>
    (await linear.issues({ first: 3, filter: { priority: { eq: 1 } } })).nodes.every(({ priority }) => priority === 1),
  issue: async ({ linear }) => (await linear.issue('ENG-1')).identifier,
  async createIssue({ linear, teamId }) {
    const issue = await (await linear.createIssue({ teamId, title: 'New', slaType: SLADayCountType.All })).issue
    return [issue?.identifier, (await linear.issue(issue?.id ?? '')).slaType]
  },
  updateIssue: async ({ linear }) => (await (await linear.updateIssue('ENG-1', { title: 'Changed' })).issue)?.title,
  archiveIssue: async ({ linear }) => (await (await linear.archiveIssue('ENG-1')).entity)?.archivedAt instanceof Date,
  async deleteIssue({ linear }) {
    await linear.deleteIssue('ENG-1')
    await linear.unarchiveIssue('ENG-1')
    return [(await linear.issue('ENG-1')).archivedAt, (await linear.issue('ENG-1')).trashed]
  },
  async createIssueBatch({ linear, teamId }) {
    const { issues } = await linear.createIssueBatch({
      issues: [
        { teamId, title: 'One' },
        { teamId, title: 'Two' },
      ],
    })
    return issues.map(({ identifier, title }) => [identifier, title])
  },
  async updateIssueBatch({ linear }) {
    const ids = (await linear.issues({ first: 2 })).nodes.map(({ id }) => id)
    return (await linear.updateIssueBatch(ids, { priority: 4 })).issues.map(({ priority }) => priority)
  },
  async issueAddLabel({ linear, teamId }) {
    const label = await (await linear.createIssueLabel({ name: 'Blocked', teamId })).issueLabel
    const has = async () => (await (await linear.issue('ENG-2')).labels()).nodes.some(({ name }) => name === 'Blocked')
    await linear.issueAddLabel('ENG-2', label?.id ?? '')
    const added = await has()
    await linear.issueRemoveLabel('ENG-2', label?.id ?? '')
    return [added, await has()]
  },
  async issueSubscribe({ linear }) {
    await linear.issueSubscribe('ENG-2')
    return (await (await linear.issue('ENG-2')).subscribers()).nodes.some(({ isMe }) => isMe)
  },
  async 'issue.history'({ linear }) {
    await linear.updateIssue('ENG-1', { title: 'Renamed', priority: 4 })
    const [latest] = (await (await linear.issue('ENG-1')).history({ first: 1 })).nodes
    return [latest?.toTitle, latest?.toPriority, (await latest?.actor)?.name]
  },
  async searchIssues({ linear, teamId }) {
    await linear.createIssue({ teamId, title: 'Quokka in the login form' })
    const { nodes, totalCount } = await linear.searchIssues('quokka')
    return [nodes.map(({ title }) => title), totalCount]
  },
  async createIssueRelation({ linear }) {
    const [from, to] = [await linear.issue('ENG-7'), await linear.issue('ENG-8')]
    const relation = await (
      await linear.createIssueRelation({ issueId: from.id, relatedIssueId: to.id, type: IssueRelationType.Blocks })
    ).issueRelation
    await linear.updateIssueRelation(relation?.id ?? '', { type: 'related' })
    const types = (await from.relations()).nodes.map(({ type }) => type)
    await linear.deleteIssueRelation(relation?.id ?? '')
    return [types, (await from.relations()).nodes.length]
  },
  issueLabels: async ({ linear }) => (await linear.issueLabels({ filter: { name: { eq: 'Bug' } } })).nodes.length,
  async createIssueLabel({ linear, teamId }) {
    const label = await (await linear.createIssueLabel({ name: 'Later', color: '#ff0000', teamId })).issueLabel
    await linear.updateIssueLabel(label?.id ?? '', { description: 'Not now' })
    const found = await linear.issueLabel(label?.id ?? '')
    await linear.deleteIssueLabel(found.id)
    return [found.name, found.color, found.description, (await linear.issueLabels({ filter: { name: { eq: 'Later' } } })).nodes.length]
  },
  workflowStates: async ({ linear }) => (await linear.workflowStates({ filter: { type: { eq: 'triage' } } })).nodes.length,
  async createWorkflowState({ linear, teamId }) {
    const state = await (await linear.createWorkflowState({ teamId, name: 'QA', type: 'started', color: '#00ff00' })).workflowState
    await linear.updateIssue('ENG-1', { stateId: state?.id ?? '' })
    const refused = await linear.archiveWorkflowState(state?.id ?? '').catch(() => 'refused')
    return [(await (await linear.issue('ENG-1')).state)?.name, refused]
  },
  cycles: async ({ linear }) => (await linear.cycles({ filter: { isActive: { eq: true } } })).nodes.length,
  async createCycle({ linear, teamId }) {
    const [startsAt, endsAt] = [new Date('2099-01-01'), new Date('2099-01-15')]
    const cycle = await (await linear.createCycle({ teamId, startsAt, endsAt, name: 'Far' })).cycle
    const overlapping = await linear.createCycle({ teamId, startsAt, endsAt }).catch(() => 'refused')
    await linear.updateCycle(cycle?.id ?? '', { name: 'Farther' })
    return [(await linear.cycle(cycle?.id ?? '')).name, overlapping]
  },
  comments: async ({ linear }) => (await linear.comments({ first: 5 })).nodes.length,
  async createComment({ linear }) {
    const comment = await (await linear.createComment({ issueId: 'ENG-2', body: 'Done?' })).comment
    await linear.commentResolve(comment?.id ?? '')
    const resolved = (await linear.comment({ id: comment?.id ?? '' })).resolvedAt instanceof Date
    await linear.commentUnresolve(comment?.id ?? '')
    return [resolved, (await linear.comment({ id: comment?.id ?? '' })).resolvedAt]
  },
  async deleteComment({ linear }) {
    const comment = await (await linear.createComment({ issueId: 'ENG-2', body: 'Oops' })).comment
    await linear.deleteComment(comment?.id ?? '')
    return linear.comment({ id: comment?.id ?? '' }).catch(() => 'gone')
  },
  async createReaction({ linear }) {
    const comment = await (await linear.createComment({ issueId: 'ENG-2', body: 'Done' })).comment
    const { reaction } = await linear.createReaction({ commentId: comment?.id ?? '', emoji: 'tada' })
    const seen = (await linear.comment({ id: comment?.id ?? '' })).reactions.map(({ emoji }) => emoji)
    await linear.deleteReaction(reaction.id)
    return [seen, (await linear.comment({ id: comment?.id ?? '' })).reactions.length]
  },
  async createAttachment({ linear }) {
    const attachment = await (await linear.createAttachment({ issueId: 'ENG-2', title: 'Spec', url })).attachment
    await linear.updateAttachment(attachment?.id ?? '', { title: 'Spec 2' })
    return (await linear.attachment(attachment?.id ?? '')).title
  },
  async attachmentsForURL({ linear }) {
    await linear.attachmentLinkURL('ENG-2', url, { title: 'Spec' })
    return (await linear.attachmentsForURL(url)).nodes.map(({ title }) => title)
  },
  async fileUpload({ linear }) {
    const bytes = new TextEncoder().encode('hello')
    const { uploadFile } = await linear.fileUpload('text/plain', 'hello.txt', bytes.length)
    const headers = Object.fromEntries((uploadFile?.headers ?? []).map(({ key, value }) => [key, value]))
    const put = await fetch(uploadFile?.uploadUrl ?? '', {
      method: 'PUT',
      body: bytes,
      headers: { 'content-type': 'text/plain', ...headers },
    })
    const [open, authorized] = [
      await fetch(uploadFile?.assetUrl ?? ''),
      await fetch(uploadFile?.assetUrl ?? '', { headers: { authorization: 'lin_api_emulator' } }),
    ]
    return [put.status, open.status, authorized.headers.get('content-type'), await authorized.text()]
  },
  projects: async ({ linear }) => (await linear.projects({ filter: { name: { eq: 'Apollo' } } })).nodes.length,
  async createProject({ linear, teamId }) {
    const project = await (await linear.createProject({ name: 'Zephyr', teamIds: [teamId] })).project
    const label = await (await linear.createProjectLabel({ name: 'Platform' })).projectLabel
    await linear.projectAddLabel(project?.id ?? '', label?.id ?? '')
    return (await (await linear.project(project?.id ?? '')).labels()).nodes.map(({ name }) => name)
  },
  async createProjectMilestone({ linear }) {
    const [project] = (await linear.projects({ filter: { name: { eq: 'Apollo' } } })).nodes
    const made = await (
      await linear.createProjectMilestone({ projectId: project?.id ?? '', name: 'GA', targetDate: '2099-01-01' })
    ).projectMilestone
    await linear.updateProjectMilestone(made?.id ?? '', { name: 'General availability' })
    const names = (await project?.projectMilestones())?.nodes.map(({ name }) => name)
    await linear.deleteProjectMilestone(made?.id ?? '')
    return [names?.includes('General availability'), (await project?.projectMilestones())?.nodes.length]
  },
  async createProjectUpdate({ linear }) {
    const [project] = (await linear.projects({ filter: { name: { eq: 'Apollo' } } })).nodes
    const made = await (await linear.createProjectUpdate({ projectId: project?.id ?? '', body: 'Fine' })).projectUpdate
    await linear.updateProjectUpdate(made?.id ?? '', { body: 'Very fine' })
    return (await linear.projectUpdate(made?.id ?? '')).body
  },
  documents: async ({ linear }) => (await linear.documents()).nodes.length,
  async createDocument({ linear }) {
    const [project] = (await linear.projects({ filter: { name: { eq: 'Apollo' } } })).nodes
    const document = await (await linear.createDocument({ title: 'Plan', content: '# Plan', projectId: project?.id ?? '' })).document
    await linear.updateDocument(document?.id ?? '', { content: '# New plan' })
    const found = await linear.document(document?.slugId ?? '')
    await linear.deleteDocument(found.id)
    return [found.content, (await found.project)?.name, (await linear.documents()).nodes.length]
  },
  async createInitiative({ linear }) {
    const initiative = await (await linear.createInitiative({ name: 'Expansion' })).initiative
    const update = await (await linear.createInitiativeUpdate({ initiativeId: initiative?.id ?? '', body: 'Begun' })).initiativeUpdate
    const seen = (await update?.initiative)?.name
    await linear.deleteInitiative(initiative?.id ?? '')
    return [seen, (await linear.initiatives({ filter: { name: { eq: 'Expansion' } } })).nodes.length]
  },
  async notifications({ linear }) {
    const [first] = (await linear.notifications({ first: 1 })).nodes
    await linear.archiveNotification(first?.id ?? '')
    return (await linear.notifications()).nodes.some(({ id }) => id === first?.id)
  },
  async createCustomerNeed({ linear }) {
    const customer = await (await linear.createCustomer({ name: 'Acme', domains: ['acme.example'] })).customer
    const issue = await linear.issue('ENG-2')
    await linear.createCustomerNeed({ customerId: customer?.id ?? '', issueId: issue.id, body: 'Wants it', priority: 1 })
    const [need] = (await issue.needs()).nodes
    return [need?.body, (await need?.customer)?.domains, (await linear.customer(customer?.id ?? '')).approximateNeedCount]
  },
  async createWebhook({ linear, teamId }) {
    const { webhook } = await linear.createWebhook({ url: 'http://127.0.0.1:9/hook', resourceTypes: ['Issue'], teamId })
    const made = await webhook
    await linear.updateWebhook(made?.id ?? '', { enabled: false })
    const found = (await linear.webhooks()).nodes.map(({ enabled, resourceTypes }) => [enabled, resourceTypes])
    await linear.deleteWebhook(made?.id ?? '')
    return [found, (await linear.webhooks()).nodes.length]
  },
}

const results: Readonly<Record<(typeof commonCalls)[number], unknown>> = {
  viewer: 'Robin Vance',
  'viewer.assignedIssues': 2,
  organization: 'lodestar',
  users: ['Ada Okonkwo', 'Ada Okafor'],
  user: true,
  updateUser: ['Lead', ':palm_tree:'],
  teams: 3,
  team: 'Engineering',
  'team.members': 6,
  createTeam: ['RES', 6, ['Backlog', 'Canceled', 'Done', 'Duplicate', 'In Progress', 'In Review', 'Todo', 'Triage'], 'RES-1', 'Backlog'],
  updateTeam: ['Engine', false, 3],
  createTeamMembership: ['Ada', 2, 1],
  issues: true,
  issue: 'ENG-1',
  createIssue: ['ENG-31', 'all'],
  updateIssue: 'Changed',
  archiveIssue: true,
  deleteIssue: [undefined, undefined],
  createIssueBatch: [
    ['ENG-31', 'One'],
    ['ENG-32', 'Two'],
  ],
  updateIssueBatch: [4, 4],
  issueAddLabel: [true, false],
  issueSubscribe: true,
  'issue.history': ['Renamed', 4, 'Robin Vance'],
  searchIssues: [['Quokka in the login form'], 1],
  createIssueRelation: [['related'], 0],
  issueLabels: 1,
  createIssueLabel: ['Later', '#ff0000', 'Not now', 0],
  workflowStates: 1,
  createWorkflowState: ['QA', 'refused'],
  cycles: 2,
  createCycle: ['Farther', 'refused'],
  comments: 5,
  createComment: [true, undefined],
  deleteComment: 'gone',
  createReaction: [['tada'], 0],
  createAttachment: 'Spec 2',
  attachmentsForURL: ['Spec'],
  fileUpload: [200, 401, 'text/plain', 'hello'],
  projects: 1,
  createProject: ['Platform'],
  createProjectMilestone: [true, 3],
  createProjectUpdate: 'Very fine',
  documents: 0,
  createDocument: ['# New plan', 'Apollo', 0],
  createInitiative: ['Expansion', 0],
  notifications: false,
  createCustomerNeed: ['Wants it', ['acme.example'], 1],
  createWebhook: [[[false, ['Issue']]], 0],
}

describe('a common call of the official client', () => {
  it('is listed once', () => {
    expect(commonCalls.filter((name, index) => commonCalls.indexOf(name) !== index)).toEqual([])
  })

  it.for(commonCalls)('%s behaves', async (name) => {
    expect(await calls[name](await open())).toEqual(results[name])
  })
})
