import type { Identity } from '@mcp-toolkits/core/tool'
import type { LinearCall } from '../../linear/client.ts'
import { attachBatch, createBatch } from '../../linear/issues/batches.ts'
import type { NewIssueIds } from '../../resolve/issues.ts'
import type { Resolved } from '../../resolve/batches.ts'
import { type NewIssue, newIssueInput, newPage } from '../../tools/issues/issue-inputs.ts'
import { withLineBreaks } from '../../tools/long-text.ts'
import { noticesOf, repeatNotice } from '../../tools/notices.ts'
import { issuePrinter } from '../../tools/rows.ts'
import { attachedPage, confirmRow, outcomeOf, plannedRow, type RowResult } from './batch-rows.ts'

type Found = Resolved<NewIssue, NewIssueIds> & { readonly twin: string | undefined }
type PlannedIssue = ReturnType<typeof planIssue>

/** The input for a new issue, and its form in a dry run. */
export function planIssue({ row, ids, names, notices, twin }: Found, index: number) {
  const description = row.description === undefined ? undefined : withLineBreaks(row.description)
  const input = newIssueInput(row, ids, description?.text)
  const page = newPage(row)
  const all = [...notices, description?.notice, twin === undefined ? undefined : `${twin} is open and has the same title.`]
  const planned = {
    ...plannedRow(input, names),
    ...(input.assigneeId === undefined && input.delegateId === undefined && { assignee: 'none' }),
    ...(page && { attachment_url: page.url, attachment_title: page.title }),
  }
  const shown: RowResult = { row: index + 1, outcome: 'would_write', write: planned, ...noticesOf(...all) }
  return { input, page, notices: all, shown, names }
}

/** Creates the issues in one request, with ids that we choose; the attachments take a second request. */
export async function writeIssues(linear: LinearCall, plans: readonly PlannedIssue[], identity: Identity): Promise<RowResult[]> {
  const idOf = (index: number) => identity.uuid(`issue ${index}`)
  const created = await createBatch(
    linear,
    plans.map(({ input }, index) => ({ ...input, id: idOf(index) })),
  )
  const rows = plans.flatMap(({ page }, index) => {
    const row = created[index]
    return page && row && 'result' in row
      ? [{ index, page: { ...page, id: identity.uuid(`attachment ${index}`), issueId: idOf(index) } }]
      : []
  })
  const attached = await attachBatch(
    linear,
    rows.map(({ page }) => page),
  )
  const print = issuePrinter(created.flatMap((row) => ('result' in row ? [row.result.issue] : [])))
  return plans.map(({ input, notices }, index) => {
    const row = created[index]
    if (!row || 'error' in row)
      return { row: index + 1, outcome: row ? outcomeOf(row.error) : 'unknown', error: row?.error.message, ...noticesOf(...notices) }
    const { issue, wasCreatedEarlier } = row.result
    const page = attached[rows.findIndex((each) => each.index === index)]
    const confirmed = wasCreatedEarlier ? [] : confirmRow(input, issue).notices
    return {
      row: index + 1,
      outcome: 'created',
      issue: print(issue),
      ...attachedPage(page),
      ...noticesOf(...notices, repeatNotice(identity, wasCreatedEarlier, issue.archived_at), ...confirmed),
    }
  })
}
