import { toObject } from '@mcp-toolkits/emulator'
import { openReceiver } from '@mcp-toolkits/emulator/testing'
import { LinearClient } from '@linear/sdk'
import { expect, it, onTestFinished } from 'vitest'
import { idOf } from '../src/ids.ts'
import { linearEmulator, type LinearEmulatorOptions } from '../src/index.ts'
import { covers } from './emulator.ts'
import { user } from './mutations.ts'

const [secret, open] = [idOf('Team Secret'), idOf('Team Open')]

/** Robin owns the workspace, Ada is an admin, and only Mika is a member of the private team. */
const seed: Exclude<LinearEmulatorOptions['seed'], string | undefined> = {
  organization: 'Lodestar',
  viewer: 'Robin Vance',
  users: [{ name: 'Robin Vance', owner: true, admin: true }, { name: 'Ada Okafor', admin: true }, { name: 'Mika Lind' }],
  teams: [
    { key: 'OPEN', name: 'Open', members: ['Robin Vance', 'Ada Okafor', 'Mika Lind'] },
    { key: 'SEC', name: 'Secret', private: true, members: ['Mika Lind'] },
  ],
  labels: [{ name: 'Hush', team: 'SEC' }],
  cycles: [{ team: 'SEC', number: 1, startsAt: 3, endsAt: -3 }],
  projects: [
    { name: 'Secret plan', teams: ['SEC'], milestones: [{ name: 'Hush' }], updates: [{ by: 'Mika Lind', at: 1, body: 'Hush.' }] },
    { name: 'Shared plan', teams: ['OPEN', 'SEC'] },
  ],
  documents: [{ title: 'Hush', project: 'Secret plan' }],
  issues: [
    { id: 'OPEN-1', title: 'Open hush', createdAt: 2, relatedTo: ['SEC-1'], project: 'Shared plan' },
    {
      ...{ id: 'SEC-1', title: 'Secret hush', createdAt: 1, cycle: 1, labels: ['Hush'], project: 'Shared plan', assignee: 'Mika Lind' },
      comments: [{ by: 'Mika Lind', at: 1, body: 'Hush.' }],
      attachments: [{ title: 'Hush', url: 'https://hush.example/' }],
    },
    { id: 'SEC-2', title: 'Part of an open one', createdAt: 1, parent: 'OPEN-1', project: 'Secret plan' },
  ],
  notifications: ['SEC-1', 'OPEN-1'].map((issue) => ({ type: 'issueNewComment', category: 'commentsAndReplies', at: 1, issue })),
  records: {
    CustomView: [{ name: 'Hush', teamId: { team: 'SEC' } }],
    Reaction: [{ emoji: 'shh', issueId: { issue: 'SEC-1' } }],
    Template: [{ name: 'Hush', type: 'issue', teamId: { team: 'SEC' }, templateData: {} }],
  },
}

/** Each person's client. */
async function people() {
  const emulator = linearEmulator({ seed, limits: { requests: 100_000 } })
  onTestFinished(emulator.close)
  const { url } = await emulator.listen()
  const clientOf = async (name: string) =>
    new LinearClient({ accessToken: (await emulator.login(`${name}@lodestar.example`)).accessToken, apiUrl: `${url}/graphql` })
  return { emulator, url, robin: await clientOf('robin.vance'), ada: await clientOf('ada.okafor'), mika: await clientOf('mika.lind') }
}

const lists = {
  ...{ attachments: 1, comments: 1, customViews: 1, cycles: 1, documents: 1, issueLabels: 1, issueRelations: 1, issues: 2, projects: 1 },
  ...{ projectMilestones: 1, projectUpdates: 1, teamMemberships: 1, teams: 1, templates: 1, workflowStates: 7 },
}

/** The number of entities in each of a person's lists. */
async function counts({ client }: LinearClient, names: readonly string[] = Object.keys(lists)) {
  const fields = names.map((name) => `${name} ${name === 'templates' ? '{ id }' : '(first: 99) { nodes { id } }'}`)
  const { data } = await client.rawRequest(`{ ${fields.join(' ')} }`, {})
  return Object.fromEntries(
    Object.entries(toObject(data)).map(([name, found]) => {
      const nodes: unknown = Array.isArray(found) ? found : toObject(found)['nodes']
      return [name, Array.isArray(nodes) ? nodes.length : 0]
    }),
  )
}

