import { toObject } from '@mcp-toolkits/emulator'
import { expect, it } from 'vitest'
import { openUnlimited } from './emulator.ts'

it('a project and its updates have comments and replies', async () => {
  const { at, list, ask } = openUnlimited()
  const project = String(await at('projects.nodes.0.id', '{ projects(first: 1) { nodes { id } } }'))
  const create = `mutation($input: CommentCreateInput!) {
    commentCreate(input: $input) { comment { id body issue { id } project { id } projectUpdate { id } parent { body } } }
  }`
  const first = await at('commentCreate.comment', create, { input: { projectId: project, body: 'Is it late?' } })
  expect(first).toMatchObject({ body: 'Is it late?', issue: null, project: { id: project }, parent: null })
  const { id: parentId } = toObject(first)
  const reply = await at('commentCreate.comment', create, { input: { parentId, body: 'No.' } })
  expect(reply).toMatchObject({ project: { id: project }, parent: { body: 'Is it late?' } })
  const all = 'query($id: String!) { project(id: $id) { comments { nodes { body children { nodes { body } } } } } }'
  // Both were written at the same moment, so their ids decide the order.
  const comments = await at('project.comments.nodes', all, { id: project })
  expect(comments).toHaveLength(2)
  expect(comments).toEqual(
    expect.arrayContaining([
      { body: 'No.', children: { nodes: [] } },
      { body: 'Is it late?', children: { nodes: [{ body: 'No.' }] } },
    ]),
  )
  const about = 'query($filter: CommentFilter) { comments(filter: $filter) { nodes { body } } }'
  expect(
    await list('body', about, { filter: { project: { id: { eq: project } }, issue: { null: true }, parent: { null: true } } }),
  ).toEqual(['Is it late?'])
  const update = String(
    await at(
      'projectUpdateCreate.projectUpdate.id',
      'mutation($input: ProjectUpdateCreateInput!) { projectUpdateCreate(input: $input) { projectUpdate { id } } }',
      { input: { projectId: project, body: 'Going well.' } },
    ),
  )
  expect(await at('commentCreate.comment', create, { input: { projectUpdateId: update, body: 'Great.' } })).toMatchObject({
    projectUpdate: { id: update },
    project: null,
  })
  for (const input of [{ body: 'Alone.' }, { body: 'Elsewhere.', parentId, issueId: 'ENG-1' }])
    expect((await ask(create, { input })).errors).toMatchObject([{ message: 'Argument Validation Error' }])
})
