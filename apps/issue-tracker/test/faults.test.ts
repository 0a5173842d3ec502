import { expect, test } from 'vitest'
import { workspace } from './workspace.ts'

const list = 'IssueTracker.ListTeams'

test('a lost connection and an internal error pass by themselves', async () => {
  await using server = await workspace()
  server.emulator.faults.add({ action: { kind: 'drop_before' } })
  const body = { errors: [{ message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] }
  server.emulator.faults.add({ action: { kind: 'status', status: 200, body } })
  expect(await server.call(list)).toHaveProperty('teams')
  expect(server.requests()).toBe(3)
})

test('a rate limit, which is HTTP 400 here, is waited for when it is short and told when it is long', async () => {
  await using server = await workspace()
  const body = { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED', type: 'ratelimited' } }] }
  server.emulator.faults.add({ action: { kind: 'status', status: 400, body, retry_after: 0 } })
  server.emulator.faults.add({ action: { kind: 'status', status: 400, body, retry_after: 40 } })
  const error = await server.fails(list)
  expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retry_after_seconds: 40 })
  expect(server.requests()).toBe(2)
})

test('an answer of 500 is repeated in one place only', async () => {
  await using server = await workspace()
  server.emulator.faults.add({
    times: 50,
    action: { kind: 'status', status: 500, body: { errors: [{ message: 'x', extensions: { type: 'internal error' } }] } },
  })
  expect(await server.fails(list)).toMatchObject({ code: 'unavailable', retryable: true })
  expect(server.requests()).toBe(7)
})

test.for([
  [{ code: 'FORBIDDEN', type: 'forbidden' }, 400, 'forbidden'],
  [{ code: 'AUTHENTICATION_ERROR', type: 'authentication error' }, 401, 'unauthenticated'],
  [{ code: 'USAGE_LIMIT_EXCEEDED' }, 200, 'forbidden'],
  [{ code: 'INPUT_ERROR', type: 'invalid input', userPresentableMessage: 'The query is too complex.' }, 400, 'invalid_input'],
] as const)('%j with HTTP %i is %s, and is not repeated', async ([extensions, status, code]) => {
  await using server = await workspace()
  server.emulator.faults.add({ action: { kind: 'status', status, body: { errors: [{ message: 'no', extensions }], data: null } } })
  expect(await server.fails(list)).toMatchObject({ code, retryable: false })
  expect(server.requests()).toBe(1)
})

test('names are found whatever blanks stand around them', async () => {
  await using server = await workspace()
  expect(await server.call('IssueTracker.ListIssues', { team: ' engineering ', state: 'Todo ' })).toHaveProperty('issues')
  expect(await server.call('IssueTracker.GetIssue', { issue_id: ' eng-1 ' })).toHaveProperty('issue')
  expect(server.requests()).toBe(2)
})
