import { ManualClock, manualScope } from '@mcp-toolkits/core/testing'
import { expect, test } from 'vitest'
import { linearClient, type LinearCall } from '../src/linear/client.ts'
import { whoAmI } from '../src/linear/workspace.ts'
import { workspace } from './workspace.ts'

const list = 'IssueTracker.ListTeams'

test('retries after a lost connection and after an internal error', async () => {
  await using server = await workspace({ clock: new ManualClock() })
  server.emulator.faults.add({ action: { kind: 'drop_before' } })
  const body = { errors: [{ message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] }
  server.emulator.faults.add({ action: { kind: 'status', status: 200, body } })
  expect(await server.call(list)).toHaveProperty('teams')
  expect(server.requests()).toBe(3)
})

test('waits out a short rate limit, which is HTTP 400 here, and reports a long one', async () => {
  await using server = await workspace({ clock: new ManualClock() })
  const body = { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED', type: 'ratelimited' } }] }
  server.emulator.faults.add({ action: { kind: 'status', status: 400, body, retry_after: 0 } })
  server.emulator.faults.add({ action: { kind: 'status', status: 400, body, retry_after: 40 } })
  const error = await server.fails(list)
  expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retry_after_seconds: 40 })
  expect(server.requests()).toBe(2)
})

test('says that a change may have been made if it is refused after a lost response', async () => {
  await using server = await workspace({ clock: new ManualClock() })
  server.emulator.faults.add({ action: { kind: 'drop_after' } })
  server.emulator.faults.add({ action: { kind: 'status', status: 403, body: { errors: [{ message: 'no' }] } } })
  const { code, message } = await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', title: 'Changed' })
  expect([code, message.endsWith('It is not known whether this took effect.')]).toEqual(['forbidden', true])
  expect(server.emulator.store.mutations()).toHaveLength(1)
})

test.for([
  [500, true],
  [502, true],
  [503, false],
  [200, true],
] as const)('after HTTP %i without data, it is unknown whether a change was made: %s', async ([status, isUnknown]) => {
  await using server = await workspace({ clock: new ManualClock() })
  server.emulator.faults.add({ times: 50, action: { kind: 'status', status, body: {} } })
  const { code, message } = await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', title: 'Changed' })
  expect([code, message.includes('It is not known whether this took effect. Make the identical call again')]).toEqual([
    'unavailable',
    isUnknown,
  ])
})

test('explains a redirect, which is not followed', async () => {
  await using server = await workspace({ clock: new ManualClock() })
  server.emulator.faults.add({ action: { kind: 'redirect', status: 302, location: 'https://elsewhere.example/' } })
  const error = await server.fails(list)
  expect(error).toMatchObject({ code: 'unavailable', retryable: false, next: { command: 'issue-tracker-mcp status' } })
  expect(error.message).toContain('Linear answered with a redirect (HTTP 302), which was not followed.')
  expect(server.requests()).toBe(1)
})

test('retries an HTTP 500 in one place only', async () => {
  await using server = await workspace({ clock: new ManualClock() })
  server.emulator.faults.add({
    times: 50,
    action: { kind: 'status', status: 500, body: { errors: [{ message: 'x', extensions: { type: 'internal error' } }] } },
  })
  expect(await server.fails(list)).toMatchObject({ code: 'unavailable', retryable: true })
  expect(server.requests()).toBe(7)
})

test.for([
  [502, 2],
  [503, 2],
  [501, 1],
] as const)('a gateway error HTTP %i with a JSON body takes %i requests', async ([status, requests]) => {
  await using server = await workspace({ clock: new ManualClock() })
  server.emulator.faults.add({ action: { kind: 'status', status, body: { errors: [{ message: 'upstream unavailable' }] } } })
  await server.result(list)
  expect(server.requests()).toBe(requests)
})

