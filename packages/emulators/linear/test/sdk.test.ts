import { InvalidInputLinearError, LinearClient, LinearErrorType, PaginationOrderBy } from '@linear/sdk'
import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { linearEmulator } from '../src/index.ts'
import { openOAuthEmulator } from './oauth-emulator.ts'

async function client() {
  const emulator = linearEmulator({ seed: 'edge-cases', limits: { requests: 100_000 } })
  onTestFinished(emulator.close)
  const { url } = await emulator.listen()
  return { emulator, url, linear: new LinearClient({ apiKey: 'lin_api_emulator', apiUrl: `${url}/graphql` }) }
}

const names = (nodes: readonly { name: string }[]) => nodes.map(({ name }) => name).sort()

describe('the official client', () => {
  it('reads the viewer, the workspace and the teams', async () => {
    const { linear } = await client()
    const viewer = await linear.viewer
    expect([viewer.name, viewer.isMe, viewer.active]).toEqual(['Robin Vance', true, true])
    expect((await viewer.assignedIssues({ first: 3 })).nodes).toHaveLength(3)
    const organization = await linear.organization
    expect([organization.name, organization.userCount]).toEqual(['Lodestar', 8])
    const teams = await linear.teams()
    expect(names(teams.nodes)).toEqual(['Design', 'Engineering', 'Engineering Ops'])
    const team = await linear.team(teams.nodes.find(({ key }) => key === 'ENG')?.id ?? '')
    expect((await team.activeCycle)?.number).toBe(3)
    expect((await team.defaultIssueState)?.name).toBe('Backlog')
    expect(names((await team.members()).nodes)).toEqual([
      'Ada Okafor',
      'Beacon',
      'Mikael Lindström',
      'Priya Nair',
      'Robin Vance',
      'Tomás Herrera',
    ])
    expect((await team.states()).nodes).toHaveLength(7)
    expect(names((await team.labels()).nodes)).toEqual(['Performance', 'cleanup', 'qa', 'regression'])
    expect((await team.cycles()).nodes).toHaveLength(5)
    expect(names((await team.projects()).nodes)).toEqual(['Apollo', 'Apollo Mobile', 'Billing rewrite'])
  })

  it('reads issues with filters, page by page', async () => {
    const { linear } = await client()
    const page = await linear.issues({
      first: 4,
      orderBy: PaginationOrderBy.UpdatedAt,
      filter: { labels: { some: { name: { eqIgnoreCase: 'bug' } } }, team: { key: { eq: 'ENG' } } },
    })
    const first = page.nodes.map(({ identifier }) => identifier)
    expect(first).toHaveLength(4)
    while (page.pageInfo.hasNextPage) await page.fetchNext()
    const all = page.nodes.map(({ identifier }) => identifier)
    expect(all.slice(0, 4)).toEqual(first)
    expect([all.length, new Set(all).size]).toEqual([10, 10])
    expect(page.nodes.map(({ updatedAt }) => updatedAt.getTime())).toEqual(
      page.nodes.map(({ updatedAt }) => updatedAt.getTime()).sort((a, b) => b - a),
    )
  })

  it('reads one issue with everything that belongs to it', async () => {
    const { linear } = await client()
    const issue = await linear.issue('ENG-1')
    const { team, state, assignee, creator, project, projectMilestone, cycle } = issue
    expect([(await team)?.key, (await state)?.name, (await assignee)?.name, (await creator)?.name]).toEqual([
      'ENG',
      'In Progress',
      'Robin Vance',
      'Robin Vance',
    ])
    expect([(await project)?.name, (await projectMilestone)?.name, (await cycle)?.name]).toEqual(['Apollo', 'Beta', 'Polish'])
    expect(await issue.parent).toBeUndefined()
    expect((await (await linear.issue('ENG-5')).parent)?.identifier).toBe('ENG-4')
    expect(names((await issue.labels()).nodes)).toEqual(['Bug', 'Customer request', 'S2'])
    expect(names((await issue.subscribers()).nodes)).toEqual(['Ada Okafor', 'Mikael Lindström', 'Robin Vance'])
    expect((await issue.comments()).nodes).toHaveLength(4)
    expect((await issue.attachments()).nodes.map(({ title }) => title).sort()).toEqual(['PR #412: lodestar/web', 'Ticket 88'])
    const [relation] = (await issue.relations()).nodes
    expect([relation?.type, (await relation?.relatedIssue)?.identifier]).toEqual(['blocks', 'ENG-2'])
    const [inverse] = (await issue.inverseRelations()).nodes
    expect([inverse?.type, (await inverse?.issue)?.identifier]).toEqual(['duplicate', 'ENG-26'])
    expect((await (await linear.issue('ENG-4')).children()).nodes.map(({ identifier }) => identifier).sort()).toEqual(['ENG-5', 'ENG-6'])
  })

  it('reads labels, states, cycles, projects, initiatives and notifications', async () => {
    const { linear } = await client()
    const group = (await linear.issueLabels({ filter: { isGroup: { eq: true }, name: { eq: 'Type' } } })).nodes[0]
    expect(names((await group?.children())?.nodes ?? [])).toEqual(['Bug', 'Chore', 'Feature'])
    expect((await linear.workflowStates({ filter: { type: { eq: 'triage' } } })).nodes).toHaveLength(1)
    const cycles = await linear.cycles({ filter: { isActive: { eq: true } } })
    expect(cycles.nodes.map(({ number, isActive, isPast }) => [number, isActive, isPast])).toEqual([
      [3, true, false],
      [3, true, false],
    ])
    const project = (await linear.projects({ filter: { name: { eq: 'Apollo' } } })).nodes[0]
    expect((await project?.lead)?.name).toBe('Ada Okafor')
    expect((await project?.status)?.type).toBe('started')
    expect(names((await project?.projectMilestones())?.nodes ?? [])).toEqual(['Beta', 'Launch', 'Prototype'])
    expect((await project?.projectUpdates())?.nodes.map(({ health }) => health)).toEqual(['onTrack', 'onTrack'])
    const initiative = (await linear.initiatives({ filter: { status: { eq: 'Active' }, name: { contains: 'growth' } } })).nodes[0]
    expect(names((await initiative?.projects())?.nodes ?? [])).toEqual(['Apollo', 'Apollo Mobile'])
    const notifications = await linear.notifications()
    expect(notifications.nodes.map(({ type }) => type)).toContain('documentMention')
    expect(notifications.nodes).toHaveLength(10)
    expect((await linear.inboxNotifications({ unreadOnly: true })).nodes).toHaveLength(5)
  })
})

