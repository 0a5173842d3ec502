import { InvalidInput } from '@mcp-toolkits/core'
import { withJsonSchema } from '@mcp-toolkits/core/json-schema'
import { Message, sentence } from '@mcp-toolkits/core/message'
import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { priorities } from '../linear/document.ts'
import * as documents from '../linear/issues.ts'
import { issueId, plainReading } from '../linear/references.ts'
import { Priority } from '../linear/records.ts'
import { inWorkflowOrder, stateTypesIn } from '../linear/teams.ts'
import { requireSameWorkspace } from '../linear/workspace.ts'
import type { IssueChangeIds } from '../resolve/issues.ts'
import { isNobody } from '../resolve/corrections.ts'
import { issueRef, withNotFoundHint } from '../resolve/not-found.ts'
import { archivedFilterNotice } from '../resolve/resolver.ts'
import { withLineBreaks } from './long-text.ts'
import { emptyNotice, keywordsNotice, noticesOf, repeatNotice } from './notices.ts'
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
  noticesField,
  pageTitle,
  pageUrl,
  points,
  reference,
  references,
  title,
} from './parameters.ts'
import { issueDetail, IssueDetail } from './issue-detail.ts'
import { IssueName, issueName, issuePrinter, IssueRow, Link, linkOf, WrittenIssue, writtenIssue } from './rows.ts'
import { joinWords, quote } from '@mcp-toolkits/core/text'

export const listIssues = defineTool({
  name: 'ListIssues',
  title: 'List issues',
  description:
    'Search issues: find or list tickets, bugs and tasks by keyword, team, state (open, backlog, in progress), assignee (assigned to me), priority (urgent), label or project, newest first. Archived issues are excluded.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Words that must all appear in title or description.'),
    team: reference('Name, key or id.').optional(),
    state: reference('Name, id or type (started), or open or closed.').optional(),
    assignee: reference('Person by name or email; "@me" is the current user.').optional(),
    priority: Priority.optional().describe('Exactly this priority.'),
    label: reference('Name or id; group/label for one in a group.').optional(),
    project: reference('Name, slug, id or URL.').optional(),
    created_after: createdAfter,
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ issues: z.array(IssueRow), pagination: Pagination, ...noticesField }),
  async run({ limit, end_cursor, ...filters }, { linear, resolver }) {
    const { after, first, result, pagination } = startPaging(['ListIssues', filters], { limit, end_cursor })
    const page = await resolver.list(filters, async (read) => documents.listIssues(linear, read, { first, after }))
    const [project] = page.project ?? []
    if (filters.project !== undefined && project) requireSameWorkspace(filters.project, project.url)
    return result({
      issues: page.issues.map(issuePrinter(page.issues)),
      pagination: pagination(page.has_more_issues, page.issues_end_cursor),
      ...noticesOf(
        typesNotice(filters.state, page),
        ...(teamNotices(filters, page) ?? [emptyNotice('issue', page.issues, filters)]),
        archivedFilterNotice(page.issues, page.team, page.project),
        keywordsNotice(filters.keywords, page.issues, 'team, state, assignee, priority, label, project or created_after'),
      ),
    })
  },
})

/** The notice for a word for several types of states, other than those that the parameter documents. */
function typesNotice(state: string | undefined, { state: found = [] }: documents.IssuePage): string | undefined {
  const { types = [] } = stateTypesIn(state ?? '') ?? {}
  const isDocumented = /^(?:open|closed)$/i.test(plainReading(state ?? ''))
  if (state === undefined || isDocumented || types.length < 2 || found[0]?.id !== types[0]) return undefined
  return `${quote(state, 80)} (state) was read as the types ${joinWords(types)}.`
}

