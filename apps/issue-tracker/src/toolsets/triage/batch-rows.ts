import type { LinearDocument as Linear } from '@linear/sdk'
import type { ToolError } from '@mcp-toolkits/core/errors'
import { confirmCreated } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { type InputOf, priorities } from '../../linear/document.ts'
import type { AttachmentRef } from '../../linear/issues/attachments.ts'
import type { RowOutcome } from '../../linear/issues/batches.ts'
import type { BatchTarget } from '../../linear/issues/batch-lookups.ts'
import type { StoredIssue } from '../../linear/issues/issues.ts'
import { issueText, shownInIssue } from '../../linear/stored.ts'
import { clearableFields } from '../../tools/issues/change-inputs.ts'
import type { TextSender } from '../../texts/sending.ts'
import { cutNotice } from '../../tools/replaced-text.ts'
import { compact, DelegatedRow, Link, linkOf, optionalText } from '../../tools/rows.ts'

export const autoAcceptRows = z.boolean().default(false).describe('Accept a close match (over 90% similar).')
export const dryRun = z.boolean().default(false).describe('Show what would be written, and write nothing.')

/** A row as it would be written, with every name in full. The tool accepts it as input. */
export const PlannedRow = z.object({
  issue_id: optionalText,
  team: optionalText,
  title: optionalText,
  description: optionalText,
  assignee: optionalText,
  state: optionalText,
  priority: optionalText,
  labels_to_add: z.array(z.string()).optional(),
  labels_to_remove: z.array(z.string()).optional(),
  project: optionalText,
  cycle: optionalText,
  parent_issue: optionalText,
  estimate: z.number().optional(),
  due_date: optionalText,
  fields_to_clear: z.array(z.string()).optional(),
  attachment_url: optionalText,
  attachment_title: optionalText,
})

const outcomes = ['created', 'updated', 'unchanged', 'not_applied', 'refused', 'unknown', 'would_write'] as const

/** A row's outcome. */
export const RowResult = z.object({
  row: z.int().describe('From 1.'),
  outcome: z.enum(outcomes),
  issue: DelegatedRow.optional(),
  changed: z.array(z.string()).optional().describe('Fields whose value has changed.'),
  write: PlannedRow.optional(),
  attachment: Link.optional(),
  error: optionalText,
  notices: z.array(z.string()).optional(),
})
export type RowResult = z.output<typeof RowResult>

/** The outcome of a row that ended with an error: `refused`, or `unknown` if the response was lost. */
export const outcomeOf = (error: ToolError): RowResult['outcome'] => (error.retryable ? 'unknown' : 'refused')

/** The fields of a row's result that describe its attachment. */
export function attachedPage(page: RowOutcome<AttachmentRef> | undefined): Pick<RowResult, 'attachment' | 'error'> {
  if (!page) return {}
  if ('result' in page) return { attachment: linkOf(page.result) }
  const isUnknown = outcomeOf(page.error) === 'unknown'
  return { error: `${isUnknown ? 'It is not known whether the URL was attached' : 'The URL was not attached'}: ${page.error.message}` }
}

export type IssueInput = Partial<InputOf<Linear.IssueCreateInput>> &
  Pick<InputOf<Linear.IssueUpdateInput>, 'addedLabelIds' | 'removedLabelIds'>

/** A mutation's input, with the tool's parameter names and values. */
export function plannedRow(input: IssueInput, names: ReadonlyMap<string, string>): z.output<typeof PlannedRow> {
  const name = (id: string | null | undefined) => (id == null ? undefined : (names.get(id) ?? id))
  const list = (ids: readonly string[] | null | undefined) => ids?.map((id) => names.get(id) ?? id)
  const cleared = Object.entries(clearableFields).flatMap(([field, key]) => (input[key] === null ? [field] : []))
  return compact({
    team: name(input.teamId),
    title: input.title ?? undefined,
    description: input.description ?? undefined,
    assignee: name(input.delegateId ?? input.assigneeId),
    state: name(input.stateId),
    priority: input.priority == null ? undefined : priorities[input.priority],
    labels_to_add: list(input.labelIds ?? input.addedLabelIds),
    labels_to_remove: list(input.removedLabelIds),
    project: name(input.projectId),
    cycle: name(input.cycleId),
    parent_issue: name(input.parentId),
    estimate: input.estimate ?? undefined,
    due_date: typeof input.dueDate === 'string' ? input.dueDate : undefined,
    fields_to_clear: cleared,
  })
}

/** A dry run's rows, with their texts as they would be sent. */
export async function dryRows(linear: TextSender, plans: readonly { readonly shown: RowResult }[]): Promise<RowResult[]> {
  const linked = await linear.preview(plans.flatMap(({ shown }) => shown.write?.description ?? []))
  return plans.map(({ shown }) => {
    const { description } = shown.write ?? {}
    return description === undefined ? shown : { ...shown, write: { ...shown.write, description: linked(description) } }
  })
}

/** Notices for the parts of a row that Linear does not show; `isIgnored` is true if it shows nothing that was sent. */
export function confirmRow(input: IssueInput, issue: StoredIssue, before?: string) {
  const shown = shownInIssue(input, issue, before)
  const verdicts = Object.values(shown).filter((verdict) => verdict !== undefined)
  return {
    isIgnored: verdicts.length > 0 && verdicts.every((verdict) => verdict === false),
    notices: [confirmCreated('Linear', shown), ...cutNotice('description', input.description, issueText(issue))],
  }
}

/** The fields that differ between the previous issue and the one that Linear returned. */
export function changedFields(before: BatchTarget, after: StoredIssue): string[] {
  const labels = new Set(before.label_ids)
  const [text, newText] = [issueText(before), issueText(after)]
  const isSame = {
    title: before.title === after.title,
    description: text === undefined || newText === undefined || text === newText,
    state: before.state.id === after.state.id,
    assignee: before.assignee?.id === after.assignee?.id,
    delegate: before.delegate?.id === after.delegate?.id,
    priority: before.priority === after.priority,
    project: before.project?.id === after.project?.id,
    cycle: before.cycle?.id === after.cycle?.id,
    estimate: before.estimate === after.estimate,
    due_date: before.due_date === after.due_date,
    labels: labels.size === after.all_labels.length && after.all_labels.every(({ id }) => labels.has(id)),
  }
  return Object.entries(isSame).flatMap(([field, same]) => (same ? [] : [field]))
}
