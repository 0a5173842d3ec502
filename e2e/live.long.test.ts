import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startWebhook, startVendors, runLive, withOutcome, type Vendors } from './live-run.ts'

/** The questions in docs/live.md, as titles of tests. */
async function documented(): Promise<readonly string[]> {
  const page = await readFile(path.join(import.meta.dirname, '..', 'docs', 'live.md'), 'utf8')
  return page.split(/^## /m).flatMap((section) => {
    const server = section.slice(0, section.indexOf('\n'))
    return [...section.matchAll(/^(\d+)\. (.+)$/gm)].map(([, number = '', question = '']) => `${server} ${number}: ${question.trim()}`)
  })
}

/** Items that a run has left in the workspace, except those archived or in the trash. */
async function remainingIn({ linear, environment }: Vendors) {
  const kept = '(filter: { name: { startsWith: "mcp-toolkits-live-" } }) { nodes { name } }'
  const issues = 'issues(filter: { title: { startsWith: "mcp-toolkits-live-" } }) { nodes { title } }'
  const response = await linear.fetch('http://localhost/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: environment['ISSUE_TRACKER_API_KEY'] ?? '' },
    body: JSON.stringify({ query: `{ ${issues} projects${kept} initiatives${kept} }` }),
  })
  return response.json()
}

/** The people whom a run created at Customer.io, and those whom it did not delete. */
function peopleOf({ pipelines }: Vendors) {
  const events = pipelines.store.events().filter(({ outcome }) => outcome === 'accepted')
  const deleted = new Set(events.filter(({ event }) => event === 'User Deleted').map(({ user_id: id }) => id))
  const created = events.flatMap(({ user_id: id, previous_id: previous }) => [id, previous]).filter((id) => id !== null)
  return { created: [...new Set(created)], remaining: created.filter((id) => !deleted.has(id)) }
}

test('asks every question of the table, passes against the emulators, and leaves nothing with them', async () => {
  await using vendors = await startVendors()
  const environment = { ...vendors.environment, LIVE_RUN: 'first' }
  const run = await runLive(environment)
  expect([...run.outcomes.keys()].toSorted()).toEqual((await documented()).toSorted())
  expect(withOutcome(run, 'failed'), run.output).toEqual([])
  expect(withOutcome(run, 'skipped').toSorted()).toEqual(['event-pipeline 15', 'event-pipeline 9'])
  expect(run.code).toBe(0)
  expect(await remainingIn(vendors)).toEqual({ data: { issues: { nodes: [] }, projects: { nodes: [] }, initiatives: { nodes: [] } } })
  expect(vendors.drive.store.files().filter(({ name }) => name.startsWith('mcp-toolkits-live-'))).toEqual([])
  const people = peopleOf(vendors)
  expect(people.created.filter((id) => !id.startsWith('mcp-toolkits-live-first-'))).toEqual([expect.stringMatching(/^\d{16}$/)])
  expect(people.remaining).toEqual([])

  const second = await runLive({ ...environment, LIVE_ONLY: '7,15' })
  expect(withOutcome(second, 'passed').toSorted()).toEqual([
    'event-pipeline 15',
    'event-pipeline 7',
    'file-storage 7',
    'issue-tracker 15',
    'issue-tracker 7',
  ])
  expect(withOutcome(second, 'failed'), second.output).toEqual([])
})

test('skips a server without a key and says what is missing', async () => {
  const { code, output, outcomes } = await runLive({})
  expect([...new Set(outcomes.values())]).toEqual(['skipped'])
  expect(output).toContain('Set EVENT_PIPELINE_API_KEY to the key of a source')
  expect(output).toContain('Set ISSUE_TRACKER_API_KEY to a personal key')
  expect(output).toContain('Set FILE_STORAGE_ACCESS_TOKEN to a token')
  expect(code).toBe(0)
})

test('fails for a vendor that differs, says what to change, and does not print the key', async () => {
  await using vendor = await startWebhook(({ headers }) => ({ status: 418, body: JSON.stringify({ you: headers.authorization }) }))
  const [eventsKey, linearKey] = ['key-of-the-events', 'key-of-the-issues']
  const run = await runLive({
    EVENT_PIPELINE_API_KEY: eventsKey,
    EVENT_PIPELINE_API_URL: `${vendor.url}/v1`,
    LIVE_OTHER_REGION_URL: `${vendor.url}/v1`,
    ISSUE_TRACKER_API_KEY: linearKey,
    ISSUE_TRACKER_API_URL: `${vendor.url}/graphql`,
    LIVE_TEAM: 'ENG',
  })
  expect(run.code).toBe(1)
  expect(withOutcome(run, 'passed')).toEqual([])
  const shown = run.output + run.errors
  expect(shown).toContain('The emulator: {"meta":{"errors":[…]}}, a list of texts.')
  expect(shown).toContain('If the vendor differs, change packages/emulators/linear')
  for (const secret of [eventsKey, linearKey, Buffer.from(`${eventsKey}:`).toString('base64')]) expect(shown).not.toContain(secret)
})

test('asks the question that sends thousands of requests only by name', async () => {
  await using vendors = await startVendors()
  const run = await runLive({ ...vendors.environment, LIVE_ONLY: '9' })
  expect(withOutcome(run, 'failed'), run.output).toEqual([])
  const sent = vendors.pipelines.store.requests().length
  expect(sent).toBe(3200)
})