/** The notices for a list that is empty because the state or the label in the filter belongs to another team. */
function teamNotices({ state, label }: documents.IssueFilters, page: documents.IssuePage): string[] | undefined {
  const { issues, team: [team] = [], label: labels = [] } = page
  if (issues.length > 0 || team === undefined) return undefined
  const { states } = team
  const teamName = `${quote(team.name)} (${team.key})`
  const owners = labels.flatMap((each) => (each.team ? [each.team] : []))
  const isForeign = label !== undefined && owners.length > 0 && owners.length === labels.length && owners.every(({ id }) => id !== team.id)
  const stateNames = inWorkflowOrder(states ?? []).map(({ name }) => name)
  const hasState = (text: string) =>
    states?.some(({ id, name, type }) => [id, name.toLowerCase()].includes(text.toLowerCase()) || stateTypesIn(text)?.types.includes(type))
  return noticesOf(
    state !== undefined && states && hasState(plainReading(state)) === false
      ? `${teamName} has no workflow state ${quote(state)}. It has: ${stateNames.map((name) => quote(name)).join(', ')}.`
      : undefined,
    isForeign
      ? `Label ${quote(label)} is not one of ${teamName} but of ${[...new Set(owners.map(({ name, key }) => `${quote(name)} (${key})`))].join(', ')}.`
      : undefined,
  ).notices
}

export const getIssue = defineTool({
  name: 'GetIssue',
  title: 'Get an issue',
  description:
    'Get one issue (ticket, bug, task) by identifier, such as ENG-12: read, view, show or open its details, description, state, labels, comments, attachments, relations and sub-issues.',
  effect: 'read',
  scopes: ['read'],
  narrowing: sentence`${{ tool: 'IssueTracker.ListComments' }} reads all comments; include_comments, include_attachments, include_relations and include_children leave parts out.`,
  input: z.strictObject({
    issue_id: issueReference,
    include_comments: includeFlag(Message.of('The newest 50 comments.', sentence`${{ tool: 'IssueTracker.ListComments' }} reads on.`)),
    include_attachments: includeFlag('The newest 50 attachments.'),
    include_relations: includeFlag('Blockers, what it blocks, duplicates, related issues.'),
    include_children: includeFlag('The newest 50 sub-issues.'),
  }),
  output: z.object({ issue: IssueDetail }),
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
    return { issue: issueDetail(issue) }
  },
})

const titleWithoutUrl = () => new InvalidInput('"attachment_title" needs an "attachment_url".')
const isNone = (assignee: string) => assignee.trim().toLowerCase() === 'none'

/** Whether it was named matters, so that the default is published and not filled in. */
const assignee = withJsonSchema(reference('Name or email address of a member of the team.'), {
  default: '@me',
  type: 'string',
  maxLength: maxReference,
  description: 'Team member by name or email; "@me" is the current user, "none" nobody.',
})

