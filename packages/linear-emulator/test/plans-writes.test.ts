import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { idOf } from '../src/ids.ts'
import type { Fields } from '../src/values.ts'
import { connected, dig, someText, textAt } from './connected.ts'
import { documentOf } from './documents.ts'

const design = idOf('Team Design')
const apollo = idOf('Project Apollo')

function writing() {
  const emulator = connected()
  return { ...emulator, write: (name: string, variables: Fields) => emulator.ask(documentOf(name), variables) }
}

describe('comments', () => {
  it('are created once, answered one level deep, and changed by their author alone', async () => {
    const { write, store } = writing()
    const id = randomUUID()
    const add = (input: Fields) => write('AddComment', { input: { issueId: 'eng-9', body: 'Hello', ...input } })
    expect(dig((await add({ id })).data, 'commentCreate.comment.issue.identifier')).toBe('ENG-9')
    expect((await add({ id })).errors[0]?.['message']).toBe('conflict on insert of Comment')
    const reply = await add({ parentId: id })
    expect(textAt(reply.data, 'commentCreate.comment.parentId')).toBe(id)
    expect((await add({ parentId: textAt(reply.data, 'commentCreate.comment.id') })).data).toBeNull()
    expect((await add({ parentId: id, issueId: 'ENG-1' })).data).toBeNull()
    for (const body of ['', '  ', null]) expect((await add({ body })).data).toBeNull()
    expect(dig((await write('UpdateComment', { id, body: 'Bye' })).data, 'commentUpdate.comment')).toMatchObject({
      body: 'Bye',
      editedAt: someText,
    })
    const others = await write('UpdateComment', { id: idOf('Comment repro'), body: 'Mine now' })
    expect(others).toMatchObject({ status: 200, data: null, errors: [{ extensions: { code: 'FORBIDDEN' } }] })
    expect(store.comments()).toHaveLength(10)
  })
})

describe('projects', () => {
  const create = { name: 'Zephyr', teamIds: [design] }

  it('are created once, changed, posted about, archived', async () => {
    const { write, store } = writing()
    const id = randomUUID()
    const made = await write('CreateProject', { input: { ...create, id, description: 'Short', content: 'Long', startDate: '2026-10-01' } })
    expect(dig(made.data, 'projectCreate.project')).toMatchObject({
      status: { type: 'backlog' },
      content: 'Long',
      startDate: '2026-10-01',
      teams: { nodes: [{ key: 'DES' }] },
    })
    expect((await write('CreateProject', { input: { ...create, id } })).errors[0]?.['message']).toBe('conflict on insert of Project')
    const slug = textAt(made.data, 'projectCreate.project.slugId')
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

  it.each([
    [{ name: '' }, 'name should not be empty.'],
    [{ teamIds: [] }, 'teamIds must contain at least 1 element.'],
    [{ teamIds: ['DES'] }, 'each value in teamIds must be a UUID.'],
    [{ description: 'x'.repeat(256) }, 'description must be shorter than or equal to 255 characters.'],
    [{ leadId: idOf('User Leo Brandt') }, 'leadId must be an active user.'],
    [{ statusId: 'started' }, 'statusId must be a UUID.'],
    [{ targetDate: 'soon' }, '"soon" is not a date in ISO 8601.'],
  ])('refuse %j', async (input, why) => {
    const { write, store } = writing()
    for (const answered of [
      await write('CreateProject', { input: { ...create, ...input } }),
      await write('UpdateProject', { id: apollo, input }),
    ]) {
      expect([answered.data, dig(answered.errors[0], 'extensions.userPresentableMessage')]).toEqual([null, why])
    }
    expect([store.projects().length, store.mutations()]).toEqual([6, []])
  })
})

describe('initiatives', () => {
  it('are created once, changed, linked, archived', async () => {
    const { write, store } = writing()
    const id = randomUUID()
    const made = await write('CreateInitiative', { input: { id, name: 'Zenith', targetDate: '2027-06-30' } })
    expect(dig(made.data, 'initiativeCreate.initiative')).toMatchObject({ name: 'Zenith', status: 'Planned', targetDate: '2027-06-30' })
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

  it('know no paused, and no slug where they are archived', async () => {
    const { write, at } = writing()
    expect((await write('CreateInitiative', { input: { name: 'x', status: 'paused' } })).status).toBe(400)
    const slug = await at('initiatives.nodes.0.slugId', '{ initiatives { nodes { slugId } } }')
    expect((await write('ArchiveInitiative', { id: slug })).data).toBeNull()
    expect((await write('CreateInitiative', { input: { name: 'x', description: 'x'.repeat(256) } })).data).toBeNull()
  })
})

describe('notifications', () => {
  const inbox = 'query Inbox($unread: Boolean) { inboxNotifications(unreadOnly: $unread) { nodes { id type readAt } } }'

  it('are read, unread, asleep', async () => {
    const { list, ask, pass } = writing()
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
