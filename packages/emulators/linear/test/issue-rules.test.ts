import { dig, textAt } from '@mcp-toolkits/emulator/testing'
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { shareOf } from '../../../testing/src/runs.ts'
import { idOf } from '../src/ids.ts'
import { design, expectInputError, label, ops, state, user, openForMutations } from './mutations.ts'
import { covers } from './emulator.ts'

describe('teams', () => {
  it('accept no new issues when they are retired or archived', covers('issues/retired-team', 'issues/archived-team'), async () => {
    const { create, addTeam, update } = openForMutations()
    const retired = addTeam({ key: 'OLD', name: 'Old', retiredDaysAgo: 3, members: ['Robin Vance'] })
    expectInputError(await create({ teamId: retired }), /^teamId must be a team that accepts issues/)
    expectInputError(await create({ teamId: idOf('Team Labs') }), /^teamId must be a team that accepts issues/)
    expectInputError(await update('ENG-3', { teamId: retired }), /^teamId must be a team that accepts issues/)
  })

  it('put issues of callers outside the team in triage', covers('issues/triage'), async () => {
    const { create, addTeam } = openForMutations()
    const stateIn = async (teamId: string) => dig((await create({ teamId })).data, 'issueCreate.issue.state.name')
    expect(await stateIn(ops)).toBe('Triage')
    expect(await stateIn(addTeam({ key: 'INN', name: 'Inside', triageEnabled: true, members: ['Robin Vance'] }))).toBe('Backlog')
    expect(await stateIn(addTeam({ key: 'OUT', name: 'Outside' }))).toBe('Backlog')
    expect(dig((await create({ teamId: ops, stateId: state('OPS Todo') })).data, 'issueCreate.issue.state.name')).toBe('Todo')
  })

  const scales = [
    [{}, [1, 2, 3, 4, 5]],
    [{ issueEstimationType: 'exponential' }, [1, 2, 4, 8, 16]],
    [{ issueEstimationType: 'fibonacci', issueEstimationAllowZero: true }, [0, 1, 2, 3, 5, 8]],
    [{ issueEstimationType: 'tShirt', issueEstimationExtended: true }, [1, 2, 3, 5, 8, 13, 21]],
    [{ issueEstimationType: 'notUsed' }, []],
  ] as const

  it.each(shareOf(scales, 5, 2))(
    'with %j accept the estimates of their scale',
    covers('issues/estimate-scale'),
    async (settings, scale) => {
      const { create, addTeam } = openForMutations()
      const teamId = addTeam({ key: 'EST', name: 'Estimating', issueEstimationType: 'linear', ...settings, members: ['Robin Vance'] })
      const taken: number[] = []
      for (let estimate = -1; estimate < 70; estimate += 1) if ((await create({ teamId, estimate })).data !== null) taken.push(estimate)
      expect(taken).toEqual(scale)
    },
  )

  it('take their issues along to a new key, and keep the old one', covers('teams/key'), async () => {
    const { ask, at, create } = openForMutations()
    const rename = (id: string, key: string) => ask(`mutation { teamUpdate(id: "${id}", input: { key: "${key}" }) { team { key } } }`)
    expect(dig((await rename(ops, 'sre')).data, 'teamUpdate.team.key')).toBe('SRE')
    const moved = { identifier: 'SRE-2', previousIdentifiers: ['OPS-2'] }
    for (const id of ['OPS-2', 'SRE-2'])
      expect(await at('issue', `{ issue(id: "${id}") { identifier previousIdentifiers } }`)).toEqual(moved)
    expectInputError(await rename(design, 'ops'), 'The key OPS was already used in issue identifiers.')
    expectInputError(await rename(design, 'eng'), 'The key ENG is already in use by another team.')
    const made = await at('teamCreate.team', 'mutation { teamCreate(input: { name: "Ops" }) { team { id key } } }')
    expect(dig(made, 'key')).toBe('OPS1')
    expect(dig((await create({ teamId: textAt(made, 'id') })).data, 'issueCreate.issue.identifier')).toBe('OPS1-1')
    expect(dig((await create({ teamId: ops })).data, 'issueCreate.issue.identifier')).toBe('SRE-19')
  })

  it('may have the key of another team as their name', async () => {
    const { addTeam, list } = openForMutations()
    addTeam({ key: 'DSG', name: 'ENG' })
    const either = '{ teams(filter: { or: [{ key: { eqIgnoreCase: "eng" } }, { name: { eqIgnoreCase: "eng" } }] }) { nodes { key } } }'
    expect((await list('key', either)).sort()).toEqual(['DSG', 'ENG'])
  })
})

