import { expect, test } from 'vitest'
import type { Args } from './calls.ts'
import { recordWith, textWith } from './matching.ts'
import { workspace, type Workspace } from './workspace.ts'

const transition = 'IssueTracker.TransitionIssueState'
const relate = 'IssueTracker.CreateIssueRelation'

test('finds a state by name, or by type if the team has one of that type', async () => {
  await using server = await workspace()
  const move = async (target: string) => server.call(transition, { issue_id: 'ENG-2', target_state: target })
  expect(await move('done')).toMatchObject({ issue: { state: 'Done' }, changed: true })
  expect(await move('completed')).toMatchObject({ previous_state: 'Done', changed: false })
  expect(await move('canceled')).toMatchObject({ previous_state: 'Done', issue: { state: 'Canceled' } })
  expect(await server.fails(transition, { issue_id: 'ENG-2', target_state: 'started' })).toMatchObject({ code: 'ambiguous' })
})

test('rejects a misspelt state with suggestions, and accepts it when allowed', async () => {
  await using server = await workspace()
  const args = { issue_id: 'ENG-2', target_state: 'In Progres' }
  expect(await server.fails(transition, args)).toMatchObject({ code: 'not_found', next: { change: { target_state: 'In Progress' } } })
  expect(server.emulator.store.mutations()).toEqual([])
  expect(await server.call(transition, { ...args, auto_accept_matches: true })).toMatchObject({ issue: { state: 'In Progress' } })
})

