import { InvalidInput } from '@mcp-toolkits/core'
import { withJsonSchema } from '@mcp-toolkits/core/json-schema'
import { Message, sentence } from '@mcp-toolkits/core/message'
import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { AttachmentRef } from '../linear/attachments.ts'
import { priorities } from '../linear/document.ts'
import * as documents from '../linear/issues.ts'
import { issueId, plainReading } from '../linear/references.ts'
import { Issue, IssueRef, Priority, State } from '../linear/records.ts'
import { relationsOf } from '../linear/relations.ts'
import { inWorkflowOrder } from '../linear/teams.ts'
import { requireSameWorkspace } from '../linear/workspace.ts'
import type { IssueChangeIds } from '../resolve/issues.ts'
import { isNobody } from '../resolve/corrections.ts'
import { issueRef, withNotFoundHint } from '../resolve/not-found.ts'
import { archivedFilterNotice } from '../resolve/resolver.ts'
import { withLineBreaks } from './long-text.ts'
import { emptyNotice, noticeOf, repeatNotice } from './notices.ts'
import {
  autoAccept,
  createdAfter,
  dueDate,
  endCursor,
  includeFlag,
  issueReference,
  keywords,
  limit,
  markdown,
  maxReference,
  noticeField,
  pageTitle,
  pageUrl,
  points,
  reference,
  references,
  title,
} from './parameters.ts'
import { quote } from '@mcp-toolkits/core/text'

export const listIssues = defineTool({
  name: 'ListIssues',
  title: 'List issues',
  description:
    'Issues that pass all filters, newest first; archived ones are left out. A name that matches nothing is refused, with the nearest names. Pages skip and repeat nothing, even while issues change.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Words, all of them in title or description.'),
    team: reference('Name, key or id.').optional(),
    state: reference('Name or id of a workflow state.').optional(),
    assignee: reference('Name or e-mail of a person; "@me" is the current user.').optional(),
    priority: Priority.optional().describe('Exactly this priority.'),
    label: reference('Name or id of a label; group/label in a group.').optional(),
    project: reference('Name, slug, id or URL.').optional(),
    created_after: createdAfter,
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ issues: z.array(Issue), pagination: Pagination, ...noticeField }),
  async run({ limit: first, end_cursor: cursor, ...filters }, { linear, resolver }) {
    const { after, pagination } = startPaging(['ListIssues', filters], cursor)
    const page = await resolver.list(filters, async (read) => documents.listIssues(linear, read, { first, after }))
    const [project] = page.project ?? []
    if (filters.project !== undefined && project) requireSameWorkspace(filters.project, project.url)
    return {
      issues: page.issues,
      pagination: pagination(page.has_more_issues, page.issues_end_cursor),
      ...noticeOf(emptyNotice('issue', page.issues, filters).notice, archivedFilterNotice(page.issues, page.team, page.project)),
      ...teamNotice(filters, page),
    }
  },
})

/**
 * The notice for a list that is empty because the state or the label in the filter belongs to another team.
 */
function teamNotice({ state, label }: documents.IssueFilters, page: documents.IssuePage): { notice?: string } {
  const { issues, team: [team] = [], label: labels = [] } = page
  if (issues.length > 0 || team === undefined) return {}
  const { states } = team
  const teamName = `${quote(team.name)} (${team.key})`
  const owners = labels.flatMap((each) => (each.team ? [each.team] : []))
  const isForeign = label !== undefined && owners.length > 0 && owners.length === labels.length && owners.every(({ id }) => id !== team.id)
  const stateNames = inWorkflowOrder(states ?? []).map(({ name }) => name)
  const hasState = (text: string) => states?.some((each) => [each.id, each.name.toLowerCase(), each.type].includes(text.toLowerCase()))
  return noticeOf(
    state !== undefined && states && hasState(plainReading(state)) === false
      ? `${teamName} has no workflow state ${quote(state)}. It has: ${stateNames.map((name) => quote(name)).join(', ')}.`
      : undefined,
    isForeign
      ? `Label ${quote(label)} is not one of ${teamName} but of ${[...new Set(owners.map(({ name, key }) => `${quote(name)} (${key})`))].join(', ')}.`
      : undefined,
  )
}