it(
  'are left out of what others list, search and count',
  covers('teams/private', 'teams/private-projects', 'teams/private-owners'),
  async () => {
    const { ada, robin, mika } = await people()
    const [more, fewer] = [await counts(mika), await counts(ada)]
    expect(Object.fromEntries(Object.entries(more).map(([name, found]) => [name, found - (fewer[name] ?? 0)]))).toEqual(lists)
    expect((await robin.notifications()).nodes).toHaveLength(1)
    for (const [person, identifiers] of [
      [ada, ['OPEN-1']],
      [robin, ['OPEN-1']],
      [mika, ['OPEN-1', 'SEC-1']],
    ] as const) {
      const found = await person.searchIssues('hush')
      expect(found.nodes.map(({ identifier }) => identifier).toSorted()).toEqual(identifiers)
      const hidden = { team: { key: { eq: 'SEC' } } }
      expect((await person.issues({ filter: hidden })).nodes).toHaveLength(person === mika ? 2 : 0)
      expect((await person.issues({ filter: { children: { some: hidden } } })).nodes).toHaveLength(person === mika ? 1 : 0)
    }
    const shared = (await ada.projects()).nodes[0]
    expect([shared?.name, (await shared?.teams())?.nodes.map(({ key }) => key)]).toEqual(['Shared plan', ['OPEN']])
    expect((await shared?.issues())?.nodes.map(({ identifier }) => identifier)).toEqual(['OPEN-1'])
    const status = `{ projectStatusProjectCount(id: "${idOf('ProjectStatus Backlog')}") { count privateCount } }`
    expect((await ada.client.rawRequest(status, {})).data).toEqual({ projectStatusProjectCount: { count: 2, privateCount: 1 } })
    const around = await ada.issue('OPEN-1')
    expect([(await around.children()).nodes, (await around.relations()).nodes]).toEqual([[], []])
    // Workspace owners see the team in the settings, but not what is in it.
    const teams = ['teams', 'administrableTeams']
    expect([await counts(robin, teams), await counts(ada, teams)]).toEqual([
      { teams: 1, administrableTeams: 2 },
      { teams: 1, administrableTeams: 1 },
    ])
    expect((await (await robin.team(secret)).issues()).nodes).toEqual([])
  },
)

it('do not exist for other people who refer to them', covers('teams/private-not-found'), async () => {
  const { emulator, ada, mika } = await people()
  const comment = String(emulator.store.comments()[0]?.['id'])
  const mutations = emulator.store.mutations().length
  const notFound = async (call: Promise<unknown>, type: string) => expect(call).rejects.toThrow(`Entity not found: ${type}`)
  await notFound(ada.issue('SEC-1'), 'Issue')
  await notFound(ada.comment({ id: comment }), 'Comment')
  await notFound(ada.team(secret), 'Team')
  await notFound(ada.project(idOf('Project Secret plan')), 'Project')
  await notFound(ada.updateIssue('SEC-1', { title: 'Seen' }), 'Issue')
  await notFound(ada.updateIssue('OPEN-1', { teamId: secret }), 'Team')
  await notFound(ada.updateIssue('OPEN-1', { parentId: 'SEC-1' }), 'Issue')
  await notFound(ada.createIssue({ teamId: secret, title: 'Seen' }), 'Team')
  await notFound(ada.createComment({ issueId: 'SEC-1', body: 'Seen' }), 'Issue')
  await notFound(ada.createComment({ parentId: comment, body: 'Seen' }), 'Comment')
  await notFound(ada.createComment({ documentContentId: idOf('Project Secret plan'), body: 'Seen' }), 'DocumentContent')
  await notFound(ada.createTeamMembership({ teamId: secret, userId: user('Ada Okafor') }), 'Team')
  // An id and a key that are in use cannot be used again.
  await expect(ada.createIssue({ id: idOf('Issue SEC-1'), teamId: open, title: 'Twice' })).rejects.toThrow(/conflict on insert of Issue/i)
  await expect(ada.createTeam({ name: 'Other', key: 'SEC' })).rejects.toThrow('Argument Validation Error')
  expect(emulator.store.mutations()).toHaveLength(mutations)
  await mika.updateIssue('SEC-1', { title: 'Changed' })
  await mika.createComment({ issueId: 'SEC-1', body: 'Ours.' })
  expect((await (await mika.createIssue({ teamId: secret, title: 'Ours' })).issue)?.identifier).toBe('SEC-3')
  await mika.createComment({ documentContentId: idOf('Project Secret plan'), body: 'Ours.' })
  expect([(await mika.comments()).nodes.length, (await ada.comments()).nodes.length]).toEqual([3, 0])
})

it(
  'begin with who creates them, are changed by owners and admins, and contain teams',
  covers('teams/private-changes', 'teams/private-from-now', 'teams/restricted'),
  async () => {
    const { ada, robin, mika } = await people()
    const created = (await (await mika.createTeam({ name: 'Own', private: true })).team)?.id ?? ''
    await mika.createTeam({ name: 'Inside', parentId: created })
    expect((await mika.teams()).nodes.map(({ name, visibility }) => [name, visibility]).toSorted()).toEqual([
      ['Inside', 'restricted'],
      ['Open', 'public'],
      ['Own', 'private'],
      ['Secret', 'private'],
    ])
    expect((await ada.teams()).nodes).toHaveLength(1)
    await expect(mika.updateTeam(open, { private: true })).rejects.toThrow('Forbidden')
    const membership = (await robin.teamMemberships()).nodes.find(({ teamId, userId }) => teamId === open && userId === user('Mika Lind'))
    await robin.updateIssue('OPEN-1', { assigneeId: user('Mika Lind') })
    const below = (await (await robin.createTeam({ name: 'Below', parentId: open })).team)?.id ?? ''
    const inside = await (await robin.createIssue({ teamId: below, title: 'Inside', subscriberIds: [user('Mika Lind')] })).issue
    await mika.deleteTeamMembership(membership?.id ?? '')
    await ada.updateTeam(open, { private: true })
    const issue = await ada.issue('OPEN-1')
    expect([await issue.assignee, (await issue.subscribers()).nodes.map(({ name }) => name)]).toEqual([undefined, ['Robin Vance']])
    await expect(mika.issue('OPEN-1')).rejects.toThrow('Entity not found: Issue')
    expect((await inside?.subscribers())?.nodes.map(({ name }) => name)).toEqual(['Robin Vance'])
    // A workspace owner joins.
    expect((await robin.team(secret)).viewerCanJoin).toBe(true)
    const join = `mutation { teamMembershipCreate(input: { teamId: "${secret}", userId: "${user('Robin Vance')}" }) {
      teamMembership { team { issues { nodes { identifier } } } } } }`
    const joined = toObject(toObject((await robin.client.rawRequest(join, {})).data)['teamMembershipCreate'])
    expect(joined['teamMembership']).toEqual({ team: { issues: { nodes: [{ identifier: 'SEC-1' }, { identifier: 'SEC-2' }] } } })
    expect((await robin.teams()).nodes).toHaveLength(3)
  },
)