test('stores a relation once, regardless of which issue it is created on', async () => {
  await using server = await workspace()
  await server.call(relate, { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blockedBy' })
  expect(await relations(server, 'ENG-4')).toEqual({ blocked_by: [recordWith({ identifier: 'DES-4', state_type: 'started' })] })
  expect(await relations(server, 'DES-4')).toEqual({ blocks: [recordWith({ identifier: 'ENG-4' })] })
  const stored = server.emulator.store.relations().length
  for (const args of [
    { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blockedBy' },
    { issue: 'DES-4', related_issue: 'ENG-4', relation_type: 'blocks' },
  ]) {
    expect(await server.call(relate, args)).toMatchObject({ changed: false, relation: { relation_type: args.relation_type } })
  }
  expect(server.emulator.store.relations().length).toBe(stored)
})

test('closes a duplicate and returns its new state', async () => {
  await using server = await workspace()
  const result = await server.call(relate, { issue: 'ENG-7', related_issue: 'ENG-8', relation_type: 'duplicate' })
  expect(result).toMatchObject({ relation: { issue: { identifier: 'ENG-7', state: 'Duplicate' } } })
  expect(await relations(server, 'ENG-8')).toMatchObject({ duplicated_by: [{ identifier: 'ENG-7' }] })
})

test('says that a duplicate was reopened', async () => {
  await using server = await workspace()
  const args = { issue: 'ENG-7', related_issue: 'ENG-8', relation_type: 'duplicate' }
  expect(await server.call(relate, args)).not.toHaveProperty('notices')
  await server.call(transition, { issue_id: 'ENG-7', target_state: 'Todo' })
  const { changed, notices } = await server.call(relate, args)
  expect(changed).toBe(false)
  expect(notices).toContainEqual(textWith('ENG-7 is a duplicate and still open, in "Todo".'))
})

test.for([
  [
    { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' },
    { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' },
    { issue: 'DES-4', related_issue: 'eng-4', relation_type: 'blockedBy' },
  ],
  [
    { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'related' },
    { issue: 'DES-4', related_issue: 'ENG-4', relation_type: 'related' },
  ],
])('stores a relation once when two calls create it at once', async (calls) => {
  await using server = await workspace()
  const stored = server.emulator.store.relations().length
  const results = await Promise.all(calls.map(async (args) => server.call(relate, args)))
  expect(results.map(({ changed }) => changed).toSorted()).toEqual([...calls.slice(1).map(() => false), true])
  expect(server.emulator.store.relations().length - stored).toBe(1)
  expect(server.requests()).toBe(calls.length + 1)
})

test('a relation that Linear rejects does not block the next one', async () => {
  await using server = await workspace()
  const args = { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' }
  const results = await Promise.all([server.result(relate, { ...args, issue: 'ENG-99999' }), server.result(relate, args)])
  expect(results.map(({ isError }) => isError === true)).toEqual([true, false])
})

test('does not make two issues duplicates of each other', async () => {
  await using server = await workspace()
  await server.call(relate, { issue: 'ENG-7', related_issue: 'ENG-8', relation_type: 'duplicate' })
  const error = await server.fails(relate, { issue: 'ENG-8', related_issue: 'ENG-7', relation_type: 'duplicate' })
  expect(error).toMatchObject({ code: 'invalid_input' })
  expect(error.message).toContain('ENG-7 is already a duplicate of ENG-8')
  expect(await server.call(relate, { issue: 'ENG-7', related_issue: 'ENG-8', relation_type: 'duplicate' })).toMatchObject({
    changed: false,
  })
})

test('finds a moved issue by its former identifier, on either side of a relation', async () => {
  await using server = await workspace()
  const moved = await movedIssue(server, 'ENG-5')
  for (const args of [
    { issue: 'ENG-5', related_issue: 'OPS-2' },
    { issue: 'OPS-3', related_issue: 'eng-5' },
  ]) {
    expect(JSON.stringify(await server.call(relate, { ...args, relation_type: 'related' }))).toContain(`"identifier":"${moved}"`)
  }
  expect((await server.fails(relate, { issue: 'ENG-0', related_issue: 'OPS-2', relation_type: 'related' })).code).toBe('not_found')
})

/** Moves an issue to another team, and returns its new identifier. */
async function movedIssue(server: Workspace, identifier: string): Promise<string> {
  const { team } = await server.call('IssueTracker.GetTeam', { value: 'DES', lookup_by: 'key' })
  const { id: teamId }: { id: string } = Object.assign({ id: '' }, team)
  const move = 'mutation Move($id: String!, $teamId: String!) { issueUpdate(id: $id, input: { teamId: $teamId }) { success } }'
  await server.mutate(move, { id: identifier, teamId })
  const { issue } = await server.call('IssueTracker.GetIssue', { issue_id: identifier })
  return Object.assign({ identifier: '' }, issue).identifier
}

const refused: readonly (readonly [tool: string, args: Args, text: string])[] = [
  [relate, { issue: 'ENG-1', related_issue: 'ENG-1', relation_type: 'blocks' }, 'itself'],
  [relate, { issue: 'ENG-1', related_issue: 'ENG-1', relation_type: 'similar' }, 'relation_type'],
  [relate, { issue: 'ENG-88888', related_issue: 'ENG-99999', relation_type: 'blocks' }, 'ENG-99999'],
  [relate, { issue: 'ENG-88888', related_issue: 'nonsense', relation_type: 'blocks' }, 'ENG-88888'],
  [transition, { issue_id: 'ENG-99999', target_state: 'Done' }, 'ENG-99999'],
  ['IssueTracker.ManageIssueSubscription', { issue: 'ENG-99999', subscribe: true }, 'ENG-99999'],
  ['IssueTracker.ManageIssueSubscription', { issue: 'ENG-1' }, 'subscribe'],
  ['IssueTracker.ArchiveIssue', { issue: 'ENG-99999' }, 'ENG-99999'],
]

test.for(refused)('%s rejects %j and writes nothing', async ([tool, args, text]) => {
  await using server = await workspace()
  expect((await server.fails(tool, args)).message).toContain(text)
  expect(server.emulator.store.mutations()).toEqual([])
})

test('subscribing and archiving return the final state, however often they are repeated', async () => {
  await using server = await workspace()
  const subscribe = async (isSubscribed: boolean) =>
    server.call('IssueTracker.ManageIssueSubscription', { issue: 'OPS-2', subscribe: isSubscribed })
  expect(await subscribe(true)).toMatchObject({ subscribed: true, issue: { identifier: 'OPS-2' } })
  expect(await subscribe(true)).toMatchObject({ subscribed: true })
  expect(await subscribe(false)).toMatchObject({ subscribed: false })
  const { issue } = await server.call('IssueTracker.ArchiveIssue', { issue: 'OPS-2' })
  expect(issue).toHaveProperty('archived_at', expect.stringMatching(/^20/))
  expect(await server.call('IssueTracker.ArchiveIssue', { issue: 'OPS-2' })).toEqual({ issue })
})

async function relations(server: Workspace, issue: string): Promise<unknown> {
  const { issue: found } = await server.call('IssueTracker.GetIssue', { issue_id: issue })
  return Object.assign({ relations: {} }, found).relations
}