const Relations = z.object({
  blocks: z.array(IssueRef),
  blocked_by: z.array(IssueRef).describe('Look at the state of each: one that is completed or canceled blocks no more.'),
  duplicate_of: z.array(IssueRef),
  duplicated_by: z.array(IssueRef),
  related: z.array(IssueRef),
  has_more: z.boolean(),
})

export const getIssue = defineTool({
  name: 'GetIssue',
  title: 'Get an issue',
  description:
    'One issue in full: description, people, state, labels, and on request comments, attachments, relations and sub-issues, 50 of each.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    issue_id: issueReference,
    include_comments: includeFlag(Message.of('The newest 50 comments.', sentence`${{ tool: 'IssueTracker.ListComments' }} reads on.`)),
    include_attachments: includeFlag('The newest 50 attachments.'),
    include_relations: includeFlag('Blockers, what it blocks, duplicates, related issues.'),
    include_children: includeFlag('The newest 50 sub-issues.'),
  }),
  output: z.object({ issue: documents.IssueDetail.extend({ relations: Relations.optional() }) }),
  async run(args, { linear }) {
    const id = issueId(args.issue_id)
    const parts = {
      comments: args.include_comments,
      attachments: args.include_attachments,
      relations: args.include_relations,
      children: args.include_children,
    }
    const { issue } = await withNotFoundHint(issueRef(id), linear.run(documents.getIssue, { id, ...parts }))
    requireSameWorkspace(args.issue_id, issue.url)
    const {
      relations,
      inverse_relations: inverse,
      has_more_relations: hasMore,
      has_more_inverse_relations: hasMoreInverse,
      ...rest
    } = issue
    if (!relations || !inverse) return { issue: rest }
    return { issue: { ...rest, relations: relationsOf(relations, inverse, hasMore === true || hasMoreInverse === true) } }
  },
})

const titleWithoutUrl = () => new InvalidInput('"attachment_title" needs an "attachment_url".')
const isNone = (assignee: string) => assignee.trim().toLowerCase() === 'none'

/** Whether it was named matters, so that the default is published and not filled in. */
const assignee = withJsonSchema(reference('Name or e-mail address of a member of the team.'), {
  default: '@me',
  type: 'string',
  maxLength: maxReference,
  description: 'Name or e-mail address of a member of the team; "@me" is the current user, "none" for no assignee.',
})