it(
  'stay with a project that others change, and are no place to mention them',
  covers('teams/private-kept', 'teams/private-mentions'),
  async () => {
    const { emulator, ada, mika, robin } = await people()
    await ada.updateProject(idOf('Project Shared plan'), { teamIds: [open] })
    await robin.updateProject(idOf('Project Shared plan'), { teamIds: [open, secret] })
    expect((await (await mika.project(idOf('Project Shared plan'))).teams()).nodes).toHaveLength(2)
    await mika.createComment({ issueId: 'SEC-1', body: 'https://linear.app/lodestar/profiles/ada.okafor' })
    expect(emulator.store.notifications()).toHaveLength(2)
    expect(emulator.store.subscribersOf(idOf('Issue SEC-1'))).not.toContain(user('Ada Okafor'))
  },
)

it('have no issues of people outside them', covers('teams/private-outsiders'), async () => {
  const { robin, mika } = await people()
  const outside = [user('Ada Okafor'), user('Robin Vance')]
  await robin.updateIssue('OPEN-1', { assigneeId: user('Ada Okafor'), subscriberIds: [...outside, user('Mika Lind')] })
  const subscribers = async (id: string) => (await (await mika.issue(id)).subscribers()).nodes.map(({ name }) => name)
  await mika.updateIssue('OPEN-1', { teamId: secret })
  expect([await (await mika.issue('OPEN-1')).assignee, await subscribers('OPEN-1')]).toEqual([undefined, ['Mika Lind']])
  await mika.updateIssue('OPEN-1', { subscriberIds: outside })
  await mika.issueSubscribe('OPEN-1', { userId: user('Ada Okafor') })
  expect(await subscribers('OPEN-1')).toEqual([])
  await mika.updateIssue('SEC-1', { teamId: secret, subscriberIds: [user('Mika Lind')] })
  await robin.createTeamMembership({ teamId: secret, userId: user('Robin Vance') })
  const membership = (await robin.teamMemberships()).nodes.find(({ teamId, userId }) => teamId === secret && userId === user('Mika Lind'))
  await mika.deleteTeamMembership(membership?.id ?? '')
  const left = await robin.issue('SEC-1')
  expect([await left.assignee, (await left.subscribers()).nodes]).toEqual([undefined, []])
})

it('and their projects are counted for outsiders', covers('teams/last-one'), async () => {
  const { ada, mika } = await people()
  const status = { from: idOf('ProjectStatus Backlog'), to: idOf('ProjectStatus Planned') }
  await ada.client.rawRequest(
    `mutation { projectReassignStatus(originalProjectStatusId: "${status.from}", newProjectStatusId: "${status.to}") { success } }`,
    {},
  )
  const moved = await Promise.all((await mika.projects()).nodes.map(async (each) => (await each.status)?.name))
  expect(moved).toEqual(['Planned', 'Planned'])
  await ada.deleteTeam(open)
  expect((await mika.teams()).nodes.map(({ name }) => name)).toEqual(['Secret'])
})

it('are kept from webhooks of public teams', covers('webhooks/of-team'), async () => {
  const { url, ada, mika } = await people()
  const receiver = await openReceiver(() => 200)
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  await ada.createWebhook({ url: receiver.url, allPublicTeams: true, resourceTypes: ['Comment', 'Reaction'] })
  const inside = (await mika.comments()).nodes[0]?.id ?? ''
  const update = (await mika.projectUpdates()).nodes[0]?.id ?? ''
  await mika.createReaction({ commentId: inside, emoji: 'shh' })
  await mika.createComment({ projectUpdateId: update, body: 'Hush.' })
  await mika.createComment({ documentContentId: idOf('Project Secret plan'), body: 'Hush.' })
  await mika.createComment({ issueId: 'OPEN-1', body: 'Open.' })
  const { deliveries } = toObject(await (await fetch(`${url}/__emulator/deliveries`)).json())
  expect(deliveries).toHaveLength(1)
})
