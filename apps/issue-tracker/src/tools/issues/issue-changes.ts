import { Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { confirmChange, confirmDone } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import * as documents from '../../linear/issues/issues.ts'
import { issueId } from '../../linear/references.ts'
import { isArchived, issueText, shownInAttachment, shownInIssue } from '../../linear/stored.ts'
import { issueRef, withNotFoundHint } from '../../resolve/not-found.ts'
import { withLineBreaks } from '../long-text.ts'
import { noticesOf } from '../notices.ts'
import { autoAccept, issueReference, noticesField, reference } from '../parameters.ts'
import { replaceText } from '../replaced-text.ts'
import { changedParameters, fieldsOf, idFields, issueChangeParameters, needsLookup, refuseContradictions } from './change-inputs.ts'
import { IssueName, issueName, Link, linkOf, WrittenIssue, writtenIssue } from '../rows.ts'

export const updateIssue = defineTool({
  name: 'UpdateIssue',
  title: 'Update an issue',
  description: Message.of(
    'Update, edit or modify an issue: assign or unassign a ticket, add or remove labels, change the priority, assignee, due date, estimate, cycle, project, title or description. Omitted fields stay the same.',
    sentence`For the state alone, use ${{ tool: 'IssueTracker.TransitionIssueState' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({ ...issueChangeParameters, auto_accept_matches: autoAccept }),
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
        const shownPage = page && (attachment ? shownInAttachment(page, attachment) : { attachment_url: false })
        const shown = { ...shownInIssue(change.input, issue, before), ...shownPage }
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

export const transitionIssueState = defineTool({
  name: 'TransitionIssueState',
  title: 'Move an issue to a state',
  description: Message.of(
    'Change the status (workflow state) of an issue: start a task, move a ticket to in progress or backlog, mark it as done, finish, complete, close, resolve, cancel or reopen it. If it is already there, nothing changes.',
    sentence`For other fields, use ${{ tool: 'IssueTracker.UpdateIssue' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue_id: issueReference,
    target_state: reference('State name, or type (completed) if only one state has it.'),
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
    const moved = await documents.moveToState(linear, { id: issue.id, input: { stateId: state.id } })
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
    'Archive an issue: hide, remove (get rid of) or put away an old ticket. Sub-issues are not archived. It can still be read; only Linear or the toolset triage can restore it.',
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
