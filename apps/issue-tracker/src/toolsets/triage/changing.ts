import { isArgumentError } from '@mcp-toolkits/core/errors'
import type { Identity } from '@mcp-toolkits/core/tool'
import type { LinearCall } from '../../linear/client.ts'
import type { BatchTarget } from '../../linear/issues/batch-lookups.ts'
import type { AttachmentRef } from '../../linear/issues/attachments.ts'
import { attachBatch, type ChangedRow, pagesOn, type RowOutcome, updateBatch } from '../../linear/issues/batches.ts'
import { issueText, shownInIssue } from '../../linear/stored.ts'
import type { Resolved } from '../../resolve/batches.ts'
import type { IssueChangeIds } from '../../resolve/issues.ts'
import { fieldsOf, idFields, type IssueChange } from '../../tools/issues/change-inputs.ts'
import { newPage } from '../../tools/issues/issue-inputs.ts'
import { withLineBreaks } from '../../tools/long-text.ts'
import { noticesOf } from '../../tools/notices.ts'
import { checkReplacement, lengthNotices } from '../../tools/replaced-text.ts'
import { issuePrinter } from '../../tools/rows.ts'
import { attachedPage, changedFields, confirmRow, outcomeOf, plannedRow, type RowResult } from './batch-rows.ts'

const textOf = ({ description }: IssueChange) => (description === undefined ? undefined : withLineBreaks(description))

/** Throws if a row's text would delete parts of the current text that the caller did not mean to delete. */
export function checkText(linear: LinearCall, row: IssueChange, issue: BatchTarget): void {
  checkReplacement({
    linear,
    parameter: 'description',
    text: textOf(row),
    before: issueText(issue),
    read: () => ({ tool: 'IssueTracker.GetIssue', arguments: { issue_id: row.issue_id } }),
    onPurpose: { way: 'name "description" in fields_to_clear too', isTaken: row.fields_to_clear?.includes('description') === true },
  })
}

type Found = Resolved<IssueChange, IssueChangeIds> & { readonly issue: BatchTarget }
export type PlannedChange = ReturnType<typeof planChange>

/** The input for a change, and its form in a dry run. */
export function planChange({ row, ids, names, notices, issue }: Found, index: number) {
  const description = textOf(row)
  const input = { ...fieldsOf(row, description?.text), ...idFields(ids) }
  const page = newPage(row)
  const all = [...notices, description?.notice]
  const planned = {
    issue_id: issue.identifier,
    ...plannedRow(input, names),
    ...(page && { attachment_url: page.url, ...(row.attachment_title !== undefined && { attachment_title: page.title }) }),
  }
  const shown: RowResult = { row: index + 1, outcome: 'would_write', write: planned, ...noticesOf(...all) }
  return { issue, input, page, isTitled: row.attachment_title !== undefined, notices: all, shown, text: description?.text }
}

/** The rows that are not yet in the requested state, as an identity that tells a retry what an earlier attempt changed. */
export function pendingRows(plans: readonly PlannedChange[]): string {
  const isPending = ({ issue, input }: PlannedChange) => {
    const stored = { ...issue, all_labels: issue.label_ids.map((id) => ({ id })) }
    return Object.values(shownInIssue(input, stored, issueText(issue))).some((shown) => shown !== undefined && shown !== true)
  }
  return `rows ${plans.flatMap((plan, index) => (isPending(plan) ? index + 1 : [])).join(' ')}`
}

const isEmpty = ({ input }: PlannedChange) => Object.values(input).every((value) => value === undefined)

