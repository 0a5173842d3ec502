import { expect, test } from 'vitest'
import { member } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { misbehaving, type Misbehaving } from './misbehaving.ts'
import { workspace } from './workspace.ts'

const noon = Date.UTC(2026, 10, 27, 12)

test.for([
  ['Pacific/Kiritimati', '2026-11-29'],
  ['Europe/Vienna', '2026-11-28'],
] as const)('reads a relative date in the time zone of the server, %s, and says so', async ([TZ, day]) => {
  await using server = await workspace({ clock: new ManualClock({ start: noon }), environment: { TZ } })
  const error = await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', due_date: 'tomorrow' })
  expect(error.next).toEqual({ change: { due_date: day } })
  expect(error.message).toContain(`"tomorrow" was read as ${day} (${TZ}).`)
  const created = { team: 'ENG', title: 'x' }
  for (const args of [{ deadline: 'tomorrow' }, { input: { due_date: 'tomorrow' } }]) {
    const { message } = await server.fails('IssueTracker.CreateIssue', { ...created, ...args })
    expect(message).toContain(`"tomorrow" was read as ${day} (${TZ}).`)
  }
  const absolute = await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', due_date: '1 December 2026' })
  expect(absolute.message).not.toContain('(')
})

test('reads a relative date in the time zone of the person once Linear has named it', async () => {
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

/**
 * A time zone, the moment when it is 23:30 on 27 November there, and moments just before and after that day begins, when issues are
 * created.
 */
test.for([
  ['America/Los_Angeles', '2026-11-28T07:30:00Z', ['2026-11-27T07:45:00Z'], ['2026-11-27T08:15:00Z', '2026-11-28T07:20:00Z']],
  ['Pacific/Kiritimati', '2026-11-27T09:30:00Z', ['2026-11-26T09:45:00Z'], ['2026-11-26T10:15:00Z', '2026-11-27T09:20:00Z']],
] as const)('at 23:30 in %s, "today" is the day there', async ([TZ, now, before, after]) => {
  const environment = { ISSUE_TRACKER_API_KEY: 'lin_api_test', TZ }
  await using server = await workspace({ clock: new ManualClock({ start: Date.parse(now) }), environment })
  const [issue] = server.emulator.store.issues()
  for (const createdAt of [...before, ...after])
    await server.mutate('mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
      input: { teamId: issue?.['teamId'], title: `Zoned ${createdAt}`, createdAt },
    })
  const { next } = await server.fails('IssueTracker.ListIssues', { created_after: 'today' })
  expect(next).toEqual({ change: { created_after: '2026-11-27' } })
  const { issues } = await server.call('IssueTracker.ListIssues', { keywords: 'Zoned', ...next?.change })
  expect(issues).toMatchObject(after.toReversed().map((createdAt) => ({ title: `Zoned ${createdAt}` })))
})

/** The days in the requests that a call sends, and the cursor in its result. */
async function daysSent(server: Misbehaving, tool: string, args: object) {
  const days: unknown[] = []
  server.vendor = async (request) => {
    days.push(/"createdAt":{"gte":"([^"]*)"}/.exec(await request.clone().text())?.[1])
    return server.emulator.fetch(request)
  }
  const { pagination } = await server.call(`IssueTracker.${tool}`, { created_after: '2020-07-01', ...args })
  server.vendor = undefined
  return { days, cursor: member(pagination, 'end_cursor') }
}

test.for(['ListIssues', 'ListProjects', 'ListTeams'])('%s compares times with the start of the day', async (tool) => {
  await using server = await misbehaving()
  await server.call('IssueTracker.WhoAmI')
  // The day in Lisbon, where the person is.
  expect((await daysSent(server, tool, {})).days).toEqual(['2020-06-30T23:00:00.000Z'])
})

test.for(['ListIssues', 'ListProjects', 'ListTeams'])(
  '%s continues with the day on its first page, wherever the person turns out to be',
  async (tool) => {
    await using server = await misbehaving({ TZ: 'Pacific/Kiritimati' })
    const first = await daysSent(server, tool, { limit: 1 })
    expect(first.days).toEqual(['2020-06-30T10:00:00.000Z'])
    await server.call('IssueTracker.WhoAmI')
    expect((await daysSent(server, tool, { limit: 1, end_cursor: first.cursor })).days).toEqual(first.days)
  },
)
