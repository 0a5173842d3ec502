import { member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import type { Args } from '../calls.ts'
import { recordWith, someText, textWith } from '../matching.ts'
import { workspace } from '../workspace.ts'

const [list, add, reply] = ['IssueTracker.ListProjectComments', 'IssueTracker.AddProjectComment', 'IssueTracker.ReplyToProjectComment']
const [resolve, updates] = ['IssueTracker.ResolveComment', 'IssueTracker.ListProjectUpdates']
const planning = { toolsets: ['planning'], emulated: { seed: 'company' } } as const
const project = 'Trails launch'

test('lists the comments on a project, or only those that quote it or are open', async () => {
  await using server = await workspace(planning)
  const listed = async (args: Args) => (await server.call(list, { project, ...args }))['comments']
  expect(await listed({})).toMatchObject([
    { resolved_at: someText },
    { parent_id: someText },
    { quoted_text: textWith('A night of updates'), user: 'Priya Nair' },
  ])
  expect(await listed({ comment_filter: 'only_quoted' })).toHaveLength(1)
  expect(await server.call(list, { project, comment_filter: 'only_unquoted', include_resolved: false })).toMatchObject({
    comments: [{ user: 'Noah Weiss' }],
    notices: [textWith("2 of this page's comments are left out")],
  })
  const first = await server.call(list, { project, limit: 1 })
  const end_cursor = member(first['pagination'], 'end_cursor')
  expect(await listed({ limit: 2, end_cursor })).toHaveLength(2)
  expect(server.requests()).toBe(5)
  await server.call('IssueTracker.CreateProject', { name: 'Bare', team: 'ENG' })
  expect(await server.call(list, { project: 'Bare' })).toMatchObject({ comments: [], notices: ['The project has no comments.'] })
})

test('comments on a project and replies in its threads, in two requests each', async () => {
  await using server = await workspace(planning)
  const quoted = { project, body: 'Is it?\\nReally?', quoted_text: 'No route is ever lost' }
  const { comment } = await server.call(add, quoted)
  expect(comment).toMatchObject({ id: someText, project, quoted_text: 'No route is ever lost' })
  const id = member(comment, 'id')
  expect(server.requests()).toBe(2)
  const answered = await server.call(reply, { project: '676674191280', parent_comment_id: id, body: 'It is.' })
  expect(answered).toMatchObject({ comment: { parent_id: id, project } })
  expect(server.requests()).toBe(4)
  const nested = member(answered['comment'], 'id')
  expect(await server.call(reply, { project, parent_comment_id: nested, body: 'Good.' })).toMatchObject({ comment: { parent_id: id } })
  expect(server.emulator.store.comments().filter((each) => each['body'] === 'Is it?\nReally?')).toHaveLength(1)
  const other = { project: 'Sync reliability', parent_comment_id: id, body: 'Here?' }
  expect(await server.fails(reply, other)).toMatchObject({ code: 'not_found', message: textWith('has no comment') })
  expect(await server.fails(reply, { ...other, parent_comment_id: 'first' })).toMatchObject({ code: 'invalid_input' })
})

test('resolves a thread, naming the comment that settles it, and reopens it, in one request each', async () => {
  await using server = await workspace(planning)
  const [, answer, thread] = Object.assign<{ id: string }[], unknown>([], (await server.call(list, { project }))['comments'])
  const args = { comment_id: thread?.id, resolving_comment_id: answer?.id }
  expect(await server.call(resolve, args)).toEqual({
    comment: recordWith({ project, resolved_at: someText, resolved_by: 'Robin Vance', resolving_comment_id: answer?.id }),
  })
  const { comment } = await server.call(resolve, { comment_id: thread?.id, action: 'unresolve' })
  expect(comment).not.toHaveProperty('resolved_at')
  expect(server.requests()).toBe(3)
  expect(await server.fails(resolve, { comment_id: answer?.id })).toMatchObject({
    code: 'invalid_input',
    message: textWith('first comment of a thread'),
  })
  expect(await server.fails(resolve, { ...args, action: 'unresolve' })).toMatchObject({ code: 'invalid_input' })
  expect(await server.fails(resolve, { comment_id: '00000000-0000-4000-8000-000000000000' })).toMatchObject({ code: 'not_found' })
})

test('lists the status posts of a project, newest first', async () => {
  await using server = await workspace(planning)
  expect(await server.call(updates, { project: 'trails launch', limit: 2 })).toMatchObject({
    project,
    health: 'atRisk',
    project_updates: [
      { user: 'Noah Weiss', health: 'atRisk', body: someText },
      { created_at: someText, id: someText },
    ],
    pagination: { has_more: true },
  })
  expect(server.requests()).toBe(1)
})

test('replying to a project comment as if it were on an issue leads to the right tool', async () => {
  await using server = await workspace(planning)
  const { comments } = await server.call(list, { project })
  const id = member(Object.assign([], comments)[0], 'id')
  const { message } = await server.fails('IssueTracker.ReplyToComment', { issue: 'ENG-1', parent_comment_id: id, body: 'x' })
  expect(message).toBe(
    'The comment is on project "Trails launch", not on an issue; the planning toolset has a tool that replies to it. Use IssueTracker_ReplyToProjectComment.',
  )
})

test('says which of the two comments in a call is missing', async () => {
  await using server = await workspace({ toolsets: ['planning'] })
  const comment = String(server.emulator.store.comments().find(({ parentId }) => parentId === null)?.['id'])
  const other = crypto.randomUUID()
  for (const [comment_id, resolving_comment_id] of [
    [comment, other],
    [other, comment],
  ])
    expect(await server.fails('IssueTracker.ResolveComment', { comment_id, resolving_comment_id })).toMatchObject({
      code: 'not_found',
      message: textWith(`No comment "${other}"`),
    })
})