test.for([
  [{ code: 'FORBIDDEN', type: 'forbidden' }, 400, 'forbidden'],
  [{ code: 'AUTHENTICATION_ERROR', type: 'authentication error' }, 401, 'unauthenticated'],
  [{ code: 'USAGE_LIMIT_EXCEEDED' }, 200, 'forbidden'],
  [{ code: 'INPUT_ERROR', type: 'invalid input', userPresentableMessage: 'The query is too complex.' }, 400, 'invalid_input'],
] as const)('%j with HTTP %i is %s and not retried', async ([extensions, status, code]) => {
  await using server = await workspace({ clock: new ManualClock() })
  server.emulator.faults.add({ action: { kind: 'status', status, body: { errors: [{ message: 'no', extensions }], data: null } } })
  expect(await server.fails(list)).toMatchObject({ code, retryable: false })
  expect(server.requests()).toBe(1)
})

test.for([
  [{ message: 'Cannot query field "teams" on type "Query".' }, '"Cannot query field \\"teams\\" on type \\"Query\\"."'],
  [{ message: 'Variable "$x" is unknown', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }, '"Variable \\"$x\\" is unknown".'],
] as const)('does not blame the caller for a document that does not match the schema: %j', async ([first, words]) => {
  await using server = await workspace({ clock: new ManualClock() })
  server.emulator.faults.add({ action: { kind: 'status', status: 400, body: { errors: [first] } } })
  const error = await server.fails(list)
  expect(error).toEqual({
    code: 'unavailable',
    message: `Linear does not know what this version asks for. Linear says: ${words} Update the server.`,
    retryable: false,
  })
  expect(server.requests()).toBe(1)
})

test('does not guess what a response without data means', async () => {
  await using server = await workspace({ clock: new ManualClock() })
  server.emulator.faults.add({ times: 50, action: { kind: 'status', status: 200, body: { data: null } } })
  expect((await server.fails(list)).message).toContain('contains neither data nor an error')
})

test("puts Linear's sentence between ours, and nothing if Linear says nothing", async () => {
  await using server = await workspace({ clock: new ManualClock() })
  const refuse = (message: string) => {
    server.emulator.faults.add({ action: { kind: 'status', status: 403, body: { errors: [{ message }] } } })
  }
  refuse('')
  expect((await server.fails(list)).message).toMatch(/do that\. Another account/)
  refuse('Guests see no teams')
  expect((await server.fails(list)).message).toMatch(/do that\. Linear says: "Guests see no teams"\. Another account/)
})

test('hides a credential that Linear repeats', async () => {
  await using server = await workspace({ clock: new ManualClock() })
  const message = 'Token lin_api_AbC123 and header Bearer eyJ.x.y are wrong'
  server.emulator.faults.add({ action: { kind: 'status', status: 400, body: { errors: [{ message }] } } })
  const error = await server.fails(list)
  expect(error.message).toContain('Token [secret] and header [secret] are wrong')
})

test('all documents in one call share a deadline; the next call has its own', async () => {
  const clock = new ManualClock()
  let sent = 0
  const hanging = () => {
    sent += 1
    return new Promise<Response>(() => undefined)
  }
  const linear = linearClient({ fetch: hanging, url: 'http://localhost/graphql', clock })
  const timesOut = async (call: LinearCall) => {
    const outcome = expect(call.send(whoAmI, {})).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    for (let seconds = 0; seconds < 28; seconds += 1) await clock.advance(1_000)
    await outcome
  }
  const call = linear.forCall(manualScope({ clock }))
  await timesOut(call)
  const first = sent
  expect(first).toBeGreaterThan(1)
  await timesOut(call)
  expect(sent).toBe(first)
  await timesOut(linear.forCall(manualScope({ clock })))
  expect(sent).toBeGreaterThan(first)
})

test('ignores spaces around names', async () => {
  await using server = await workspace({ clock: new ManualClock() })
  expect(await server.call('IssueTracker.ListIssues', { team: ' engineering ', state: 'Todo ' })).toHaveProperty('issues')
  expect(await server.call('IssueTracker.GetIssue', { issue_id: ' eng-1 ' })).toHaveProperty('issue')
  expect(server.requests()).toBe(2)
})