export const createIssue = defineTool({
  name: 'CreateIssue',
  title: 'Create an issue',
  description:
    'Create an issue in a team. Every name is checked first; when one matches nothing, or more than one thing, nothing is created and the error lists what could be meant. Repeating a call whose answer was lost creates nothing twice; repeating one that was answered creates another issue.',
  effect: 'create',
  scopes: ['issues:create'],
  input: z.strictObject({
    team: reference('Key, name or id of the team.'),
    title: title('The title, one line.'),
    description: markdown('What it is about').optional(),
    assignee: assignee.optional(),
    labels_to_add: references('Names or ids of labels; "group/label" distinguishes labels of the same name.').optional(),
    priority: Priority.optional().describe('The priority.'),
    state: reference("Name of one of the team's workflow states; its default state if left out.").optional(),
    project: reference('Name, slug, id or URL of a project that the team takes part in.').optional(),
    cycle: reference('Name or number of a cycle of the team, or "current" or "next".').optional(),
    parent_issue: reference('The issue that this becomes a sub-issue of: its identifier (ENG-12), id or URL.').optional(),
    estimate: points.optional(),
    due_date: dueDate.optional(),
    attachment_url: pageUrl.optional(),
    attachment_title: pageTitle.optional(),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ issue: Issue, attachment: AttachmentRef.optional(), ...noticeField }),
  async run(args, { linear, resolver }, { operation }) {
    const { attachment_url: url, attachment_title: urlTitle = url } = args
    if (urlTitle !== undefined && url === undefined) throw titleWithoutUrl()
    const { assignee: person = '@me' } = args
    const { labelIds, ...ids } = await resolver.newIssue({
      ...args,
      assignee: isNone(person) ? undefined : person,
      namesAssignee: args.assignee !== undefined,
    })
    const description = args.description === undefined ? undefined : withLineBreaks(args.description)
    const input = {
      ...ids,
      title: args.title,
      description: description?.text,
      labelIds: labelIds.length > 0 ? [...labelIds] : undefined,
      priority: args.priority === undefined ? undefined : priorities.indexOf(args.priority),
      estimate: args.estimate,
      dueDate: args.due_date,
    }
    const identity = await operation.begin()
    const attachment = url === undefined ? undefined : { id: identity.uuid('attachment'), url, title: urlTitle ?? url }
    const created = await documents.createIssue(linear, { input: { ...input, id: identity.uuid('issue') }, attachment })
    const { attachmentError } = created
    if (attachmentError) operation.leaveOpen()
    return {
      issue: created.issue,
      ...(created.attachment && { attachment: created.attachment }),
      ...noticeOf(
        description?.notice,
        repeatNotice(identity, created.wasCreatedEarlier, created.issue.archived_at),
        attachmentError && `The issue was created, but the URL was not attached: ${attachmentError.message}`,
      ),
    }
  },
})

/** The fields that can be cleared, with Linear's names. */
const clearableFields = {
  assignee: 'assigneeId',
  cycle: 'cycleId',
  project: 'projectId',
  due_date: 'dueDate',
  estimate: 'estimate',
} as const
const clearable = ['assignee', 'cycle', 'project', 'due_date', 'estimate'] as const

const changes = {
  title: title('A new title.').optional(),
  description: markdown('A new description, which replaces the old one').optional(),
  assignee: reference('Name or e-mail address of a member of the team, or "@me".').optional(),
  priority: Priority.optional().describe('A new priority; "no_priority" takes it away.'),
  state: reference("Name of one of the team's workflow states.").optional(),
  project: reference('Name, slug or id of a project that the team takes part in.').optional(),
  cycle: reference('Name or number of a cycle of the team, or "current" or "next".').optional(),
  estimate: points.optional(),
  due_date: dueDate.optional(),
  labels_to_add: references('Names or ids of labels; the labels it has stay.').optional(),
  labels_to_remove: references('Names or ids of labels.').optional(),
  fields_to_clear: z.array(z.enum(clearable)).max(clearable.length).optional().describe('Fields to leave empty.'),
  attachment_url: pageUrl.optional(),
  attachment_title: pageTitle.optional(),
}

const issueChange = z.strictObject({ issue_id: issueReference, ...changes, auto_accept_matches: autoAccept })
type IssueChange = z.output<typeof issueChange>

export const updateIssue = defineTool({
  name: 'UpdateIssue',
  title: 'Update an issue',
  description:
    'Change an issue: only passed fields change. Every name is checked first; when one matches nothing, or more than one thing, nothing is changed and the error lists what could be meant.',
  effect: 'update',
  scopes: ['write'],
  input: issueChange,
  output: z.object({ issue: Issue, attachment: AttachmentRef.optional(), ...noticeField }),
  async run(args, { linear, resolver }) {
    const changed = changedParameters(args)
    refuseContradictions(args, changed)
    const id = issueId(args.issue_id)
    const { attachment_url: url, attachment_title: urlTitle } = args
    const canOmit = changed.some((name) => name !== 'estimate' && name !== 'cycle')
    const found = needsLookup(args) ? await resolver.issueChange({ ...args, id, canOmit }) : undefined
    const description = args.description === undefined ? undefined : withLineBreaks(args.description)
    const change = { id: found?.issue.id ?? id, input: { ...fieldsOf(args, description?.text), ...(found && idFields(found.ids)) } }
    const existingAttachment = urlTitle === undefined ? found?.existingAttachment : undefined
    const notice = noticeOf(description?.notice, existingAttachment && 'The URL was attached already.')
    if (url !== undefined && !existingAttachment) {
      const updated = documents.updateIssueAndAttach(linear, change, { url, title: urlTitle ?? url })
      return { ...(await withNotFoundHint(issueRef(id), updated)), ...notice }
    }
    const isSame = found && Object.values(change.input).every((value) => value === undefined)
    const { issue } = isSame ? found : (await withNotFoundHint(issueRef(id), linear.run(documents.updateIssue, change))).issue_update
    return { issue, ...(existingAttachment && { attachment: existingAttachment }), ...notice }
  },
})