describe("the official client's mutations", () => {
  it('create, update and archive an issue', async () => {
    const { linear, emulator } = await client()
    const teamId = (await linear.teams({ filter: { key: { eq: 'ENG' } } })).nodes[0]?.id ?? ''
    const id = randomUUID()
    const created = await linear.createIssue({ id, teamId, title: 'From the client', priority: 2, estimate: 5 })
    expect([created.success, (await created.issue)?.identifier]).toEqual([true, 'ENG-31'])
    await expect(linear.createIssue({ id, teamId, title: 'Again' })).rejects.toBeInstanceOf(InvalidInputLinearError)
    const updated = await linear.updateIssue('ENG-31', { title: 'Changed', dueDate: '2027-01-31' })
    expect([(await updated.issue)?.title, (await updated.issue)?.dueDate]).toEqual(['Changed', '2027-01-31'])
    const archived = await linear.archiveIssue(id)
    expect((await archived.entity)?.archivedAt).toBeInstanceOf(Date)
    expect(emulator.store.mutations().map(({ field }) => field)).toEqual(['issueCreate', 'issueUpdate', 'issueArchive'])
  })

  it('create comments, attachments and projects', async () => {
    const { linear } = await client()
    const comment = await (await linear.createComment({ issueId: 'ENG-2', body: 'Hello' })).comment
    const reply = await (await linear.createComment({ issueId: 'ENG-2', parentId: comment?.id ?? '', body: 'Hello yourself' })).comment
    expect((await reply?.parent)?.body).toBe('Hello')
    const changed = await (await linear.updateComment(comment?.id ?? '', { body: 'Good morning' })).comment
    expect([changed?.body, changed?.editedAt]).toEqual(['Good morning', expect.any(Date)])
    const link = await (await linear.attachmentLinkURL('ENG-2', 'https://example.com/1', { title: 'One' })).attachment
    expect([link?.title, (await link?.issue)?.identifier]).toEqual(['One', 'ENG-2'])
    const teamId = (await linear.teams({ filter: { key: { eq: 'DES' } } })).nodes[0]?.id ?? ''
    const project = await (await linear.createProject({ name: 'Zephyr', teamIds: [teamId] })).project
    expect((await project?.status)?.type).toBe('backlog')
    const post = await (await linear.createProjectUpdate({ projectId: project?.id ?? '', body: 'Begun.' })).projectUpdate
    expect([post?.health, (await post?.project)?.name]).toEqual(['onTrack', 'Zephyr'])
  })

  it('fail with the errors of the client', async () => {
    const { linear, url } = await client()
    await expect(linear.issue('ENG-999')).rejects.toMatchObject({ type: LinearErrorType.InvalidInput })
    const stranger = new LinearClient({ apiKey: 'lin_api_wrong', apiUrl: `${url}/graphql` })
    await expect(stranger.viewer).rejects.toMatchObject({ type: LinearErrorType.AuthenticationError, status: 401 })
  })

  it('work with a granted token until it expires', async () => {
    const { login, url, pass, revoke } = await openOAuthEmulator()
    const clientOf = (accessToken: string) => new LinearClient({ accessToken, apiUrl: `${url}/graphql` })
    const { access } = await login('read,issues:create')
    const linear = clientOf(access)
    const teamId = (await linear.teams({ filter: { key: { eq: 'ENG' } } })).nodes[0]?.id ?? ''
    expect((await linear.createIssue({ teamId, title: 'By token' })).success).toBe(true)
    await expect(linear.archiveIssue('ENG-31')).rejects.toMatchObject({ type: LinearErrorType.Forbidden })
    pass(86_400_000)
    await expect(linear.viewer).rejects.toMatchObject({ type: LinearErrorType.AuthenticationError, status: 401 })
    const { access: next } = await login()
    expect((await clientOf(next).viewer).name).toBe('Robin Vance')
    await revoke(new URLSearchParams({ token: next }))
    await expect(clientOf(next).viewer).rejects.toMatchObject({ type: LinearErrorType.AuthenticationError })
  })

  it('fail with the rate limit error of the client', async () => {
    const emulator = linearEmulator({ seed: 'edge-cases', limits: { requests: 1 } })
    onTestFinished(emulator.close)
    const { url } = await emulator.listen()
    const linear = new LinearClient({ accessToken: 'lin_oauth_emulator', apiUrl: `${url}/graphql` })
    await linear.viewer
    await expect(linear.viewer).rejects.toMatchObject({ type: LinearErrorType.Ratelimited, status: 400, requestsRemaining: 0 })
  })
})