/** Changes the issues, in one request unless Linear refuses a change; attachments take one or two more. */
export async function writeChanges(linear: LinearCall, plans: readonly PlannedChange[], identity: Identity): Promise<RowResult[]> {
  const earlier = identity.isRepeat ? identity.value.split(' ') : []
  const changes = plans.filter((plan) => !isEmpty(plan))
  const answers = await updateBatch(
    linear,
    changes.map(({ issue, input }) => ({ id: issue.id, input })),
  )
  const outcomes = answers.map((answer, index) => settle(changes[index], answer))
  const errors = new Set(outcomes.map((outcome) => ('error' in outcome ? outcome.error : undefined)))
  const [common] = errors
  if (common && errors.size === 1 && !isArgumentError(common)) throw common
  const refused = changes.filter((_, index) => outcomes[index] && 'error' in outcomes[index])
  const attached = await attachPages(
    linear,
    plans.filter((plan) => !refused.includes(plan)),
  )
  const print = issuePrinter(outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : [])))
  return plans.map((plan, index) => {
    const { issue: before, input, notices, text } = plan
    const outcome = outcomes[changes.indexOf(plan)]
    const page = attached.get(plan)
    const link = attachedPage(page)
    const isAttached = page !== undefined && 'result' in page && !page.isPresent
    const otherwise = page && 'error' in page ? outcomeOf(page.error) : 'unchanged'
    if (!outcome) return { row: index + 1, outcome: isAttached ? 'updated' : otherwise, ...link, ...noticesOf(...notices) }
    if ('error' in outcome) {
      const { error, found } = outcome
      const message = `${error.message}${plan.page ? ' Its URL was not attached.' : ''}`
      return { row: index + 1, outcome: found ? outcomeOf(error) : 'unknown', error: message, ...noticesOf(...notices) }
    }
    const { result: after } = outcome
    const changed = changedFields(before, after)
    const { isIgnored, notices: confirmed } = confirmRow(input, after, issueText(before))
    const wasChanged = changed.length === 0 && earlier.includes(String(index + 1))
    const repeated = wasChanged ? 'An earlier attempt at this call already made this change.' : undefined
    const lengths = lengthNotices('description', { before: issueText(before), passed: text, stored: issueText(after) })
    return {
      row: index + 1,
      outcome: isIgnored ? 'not_applied' : changed.length > 0 || isAttached || wasChanged ? 'updated' : otherwise,
      issue: print(after),
      ...(changed.length > 0 && { changed }),
      ...link,
      ...noticesOf(...new Set([...notices, repeated, ...lengths, ...confirmed])),
    }
  })
}

/** A change's outcome: Linear may have made the change even though it refused the request because of another row. */
function settle(plan: PlannedChange | undefined, outcome: ChangedRow): ChangedRow {
  if (!plan || 'result' in outcome || !outcome.found) return outcome
  const { issue: before, input } = plan
  const isChanged = changedFields(before, outcome.found).length > 0 && !confirmRow(input, outcome.found, issueText(before)).isIgnored
  return isChanged ? { result: outcome.found } : outcome
}

type Attached = RowOutcome<AttachmentRef> & { readonly isPresent: boolean }

/** Attaches the rows' URLs. An already attached URL keeps its title unless the row gives a different one. */
async function attachPages(linear: LinearCall, plans: readonly PlannedChange[]): Promise<ReadonlyMap<PlannedChange, Attached>> {
  const rows = plans.flatMap((plan) => (plan.page ? [{ plan, page: { ...plan.page, issueId: plan.issue.id } }] : []))
  const untitled = rows.filter(({ plan }) => !plan.isTitled)
  const known = await pagesOn(
    linear,
    untitled.map(({ page }) => page),
  )
  const present = new Map(untitled.flatMap(({ plan }, index) => (known[index] ? [[plan, known[index]] as const] : [])))
  const missing = rows.filter(({ plan }) => !present.has(plan))
  const written = await attachBatch(
    linear,
    missing.map(({ page }) => page),
  )
  return new Map<PlannedChange, Attached>([
    ...[...present].map(([plan, outcome]) => [plan, { ...outcome, isPresent: true }] as const),
    ...missing.flatMap(({ plan }, index) => (written[index] ? [[plan, { ...written[index], isPresent: false }] as const] : [])),
  ])
}