describe('people', () => {
  it('can be assigned if they are active members of the team', covers('issues/assignee-is-member'), async () => {
    const { create, addUser } = openForMutations()
    expectInputError(await create({ assigneeId: user('Ada Okonkwo') }), /^assigneeId must be a member/)
    expectInputError(await create({ teamId: ops, assigneeId: user('Robin Vance') }), /^assigneeId must be a member/)
    expectInputError(await create({ assigneeId: user('Leo Brandt') }), /^assigneeId must be an active user/)
    expectInputError(await create({ teamId: ops, delegateId: user('Beacon') }), /^delegateId must be a member/)
    const namesake = addUser({ name: 'Ada Okafor', displayName: 'ada.o', teams: ['Engineering'] })
    expect(namesake).not.toBe(user('Ada Okafor'))
    expect(dig((await create({ assigneeId: namesake })).data, 'issueCreate.issue.assignee.displayName')).toBe('ada.o')
    const id = 'b9f6c8de-0d5c-4c56-9f5e-6f4f3f1f0a11'
    expect(addUser({ id, name: 'Ida Novak', teams: ['Engineering'] })).toBe(id)
    expect(dig((await create({ assigneeId: id })).data, 'issueCreate.issue.assignee.displayName')).toBe('ida.novak')
  })
})

describe('apps', () => {
  const issue =
    '{ issue(id: "ENG-31") { assignee { name } delegate { name } history { nodes { fromDelegate { name } toDelegate { name } } } } }'

  it(
    'become delegates, beside the person to whom an issue is assigned',
    covers('issues/app-as-assignee', 'issues/delegate-is-app'),
    async () => {
      const { create, update, at, list } = openForMutations()
      await create({ assigneeId: user('Beacon') })
      expect(await at('issue', issue)).toMatchObject({ assignee: null, delegate: { name: 'Beacon' } })
      await update('ENG-31', { assigneeId: user('Ada Okafor') })
      expect(await at('issue', issue)).toMatchObject({ assignee: { name: 'Ada Okafor' }, delegate: { name: 'Beacon' } })
      await update('ENG-31', { delegateId: null })
      await update('ENG-31', { assigneeId: user('Beacon') })
      expect(await at('issue', issue)).toMatchObject({
        assignee: { name: 'Ada Okafor' },
        delegate: { name: 'Beacon' },
        history: { nodes: [{ toDelegate: { name: 'Beacon' } }, { fromDelegate: { name: 'Beacon' }, toDelegate: null }, {}] },
      })
      expectInputError(await update('ENG-31', { delegateId: user('Ada Okafor') }), /^delegateId must be an app/)
      const delegated = '{ issues(filter: { delegate: { name: { eq: "Beacon" } } }) { nodes { identifier } } }'
      expect(await list('identifier', delegated)).toEqual(['ENG-31'])
    },
  )
})

describe('labels', () => {
  it('may have the same name in a team and in the workspace', covers('issues/labels-of-team'), async () => {
    const { create, list, store } = openForMutations()
    const named = '{ issueLabels(filter: { name: { eqIgnoreCase: "regression" } }) { nodes { id parent { name } team { key } } } }'
    expect((await list('team.key', named)).sort()).toEqual(['ENG', undefined])
    const both = [label('Regression'), label('Engineering regression')]
    expect(store.labelsOf(textAt((await create({ labelIds: both })).data, 'issueCreate.issue.id'))).toEqual(both.sort())
    expectInputError(await create({ teamId: design, labelIds: both }), /labels of the workspace or of the team/)
  })
})

