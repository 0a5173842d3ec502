import { InvalidInput } from '@mcp-toolkits/core/errors'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { priorities } from '../../linear/document.ts'
import { Priority } from '../../linear/records.ts'
import { isNobody } from '../../resolve/corrections.ts'
import type { IssueChangeIds } from '../../resolve/issues.ts'
import {
  dueDate,
  issueReference,
  markdown,
  pageTitle,
  pageUrl,
  points,
  reference,
  references,
  title,
  titleWithoutUrl,
} from '../parameters.ts'

/* The parameters of a change to an issue, and the input sent for them. */

/** The fields that can be cleared, with Linear's names. */
export const clearableFields = {
  assignee: 'assigneeId',
  delegate: 'delegateId',
  cycle: 'cycleId',
  project: 'projectId',
  due_date: 'dueDate',
  estimate: 'estimate',
  description: 'description',
} as const
export const clearable = ['assignee', 'delegate', 'cycle', 'project', 'due_date', 'estimate', 'description'] as const

const changes = {
  title: title('New title.').optional(),
  description: markdown('New text, in Markdown.').optional(),
  assignee: reference('Team member: name, email or "@me".').optional(),
  priority: Priority.optional().describe('New priority; no_priority removes it.'),
  state: reference('State name, or type (completed) if only one state has it.').optional(),
  project: reference('A project of the team: name, slug, id or URL.').optional(),
  cycle: reference('Name, number, "current" or "next".').optional(),
  estimate: points.optional(),
  due_date: dueDate.optional(),
  labels_to_add: references('Names or ids.').optional(),
  labels_to_remove: references('Names or ids.').optional(),
  // Synonyms are not accepted in a batch's rows, but the error for a null in a row lists these fields.
  fields_to_clear: withVocabulary(z.array(z.enum(clearable)).max(clearable.length).optional().describe('Fields to clear.'), {
    isClearing: true,
  }),
  attachment_url: pageUrl.optional(),
  attachment_title: pageTitle.optional(),
}

export const issueChangeParameters = { issue_id: issueReference, ...changes }
const issueChange = z.object(issueChangeParameters)
export type IssueChange = z.output<typeof issueChange>

/** The call's parameters that change something. */
export function changedParameters(args: IssueChange): string[] {
  return Object.entries(args).flatMap(([name, value]) =>
    name in changes && value !== undefined && !(Array.isArray(value) && value.length === 0) ? [name] : [],
  )
}

export function refuseContradictions(args: IssueChange, changed: readonly string[]): void {
  const { fields_to_clear: cleared = [] } = args
  if (changed.length === 0) {
    const hint = `To clear one of ${clearable.join(', ')}, name it in fields_to_clear.`
    throw new InvalidInput(`Nothing to change. Pass at least one of ${Object.keys(changes).join(', ')}. ${hint}`)
  }
  if (args.attachment_title !== undefined && args.attachment_url === undefined) throw titleWithoutUrl()
  // A description that is both cleared and set is replaced on purpose.
  const both = cleared.filter((field) => field !== 'description' && field !== 'delegate' && args[field] !== undefined)
  if (both.length > 0) throw new InvalidInput(`${both.join(', ')} cannot be both set and cleared. Leave one out.`)
  for (const field of ['assignee', 'project', 'cycle'] as const) {
    const reference = args[field]
    if (reference === undefined || !isNobody(reference)) continue
    const purpose = field === 'assignee' ? 'leave the issue unassigned' : `take the issue out of its ${field}`
    throw new InvalidInput(`To ${purpose}, name "${field}" in fields_to_clear.`, {
      next: { change: { [field]: null, fields_to_clear: [...cleared, field] } },
    })
  }
}

/** True if the change needs a lookup: of references, of the team's estimate scale, or of an attachment with the URL. */
export function needsLookup(args: IssueChange): boolean {
  const { assignee, state, project, cycle, estimate, labels_to_add: added, labels_to_remove: removed } = args
  const hasReferences = [assignee, state, project, cycle, estimate, added, removed].some((value) => value !== undefined)
  return hasReferences || (args.attachment_url !== undefined && args.attachment_title === undefined)
}

export function fieldsOf(args: IssueChange, description: string | undefined) {
  return {
    title: args.title,
    description,
    priority: args.priority === undefined ? undefined : priorities.indexOf(args.priority),
    estimate: args.estimate,
    dueDate: args.due_date,
    ...Object.fromEntries(
      (args.fields_to_clear ?? []).flatMap((field) =>
        field === 'delegate' || args[field] === undefined ? [[clearableFields[field], null]] : [],
      ),
    ),
  }
}

export function idFields({ addedLabelIds: added, removedLabelIds: removed, ...ids }: IssueChangeIds) {
  return {
    ...Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined)),
    ...(added.length > 0 && { addedLabelIds: [...added] }),
    ...(removed.length > 0 && { removedLabelIds: [...removed] }),
  }
}
