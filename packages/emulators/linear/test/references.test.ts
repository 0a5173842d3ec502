import { dig, textAt } from '@mcp-toolkits/emulator/testing'
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { idOf } from '../src/ids.ts'
import { design, eng, expectInputError, user, openForMutations } from './mutations.ts'
import { covers } from './emulator.ts'

const apollo = idOf('Project Apollo')
const reliability = idOf('Initiative Reliability')

describe('an id from the client', () => {
  const creates: readonly (readonly [type: string, name: string, input: object])[] = [
    ['Issue', 'CreateIssue', { teamId: eng, title: 'One' }],
    ['Comment', 'AddComment', { issueId: 'ENG-1', body: 'One' }],
    ['IssueRelation', 'CreateIssueRelation', { issueId: 'ENG-7', relatedIssueId: 'ENG-8', type: 'related' }],
    ['Project', 'CreateProject', { name: 'One', teamIds: [design] }],
    ['ProjectUpdate', 'CreateProjectUpdate', { projectId: apollo, body: 'One' }],
    ['Initiative', 'CreateInitiative', { name: 'One' }],
    ['InitiativeToProject', 'AddProjectToInitiative', { initiativeId: reliability, projectId: idOf('Project Design system') }],
  ]

  it.each(creates)('creates one %s', covers('ids/from-client'), async (...[type, name, input]) => {
    const { write, store } = openForMutations()
    const id = randomUUID()
    expect((await write(name, { input: { ...input, id } })).errors).toEqual([])
    for (const again of [id, id.toUpperCase()]) {
      const { status, data, errors } = await write(name, { input: { ...input, id: again } })
      expect([status, data]).toEqual([200, null])
      expect(errors[0]).toMatchObject({
        message: `conflict on insert of ${type}`,
        extensions: { code: 'INPUT_ERROR', userPresentableMessage: `Entity ${type} with id ${id} already exists.` },
      })
    }
    for (const bad of ['x', '', 'ENG-1', '00000000-0000-1000-8000-000000000000']) {
      expectInputError(await write(name, { input: { ...input, id: bad } }), /^id must be a UUID of version 4/)
    }
    expect(store.mutations().map(({ entity }) => entity)).toEqual([id])
  })

  it('creates one attachment and conflicts with another URL', covers('attachments/id-conflict'), async () => {
    const { write, store } = openForMutations()
    const [id, other] = [randomUUID(), randomUUID()]
    const input = { issueId: 'ENG-2', url: 'https://example.com/1', title: 'One' }
    await write('LinkCodeHostPlain', { input: { ...input, id } })
    const message = 'conflict on insert of Attachment'
    expect((await write('LinkCodeHostPlain', { input: { ...input, id, url: 'https://example.com/2' } })).errors[0]?.['message']).toBe(
      message,
    )
    expect((await write('LinkCodeHost', { ...input, id, url: 'https://example.com/2' })).errors[0]?.['message']).toBe(message)
    expect(textAt((await write('LinkCodeHostPlain', { input: { ...input, id: other } })).data, 'attachmentCreate.attachment.id')).toBe(id)
    expect(store.attachments().filter(({ url }) => String(url).startsWith('https://example.com'))).toHaveLength(1)
  })
})

describe('issue identifiers', () => {
  it('replace ids where the vendor documents it', covers('issues/parent-reference', 'issues/identifier-in-mutations'), async () => {
    const { write, update, create } = openForMutations()
    expect((await update('eng-2', { title: 'Other' })).errors).toEqual([])
    expect(dig((await create({ parentId: 'eng-2' })).data, 'issueCreate.issue.parent.identifier')).toBe('ENG-2')
    expect((await write('AddComment', { input: { issueId: 'eng-2', body: 'Hello' } })).errors).toEqual([])
    expect((await write('LinkCodeHost', { issueId: 'eng-2', url: 'https://example.com', title: 'One' })).errors).toEqual([])
  })

  it('replace ids elsewhere too', covers('issues/identifier-elsewhere'), async () => {
    const { write } = openForMutations()
    for (const name of ['Subscribe', 'Unsubscribe', 'ArchiveIssue', 'Unarchive']) {
      expect([name, (await write(name, { id: 'eng-2' })).errors]).toEqual([name, []])
    }
    const relation = { issueId: 'eng-2', relatedIssueId: 'des-2', type: 'related' }
    expect((await write('CreateIssueRelation', { input: relation })).errors).toEqual([])
    const attachment = { issueId: 'eng-2', url: 'https://example.com', title: 'One' }
    expect((await write('LinkCodeHostPlain', { input: attachment })).errors).toEqual([])
  })

  it(
    'find an issue in upper and lower case and by a previous identifier',
    covers('references/issue-identifier', 'references/former-identifier'),
    async () => {
      const { at } = openForMutations()
      const identifier = (id: string) => at('issue.identifier', 'query One($id: String!) { issue(id: $id) { identifier } }', { id })
      for (const id of ['ENG-2', 'eng-2', 'eNg-2', idOf('Issue ENG-2'), idOf('Issue ENG-2').toUpperCase()])
        expect(await identifier(id)).toBe('ENG-2')
      expect(await identifier('des-14')).toBe('ENG-30')
    },
  )
})

