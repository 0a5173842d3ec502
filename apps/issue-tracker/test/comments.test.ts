import { expect, test } from 'vitest'
import type { Args } from './calls.ts'
import { workspace, type Workspace } from './workspace.ts'

test('a comment is added, changed and answered in its thread', async () => {
  await using server = await workspace()
  const { comment } = await server.call('IssueTracker.AddComment', { issue: 'eng-3', body: 'First\\nSecond' })
  const id = idOf(comment)
  expect(comment).toMatchObject({ body: 'First\nSecond', issue: { identifier: 'ENG-3' }, user: { name: 'Robin Vance' } })
  const changed = await server.call('IssueTracker.UpdateComment', { comment_id: id, body: 'Better' })
  expect(changed['comment']).toMatchObject({ id, body: 'Better' })
  expect(changed['comment']).toHaveProperty('edited_at', expect.stringMatching(/^20/))
  const reply = await server.call('IssueTracker.ReplyToComment', { issue: 'ENG-3', parent_comment_id: id, body: 'Thanks' })
  expect(reply['comment']).toMatchObject({ parent_id: id })
  const nested = await server.call('IssueTracker.ReplyToComment', {
    issue: 'ENG-3',
    parent_comment_id: idOf(reply['comment']),
    body: 'You too',
  })
  expect(nested['comment']).toMatchObject({ parent_id: id })
})

test('what cannot be commented or answered is refused, and nothing is written', async () => {
  await using server = await workspace()
  const other = idOf(foreign(server))
  const [add, change, reply] = ['IssueTracker.AddComment', 'IssueTracker.UpdateComment', 'IssueTracker.ReplyToComment']
  const nobody = '00000000-0000-4000-8000-000000000000'
  const refused: readonly (readonly [tool: string, args: Args, told: string])[] = [
    [add, { issue: 'ENG-1', body: '' }, 'body'],
    [add, { issue: 'ENG-1', body: ' \n ' }, 'body'],
    [add, { issue: 'ENG-99999', body: 'x' }, 'ENG-99999'],
    [change, { comment_id: 'first', body: 'x' }, 'comment_id'],
    [change, { comment_id: nobody, body: 'x' }, nobody],
    [change, { comment_id: other, body: 'x' }, 'own comments'],
    [reply, { issue: 'ENG-9', parent_comment_id: other, body: 'x' }, 'not on ENG-9'],
    [reply, { issue: 'ENG-99999', parent_comment_id: nobody, body: 'x' }, 'ENG-99999'],
    [reply, { issue: 'ENG-99999', parent_comment_id: nobody, body: 'x' }, nobody],
    [reply, { issue: 'ENG-9', parent_comment_id: 'ENG-9', body: 'x' }, 'parent_comment_id'],
  ]
  for (const [tool, args, told] of refused) {
    expect((await server.fails(tool, args)).message, JSON.stringify(args)).toContain(told)
  }
  expect(server.emulator.store.mutations()).toEqual([])
})

function idOf(comment: unknown): string {
  return Object.assign({ id: '' }, comment).id
}

/** A comment of somebody else. */
function foreign({ emulator }: Workspace): unknown {
  return emulator.store.comments().find((comment) => comment['parentId'] === null)
}
