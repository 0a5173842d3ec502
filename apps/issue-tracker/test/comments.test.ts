import { expect, test } from 'vitest'
import type { Args } from './calls.ts'
import { textWith } from './matching.ts'
import { firstComment } from './writing-calls.ts'
import { workspace, type Workspace } from './workspace.ts'

test('adds, changes and answers a comment in its thread', async () => {
  await using server = await workspace()
  const { comment } = await server.call('IssueTracker.AddComment', { issue: 'eng-3', body: 'First\\nSecond' })
  const id = idOf(comment)
  expect(comment).toMatchObject({ issue: 'ENG-3', url: textWith('ENG-3') })
  const read = async () => JSON.stringify(await server.call('IssueTracker.ListComments', { issue: 'ENG-3' }))
  expect(await read()).toContain(String.raw`"user":"Robin Vance","body":"First\nSecond"`)
  const changed = await server.call('IssueTracker.UpdateComment', { comment_id: id, body: 'Better' })
  expect(changed['comment']).toMatchObject({ id })
  expect(await read()).toContain('"body":"Better"')
  expect(changed['comment']).toHaveProperty('edited_at', expect.stringMatching(/^20/))
  const reply = await server.call('IssueTracker.ReplyToComment', { issue: 'ENG-3', parent_comment_id: id, body: 'Thanks' })
  expect(reply['comment']).toMatchObject({ parent_id: id })
  const unplaced = await server.fails('IssueTracker.ReplyToComment', { comment_id: id, text: 'Thanks' })
  const change = { comment_id: null, parent_comment_id: id, text: null, body: 'Thanks', issue: 'ENG-3' }
  expect(unplaced.next).toEqual({ change })
  const nested = await server.call('IssueTracker.ReplyToComment', {
    issue: 'ENG-3',
    parent_comment_id: idOf(reply['comment']),
    body: 'You too',
  })
  expect(nested['comment']).toMatchObject({ parent_id: id })
})

test('finds a comment by its URL', async () => {
  await using server = await workspace()
  const { comment } = await server.call('IssueTracker.AddComment', { issue: 'ENG-2', body: 'First' })
  const { id, url }: { id: string; url: string } = Object.assign({ id: '', url: '' }, comment)
  const changed = await server.call('IssueTracker.UpdateComment', { comment_id: url, body: 'Second' })
  expect(String(changed['notices'])).toContain(id)
})

test('a null parent does not turn a comment into a reply', async () => {
  await using server = await workspace()
  const error = await server.fails('IssueTracker.AddComment', { issue: 'ENG-3', body: 'Alone', parent_id: null })
  expect(error).toMatchObject({ code: 'invalid_input', next: { change: { parent_id: null } } })
})

test.for(['parent_id', 'parentId', 'replyTo'])('a comment with %s is a reply', async (name) => {
  await using server = await workspace()
  const { next } = await server.fails('IssueTracker.AddComment', { issue_id: 'ENG-3', text: 'Yes', [name]: 'c1' })
  expect(next).toEqual({ tool: 'IssueTracker_ReplyToComment', arguments: { issue: 'ENG-3', body: 'Yes', parent_comment_id: 'c1' } })
})

test('rejects what cannot be commented on or answered, and writes nothing', async () => {
  await using server = await workspace()
  const other = idOf(foreign(server))
  const [add, change, reply] = ['IssueTracker.AddComment', 'IssueTracker.UpdateComment', 'IssueTracker.ReplyToComment']
  const unknownId = '00000000-0000-4000-8000-000000000000'
  const refused: readonly (readonly [tool: string, args: Args, text: string])[] = [
    [add, { issue: 'ENG-1', body: '' }, 'body'],
    [add, { issue: 'ENG-1', body: ' \n ' }, 'body'],
    [add, { issue: 'ENG-99999', body: 'x' }, 'ENG-99999'],
    [change, { comment_id: 'first', body: 'x' }, 'comment_id'],
    [change, { comment_id: unknownId, body: 'x' }, unknownId],
    [change, { comment_id: other, body: 'x' }, 'own comments'],
    [reply, { issue: 'ENG-9', parent_comment_id: other, body: 'x' }, 'not on ENG-9'],
    [reply, { issue: 'ENG-99999', parent_comment_id: unknownId, body: 'x' }, 'ENG-99999'],
    [reply, { issue: 'ENG-99999', parent_comment_id: unknownId, body: 'x' }, unknownId],
    [reply, { issue: 'ENG-9', parent_comment_id: 'ENG-9', body: 'x' }, 'parent_comment_id'],
  ]
  for (const [tool, args, text] of refused) {
    expect((await server.fails(tool, args)).message, JSON.stringify(args)).toContain(text)
  }
  expect(server.emulator.store.mutations()).toEqual([])
})

test('a reply finds its issue by the identifier from the former team', async () => {
  await using server = await workspace()
  const { id, issue } = firstComment(server)
  const { team } = await server.call('IssueTracker.GetTeam', { value: issue.startsWith('DES') ? 'ENG' : 'DES', lookup_by: 'key' })
  const move = 'mutation Move($id: String!, $teamId: String!) { issueUpdate(id: $id, input: { teamId: $teamId }) { success } }'
  await server.mutate(move, { id: issue, teamId: idOf(team) })
  const reply = await server.call('IssueTracker.ReplyToComment', { issue, parent_comment_id: id, body: 'Still here' })
  expect(reply['comment']).toMatchObject({ parent_id: id })
  expect((await server.fails('IssueTracker.ReplyToComment', { issue: 'ENG-9', parent_comment_id: id, body: 'x' })).message).toContain(
    'not on',
  )
})

test('a reply rejects a URL from another workspace and accepts one from this workspace', async () => {
  await using server = await workspace()
  const { id: parent_comment_id, issue } = firstComment(server)
  const at = (company: string) => ({ issue: `https://linear.app/${company}/issue/${issue}/any`, parent_comment_id, body: 'x' })
  expect((await server.fails('IssueTracker.ReplyToComment', at('another'))).message).toContain('is a page of the workspace "another"')
  expect(await server.call('IssueTracker.ReplyToComment', at('lodestar'))).toHaveProperty('comment')
})

test('the call that an error proposes succeeds', async () => {
  await using server = await workspace()
  const { id, issue } = firstComment(server)
  const reply = { issue: 'ENG-9', parent_comment_id: id, body: 'x' }
  const misplaced = await server.fails('IssueTracker.ReplyToComment', reply)
  expect(await server.call('IssueTracker.ReplyToComment', { ...reply, ...misplaced.next?.change })).toHaveProperty('comment')
  for (const parent_comment_id of ['first', '00000000-0000-4000-8000-000000000000']) {
    const { next } = await server.fails('IssueTracker.ReplyToComment', { issue, parent_comment_id, body: 'x' })
    expect(next).toEqual({ tool: 'IssueTracker_ListComments', arguments: { issue } })
    expect(await server.call('IssueTracker.ListComments', next?.arguments)).toHaveProperty('comments')
  }
  for (const comment_id of ['first', '00000000-0000-4000-8000-000000000000']) {
    // The call does not name an issue whose comments could be listed.
    expect(await server.fails('IssueTracker.UpdateComment', { comment_id, body: 'x' })).not.toHaveProperty('next')
  }
})

function idOf(comment: unknown): string {
  return Object.assign({ id: '' }, comment).id
}

/** A comment by another person. */
function foreign({ emulator }: Workspace): unknown {
  return emulator.store.comments().find((comment) => comment['parentId'] === null)
}