describe('other references', () => {
  const found = async (field: string, id: unknown) => {
    const { ask } = openForMutations()
    const { errors } = await ask(`query One($id: String!) { ${field}(id: $id) { id } }`, { id })
    return errors.length === 0
  }
  const first = async (field: string, key: string) => {
    const { at } = openForMutations()
    return at(`${field}.nodes.0.${key}`, `{ ${field} { nodes { ${key} } } }`)
  }

  it('include the slug of the URL for projects', covers('references/project-slug'), async () => {
    const slug = await first('projects', 'slugId')
    expect(await found('project', slug)).toBe(true)
    expect(await found('project', `billing-rewrite-${String(slug)}`)).toBe(true)
    expect(await found('project', await first('projects', 'name'))).toBe(false)
    const { write } = openForMutations()
    expect((await write('UpdateProject', { id: slug, input: { name: 'Other' } })).errors).toEqual([])
    expect((await write('ArchiveProject', { id: slug })).errors).toEqual([])
  })

  it('include the slug of the URL for initiatives in queries', covers('references/initiative-slug'), async () => {
    const slug = await first('initiatives', 'slugId')
    expect(await found('initiative', slug)).toBe(true)
    const { write } = openForMutations()
    expect((await write('ArchiveInitiative', { id: slug })).data).toBeNull()
    expect((await write('UpdateInitiative', { id: slug, input: { name: 'Other' } })).data).toBeNull()
  })

  it('are only UUIDs for teams and cycles', covers('references/team-and-cycle-id'), async () => {
    for (const key of ['ENG', 'Engineering']) expect(await found('team', key)).toBe(false)
    for (const number of ['3', 'Polish']) expect(await found('cycle', number)).toBe(false)
    expect(await found('team', eng.toUpperCase())).toBe(true)
    expect(await found('cycle', idOf('Cycle ENG 3'))).toBe(true)
  })

  it('must exist in every field', covers('references/dangling-ids'), async () => {
    const { write } = openForMutations()
    const nothing = randomUUID()
    const dangling: readonly (readonly [string, object])[] = [
      ['CreateProject', { input: { name: 'One', teamIds: [nothing] } }],
      ['CreateProject', { input: { name: 'One', teamIds: [design], leadId: nothing } }],
      ['CreateProject', { input: { name: 'One', teamIds: [design], statusId: nothing } }],
      ['CreateProjectUpdate', { input: { projectId: nothing, body: 'One' } }],
      ['AddProjectToInitiative', { input: { projectId: nothing, initiativeId: reliability } }],
      ['AddProjectToInitiative', { input: { projectId: apollo, initiativeId: nothing } }],
      ['AddComment', { input: { issueId: 'ENG-1', parentId: nothing, body: 'One' } }],
      ['UpdateComment', { id: nothing, body: 'One' }],
      ['UpdateProject', { id: nothing, input: { name: 'One' } }],
      ['ArchiveProject', { id: nothing }],
      ['ArchiveInitiative', { id: nothing }],
      ['LinkCodeHostPlain', { input: { issueId: nothing, url: 'https://example.com', title: 'One' } }],
    ]
    for (const [name, variables] of dangling) {
      const { status, data, errors } = await write(name, { ...variables })
      expect([name, status, data, String(errors[0]?.['message'])]).toEqual([name, 200, null, expect.stringMatching(/^Entity not found: /)])
    }
  })
})

describe('a refused mutation', () => {
  it('changes nothing and is not listed', covers('graphql/refused-mutation'), async () => {
    const { ask, write, store } = openForMutations()
    const attempts = [
      await write('CreateIssue', { input: { teamId: eng, title: '' } }),
      await write('UpdateIssue', { id: 'ENG-1', input: { title: 'Other', assigneeId: user('Grace Kim') } }),
      await write('UpdateProject', { id: apollo, input: { name: 'Other', teamIds: [design], memberIds: ['x'] } }),
      await write('CreateProjectUpdate', { input: { projectId: apollo, body: 'One', health: 'lost' } }),
      await ask('mutation { issueArchive(id: "ENG-1") { success entity { nothing } } }'),
      await ask('mutation { issueArchive(id: "ENG-1") { success } }', {}, {}),
    ]
    expect(attempts.map(({ data }) => data ?? null)).toEqual([null, null, null, null, null, null])
    expect(store.mutations()).toEqual([])
    expect(store.issues().find(({ identifier }) => identifier === 'ENG-1')).toMatchObject({
      archivedAt: null,
      assigneeId: user('Robin Vance'),
    })
    expect(store.teamsOf(apollo)).toHaveLength(2)
  })
})
