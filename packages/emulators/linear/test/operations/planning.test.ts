import { toObject } from '@mcp-toolkits/emulator'
import { dig } from '@mcp-toolkits/emulator/testing'
import { expect, it } from 'vitest'
import { idOf } from '../../src/ids.ts'
import { covers } from '../emulator.ts'
import { openUnlimited } from './emulator.ts'

const project = idOf('Project Apollo')

it('comments on a project keep the passage that they quote, and have replies', covers('comments/on-projects'), async () => {
  const { at } = openUnlimited()
  const create = `mutation($input: CommentCreateInput!) {
    commentCreate(input: $input) { comment { id quotedText project { name } issue { id } parent { id } } }
  }`
  const first = toObject(await at('commentCreate.comment', create, { input: { projectId: project, body: 'Why?', quotedText: 'Week 1' } }))
  expect(first).toMatchObject({ quotedText: 'Week 1', project: { name: 'Apollo' }, issue: null })
  const reply = await at('commentCreate.comment', create, { input: { parentId: first['id'], body: 'So.' } })
  expect(reply).toMatchObject({ project: { name: 'Apollo' }, quotedText: null, parent: { id: first['id'] } })
})

const createDocument = `mutation($input: DocumentCreateInput!) {
  documentCreate(input: $input) { document { id url title project { name } team { key } issue { identifier } initiative { name } } }
}`

it.each([
  [{ projectId: project }, { project: { name: 'Apollo' }, team: null }],
  [{ teamId: idOf('Team Design') }, { team: { key: 'DES' }, project: null }],
  [{ issueId: 'ENG-9' }, { issue: { identifier: 'ENG-9' } }],
  [{ initiativeId: idOf('Initiative Brand refresh') }, { initiative: { name: 'Brand refresh' } }],
])('a document of %j is listed by it', covers('documents/owner', 'documents/url'), async (owner, shown) => {
  const { at, list } = openUnlimited()
  const document = await at('documentCreate.document', createDocument, { input: { title: 'Notes on it', ...owner } })
  expect(document).toMatchObject(shown)
  expect(toObject(document)['url']).toMatch(/\/document\/notes-on-it-[0-9a-f]{12}$/)
  const [kind = ''] = Object.keys(shown)
  const ofOwner = `query($filter: DocumentFilter) { documents(filter: $filter) { nodes { title } } }`
  const id = await at(`document.${kind}.id`, `query($id: String!) { document(id: $id) { ${kind} { id } } }`, {
    id: toObject(document)['id'],
  })
  expect(await list('title', ofOwner, { filter: { [kind]: { id: { eq: id } } } })).toEqual(['Notes on it'])
})

it("an update replaces a document's text, even if it has changed in the meantime", covers('documents/whole-texts'), async () => {
  const { at } = openUnlimited()
  const id = await at('documentCreate.document.id', createDocument, { input: { title: 'Plan', projectId: project, content: 'Old.' } })
  const write = `mutation($id: String!, $content: String) { documentUpdate(id: $id, input: { content: $content }) { document { content } } }`
  for (const content of ['Old. Theirs.', 'Old. Mine.'])
    expect(await at('documentUpdate.document.content', write, { id, content })).toBe(content)
})

it('two milestones of a project may have one name', covers('milestones/names'), async () => {
  const { at, list } = openUnlimited()
  const create = 'mutation($input: ProjectMilestoneCreateInput!) { projectMilestoneCreate(input: $input) { projectMilestone { id } } }'
  const twice = { input: { projectId: project, name: 'Twice' } }
  await at('projectMilestoneCreate', create, twice)
  await at('projectMilestoneCreate', create, twice)
  const named = 'query($filter: ProjectMilestoneFilter) { projectMilestones(filter: $filter) { nodes { name } } }'
  expect(await list('name', named, { filter: { name: { eqIgnoreCase: 'twice' } } })).toEqual(['Twice', 'Twice'])
})

it('a team without cycles has no issues in them', covers('cycles/delete-all'), async () => {
  const { at, list } = openUnlimited()
  const remove = `mutation($id: String!) { teamCyclesDelete(id: $id) { team { cyclesEnabled cycles { nodes { id } } } } }`
  expect(await at('teamCyclesDelete.team', remove, { id: idOf('Team Engineering') })).toEqual({
    cyclesEnabled: false,
    cycles: { nodes: [] },
  })
  expect(
    await list('identifier', '{ issues(filter: { team: { key: { eq: "ENG" } }, cycle: { null: false } }) { nodes { identifier } } }'),
  ).toEqual([])
})

it('a group of labels is not put into a group', covers('labels/groups'), async () => {
  const { ask } = openUnlimited()
  const type = idOf('IssueLabel Type')
  const other = await ask('mutation { issueLabelCreate(input: { name: "Area", isGroup: true }) { issueLabel { id } } }')
  for (const parentId of [type, dig(other.data, 'issueLabelCreate.issueLabel.id')]) {
    const { errors } = await ask(`mutation { issueLabelUpdate(id: "${type}", input: { parentId: "${String(parentId)}" }) { success } }`)
    expect(dig(errors, '0.extensions.userPresentableMessage')).toBe('A label group cannot be in another group.')
  }
})

it('a status or a tier of customers is deleted when no customer has it', covers('customers/statuses'), async () => {
  const { ask, at, list } = openUnlimited()
  const make = async (kind: string, field: string) =>
    String(await at(`made.${field}.id`, `mutation { made: ${kind}Create(input: { name: "A", color: "#fff" }) { ${field} { id } } }`))
  const remove = async (kind: string, id: unknown) => {
    const { errors } = await ask(`mutation { ${kind}Delete(id: "${String(id)}") { success } }`)
    return dig(errors, '0.extensions.userPresentableMessage')
  }
  const [statusId, tierId] = [await make('customerStatus', 'status'), await make('customerTier', 'tier')]
  const customer = `mutation { made: customerCreate(input: { name: "Acme", statusId: "${statusId}", tierId: "${tierId}" }) { customer { id } } }`
  const customerId = await at('made.customer.id', customer)
  for (const [kind, id] of [
    ['customerStatus', statusId],
    ['customerTier', tierId],
  ] as const)
    expect(await remove(kind, id)).toBe('Customers still have it; give them another one first.')
  await remove('customer', customerId)
  expect([await remove('customerTier', tierId), await remove('customerStatus', statusId)]).toEqual([undefined, undefined])
  const [last, ...others] = await list('id', '{ customerStatuses { nodes { id } } }')
  expect([await remove('customerStatus', last), others]).toEqual(['The last customer status cannot be deleted.', []])
})
