import { expect, test } from 'vitest'
import { ManualClock } from '@mcp-toolkits/core/manual-clock'
import { workspace } from './workspace.ts'

const noon = Date.UTC(2026, 10, 27, 12)

test.for([
  ['Pacific/Kiritimati', '2026-11-29'],
  ['Europe/Vienna', '2026-11-28'],
] as const)('reads a relative date by the zone of the server, %s, and says so', async ([TZ, day]) => {
  await using server = await workspace({ clock: new ManualClock({ start: noon }), environment: { TZ } })
  const error = await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', due_date: 'tomorrow' })
  expect(error.next).toEqual({ change: { due_date: day } })
  expect(error.message).toContain(`"tomorrow" was read as ${day} (${TZ}).`)
  const created = { team: 'ENG', title: 'x' }
  for (const args of [{ deadline: 'tomorrow' }, { input: { due_date: 'tomorrow' } }]) {
    const { message } = await server.fails('IssueTracker.CreateIssue', { ...created, ...args })
    expect(message).toContain(`"tomorrow" was read as ${day} (${TZ}).`)
  }
  const several = await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', due_date: 'next friday' })
  expect(several.message).toMatch(/Today is 2026-11-2[78] \(/)
  const absolute = await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', due_date: '1 December 2026' })
  expect(absolute.message).not.toContain('(')
})

test('reads a relative date by the zone of the person once Linear has said it', async () => {
  await using server = await workspace({
    clock: new ManualClock({ start: noon }),
    environment: { ISSUE_TRACKER_API_KEY: 'lin_api_test', TZ: 'Pacific/Kiritimati' },
  })
  const tomorrow = async () => (await server.fails('IssueTracker.ListIssues', { created_after: 'today' })).message
  expect(await tomorrow()).toContain('"today" was read as 2026-11-28 (Pacific/Kiritimati).')
  const { user } = await server.call('IssueTracker.WhoAmI')
  expect(user).toMatchObject({ timezone: 'Europe/Lisbon' })
  expect(await tomorrow()).toContain('"today" was read as 2026-11-27 (Europe/Lisbon).')
})