describe('an issue that moves to another team', () => {
  it(
    'gets a new number and a state of its new team, drops what belongs to the old team and keeps its old identifier',
    covers('issues/move-team'),
    async () => {
      const { update, at } = openForMutations()
      const before = '{ issue(id: "ENG-3") { state { name } cycle { number } project { name } } }'
      expect(await at('issue', before)).toEqual({ state: { name: 'Todo' }, cycle: { number: 4 }, project: { name: 'Apollo' } })
      await update('ENG-3', { teamId: ops })
      const query = '{ issue(id: "eng-3") { identifier previousIdentifiers state { name team { key } } cycle { id } project { id } } }'
      expect(await at('issue', query)).toEqual({
        identifier: 'OPS-19',
        previousIdentifiers: ['ENG-3'],
        state: { name: 'Todo', team: { key: 'OPS' } },
        cycle: null,
        project: null,
      })
      await update('ENG-1', { teamId: design })
      expect(await at('issue.project.name', '{ issue(id: "ENG-1") { project { name } } }')).toBe('Apollo')
    },
  )

  it('keeps an equivalent state', covers('issues/move-state'), async () => {
    const { update, create, at } = openForMutations()
    const stateOf = async (id: string) => at('issue.state', `{ issue(id: "${id}") { state { name type } } }`)
    for (const [name, type] of [
      ['Todo', 'unstarted'],
      ['In Progress', 'started'],
      ['Done', 'completed'],
    ] as const) {
      const { data } = await create({ stateId: state(`ENG ${name}`) })
      const id = textAt(data, 'issueCreate.issue.id')
      await update(id, { teamId: design })
      expect(await stateOf(id)).toMatchObject({ type })
    }
  })

  it('loses the labels of its former team, and keeps those of the workspace', covers('issues/move-labels'), async () => {
    const { update, create, store } = openForMutations()
    const both = [label('Regression'), label('Engineering regression')]
    const id = textAt((await create({ labelIds: both })).data, 'issueCreate.issue.id')
    await update(id, { teamId: design })
    expect(store.labelsOf(id)).toEqual([label('Regression')])
  })

  it('does not release its number', covers('issues/numbers-not-reused'), async () => {
    const { update, create, at } = openForMutations()
    await update('ENG-30', { teamId: ops })
    expect(dig((await create({})).data, 'issueCreate.issue.identifier')).toBe('ENG-31')
    expect(await at('issue.identifier', '{ issue(id: "eng-30") { identifier } }')).toBe('OPS-19')
  })
})

describe('subscribers of an issue', () => {
  it('are its creator, its assignee and the given users', covers('subscribers/creator-and-assignee'), async () => {
    const { create, subscribers } = openForMutations()
    const { data } = await create({ assigneeId: user('Ada Okafor'), subscriberIds: [user('Priya Nair')] })
    const names = await subscribers(textAt(data, 'issueCreate.issue.id'))
    expect(names).toHaveLength(3)
    expect(names).toEqual(expect.arrayContaining([{ name: 'Robin Vance' }, { name: 'Ada Okafor' }, { name: 'Priya Nair' }]))
  })

  it('include authors of comments unless they opt out', covers('subscribers/comment-author'), async () => {
    const { write, subscribers } = openForMutations()
    await write('Unsubscribe', { id: 'DES-2' })
    const before = await subscribers('DES-2')
    await write('AddComment', { input: { issueId: 'DES-2', body: 'Hello', doNotSubscribeToIssue: true } })
    expect(await subscribers('DES-2')).toEqual(before)
    await write('AddComment', { input: { issueId: 'DES-2', body: 'Hello' } })
    expect(await subscribers('DES-2')).toContainEqual({ name: 'Robin Vance' })
  })

  it('are added and removed for the caller or a given user', covers('subscribers/default-user'), async () => {
    const { ask, subscribers, write } = openForMutations()
    const change = (field: string, userId: string) =>
      ask(`mutation Change($userId: String) { issue${field}(id: "DES-11", userId: $userId) { success } }`, { userId })
    await write('Unsubscribe', { id: 'DES-11' })
    await change('Subscribe', user('Priya Nair'))
    expect(await subscribers('DES-11')).toEqual([{ name: 'Priya Nair' }])
    await write('Subscribe', { id: 'DES-11' })
    await change('Unsubscribe', user('Priya Nair'))
    expect(await subscribers('DES-11')).toEqual([{ name: 'Robin Vance' }])
  })

  it('get no notification of what they did themselves', covers('notifications/own-actions'), async () => {
    const { write, create, store } = openForMutations()
    const before = store.notifications().length
    await create({ assigneeId: user('Robin Vance') })
    await write('AddComment', { input: { issueId: 'ENG-1', body: '@robin.vance' } })
    expect(store.notifications()).toHaveLength(before)
  })
})

