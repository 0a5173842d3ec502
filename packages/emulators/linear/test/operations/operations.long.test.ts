import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@mcp-toolkits/emulator'
import { dig } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { covers } from '../emulator.ts'
import { openUnlimited } from './emulator.ts'

/** An emulator, and a function that sends a mutation with one input and returns the selected fields, or why it was refused. */
async function open() {
  const emulator = openUnlimited()
  const teamId = await emulator.at('teams.nodes.0.id', '{ teams(filter: { key: { eq: "ENG" } }) { nodes { id } } }')
  const userId = await emulator.at('users.nodes.0.id', '{ users(filter: { name: { eq: "Ada Okafor" } }) { nodes { id } } }')
  /** `act('team', 'Create', { name }, 'team { id }')` */
  const act = async (kind: string, verb: 'Create' | 'Update', input: JsonObject, selection: string) => {
    const { id, ...rest } = input
    const type = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}${verb}Input!`
    const [parameters, args] = verb === 'Create' ? ['', ''] : ['$id: String!, ', 'id: $id, ']
    return call(`mutation(${parameters}$input: ${type}) { made: ${kind}${verb}(${args}input: $input) { ${selection} } }`, {
      id,
      input: rest,
    })
  }
  const call = async (query: string, variables: JsonObject = {}) => {
    const { data, errors } = await emulator.ask(query, variables)
    return errors.length > 0 ? (dig(errors, '0.extensions.userPresentableMessage') ?? errors) : dig(data, 'made')
  }
  /** Runs a mutation that takes an id. */
  const byId = (mutation: string, id: unknown, selection = 'success') =>
    call(`mutation($id: String!) { made: ${mutation}(id: $id) { ${selection} } }`, { id })
  return { ...emulator, teamId, userId, act, call, byId }
}

describe('teams', () => {
  it('begin with states and their creator, who owns them', covers('teams/created-with', 'teams/members', 'teams/last-one'), async () => {
    const { act, byId, at, userId } = await open()
    const team = await act(
      'team',
      'Create',
      { name: 'Research', cyclesEnabled: true },
      'team { id key states { nodes { name } } memberships { nodes { id owner user { name } } } cyclesEnabled }',
    )
    expect(team).toMatchObject({
      team: { key: 'RES', cyclesEnabled: true, memberships: { nodes: [{ owner: true, user: { name: 'Robin Vance' } }] } },
    })
    const id = dig(team, 'team.id')
    expect(await act('team', 'Create', { name: 'Researchers', key: 'RES' }, 'success')).toBe(
      'The key RES is already in use by another team.',
    )
    const membership = await act('teamMembership', 'Create', { teamId: id, userId }, 'teamMembership { id user { name } }')
    expect(membership).toMatchObject({ teamMembership: { user: { name: 'Ada Okafor' } } })
    expect(await act('teamMembership', 'Create', { teamId: id, userId }, 'success')).toBe('The user is already a member of the team.')
    await byId('teamMembershipDelete', dig(membership, 'teamMembership.id'))
    expect(
      await at('team.members.nodes', 'query($id: String!) { team(id: $id) { members { nodes { name } } } }', { id: String(id) }),
    ).toEqual([{ name: 'Robin Vance' }])
    await byId('teamDelete', id)
    expect(await act('teamMembership', 'Create', { teamId: id, userId }, 'success')).toBe(
      'teamId must be a team that is neither archived nor retired.',
    )
    expect(await at('archivedTeams', '{ archivedTeams { key } }')).toEqual([{ key: 'LAB' }, { key: 'RES' }])
    await byId('teamUnarchive', id)
    expect(await at('archivedTeams', '{ archivedTeams { key } }')).toEqual([{ key: 'LAB' }])
  })

  it('archive states without issues, except the last of a type', covers('states/archive', 'states/names'), async () => {
    const { act, byId, call, teamId } = await open()
    const state = await act(
      'workflowState',
      'Create',
      { teamId, name: 'QA', type: 'started', color: '#fff' },
      'workflowState { id position }',
    )
    const id = dig(state, 'workflowState.id')
    expect(await act('workflowState', 'Create', { teamId, name: 'qa', type: 'started', color: '#fff' }, 'success')).toBe(
      'A state with the name qa already exists in the team.',
    )
    expect(await act('workflowState', 'Create', { teamId, name: 'QB', type: 'begun', color: '#fff' }, 'success')).toContain(
      'type must be one of triage, backlog',
    )
    await call('mutation($id: String!) { made: issueUpdate(id: "ENG-1", input: { stateId: $id }) { success } }', { id })
    expect(await byId('workflowStateArchive', id)).toBe('The state has issues; move them to another state first.')
    await call('mutation { made: issueArchive(id: "ENG-1") { success } }')
    expect(await byId('workflowStateArchive', id, 'entity { name archivedAt }')).toMatchObject({ entity: { name: 'QA' } })
    const team = await act('team', 'Create', { name: 'Small' }, 'team { states(filter: { type: { eq: "backlog" } }) { nodes { id } } }')
    expect(await byId('workflowStateArchive', dig(team, 'team.states.nodes.0.id'))).toBe('The team needs a state of the type backlog.')
  })

  it(
    'have cycles that do not overlap, and that start early',
    covers('cycles/overlap', 'cycles/archive', 'cycles/start', 'cycles/shift'),
    async () => {
      const { act, byId, call, at, now } = await open()
      const team = await act('team', 'Create', { name: 'Cyclists', cyclesEnabled: true }, 'team { id }')
      const teamId = dig(team, 'team.id')
      const day = (days: number) => new Date(now() + days * 86_400_000).toISOString()
      const make = (from: number, to: number) =>
        act('cycle', 'Create', { teamId, startsAt: day(from), endsAt: day(to) }, 'cycle { id number isActive }')
      const [running, next, later] = [await make(-7, 7), await make(7, 21), await make(21, 35)]
      expect([running, next].map((made) => [dig(made, 'cycle.number'), dig(made, 'cycle.isActive')])).toEqual([
        [1, true],
        [2, false],
      ])
      expect(await make(10, 12)).toBe('Cycles of a team must not overlap.')
      expect(await make(12, 10)).toBe('endsAt must be after startsAt.')
      expect(await byId('cycleStartUpcomingCycleToday', dig(later, 'cycle.id'))).toBe(
        'Only the next upcoming cycle of a team can be started.',
      )
      expect(await byId('cycleStartUpcomingCycleToday', dig(next, 'cycle.id'), 'cycle { isActive }')).toEqual({ cycle: { isActive: true } })
      const cycle = 'query($id: String!) { cycle(id: $id) { isActive startsAt completedAt } }'
      expect(await at('cycle', cycle, { id: String(dig(running, 'cycle.id')) })).toMatchObject({ isActive: false, completedAt: day(0) })
      await call('mutation($id: String!) { made: cycleShiftAll(input: { id: $id, daysToShift: 7 }) { success } }', {
        id: dig(later, 'cycle.id'),
      })
      expect(await at('cycle.startsAt', cycle, { id: String(dig(later, 'cycle.id')) })).toBe(day(28))
      const far = 'mutation($id: String!) { made: cycleShiftAll(input: { id: $id, daysToShift: 1e12 }) { success } }'
      expect(await call(far, { id: dig(later, 'cycle.id') })).toBe('daysToShift must be from -36500 to 36500.')
      const issue = await act(
        'issue',
        'Create',
        { teamId, title: 'In it', cycleId: dig(next, 'cycle.id') },
        'issue { id cycle { number } }',
      )
      expect(issue).toMatchObject({ issue: { cycle: { number: 2 } } })
      await byId('cycleArchive', dig(next, 'cycle.id'))
      expect(
        await at('issue.cycle', 'query($id: String!) { issue(id: $id) { cycle { id } } }', { id: String(dig(issue, 'issue.id')) }),
      ).toBeNull()
    },
  )
})

describe('labels', () => {
  it(
    'are unique, grouped, retired and deleted',
    covers('labels/unique', 'labels/groups', 'labels/retire', 'labels/of-projects'),
    async () => {
      const { act, byId, call, at, teamId } = await open()
      const group = await act('issueLabel', 'Create', { name: 'Area', teamId }, 'issueLabel { id isGroup }')
      const parentId = dig(group, 'issueLabel.id')
      const child = await act('issueLabel', 'Create', { name: 'API', teamId, parentId }, 'issueLabel { id parent { name isGroup } }')
      expect(child).toMatchObject({ issueLabel: { parent: { name: 'Area', isGroup: true } } })
      expect(await act('issueLabel', 'Create', { name: 'api', teamId, parentId }, 'success')).toBe(
        'A label with the name api already exists.',
      )
      const id = dig(child, 'issueLabel.id')
      expect(await act('issueLabel', 'Create', { name: 'Deep', teamId, parentId: id }, 'success')).toBe(
        'A label group cannot be in another group.',
      )
      expect(await byId('issueLabelRetire', id, 'issueLabel { retiredAt retiredBy { name } }')).toMatchObject({
        issueLabel: { retiredBy: { name: 'Robin Vance' } },
      })
      const label = 'mutation($id: String!) { made: issueAddLabel(id: "ENG-7", labelId: $id) { success } }'
      expect(await call(label, { id })).toBe("The label 'API' is retired and cannot be applied.")
      const batch = 'mutation($input: IssueBatchCreateInput!) { made: issueBatchCreate(input: $input) { success } }'
      expect(await call(batch, { input: { issues: [{ teamId, title: 'A', labelIds: [id] }] } })).toContain('is retired')
      expect(await byId('issueLabelRestore', id, 'issueLabel { retiredAt }')).toEqual({ issueLabel: { retiredAt: null } })
      await byId('issueLabelDelete', id)
      expect(await at('issueLabels.nodes', '{ issueLabels(filter: { name: { eq: "API" } }) { nodes { id } } }')).toEqual([])
      const bet = await act('initiativeLabel', 'Create', { name: 'Bet' }, 'initiativeLabel { id }')
      const initiative = await act('initiative', 'Create', { name: 'Grow' }, 'initiative { id }')
      const added = 'initiative { labelIds labels { nodes { name } } }'
      const change = (verb: string) =>
        at(verb, `mutation($id: String!, $label: String!) { ${verb}(id: $id, labelId: $label) { ${added} } }`, {
          id: String(dig(initiative, 'initiative.id')),
          label: String(dig(bet, 'initiativeLabel.id')),
        })
      expect(await change('initiativeAddLabel')).toMatchObject({ initiative: { labels: { nodes: [{ name: 'Bet' }] } } })
      expect(await change('initiativeRemoveLabel')).toMatchObject({ initiative: { labels: { nodes: [] } } })
    },
  )
})

describe('issues', () => {
  it('change in batches, all or none', covers('issues/batch'), async () => {
    const { call, at, teamId } = await open()
    const create = 'mutation($input: IssueBatchCreateInput!) { made: issueBatchCreate(input: $input) { issues { identifier } } }'
    const before = await at('issues.nodes', '{ issues(first: 100) { nodes { id } } }')
    expect(
      await call(create, {
        input: {
          issues: [
            { teamId, title: 'One' },
            { teamId, title: ' ' },
          ],
        },
      }),
    ).toBe('title should not be empty.')
    expect(await at('issues.nodes', '{ issues(first: 100) { nodes { id } } }')).toEqual(before)
    expect(await call(create, { input: { issues: [] } })).toBe('issues must contain from 1 to 50 elements.')
  })

  it('have a history, a reminder and relations that change', covers('issues/history', 'issues/reminder', 'relations/update'), async () => {
    const { call, at, now, pass } = await open()
    await call('mutation { made: issueUpdate(id: "ENG-2", input: { priority: 4, title: "Now" }) { success } }')
    pass(1000)
    await call('mutation { made: issueArchive(id: "ENG-2") { success } }')
    const history =
      '{ issue(id: "ENG-2") { history(first: 2) { nodes { fromPriority toPriority toTitle archived createdAt issue { identifier } } } } }'
    expect(await at('issue.history.nodes', history)).toMatchObject([
      { archived: true },
      { toPriority: 4, toTitle: 'Now', issue: { identifier: 'ENG-2' } },
    ])
    const remind = (time: number) =>
      call(`mutation { made: issueReminder(id: "ENG-3", reminderAt: "${new Date(time).toISOString()}") { issue { id } } }`)
    expect(await remind(now() - 1)).toBe('reminderAt must be in the future.')
    expect(await remind(now() + 60_000)).toHaveProperty('issue.id')
    const relation = await call(
      'mutation { made: issueRelationCreate(input: { issueId: "ENG-7", relatedIssueId: "ENG-9", type: related }) { issueRelation { id } } }',
    )
    const change =
      'mutation($id: String!, $type: String!) { made: issueRelationUpdate(id: $id, input: { type: $type }) { issueRelation { type } } }'
    const id = dig(relation, 'issueRelation.id')
    expect(await call(change, { id, type: 'blocks' })).toEqual({ issueRelation: { type: 'blocks' } })
    expect(await call(change, { id, type: 'likes' })).toBe('type must be one of blocks, duplicate, related, similar.')
  })
})

describe('what surrounds issues', () => {
  it('is reacted to by one person at a time', covers('reactions/target', 'reactions/own'), async () => {
    const { act, byId, at, login, ask, teamId } = await open()
    expect(await act('reaction', 'Create', { emoji: 'tada' }, 'success')).toContain('Exactly one of commentId, issueId')
    const issue = await act('issue', 'Create', { teamId, title: 'Nice' }, 'issue { id }')
    const made = await act('reaction', 'Create', { emoji: 'tada', issueId: dig(issue, 'issue.id') }, 'reaction { id }')
    const data = 'query($id: String!) { issue(id: $id) { reactionData reactions { emoji user { name } } } }'
    const id = String(dig(issue, 'issue.id'))
    expect(await at('issue', data, { id })).toMatchObject({
      reactionData: [{ emoji: 'tada', reactions: [{}] }],
      reactions: [{ emoji: 'tada', user: { name: 'Robin Vance' } }],
    })
    const { accessToken } = await login('ada.okafor@lodestar.example')
    const remove = 'mutation($id: String!) { reactionDelete(id: $id) { success } }'
    const refused = await ask(remove, { id: dig(made, 'reaction.id') }, { authorization: `Bearer ${accessToken}` })
    expect(refused.errors).toMatchObject([{ message: 'Forbidden' }])
    expect(await byId('reactionDelete', dig(made, 'reaction.id'))).toEqual({ success: true })
  })

  it('is commented on, resolved and deleted', covers('comments/resolve', 'comments/delete'), async () => {
    const { act, byId, ask } = await open()
    const comment = await act('comment', 'Create', { issueId: 'ENG-2', body: 'Why?' }, 'comment { id issue { id } }')
    const id = dig(comment, 'comment.id')
    const reply = await act('comment', 'Create', { parentId: id, body: 'Because.' }, 'comment { id }')
    expect(await byId('commentResolve', dig(reply, 'comment.id'))).toBe('Only the first comment of a thread can be resolved.')
    expect(await byId('commentResolve', id, 'comment { resolvingUser { name } }')).toEqual({
      comment: { resolvingUser: { name: 'Robin Vance' } },
    })
    await byId('commentDelete', id)
    expect((await ask('query($id: String!) { comment(id: $id) { id } }', { id: dig(reply, 'comment.id') })).errors).toMatchObject([
      { message: 'Entity not found: Comment' },
    ])
  })

  it('is uploaded once, with what was announced', covers('uploads/put', 'uploads/read'), async () => {
    const { at, fetch, call } = await open()
    const upload =
      'mutation { fileUpload(contentType: "text/plain", filename: "a b.txt", size: 5) { uploadFile { uploadUrl assetUrl headers { key value } } } }'
    const file = await at('fileUpload.uploadFile', upload)
    const [uploadUrl, assetUrl] = [String(dig(file, 'uploadUrl')), String(dig(file, 'assetUrl'))]
    const put = async (body: string, type = 'text/plain', url = uploadUrl) =>
      (await fetch(url, { method: 'PUT', body, headers: { 'content-type': type } })).status
    expect([await put('hell'), await put('hello', 'text/html'), await put('hello', 'text/plain', assetUrl)]).toEqual([403, 403, 403])
    expect([await put('hello'), await put('hello')]).toEqual([200, 403])
    const read = await fetch(assetUrl, { headers: { authorization: 'lin_api_emulator' } })
    expect([await read.text(), read.headers.get('content-disposition'), (await fetch(assetUrl)).status]).toEqual([
      'hello',
      'attachment',
      401,
    ])
    expect((await fetch(assetUrl.replace(/[0-9a-f]{8}-/, '00000000-'))).status).toBe(404)
    const remove = (address: string) =>
      call('mutation($url: String!) { made: fileUploadDangerouslyDelete(assetUrl: $url) { success } }', { url: address })
    for (const address of ['http://', 'nothing', assetUrl.replace(/[0-9a-f]{8}-/, '00000000-')])
      expect(await remove(address)).toBe('assetUrl must be the address of an uploaded file.')
    expect(await remove(assetUrl)).toEqual({ success: true })
    expect((await fetch(assetUrl, { headers: { authorization: 'lin_api_emulator' } })).status).toBe(404)
  })
})

it('a file is put to where the emulator listens', covers('uploads/address'), async () => {
  const { at, listen, fetch: ownFetch, close } = await open()
  const mutation = 'mutation { fileUpload(contentType: "text/plain", filename: "a", size: 5) { uploadFile { uploadUrl } } }'
  const address = async () => String(await at('fileUpload.uploadFile.uploadUrl', mutation))
  const put = { method: 'PUT', body: 'hello', headers: { 'content-type': 'text/plain' } }
  const within = await address()
  expect([new URL(within).origin, (await ownFetch(within, put)).status]).toEqual(['https://api.linear.app', 200])
  const { url } = await listen()
  const outside = await address()
  expect([new URL(outside).origin, (await fetch(outside, put)).status]).toEqual([url, 200])
  await close()
})

describe('plans and customers', () => {
  it('have statuses that are in use', covers('projects/statuses', 'projects/updates'), async () => {
    const { at, byId, act, ask, login } = await open()
    const statuses = await at('projectStatuses.nodes', '{ projectStatuses { nodes { id type } } }')
    const planned: unknown = Array.isArray(statuses) ? statuses.find((each) => dig(each, 'type') === 'paused') : undefined
    expect(await byId('projectStatusArchive', dig(planned, 'id'))).toMatch(
      /^(Projects need a status of the type paused, and this is the last one\.|The status has projects; move them to another status first\.)$/,
    )
    const projectId = await at('projects.nodes.0.id', '{ projects(first: 1) { nodes { id } } }')
    const made = await act('projectUpdate', 'Create', { projectId, body: 'Fine', health: 'onTrack' }, 'projectUpdate { id }')
    const id = dig(made, 'projectUpdate.id')
    expect(await act('projectUpdate', 'Update', { id, body: 'Better' }, 'projectUpdate { body editedAt }')).toMatchObject({
      projectUpdate: { body: 'Better' },
    })
    const { accessToken } = await login('ada.okafor@lodestar.example')
    const change = 'mutation($id: String!) { projectUpdateUpdate(id: $id, input: { body: "Mine" }) { success } }'
    expect((await ask(change, { id }, { authorization: `Bearer ${accessToken}` })).errors).toMatchObject([{ message: 'Forbidden' }])
  })

  it('are upserted and merged', covers('customers/upsert', 'customers/merge', 'customers/needs'), async () => {
    const { call, act, at } = await open()
    const upsert = (input: JsonObject) =>
      call('mutation($input: CustomerUpsertInput!) { made: customerUpsert(input: $input) { customer { id name domains externalIds } } }', {
        input,
      })
    const first = await upsert({ name: 'Acme', externalId: 'crm-1', domains: ['acme.example'] })
    const again = await upsert({ name: 'Acme Inc', domains: ['acme.example'], externalId: 'crm-2' })
    expect(again).toMatchObject({ customer: { id: dig(first, 'customer.id'), name: 'Acme Inc', externalIds: ['crm-1', 'crm-2'] } })
    const other = await upsert({ name: 'Bolt', externalId: 'crm-3' })
    expect(await act('customerNeed', 'Create', { customerId: dig(other, 'customer.id') }, 'success')).toBe(
      'issueId or projectId must be given.',
    )
    await act('customerNeed', 'Create', { customerId: dig(other, 'customer.id'), issueId: 'ENG-2', body: 'Please' }, 'success')
    const ids = { from: dig(other, 'customer.id'), to: dig(first, 'customer.id') }
    const merged = await call(
      'mutation($from: String!, $to: String!) { made: customerMerge(sourceCustomerId: $from, targetCustomerId: $to) { customer { externalIds needs { body } } } }',
      ids,
    )
    expect(merged).toEqual({ customer: { externalIds: ['crm-1', 'crm-2', 'crm-3'], needs: [{ body: 'Please' }] } })
    expect(await at('customers.nodes', '{ customers { nodes { name } } }')).toEqual([{ name: 'Acme Inc' }])
  })
})

describe('people', () => {
  it(
    'have favorites, views, subscriptions and notifications of their own',
    covers('favorites/once', 'views/filter', 'notifications/batch'),
    async () => {
      const { act, byId, call, at, teamId, userId } = await open()
      const favorite = await act('favorite', 'Create', { issueId: 'ENG-2' }, 'favorite { id type title user { id } }')
      expect(favorite).toMatchObject({ favorite: { type: 'issue', user: null } })
      const issue = await at('issue.id', '{ issue(id: "ENG-2") { id } }')
      expect(await act('favorite', 'Create', { issueId: issue }, 'favorite { id }')).toMatchObject({
        favorite: { id: dig(favorite, 'favorite.id') },
      })
      expect(await byId('favoriteDelete', randomUUID())).toEqual({ success: true })
      expect(await act('favorite', 'Create', { userId }, 'favorite { type title }')).toMatchObject({
        favorite: { type: 'user', title: 'Ada Okafor' },
      })
      expect(await act('favorite', 'Create', { issueId: issue, teamId }, 'success')).toContain('has only one target')
      const view = await act(
        'customView',
        'Create',
        { name: 'Urgent', teamId, filterData: { priority: { eq: 1 } } },
        'customView { filterData issues { nodes { priority team { id } } } }',
      )
      const shown = dig(view, 'customView.issues.nodes')
      expect(
        Array.isArray(shown) && shown.length > 0 && shown.every((each) => dig(each, 'priority') === 1 && dig(each, 'team.id') === teamId),
      ).toBe(true)
      expect(
        await act('notificationSubscription', 'Create', { teamId }, 'notificationSubscription { __typename active team { key } }'),
      ).toMatchObject({
        notificationSubscription: { __typename: 'TeamNotificationSubscription', active: true, team: { key: 'ENG' } },
      })
      const about = await at('notifications.nodes', '{ notifications { nodes { id readAt ... on IssueNotification { issue { id } } } } }')
      const unread = await at('notificationsUnreadCount', '{ notificationsUnreadCount }')
      const one: unknown = Array.isArray(about)
        ? about.find((each) => dig(each, 'readAt') === null && typeof dig(each, 'issue.id') === 'string')
        : undefined
      const mark =
        'mutation($input: NotificationEntityInput!, $at: DateTime!) { made: notificationMarkReadAll(input: $input, readAt: $at) { notifications { readAt } } }'
      const marked = await call(mark, { input: { issueId: dig(one, 'issue.id') }, at: '2026-09-16T12:00:00Z' })
      expect(dig(marked, 'notifications.0.readAt')).toBe('2026-09-16T12:00:00.000Z')
      expect(Number(await at('notificationsUnreadCount', '{ notificationsUnreadCount }'))).toBeLessThan(Number(unread))
    },
  )

  it('change themselves, and admins change others', covers('users/update', 'users/admin', 'organization/update'), async () => {
    const { call, act, byId, at, userId } = await open()
    expect(await act('user', 'Update', { id: userId, displayName: 'robin.vance' }, 'success')).toBe(
      'displayName is already in use by another user.',
    )
    expect(await byId('userSuspend', userId)).toEqual({ success: true })
    expect(await at('users.nodes', '{ users(filter: { name: { eq: "Ada Okafor" } }) { nodes { id } } }')).toEqual([])
    await byId('userUnsuspend', userId)
    const me = await at('viewer.id', '{ viewer { id } }')
    expect(await byId('userSuspend', me)).toBe('You cannot do this to yourself.')
    const update =
      'mutation { made: organizationUpdate(input: { name: "Polaris", fiscalYearStartMonth: 3 }) { organization { name fiscalYearStartMonth } } }'
    expect(await call(update)).toEqual({ organization: { name: 'Polaris', fiscalYearStartMonth: 3 } })
  })
})
