// The README's prompts, each with the calls to which descriptions and results lead.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { shareOf } from '../packages/testing/src/runs.ts'
import { eventPipeline, fileStorage, issueTracker } from '../servers.ts'
import { agentOf, field, rows, rowWith } from './agent.ts'

const scripts: Readonly<Record<string, () => Promise<void>>> = {
  async 'Which launch blockers are still open, and who owns each one?'() {
    const tracker = await agentOf(issueTracker)
    const { issues } = await tracker.call('ListIssues', { label: 'Launch blocker', state: 'open' })
    expect(
      rows(issues)
        .map(({ identifier, assignee }) => `${String(identifier)} ${String(assignee)}`)
        .toSorted(),
    ).toEqual([
      'DES-7 Grace Kim',
      'ENG-19 Yara Costa',
      'ENG-21 Robin Vance',
      'ENG-7 Mikael Lindström',
      'ENG-9 Ada Okafor',
      'OPS-6 Tomás Herrera',
    ])
  },
  async 'Summarise the discussion on the routes that are lost when two guides edit offline.'() {
    const tracker = await agentOf(issueTracker)
    const { issues } = await tracker.call('ListIssues', { keywords: 'routes lost' })
    const { identifier: issue } = rowWith(issues, 'title', 'Routes')
    const { comments } = await tracker.call('ListComments', { issue })
    expect(rows(comments).length).toBeGreaterThan(3)
  },
  async 'Find the outage review in the shared drives, and list its action items.'() {
    const files = await agentOf(fileStorage, ['content'])
    const found = await files.call('SearchFiles', { query: 'outage review', include_shared_drives: true })
    const { text } = await files.call('ReadFile', { file_path_or_id: rowWith(found['files'], 'name', 'review')['id'] })
    expect(text).toMatch(/Migrations give up after five seconds.*done[^]*A status page that changes by itself.*to do/)
    expect(files.calls.length).toBeLessThanOrEqual(3)
  },
  async 'Create a folder for customer replies next to the launch plan in the Trails launch drive.'() {
    const files = await agentOf(fileStorage)
    const found = await files.call('SearchFiles', { query: 'launch plan', include_shared_drives: true })
    const plan = rowWith(found['files'], 'name', 'Launch plan.md')
    const { folder } = await files.call('CreateFolder', {
      folder_name: 'Customer replies',
      parent_folder_path_or_id: plan['parent_id'],
    })
    expect(folder).toMatchObject({ name: 'Customer replies', parent_id: plan['parent_id'] })
  },
  async 'Record that ada@example.com placed a €42 order.'() {
    const events = await agentOf(eventPipeline)
    const body = { userId: 'ada@example.com', event: 'Order Completed', properties: { total: 42, currency: 'EUR' } }
    const answer = await events.call('TrackUserEvent', { mode: 'execute', request_body: JSON.stringify(body) })
    expect(JSON.stringify(answer)).toContain('"outcome":"delivered"')
  },
  async 'Move the pack-opening crash to review, and add a comment saying what changed.'() {
    const tracker = await agentOf(issueTracker)
    const { issues } = await tracker.call('ListIssues', { keywords: 'crash pack', state: 'open' })
    const { identifier } = rowWith(issues, 'title', 'Crash')
    const moved = await tracker.call('TransitionIssueState', { issue_id: identifier, target_state: 'In Review' })
    expect(field(moved, 'issue', 'state')).toBe('In Review')
    await tracker.call('AddComment', { issue: identifier, body: 'A pack now opens after its check.' })
    const { comments } = await tracker.call('ListComments', { issue: identifier })
    expect(rows(comments)[0]).toMatchObject({ body: 'A pack now opens after its check.' })
  },
  async 'According to our app-store privacy answers, how long do we keep location data?'() {
    const tracker = await agentOf(issueTracker, ['attachments'])
    const { issues } = await tracker.call('ListIssues', { keywords: 'answers privacy' })
    const { identifier: issue } = rowWith(issues, 'title', 'privacy')
    const { attachments } = await tracker.call('ListAttachments', { issue })
    const { text } = await tracker.call('ReadAttachment', { issue, attachment: rows(attachments)[0]?.['title'] })
    expect(text).toContain('30 days')
  },
  async 'File these bugs for Engineering: the legend is cut off on small phones, exports lack a header, sync shows the wrong time zone.'() {
    const tracker = await agentOf(issueTracker, ['triage'])
    const bugs = ['Legend is cut off on small phones', 'Exports lack a header', 'Sync shows the wrong time zone']
    const batch = { issues: bugs.map((title) => ({ team: 'Engineering', title, labels_to_add: ['Bug'] })) }
    const shown = await tracker.call('BatchCreateIssues', { ...batch, dry_run: true })
    expect(JSON.stringify(shown)).toContain('Legend is cut off')
    await tracker.call('BatchCreateIssues', batch)
    for (const title of bugs) {
      const { issues } = await tracker.call('ListIssues', { keywords: title })
      expect(rows(issues).map((issue) => issue['title'])).toEqual([title])
    }
  },
  async 'Append to the pricing decision: students pay half price.'() {
    const files = await agentOf(fileStorage, ['content'])
    const found = await files.call('SearchFiles', { query: 'pricing', include_shared_drives: true })
    const { id } = rowWith(found['files'], 'name', 'Pricing')
    await files.call('WriteFile', { file_path_or_id: id, append: '\nStudents pay half price.\n' })
    const { text } = await files.call('ReadFile', { file_path_or_id: id })
    expect(text).toMatch(/Students pay half price\.\n$/)
  },
  async 'Who can open the launch budget?'() {
    const files = await agentOf(fileStorage, ['access'])
    const found = await files.call('SearchFiles', { query: 'launch budget', include_shared_drives: true })
    const { id } = rowWith(found['files'], 'name', 'Launch budget')
    const { permissions } = await files.call('ListFilePermissions', { file_path_or_id: id })
    expect(rows(permissions).length).toBeGreaterThan(0)
  },
}

const readme = readFileSync(path.join(import.meta.dirname, '..', 'README.md'), 'utf8')
const prompts = [...readme.matchAll(/^\d+\. (.+?)(?: \(`.+`\))?$/gm)].map(([, prompt = '']) => prompt)

test('every prompt of the README has a script', () => {
  expect(prompts).toEqual(Object.keys(scripts))
})

test('event-pipeline answers a body without its event as its README shows', async () => {
  const page = readFileSync(path.join(import.meta.dirname, '..', 'apps/event-pipeline/README.md'), 'utf8')
  const shown: unknown = JSON.parse(/```json\n(\{\n {2}"mode"[^]*?\n\})\n```/.exec(page)?.[1] ?? '')
  const events = await agentOf(eventPipeline)
  const answer = await events.call('TrackUserEvent', { mode: 'execute', request_body: '{"userId":"ada"}' })
  expect({ ...answer, message_ids: member(shown, 'message_ids') }).toEqual(shown)
})

// Every day, one prompt for each server.
test.for(shareOf(Object.entries(scripts), 4, 0))('%s', async ([, script]) => {
  await script()
})