describe('issue relations', () => {
  const relating = () => {
    const { write, ...rest } = openForMutations()
    const relate = (issueId: string, relatedIssueId: string, type: string) =>
      write('CreateIssueRelation', { input: { id: randomUUID(), issueId, relatedIssueId, type } })
    return { ...rest, relate }
  }

  it('have a direction', covers('relations/direction'), async () => {
    const { relate, at } = relating()
    expect(dig((await relate('ENG-7', 'ENG-8', 'blocks')).data, 'issueRelationCreate.issueRelation')).toMatchObject({
      type: 'blocks',
      issue: { identifier: 'ENG-7' },
      relatedIssue: { identifier: 'ENG-8' },
    })
    const query = '{ issue(id: "ENG-8") { relations { nodes { id } } inverseRelations { nodes { type issue { identifier } } } } }'
    expect(await at('issue', query)).toEqual({
      relations: { nodes: [] },
      inverseRelations: { nodes: [{ type: 'blocks', issue: { identifier: 'ENG-7' } }] },
    })
  })

  it('move a duplicate, and nothing else, to the duplicate state of its team', covers('relations/duplicate-state'), async () => {
    const { relate, at } = relating()
    const types = () =>
      at('issues.nodes', '{ issues(filter: { number: { in: [8, 9] }, team: { key: { eq: "ENG" } } }) { nodes { state { type } } } }')
    await relate('ENG-9', 'ENG-8', 'related')
    await relate('ENG-9', 'ENG-8', 'blocks')
    expect(await types()).toEqual([{ state: { type: 'unstarted' } }, { state: { type: 'started' } }])
    await relate('ENG-9', 'ENG-8', 'duplicate')
    expect(await types()).toEqual([{ state: { type: 'duplicate' } }, { state: { type: 'started' } }])
  })

  it('are created again by each repeat', covers('relations/created-twice'), async () => {
    const { relate, store } = relating()
    const before = store.relations().length
    await relate('ENG-7', 'ENG-8', 'related')
    await relate('ENG-7', 'ENG-8', 'related')
    await relate('ENG-8', 'ENG-7', 'related')
    expect(store.relations()).toHaveLength(before + 3)
  })

  it('need two different issues', covers('relations/self'), async () => {
    const { relate, store } = relating()
    expectInputError(await relate('ENG-7', idOf('Issue ENG-7'), 'related'), /^relatedIssueId must be another issue/)
    expect((await relate('ENG-7', 'ENG-999', 'related')).errors[0]).toMatchObject({ message: 'Entity not found: Issue' })
    expect(store.mutations()).toEqual([])
  })
})

describe('empty texts', () => {
  const mutations: readonly (readonly [name: string, variables: (text: string) => object])[] = [
    ['CreateIssue', (title) => ({ input: { teamId: design, title } })],
    ['UpdateIssue', (title) => ({ id: 'ENG-1', input: { title } })],
    ['AddComment', (body) => ({ input: { issueId: 'ENG-1', body } })],
    ['UpdateComment', (body) => ({ id: idOf('Comment plan'), body })],
    ['LinkCodeHostPlain', (title) => ({ input: { issueId: 'ENG-1', url: 'https://example.com', title } })],
    ['CreateProject', (name) => ({ input: { name, teamIds: [design] } })],
    ['UpdateProject', (name) => ({ id: idOf('Project Apollo'), input: { name } })],
    ['CreateProjectUpdate', (body) => ({ input: { projectId: idOf('Project Apollo'), body } })],
    ['CreateInitiative', (name) => ({ input: { name } })],
    ['UpdateInitiative', (name) => ({ id: idOf('Initiative Reliability'), input: { name } })],
  ]

  it.each(mutations)('are refused by %s', covers('issues/empty-text'), async (...[name, variables]) => {
    const { write, store } = openForMutations()
    for (const text of ['', ' \n\t']) expectInputError(await write(name, { ...variables(text) }), /should not be empty/)
    expect(store.mutations()).toEqual([])
    expect((await write(name, { ...variables('Words') })).errors).toEqual([])
  })
})
