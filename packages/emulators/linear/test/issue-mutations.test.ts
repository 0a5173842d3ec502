import { dig, textAt } from '@mcp-toolkits/emulator/testing'
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { idOf } from '../src/ids.ts'
import { eng, expectInputError, label, ops, state, user, openForMutations } from './mutations.ts'
import { covers } from './emulator.ts'

describe('issueCreate', () => {
  it('numbers issues per team and starts them in the default state', covers('issues/numbers', 'issues/default-state'), async () => {
    const { create } = openForMutations()
    expect(dig((await create({})).data, 'issueCreate.issue')).toMatchObject({
      identifier: 'ENG-31',
      state: { name: 'Backlog' },
      assignee: null,
      priority: 0,
    })
    expect(dig((await create({})).data, 'issueCreate.issue.identifier')).toBe('ENG-32')
    expect(dig((await create({ teamId: ops })).data, 'issueCreate.issue.identifier')).toBe('OPS-19')
  })

  it('accepts an id once', covers('ids/conflict'), async () => {
    const { create, store } = openForMutations()
    const id = randomUUID()
    await create({ id })
    const again = await create({ id: id.toUpperCase(), teamId: ops, title: 'Other' })
    expect([again.status, again.data]).toEqual([200, null])
    expect(again.errors).toEqual([
      {
        message: 'conflict on insert of Issue',
        path: ['issueCreate'],
        locations: [{ line: 2, column: 3 }],
        extensions: {
          type: 'invalid input',
          code: 'INPUT_ERROR',
          statusCode: 400,
          userError: true,
          userPresentableMessage: `Entity Issue with id ${id} already exists.`,
        },
      },
    ])
    expect(store.issues().filter((issue) => issue['id'] === id)).toHaveLength(1)
    for (const bad of ['x', '', 'ENG-1', '00000000-0000-1000-8000-000000000000']) expectInputError(await create({ id: bad }), 'UUID')
  })

  it('accepts every field of an issue', async () => {
    const { create, store } = openForMutations()
    const { data, errors } = await create({
      description: 'Text',
      assigneeId: user('Ada Okafor'),
      labelIds: [label('Bug'), label('S1'), label('Engineering cleanup')],
      priority: 1,
      stateId: state('ENG In Progress'),
      projectId: idOf('Project Apollo'),
      projectMilestoneId: idOf('ProjectMilestone Apollo Beta'),
      cycleId: idOf('Cycle ENG 3'),
      parentId: 'eng-4',
      estimate: 8,
      dueDate: '2026-12-24',
    })
    expect(errors).toEqual([])
    expect(dig(data, 'issueCreate.issue')).toMatchObject({
      assignee: { name: 'Ada Okafor' },
      priorityLabel: 'Urgent',
      state: { type: 'started' },
      project: { name: 'Apollo' },
      cycle: { number: 3 },
      parent: { identifier: 'ENG-4' },
      estimate: 8,
      dueDate: '2026-12-24',
    })
    expect(store.labelsOf(textAt(data, 'issueCreate.issue.id'))).toHaveLength(3)
  })

  it.each([
    [{ title: '' }, /^title should not be empty/],
    [{ title: '   ' }, /^title should not be empty/],
    [{ teamId: 'ENG' }, /^teamId must be a UUID/],
    [{ teamId: idOf('Team Labs') }, /team that accepts issues/],
    [{ stateId: 'Done' }, /^stateId must be a UUID/],
    [{ stateId: state('OPS Done') }, /^stateId must belong to the issue's team/],
    [{ cycleId: idOf('Cycle OPS 3') }, /^cycleId must belong to the issue's team/],
    [{ projectId: idOf('Project Incident tooling') }, /project of the issue's team/],
    [{ projectMilestoneId: idOf('ProjectMilestone Apollo Beta') }, /milestone of the issue's project/],
    [{ delegateId: user('Ada Okafor') }, /^delegateId must be an app/],
    [{ teamId: ops, assigneeId: user('Beacon') }, /must be a member of the issue's team/],
    [{ assigneeId: user('Leo Brandt') }, /must be an active user/],
    [{ assigneeId: user('Grace Kim') }, /must be a member of the issue's team/],
    [{ labelIds: [label('Type')] }, /is a group/],
    [{ labelIds: [label('Engineering Ops On-call')] }, /labels of the workspace or of the team/],
    [{ labelIds: ['Bug'] }, /must be a UUID/],
    [{ priority: 5 }, /from 0 to 4/],
    [{ priority: -1 }, /from 0 to 4/],
    [{ estimate: 4 }, /^estimate must be one of 1, 2, 3, 5, 8/],
    [{ estimate: 0 }, /^estimate must be one of/],
    [{ teamId: idOf('Team Design'), estimate: 1 }, /does not use estimates/],
    [{ dueDate: '24.12.2026' }, /is not a date/],
    [{ dueDate: '2026-02-30' }, /is not a date/],
  ])(
    'refuses %j and writes nothing',
    covers(
      'graphql/bad-argument',
      'graphql/bad-argument-status',
      'issues/same-team',
      'issues/no-group-labels',
      'issues/priority',
      'issues/due-date',
      'issues/milestone-of-project',
    ),
    async (input, why) => {
      const { create, store } = openForMutations()
      expectInputError(await create(input), why)
      expect([store.issues().length, store.mutations()]).toEqual([60, []])
    },
  )

  it('takes the times of an import', covers('issues/imported-times'), async () => {
    const { create, at } = openForMutations()
    const [createdAt, completedAt] = ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']
    const { data } = await create({ createdAt, completedAt, stateId: state('ENG Done') })
    const id = textAt(data, 'issueCreate.issue.id')
    expect(await at('issue', `{ issue(id: "${id}") { createdAt completedAt } }`)).toEqual({ createdAt, completedAt })
    expectInputError(await create({ createdAt: '2026-09-16T12:00:01Z' }), 'createdAt must be in the past.')
    for (const wrong of [{ completedAt }, { createdAt, completedAt: '2026-09-16T12:00:01Z' }])
      expectInputError(await create({ ...wrong, stateId: state('ENG Done') }), 'completedAt must be in the past and after createdAt.')
    for (const stateId of [undefined, state('ENG Todo')])
      expectInputError(await create({ createdAt, completedAt, stateId }), 'completedAt needs a state of the type completed.')
  })

  it('refuses references to missing entities', async () => {
    const { create } = openForMutations()
    for (const key of ['teamId', 'stateId', 'assigneeId', 'projectId', 'cycleId', 'parentId']) {
      expect((await create({ [key]: randomUUID() })).errors[0]?.['message']).toMatch(/^Entity not found: /)
    }
  })

  it('refuses two labels of one group', covers('issues/one-label-per-group'), async () => {
    const { create } = openForMutations()
    expectInputError(
      await create({ labelIds: [label('Bug'), label('Feature')] }),
      /^The label 'Feature' is in the same group as 'Bug'\. Only one label in a group/,
      'labelIds not exclusive child labels',
    )
  })
})

describe('issueUpdate', () => {
  it('changes the given fields and updatedAt', covers('issues/partial-update'), async () => {
    const { update, pass, now } = openForMutations()
    pass(5000)
    const changed = dig((await update('ENG-1', { title: 'Other' })).data, 'issueUpdate.issue')
    expect(changed).toMatchObject({ title: 'Other', assignee: { name: 'Robin Vance' }, updatedAt: new Date(now()).toISOString() })
    const cleared = await update('eng-1', {
      assigneeId: null,
      cycleId: null,
      projectId: null,
      estimate: null,
      dueDate: null,
      parentId: null,
    })
    expect(dig(cleared.data, 'issueUpdate.issue')).toMatchObject({
      title: 'Other',
      assignee: null,
      cycle: null,
      project: null,
      estimate: null,
      dueDate: null,
    })
  })

  it('adds and removes labels, or replaces them all', covers('issues/label-lists'), async () => {
    const { update, store } = openForMutations()
    const id = idOf('Issue ENG-1')
    await update(id, { addedLabelIds: [label('Security')], removedLabelIds: [label('S2')] })
    expect(store.labelsOf(id)).toEqual([label('Bug'), label('Security'), label('Customer request')].sort())
    expectInputError(await update(id, { addedLabelIds: [label('Feature')] }), 'same group', 'labelIds not exclusive child labels')
    await update(id, { addedLabelIds: [label('Feature')], removedLabelIds: [label('Bug')] })
    await update(id, { labelIds: [label('Chore')] })
    expect(store.labelsOf(id)).toEqual([label('Chore')])
  })

  it('keeps the times of state changes', covers('issues/state-times'), async () => {
    const { write, at, now } = openForMutations()
    const moments = () => at('issue', '{ issue(id: "ENG-3") { startedAt completedAt canceledAt } }')
    const present = new Date(now()).toISOString()
    await write('Transition', { id: 'ENG-3', stateId: state('ENG In Progress') })
    expect(await moments()).toEqual({ startedAt: present, completedAt: null, canceledAt: null })
    await write('Transition', { id: 'ENG-3', stateId: state('ENG Done') })
    expect(await moments()).toEqual({ startedAt: present, completedAt: present, canceledAt: null })
    await write('Transition', { id: 'ENG-3', stateId: state('ENG Canceled') })
    expect(await moments()).toEqual({ startedAt: present, completedAt: null, canceledAt: present })
    await write('Transition', { id: 'ENG-3', stateId: state('ENG Todo') })
    expect(await moments()).toEqual({ startedAt: null, completedAt: null, canceledAt: null })
  })

  it('refuses a parent that is the issue itself or below it', covers('issues/no-parent-cycle'), async () => {
    const { update } = openForMutations()
    expectInputError(await update('ENG-4', { parentId: 'ENG-4' }), /^parentId must not be/)
    expectInputError(await update('ENG-4', { parentId: 'ENG-5' }), /^parentId must not be/)
    expectInputError(await update('ENG-4', { title: '' }), /^title should not be empty/)
  })
})

describe('issue mutations', () => {
  it('archive, archive again and restore', covers('issues/archive-twice'), async () => {
    const { write, list, pass } = openForMutations()
    const archive = async () => dig((await write('ArchiveIssue', { id: 'ENG-2' })).data, 'issueArchive.entity')
    const first = await archive()
    pass(1000)
    expect([first, await archive()]).toEqual([first, first])
    const open = '{ issues(filter: { number: { eq: 2 } }) { nodes { identifier } } }'
    expect((await list('identifier', open)).sort()).toEqual(['DES-2', 'OPS-2'])
    expect(dig((await write('Unarchive', { id: 'ENG-2' })).data, 'issueUnarchive.entity.archivedAt')).toBeNull()
    expect(await list('identifier', open)).toContain('ENG-2')
  })

  it('trash but never delete', covers('issues/trash'), async () => {
    const { ask, write, store } = openForMutations()
    const remove = (more = '') => ask(`mutation { issueDelete(id: "ENG-2"${more}) { entity { trashed archivedAt } } }`)
    expectInputError(await remove(', permanentlyDelete: true'), /cannot delete an issue permanently/)
    expect(dig((await remove()).data, 'issueDelete.entity')).toEqual({ trashed: true, archivedAt: '2026-09-16T12:00:00.000Z' })
    expect(dig((await write('Unarchive', { id: 'ENG-2' })).data, 'issueUnarchive.entity.archivedAt')).toBeNull()
    expect(store.issues().find(({ identifier }) => identifier === 'ENG-2')).toMatchObject({ trashed: null, archivedAt: null })
  })

  it('subscribe and unsubscribe', async () => {
    const { write } = openForMutations()
    const mine = async (name: string) => {
      const { data } = await write(name, { id: 'ENG-2' })
      return dig(data, `issue${name}.issue.subscribers.nodes`)
    }
    expect(await mine('Unsubscribe')).toEqual([])
    expect(await mine('Unsubscribe')).toEqual([])
    expect(await mine('Subscribe')).toHaveLength(1)
    expect(await mine('Subscribe')).toHaveLength(1)
  })
})

describe('attachments', () => {
  const input = { issueId: 'ENG-2', url: 'https://github.com/a/b/pull/1', title: 'One' }

  it('with the same issue and URL are one, with the last title', covers('attachments/same-url'), async () => {
    const { write, store } = openForMutations()
    const first = await write('LinkCodeHostPlain', { input })
    const second = await write('LinkCodeHostPlain', { input: { ...input, title: 'Two' } })
    expect(textAt(second.data, 'attachmentCreate.attachment.id')).toBe(textAt(first.data, 'attachmentCreate.attachment.id'))
    expect(textAt(second.data, 'attachmentCreate.attachment.title')).toBe('Two')
    expect((await write('LinkCodeHostPlain', { input: { ...input, issueId: 'ENG-3' } })).errors).toEqual([])
    expect(store.attachments()).toHaveLength(6)
  })

  it('can be linked once', covers('attachments/link-twice'), async () => {
    const { write, store } = openForMutations()
    expect((await write('LinkCodeHost', input)).errors).toEqual([])
    for (const title of ['One', 'Two']) {
      const again = await write('LinkCodeHost', { ...input, title })
      expectInputError(again, /^An attachment with the same URL already exists/, 'Duplicate attachment for duplicate url')
    }
    expect((await write('LinkCodeHost', { ...input, issueId: 'ENG-3' })).errors).toEqual([])
    expect((await write('LinkCodeHost', { ...input, url: `${input.url}0` })).errors).toEqual([])
    expect(store.attachments()).toHaveLength(7)
  })

  it('are basic because no integration is connected', covers('attachments/basic-link'), async () => {
    const { write } = openForMutations()
    const { data } = await write('LinkCodeHost', input)
    expect(dig(data, 'attachmentLinkURL.attachment')).toMatchObject({ sourceType: null, subtitle: null, title: 'One' })
  })

  it.each(['', 'not a url', 'github.com/a/b', 'javascript:alert(1)', 'file:///etc/passwd'])(
    'need a URL: %s',
    covers('attachments/url'),
    async (url) => {
      const { write, store } = openForMutations()
      expectInputError(await write('LinkCodeHostPlain', { input: { ...input, url } }), /^url /)
      expectInputError(await write('LinkCodeHost', { ...input, url }), /^url /)
      expect(store.attachments()).toHaveLength(4)
    },
  )
})

describe('two mutations in one document', () => {
  const attachment = (issueId: string, url = 'https://example.com') => ({ id: randomUUID(), issueId, url, title: 'T' })

  it('both succeed', async () => {
    const { write, store } = openForMutations()
    const id = randomUUID()
    const { data } = await write('CreateIssueWithAttachment', { input: { id, teamId: eng, title: 'x' }, attachment: attachment(id) })
    expect(dig(data, 'attachmentCreate.success')).toBe(true)
    expect(store.mutations().map(({ field, entity }) => [field, entity === id])).toEqual([
      ['issueCreate', true],
      ['attachmentCreate', false],
    ])
  })

  it('can be an update and an attachment', async () => {
    const { write, store } = openForMutations()
    const { errors } = await write('UpdateIssueWithAttachment', { id: 'ENG-2', input: { priority: 1 }, attachment: attachment('ENG-2') })
    expect([errors, store.attachments().length]).toEqual([[], 5])
  })

  it('are not interrupted after a reset', async () => {
    const { write, reset, failBetweenMutations } = openForMutations()
    failBetweenMutations(() => true)
    reset()
    const id = randomUUID()
    const made = await write('CreateIssueWithAttachment', { input: { id, teamId: eng, title: 'x' }, attachment: attachment(id) })
    expect([made.status, made.errors]).toEqual([200, []])
  })

  it('can be interrupted after the first, which takes effect', async () => {
    const { write, store, failBetweenMutations } = openForMutations()
    const id = randomUUID()
    const operations: string[] = []
    failBetweenMutations((operation) => operations.push(operation) <= 2)
    const both = () => write('CreateIssueWithAttachment', { input: { id, teamId: eng, title: 'x' }, attachment: attachment(id) })
    expect(await both()).toMatchObject({ status: 500, data: undefined })
    expect([store.issues().length, store.attachments().length]).toEqual([61, 4])
    expect((await both()).errors[0]).toMatchObject({ message: 'conflict on insert of Issue', path: ['issueCreate'] })
    const one = attachment(id)
    expect((await write('LinkCodeHostPlain', { input: one })).errors).toEqual([])
    expect(operations).toEqual([id, id, one.id])
    expect(store.mutations().map(({ field }) => field)).toEqual(['issueCreate', 'attachmentCreate'])
  })

  it('stop at the first failure and keep earlier changes', covers('graphql/several-mutations'), async () => {
    const { write, store } = openForMutations()
    const id = randomUUID()
    const cut = await write('CreateIssueWithAttachment', { input: { id, teamId: eng, title: 'x' }, attachment: attachment(id, 'bad') })
    expect([cut.data, dig(cut.errors[0], 'path')]).toEqual([null, ['attachmentCreate']])
    const again = await write('CreateIssueWithAttachment', { input: { id, teamId: eng, title: 'x' }, attachment: attachment(id) })
    expect([again.data, dig(again.errors[0], 'path')]).toEqual([null, ['issueCreate']])
    expect([store.issues().length, store.attachments().length]).toEqual([61, 4])
  })
})
