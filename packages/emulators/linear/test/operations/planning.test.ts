import { toObject } from '@mcp-toolkits/emulator'
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

it('an update of a document replaces its text, even one that has changed in between', covers('documents/whole-texts'), async () => {
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
