import { count, Message, sentence } from '@mcp-toolkits/core/errors'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { newIssueParameters, newIssueReferences } from '../../tools/issues/issue-inputs.ts'
import { changedParameters, issueChangeParameters, refuseContradictions } from '../../tools/issues/change-inputs.ts'
import { noticesField } from '../../tools/parameters.ts'
import { resolveChanges, resolveNewIssues } from '../../resolve/batches.ts'
import { checkText, pendingRows, planChange, type PlannedChange, writeChanges } from './changing.ts'
import { autoAcceptRows, dryRows, dryRun, RowResult } from './batch-rows.ts'
import { planIssue, writeIssues } from './creating.ts'

const maxRows = 50
const needsUrl = '"attachment_title" needs an "attachment_url"'

const incomplete = Message.of(
  'Not every row was done. The same call would create the finished ones again, so send only the others,',
  sentence`and attach URLs with ${{ tool: 'IssueTracker.UpdateIssue' }}.`,
)

export const batchCreateIssues = defineTool({
  name: 'BatchCreateIssues',
  title: 'Create many issues',
  description: Message.of(
    'Create up to 50 issues at once: file a list of bugs or tasks, in one or several teams. If a name in any row is unknown, the error says in which row, and none is created. dry_run shows each row with its names in full, and creates nothing.',
    sentence`For one issue, use ${{ tool: 'IssueTracker.CreateIssue' }}.`,
  ),
  effect: 'create',
  writes: ({ dry_run: isDry }) => !isDry,
  scopes: ['issues:create'],
  input: z.strictObject({
    issues: z
      .array(z.strictObject(newIssueParameters).refine((row) => row.attachment_title === undefined || row.attachment_url, needsUrl))
      .min(1)
      .max(maxRows)
      .describe('Rows with the parameters of CreateIssue.'),
    dry_run: dryRun,
    auto_accept_matches: autoAcceptRows,
  }),
  output: z.object({ issues: z.array(RowResult), created: z.int(), ...noticesField }),
  example: {
    issues: [
      { team: 'ENG', title: 'Map tiles flicker' },
      { team: 'ENG', title: 'Routes lose their names', labels_to_add: ['Bug'] },
    ],
  },
  async run({ issues, dry_run: isDry, auto_accept_matches: autoAccept }, { linear }, { operation, notice, progress }) {
    const rows = issues.map((row) => ({ ...row, ...newIssueReferences(row) }))
    const plans = (await resolveNewIssues({ linear, autoAccept, written: issues }, rows)).map(planIssue)
    if (isDry) return { issues: await dryRows(linear, plans), created: 0 }
    progress(0, plans.length, `creating ${count(plans.length, 'issue')}`)
    const done = await writeIssues(linear, plans, await operation.claim())
    if (done.some(({ error }) => error !== undefined)) {
      operation.leaveOpen()
      notice(incomplete)
    }
    return { issues: done, created: done.filter(({ outcome }) => outcome === 'created').length }
  },
})

export const batchUpdateIssues = defineTool({
  name: 'BatchUpdateIssues',
  title: 'Change many issues',
  description: Message.of(
    'Change up to 50 issues at once: assign, label, schedule, move or close a list of tickets, each row with its own changes. If a row names something unknown, the error says which, and nothing is changed. dry_run shows what would be written. If Linear refuses a row, the others are still changed.',
    sentence`For one issue, use ${{ tool: 'IssueTracker.UpdateIssue' }}.`,
  ),
  effect: 'update',
  writes: ({ dry_run: isDry }) => !isDry,
  scopes: ['write'],
  input: z.strictObject({
    issues: z.array(z.strictObject(issueChangeParameters)).min(1).max(maxRows).describe('Rows with the parameters of UpdateIssue.'),
    dry_run: dryRun,
    auto_accept_matches: autoAcceptRows,
  }),
  output: z.object({ issues: z.array(RowResult), updated: z.int(), ...noticesField }),
  example: {
    issues: [
      { issue_id: 'ENG-35', priority: 'high' },
      { issue_id: 'ENG-21', due_date: '2027-01-29' },
    ],
  },
  async run({ issues, dry_run: isDry, auto_accept_matches: autoAccept }, { linear }, { operation, progress }) {
    const rows = issues.map((row) => {
      const canOmit = changedParameters(row).some((name) => name !== 'estimate' && name !== 'cycle')
      const text = row.description !== undefined || row.fields_to_clear?.includes('description') === true
      return { ...row, canOmit, text }
    })
    const found = await resolveChanges({ linear, autoAccept, written: issues }, rows, {
      checkArguments(row) {
        refuseContradictions(row, changedParameters(row))
      },
      checkChange(row, issue) {
        checkText(linear, row, issue)
      },
    })
    const plans: readonly PlannedChange[] = found.map(planChange)
    if (isDry) return { issues: await dryRows(linear, plans), updated: 0 }
    progress(0, plans.length, `changing ${count(plans.length, 'issue')}`)
    const done = await writeChanges(linear, plans, await operation.claim(pendingRows(plans)))
    if (done.some(({ error }) => error !== undefined)) operation.leaveOpen()
    return { issues: done, updated: done.filter(({ outcome }) => outcome === 'updated').length }
  },
})
