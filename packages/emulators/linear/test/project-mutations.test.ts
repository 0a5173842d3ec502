import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@mcp-toolkits/emulator'
import { dig, textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { idOf } from '../src/ids.ts'
import { covers, someText } from './emulator.ts'
import { design, eng, expectInputError, openForMutations } from './mutations.ts'

const apollo = idOf('Project Apollo')

describe('comments', () => {
  const commenting = async () => {
    const { write, ...rest } = openForMutations()
    const id = randomUUID()
    const add = (input: JsonObject) => write('AddComment', { input: { issueId: 'ENG-9', body: 'Hello', ...input } })
    expect((await add({ id })).errors).toEqual([])
    return { ...rest, write, id, add }
  }

  it('have replies one level deep, on the same issue', covers('comments/reply-depth'), async () => {
    const { add, id, store } = await commenting()
    const reply = await add({ parentId: id })
    expect(textAt(reply.data, 'commentCreate.comment.parentId')).toBe(id)
    const replyId = textAt(reply.data, 'commentCreate.comment.id')
    expectInputError(await add({ parentId: replyId }), /^parentId must be a comment that is not itself a reply/)
    expectInputError(await add({ parentId: id, issueId: 'ENG-1' }), /^parentId must be a comment of the same issue/)
    expect(dig((await add({ parentId: id, issueId: undefined })).data, 'commentCreate.comment.issue.identifier')).toBe('ENG-9')
    expectInputError(await add({ issueId: undefined }), /^issueId should not be empty/)
    expect(store.comments()).toHaveLength(11)
  })

  it('can only be changed by their author', covers('comments/author-only'), async () => {
    const { write, id, store } = await commenting()
    expect(dig((await write('UpdateComment', { id, body: 'Bye' })).data, 'commentUpdate.comment')).toMatchObject({
      body: 'Bye',
      editedAt: someText,
    })
    const others = await write('UpdateComment', { id: idOf('Comment repro'), body: 'Mine now' })
    expect(others).toMatchObject({ status: 200, data: null, errors: [{ extensions: { code: 'FORBIDDEN', type: 'forbidden' } }] })
    expect(store.comments().filter(({ body }) => body === 'Mine now')).toEqual([])
  })
})

describe('projects', () => {
  const create = { name: 'Zephyr', teamIds: [design] }

  it('are created once, updated, reported on and archived', async () => {
    const { write, store } = openForMutations()
    const id = randomUUID()
    const created = await write('CreateProject', {
      input: { ...create, id, description: 'Short', content: 'Long', startDate: '2026-10-01' },
    })
    expect(dig(created.data, 'projectCreate.project')).toMatchObject({
      status: { type: 'backlog' },
      content: 'Long',
      startDate: '2026-10-01',
      teams: { nodes: [{ key: 'DES' }] },
    })
    expect((await write('CreateProject', { input: { ...create, id } })).errors[0]?.['message']).toBe('conflict on insert of Project')
    const slug = textAt(created.data, 'projectCreate.project.slugId')
    const input = {
      statusId: idOf('ProjectStatus In Progress'),
      teamIds: [design, idOf('Team Engineering')],
      leadId: idOf('User Priya Nair'),
      name: 'Zephyr 2',
    }
    const changed = dig((await write('UpdateProject', { id: slug, input })).data, 'projectUpdate.project')
    expect(changed).toMatchObject({ name: 'Zephyr 2', lead: { name: 'Priya Nair' }, status: { type: 'started' } })
    expect(store.teamsOf(id)).toHaveLength(2)
    const posted = await write('CreateProjectUpdate', { input: { id: randomUUID(), projectId: id, body: 'Late.', health: 'atRisk' } })
    expect(dig(posted.data, 'projectUpdateCreate.projectUpdate.project.health')).toBe('atRisk')
    const next = await write('CreateProjectUpdate', { input: { projectId: id, body: 'Still.' } })
    expect(dig(next.data, 'projectUpdateCreate.projectUpdate.health')).toBe('atRisk')
    const archived = dig((await write('ArchiveProject', { id })).data, 'projectArchive.entity')
    expect(archived).toMatchObject({ archivedAt: someText, trashed: null })
    expect(dig((await write('TrashProject', { id })).data, 'projectDelete.entity.trashed')).toBe(true)
  })

  it('get exactly the given teams', covers('projects/teams-replaced'), async () => {
    const { write, store } = openForMutations()
    for (const teamIds of [[eng], [design], [design, eng]]) {
      expect((await write('UpdateProject', { id: apollo, input: { teamIds } })).errors).toEqual([])
      expect(store.teamsOf(apollo)).toEqual(teamIds.toSorted())
    }
  })

  it(
    'start with the first backlog status, and updates without health keep the last one',
    covers('projects/default-status', 'projects/update-health'),
    async () => {
      const { write } = openForMutations()
      const id = randomUUID()
      const { data } = await write('CreateProject', { input: { ...create, id } })
      expect(dig(data, 'projectCreate.project.status')).toMatchObject({ name: 'Backlog', type: 'backlog' })
      const post = async (health?: string) => {
        const input = { projectId: id, body: 'News', ...(health !== undefined && { health }) }
        return dig((await write('CreateProjectUpdate', { input })).data, 'projectUpdateCreate.projectUpdate.health')
      }
      expect([await post(), await post('offTrack'), await post()]).toEqual(['onTrack', 'offTrack', 'offTrack'])
    },
  )

  it('always have a status of each type to start with', covers('projects/last-status'), async () => {
    const { ask, write } = openForMutations()
    const change = (name: string, type: string) =>
      ask(`mutation { projectStatusUpdate(id: "${idOf(`ProjectStatus ${name}`)}", input: { type: ${type} }) { success } }`)
    expectInputError(await change('Backlog', 'planned'), 'Projects need a status of the type backlog, and this is the last one.')
    expect((await change('Backlog', 'backlog')).errors).toEqual([])
    expect((await write('CreateProject', { input: create })).errors).toEqual([])
  })

  it('are archived without being trashed', covers('projects/archive-and-trash'), async () => {
    const { write, pass } = openForMutations()
    const archived = async (name: string) => {
      const { data } = await write(name, { id: apollo })
      return dig(data, `${name === 'TrashProject' ? 'projectDelete' : 'projectArchive'}.entity`)
    }
    const first = await archived('ArchiveProject')
    expect(first).toMatchObject({ archivedAt: '2026-09-16T12:00:00.000Z', trashed: null })
    pass(1000)
    expect(await archived('ArchiveProject')).toEqual(first)
    expect(await archived('TrashProject')).toMatchObject({ archivedAt: '2026-09-16T12:00:00.000Z', trashed: true })
  })

  it.each([
    [{ name: '' }, 'name should not be empty.'],
    [{ teamIds: [] }, 'teamIds must contain at least 1 element.'],
    [{ teamIds: ['DES'] }, 'each value in teamIds must be a UUID.'],
    [{ description: 'x'.repeat(256) }, 'description must be shorter than or equal to 255 characters.'],
    [{ leadId: idOf('User Leo Brandt') }, 'leadId must be an active user.'],
    [{ statusId: 'started' }, 'statusId must be a UUID.'],
    [{ targetDate: 'soon' }, '"soon" is not a date in ISO 8601.'],
  ])('refuse %j', covers('projects/description-length', 'projects/teams-required', 'projects/lead-is-active'), async (input, why) => {
    const { write, store } = openForMutations()
    for (const response of [
      await write('CreateProject', { input: { ...create, ...input } }),
      await write('UpdateProject', { id: apollo, input }),
    ]) {
      expect([response.data, dig(response.errors[0], 'extensions.userPresentableMessage')]).toEqual([null, why])
    }
    expect([store.projects().length, store.mutations()]).toEqual([6, []])
  })
})

describe('initiatives', () => {
  it('are created once, updated, linked and archived', async () => {
    const { write, store } = openForMutations()
    const id = randomUUID()
    const created = await write('CreateInitiative', { input: { id, name: 'Zenith', targetDate: '2027-06-30' } })
    expect(dig(created.data, 'initiativeCreate.initiative')).toMatchObject({ name: 'Zenith', status: 'Planned', targetDate: '2027-06-30' })
    expect((await write('CreateInitiative', { input: { id, name: 'Zenith' } })).errors[0]?.['message']).toBe(
      'conflict on insert of Initiative',
    )
    expect(dig((await write('UpdateInitiative', { id, input: { status: 'Active' } })).data, 'initiativeUpdate.initiative.status')).toBe(
      'Active',
    )
    const link = (initiativeId: string, projectId: string) => write('AddProjectToInitiative', { input: { initiativeId, projectId } })
    expect(dig((await link(id, apollo)).data, 'initiativeToProjectCreate.initiativeToProject.project.name')).toBe('Apollo')
    expect((await link(id, apollo)).data).toBeNull()
    const parent = await link(idOf('Initiative Reliability'), idOf('Project Incident tooling'))
    expect(dig(parent.errors[0], 'extensions.userPresentableMessage')).toBe('A project can only appear once in an initiative hierarchy.')
    expect(dig((await write('ArchiveInitiative', { id })).data, 'initiativeArchive.entity.archivedAt')).toEqual(someText)
    expect(store.projectLinks()).toHaveLength(5)
  })

  it('are Planned by default and never paused', covers('initiatives/status'), async () => {
    const { write } = openForMutations()
    const create = (status?: string) => write('CreateInitiative', { input: { name: 'x', ...(status !== undefined && { status }) } })
    expect(dig((await create()).data, 'initiativeCreate.initiative.status')).toBe('Planned')
    for (const status of ['Proposed', 'Planned', 'Active', 'Completed', 'Canceled']) {
      expect(dig((await create(status)).data, 'initiativeCreate.initiative.status')).toBe(status)
    }
    for (const status of ['paused', 'Paused', 'started', 'active']) expect((await create(status)).status).toBe(400)
  })

  it('contain a project once in their hierarchy', covers('initiatives/project-once', 'initiatives/project-link-twice'), async () => {
    const { write, store } = openForMutations()
    const link = (initiative: string, project: string) =>
      write('AddProjectToInitiative', {
        input: { initiativeId: idOf(`Initiative ${initiative}`), projectId: idOf(`Project ${project}`) },
      })
    const why = 'A project can only appear once in an initiative hierarchy.'
    expectInputError(await link('Faster recovery', 'Incident tooling'), why)
    expectInputError(await link('Reliability', 'Incident tooling'), why)
    expect((await link('Reliability', 'Apollo')).errors).toEqual([])
    expectInputError(await link('Faster recovery', 'Apollo'), why)
    expect((await link('Brand refresh', 'Apollo')).errors).toEqual([])
    expect(store.projectLinks()).toHaveLength(6)
  })

  it('have short descriptions', covers('initiatives/description-length'), async () => {
    const { write } = openForMutations()
    const create = (length: number) => write('CreateInitiative', { input: { name: 'x', description: 'x'.repeat(length) } })
    expectInputError(await create(256), /^description must be shorter than or equal to 255/)
    expect((await create(255)).errors).toEqual([])
  })
})

describe('notifications', () => {
  const inbox = 'query Inbox($unread: Boolean) { inboxNotifications(unreadOnly: $unread) { nodes { id type readAt } } }'

  it('are read, unread or snoozed', covers('notifications/unread', 'notifications/snoozed'), async () => {
    const { list, ask, pass } = openForMutations()
    const unread = () => list('type', inbox, { unread: true })
    expect(await unread()).toEqual(['issueAssignedToYou', 'issueNewComment', 'issueMention', 'projectUpdateCreated', 'documentMention'])
    expect(await list('type', inbox)).toHaveLength(9)
    const [id] = await list('id', inbox, { unread: true })
    const read =
      'mutation Read($id: String!, $input: NotificationUpdateInput!) { notificationUpdate(id: $id, input: $input) { notification { readAt } } }'
    await ask(read, { id, input: { readAt: '2026-09-16T12:00:00Z' } })
    expect(await unread()).toHaveLength(4)
    pass(4 * 86_400_000)
    expect(await unread()).toContain('issueDue')
    await ask(read, { id, input: { readAt: null } })
    expect(await unread()).toHaveLength(6)
  })
})