export const createIssue = defineTool({
  name: 'CreateIssue',
  title: 'Create an issue',
  description:
    'Create an issue: open, make, file, raise, log, add or report a new ticket, bug, task, problem or sub-issue in a team, with labels and a due date.',
  effect: 'create',
  scopes: ['issues:create'],
  input: z.strictObject({
    team: reference('Key, name or id.'),
    title: title('The title, one line.'),
    description: markdown('The description').optional(),
    assignee: assignee.optional(),
    labels_to_add: references('Labels by name or id; group/label for one in a group.').optional(),
    priority: Priority.optional().describe('The priority.'),
    state: reference('Workflow state of the team; its default if omitted.').optional(),
    project: reference('A project of the team: name, slug, id or URL.').optional(),
    cycle: reference('Cycle of the team by name or number, or "current" or "next".').optional(),
    parent_issue: reference('Makes this a sub-issue of an issue: identifier, id or URL.').optional(),
    estimate: points.optional(),
    due_date: dueDate.optional(),
    attachment_url: pageUrl.optional(),
    attachment_title: pageTitle.optional(),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ issue: WrittenIssue, attachment: Link.optional(), ...noticesField }),
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
      issue: writtenIssue(created.issue),
      ...(created.attachment && { attachment: linkOf(created.attachment) }),
      ...noticesOf(
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
  title: title('New title.').optional(),
  description: markdown('New description, replacing the old').optional(),
  assignee: reference('Team member by name or email, or "@me".').optional(),
  priority: Priority.optional().describe('New priority; no_priority removes it.'),
  state: reference('Workflow state of the team.').optional(),
  project: reference('A project of the team: name, slug, id or URL.').optional(),
  cycle: reference('Cycle of the team by name or number, or "current" or "next".').optional(),
  estimate: points.optional(),
  due_date: dueDate.optional(),
  labels_to_add: references('Labels by name or id; those it has stay.').optional(),
  labels_to_remove: references('Labels by name or id.').optional(),
  fields_to_clear: z.array(z.enum(clearable)).max(clearable.length).optional().describe('Fields to clear.'),
  attachment_url: pageUrl.optional(),
  attachment_title: pageTitle.optional(),
}

const issueChange = z.strictObject({ issue_id: issueReference, ...changes, auto_accept_matches: autoAccept })
type IssueChange = z.output<typeof issueChange>

export const updateIssue = defineTool({
  name: 'UpdateIssue',
  title: 'Update an issue',
  description:
    'Update, edit or modify an issue: assign, reassign or unassign a ticket, add a label or remove labels, change or set priority, due date, estimate, cycle, project, title or description of the issue. Other fields stay.',
  effect: 'update',
  scopes: ['write'],
  input: issueChange,
  output: z.object({ issue: WrittenIssue, attachment: Link.optional(), ...noticesField }),
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
    const notice = noticesOf(description?.notice, existingAttachment && 'The URL was attached already.')
    if (url !== undefined && !existingAttachment) {
      const updating = documents.updateIssueAndAttach(linear, change, { url, title: urlTitle ?? url })
      const updated = await withNotFoundHint(issueRef(id), updating)
      return { issue: writtenIssue(updated.issue), attachment: linkOf(updated.attachment), ...notice }
    }
    const isSame = found && Object.values(change.input).every((value) => value === undefined)
    const { issue } = isSame ? found : (await withNotFoundHint(issueRef(id), linear.run(documents.updateIssue, change))).issue_update
    return { issue: writtenIssue(issue), ...(existingAttachment && { attachment: linkOf(existingAttachment) }), ...notice }
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
  const both = cleared.filter((field) => args[field] !== undefined)
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
    'Change the status (workflow state) of an issue: start working on it, move a ticket to in progress, in review or backlog, mark a task as done (completed), or finish, close, resolve, cancel or reopen the issue.',
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue_id: issueReference,
    target_state: reference('State by name, or by type (completed) if only one state has it.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ issue: IssueName, previous_state: z.string(), changed: z.boolean(), ...noticesField }),
  async run(args, { linear, resolver }, { notice }) {
    const id = issueId(args.issue_id)
    const { team, ...issue } = (await withNotFoundHint(issueRef(id), linear.run(documents.statesOfIssue, { id }))).issue
    const state = await resolver.targetState(args, team)
    if (state.id === issue.state.id) {
      notice(`${issue.identifier} is in ${quote(state.name, 80)} already; nothing was changed.`)
      return { issue: issueName(issue), previous_state: issue.state.name, changed: false }
    }
    const { issue_update: moved } = await linear.run(documents.moveToState, { id: issue.id, stateId: state.id })
    return { issue: issueName(moved.issue), previous_state: issue.state.name, changed: true }
  },
})

export const archiveIssue = defineTool({
  name: 'ArchiveIssue',
  title: 'Archive an issue',
  description:
    'Archive an issue to remove old issues from all lists, hide a ticket or put it away. It can still be read; sub-issues stay. To restore or delete it, use Linear.',
  effect: 'delete',
  scopes: ['write'],
  input: z.strictObject({ issue: issueReference }),
  output: z.object({ issue: IssueName.extend({ archived_at: z.string().optional() }) }),
  async run({ issue }, { linear }) {
    const id = issueId(issue)
    const { issue_archive: archived } = await withNotFoundHint(issueRef(id), linear.run(documents.archiveIssue, { id }))
    return { issue: { ...issueName(archived.entity), archived_at: archived.entity.archived_at } }
  },
})