/** The parameters of a call that change something. */
function changedParameters(args: IssueChange): string[] {
  return Object.entries(args).flatMap(([name, value]) =>
    name in changes && value !== undefined && !(Array.isArray(value) && value.length === 0) ? [name] : [],
  )
}

function refuseContradictions(args: IssueChange, changed: readonly string[]): void {
  const { fields_to_clear: cleared = [], assignee } = args
  if (changed.length === 0) {
    const hint = `To clear one of ${clearable.join(', ')}, name it in fields_to_clear; null leaves it as it is.`
    throw new InvalidInput(`Nothing to change. Pass at least one of ${Object.keys(changes).join(', ')}. ${hint}`)
  }
  if (args.attachment_title !== undefined && args.attachment_url === undefined) throw titleWithoutUrl()
  const both = cleared.filter((field) => args[field] !== undefined)
  if (both.length > 0) throw new InvalidInput(`${both.join(', ')} cannot be both set and cleared. Leave one out.`)
  if (assignee !== undefined && isNobody(assignee)) {
    throw new InvalidInput('To leave the issue unassigned, name "assignee" in fields_to_clear.', {
      next: { change: { assignee: null, fields_to_clear: [...cleared, 'assignee'] } },
    })
  }
}

/** Whether the change needs a lookup: of references, the scale of an estimate, or an attachment with the URL. */
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
    ...Object.fromEntries((args.fields_to_clear ?? []).map((field) => [clearableFields[field], null])),
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
  description:
    "Move an issue to another workflow state of its team. A name that none of the team's states has is refused with the nearest or with all of them; moving an issue to the state that it is in changes nothing.",
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue_id: issueReference,
    target_state: reference('Name of the state, or its type (such as "completed") where the team has one of that type only.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ issue: IssueRef, previous_state: State, changed: z.boolean() }),
  async run(args, { linear, resolver }) {
    const id = issueId(args.issue_id)
    const { team, ...issue } = (await withNotFoundHint(issueRef(id), linear.run(documents.statesOfIssue, { id }))).issue
    const state = await resolver.targetState(args, team)
    if (state.id === issue.state.id) return { issue, previous_state: issue.state, changed: false }
    const { issue_update: moved } = await linear.run(documents.moveToState, { id: issue.id, stateId: state.id })
    return { issue: moved.issue, previous_state: issue.state, changed: true }
  },
})

export const archiveIssue = defineTool({
  name: 'ArchiveIssue',
  title: 'Archive an issue',
  description:
    'Archive an issue: it leaves all lists and is still found by its identifier. Sub-issues stay as they are. Archiving it again changes nothing; only Linear itself can restore it.',
  effect: 'delete',
  scopes: ['write'],
  input: z.strictObject({ issue: issueReference }),
  output: z.object({ issue: documents.ArchivedIssue }),
  async run({ issue }, { linear }) {
    const id = issueId(issue)
    const { issue_archive: archived } = await withNotFoundHint(issueRef(id), linear.run(documents.archiveIssue, { id }))
    return { issue: archived.entity }
  },
})
