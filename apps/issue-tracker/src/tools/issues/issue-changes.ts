import { InvalidInput, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { confirmChange, confirmDone } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { priorities } from '../../linear/document.ts'
import * as documents from '../../linear/issues/issues.ts'
import { Priority } from '../../linear/records.ts'
import { issueId } from '../../linear/references.ts'
import { isArchived, issueText, shownInAttachment, shownInIssue } from '../../linear/stored.ts'
import { isNobody } from '../../resolve/corrections.ts'
import type { IssueChangeIds } from '../../resolve/issues.ts'
import { issueRef, withNotFoundHint } from '../../resolve/not-found.ts'
import { withLineBreaks } from '../long-text.ts'
import { noticesOf } from '../notices.ts'
import {
  autoAccept,
  dueDate,
  issueReference,
  markdown,
  noticesField,
  pageTitle,
  pageUrl,
  points,
  reference,
  references,
  title,
  titleWithoutUrl,
} from '../parameters.ts'
import { replaceText } from '../replaced-text.ts'
import { IssueName, issueName, Link, linkOf, WrittenIssue, writtenIssue } from '../rows.ts'

/** The fields that can be cleared, with Linear's names. */
const clearableFields = {
  assignee: 'assigneeId',
  cycle: 'cycleId',
  project: 'projectId',
  due_date: 'dueDate',
  estimate: 'estimate',
  description: 'description',
} as const
const clearable = ['assignee', 'cycle', 'project', 'due_date', 'estimate', 'description'] as const

const changes = {
  title: title('New title.').optional(),
  description: markdown('Replaces it, in Markdown.').optional(),
  assignee: reference('Team member: name, email or "@me".').optional(),
  priority: Priority.optional().describe('New priority; no_priority removes it.'),
  state: reference('State name, or type (completed) if only one has it.').optional(),
  project: reference('Of the team: name, slug, id or URL.').optional(),
  cycle: reference('Name, number, "current" or "next".').optional(),
  estimate: points.optional(),
  due_date: dueDate.optional(),
  labels_to_add: references('Names or ids; existing ones stay.').optional(),
  labels_to_remove: references('Names or ids.').optional(),
  fields_to_clear: z.array(z.enum(clearable)).max(clearable.length).optional().describe('Fields to empty.'),
  attachment_url: pageUrl.optional(),
  attachment_title: pageTitle.optional(),
}

const issueChange = z.strictObject({ issue_id: issueReference, ...changes, auto_accept_matches: autoAccept })
type IssueChange = z.output<typeof issueChange>

export const updateIssue = defineTool({
  name: 'UpdateIssue',
  title: 'Update an issue',
  description: Message.of(
    'Update, edit or modify an issue: assign or unassign a ticket, add or remove labels, change the priority, assignee, due date, estimate, cycle, project, title or description. Other fields stay.',
    sentence`For the state alone, use ${{ tool: 'IssueTracker.TransitionIssueState' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: issueChange,
  output: z.object({ issue: WrittenIssue, attachment: Link.optional(), ...noticesField }),
  example: { issue_id: 'ENG-35', assignee: 'Ada Okafor' },
  async run(args, { linear, resolver }) {
    const changed = changedParameters(args)
    refuseContradictions(args, changed)
    const id = issueId(args.issue_id)
    const { attachment_url: url, attachment_title: urlTitle } = args
    const canOmit = changed.some((name) => name !== 'estimate' && name !== 'cycle')
    const isNamed = args.fields_to_clear?.includes('description') === true
    const isCleared = isNamed && args.description === undefined
    const description = args.description === undefined ? undefined : withLineBreaks(args.description)
    const text = description !== undefined || isCleared
    const found = text || needsLookup(args) ? await resolver.issueChange({ ...args, id, canOmit, text }) : undefined
    const before = found && issueText(found.issue)
    const change = { id: found?.issue.id ?? id, input: { ...fieldsOf(args, description?.text), ...(found && idFields(found.ids)) } }
    const existingAttachment = urlTitle === undefined ? found?.existingAttachment : undefined
    const attached = existingAttachment && 'The URL was already attached.'
    const page = url === undefined || existingAttachment ? undefined : { url, title: urlTitle ?? url }
    const isSame = !page && Object.values(change.input).every((value) => value === undefined)
    if (found && isSame)
      return {
        issue: writtenIssue(found.issue),
        ...(existingAttachment && { attachment: linkOf(existingAttachment) }),
        ...noticesOf(attached),
      }
    const { issue, attachment, notices } = await replaceText({
      linear,
      parameter: 'description',
      text: description,
      isCleared,
      before,
      read: () => ({ tool: 'IssueTracker.GetIssue', arguments: { issue_id: args.issue_id } }),
      onPurpose: { way: 'name "description" in fields_to_clear too', isTaken: isNamed },
      async write() {
        const updated = await withNotFoundHint(issueRef(id), documents.updateIssue(linear, change, page))
        const { issue, attachment = existingAttachment } = updated
        const shown = { ...shownInIssue(change.input, issue, before), ...(page && attachment && shownInAttachment(page, attachment)) }
        return { issue, attachment, stored: issueText(issue), shown }
      },
    })
    return {
      issue: writtenIssue(issue),
      ...(attachment && { attachment: linkOf(attachment) }),
      ...noticesOf(attached, ...notices),
    }
  },
})

/** The parameters of a call that change something. */
function changedParameters(args: IssueChange): string[] {
  return Object.entries(args).flatMap(([name, value]) =>
    name in changes && value !== undefined && !(Array.isArray(value) && value.length === 0) ? [name] : [],
  )
}

function refuseContradictions(args: IssueChange, changed: readonly string[]): void {
  const { fields_to_clear: cleared = [] } = args
  if (changed.length === 0) {
    const hint = `To clear one of ${clearable.join(', ')}, name it in fields_to_clear.`
    throw new InvalidInput(`Nothing to change. Pass at least one of ${Object.keys(changes).join(', ')}. ${hint}`)
  }
  if (args.attachment_title !== undefined && args.attachment_url === undefined) throw titleWithoutUrl()
  // A description that is both cleared and set is replaced on purpose.
  const both = cleared.filter((field) => field !== 'description' && args[field] !== undefined)
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

/** True if the change needs a lookup: of references, the scale of an estimate, or an attachment with the URL. */
function needsLookup(args: IssueChange): boolean {
  const { assignee, state, project, cycle, estimate, labels_to_add: added, labels_to_remove: removed } = args
  const hasReferences = [assignee, state, project, cycle, estimate, added, removed].some((value) => value !== undefined)
  return hasReferences || (args.attachment_url !== undefined && args.attachment_title === undefined)
}

function fieldsOf(args: IssueChange, description: string | undefined) {
  return {
    title: args.title,
    description,
    priority: args.priority === undefined ? undefined : priorities.indexOf(args.priority),
    estimate: args.estimate,
    dueDate: args.due_date,
    ...Object.fromEntries(
      (args.fields_to_clear ?? []).flatMap((field) => (args[field] === undefined ? [[clearableFields[field], null]] : [])),
    ),
  }
}

function idFields({ addedLabelIds: added, removedLabelIds: removed, ...ids }: IssueChangeIds) {
  return {
    ...Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined)),
    ...(added.length > 0 && { addedLabelIds: [...added] }),
    ...(removed.length > 0 && { removedLabelIds: [...removed] }),
  }
}

export const transitionIssueState = defineTool({
  name: 'TransitionIssueState',
  title: 'Move an issue to a state',
  description: Message.of(
    'Change the status (workflow state) of an issue: start a task, move a ticket to in progress or backlog, mark it as done, finish, complete, close, resolve, cancel or reopen it. If it is there already, nothing changes.',
    sentence`For other fields, use ${{ tool: 'IssueTracker.UpdateIssue' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue_id: issueReference,
    target_state: reference('State name, or type (completed) if only one has it.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ issue: IssueName, previous_state: z.string(), changed: z.boolean(), ...noticesField }),
  example: { issue_id: 'ENG-21', target_state: 'Done' },
  async run(args, { linear, resolver }, { notice }) {
    const id = issueId(args.issue_id)
    const { team, ...issue } = (await withNotFoundHint(issueRef(id), linear.send(documents.statesOfIssue, { id }))).issue
    const state = await resolver.targetState(args, team)
    if (state.id === issue.state.id) {
      notice(`${issue.identifier} is already in ${quote(state.name, 80)}; nothing was changed.`)
      return { issue: issueName(issue), previous_state: issue.state.name, changed: false }
    }
    const { issue: moved } = (await linear.send(documents.moveToState, { id: issue.id, input: { stateId: state.id } })).issue_update
    confirmChange('Linear', { target_state: moved.state.id !== issue.state.id })
    if (moved.state.id !== state.id)
      notice(`Linear moved ${moved.identifier} to ${quote(moved.state.name, 80)}, not to ${quote(state.name, 80)}.`)
    return { issue: issueName(moved), previous_state: issue.state.name, changed: true }
  },
})

export const archiveIssue = defineTool({
  name: 'ArchiveIssue',
  title: 'Archive an issue',
  description: Message.of(
    'Archive an issue: hide, remove (get rid of) or put away an old ticket. Sub-issues stay; it can still be read, and restored only in Linear.',
    sentence`For finished work, use ${{ tool: 'IssueTracker.TransitionIssueState' }}.`,
  ),
  effect: 'delete',
  scopes: ['write'],
  input: z.strictObject({ issue: issueReference }),
  output: z.object({ issue: IssueName.extend({ archived_at: z.string().optional() }) }),
  example: { issue: 'OPS-15' },
  async run({ issue }, { linear }, { notice }) {
    const id = issueId(issue)
    const { issue_archive: archived } = await withNotFoundHint(issueRef(id), linear.send(documents.archiveIssue, { id }))
    const unconfirmed = confirmDone('Linear', isArchived(archived.entity), `${archived.entity.identifier} is not archived`)
    if (unconfirmed !== undefined) notice(unconfirmed)
    return { issue: { ...issueName(archived.entity), archived_at: archived.entity.archived_at } }
  },
})
