import { joinWords, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import { confirmCreated } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import type { NewAttachment } from '../../linear/issues/attachments.ts'
import { type IssueFilters, type IssuePage, listIssues as listPage } from '../../linear/issues/issue-list.ts'
import * as documents from '../../linear/issues/issues.ts'
import { issueId, plainReading } from '../../linear/references.ts'
import { type IssueRef, Priority } from '../../linear/records.ts'
import { issueText, shownInAttachment, shownInIssue } from '../../linear/stored.ts'
import { inWorkflowOrder, stateTypesIn } from '../../linear/teams.ts'
import { requireSameWorkspace } from '../../linear/workspace.ts'
import { issueRef, withNotFoundHint } from '../../resolve/not-found.ts'
import { archivedFilterNotice } from '../../resolve/resolver.ts'
import { withLineBreaks } from '../long-text.ts'
import { emptyNotice, keywordsNotice, noticesOf, repeatNotice } from '../notices.ts'
import {
  autoAccept,
  createdAfter,
  endCursor,
  includeFlag,
  issueReference,
  keywords,
  limit,
  noticesField,
  reference,
} from '../parameters.ts'
import { cutNotice } from '../replaced-text.ts'
import { issueDetail, IssueDetail } from './issue-detail.ts'
import { newIssueInput, newIssueParameters, newIssueReferences, newPage } from './issue-inputs.ts'
import { issuePrinter, IssueRow, Link, linkOf, WrittenIssue, writtenIssue } from '../rows.ts'

export const listIssues = defineTool({
  name: 'ListIssues',
  title: 'List issues',
  description: Message.of(
    'Search issues: find or list tickets, bugs and tasks by words, team, state (open, backlog, in progress), assignee (assigned to me), priority (urgent), label or project, newest first. All filters must match; archived issues are excluded.',
    sentence`To read one, use ${{ tool: 'IssueTracker.GetIssue' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Words that must all be in title or description.'),
    team: reference('Name, key or id.').optional(),
    state: reference('Name, id or type (started), "open" or "closed".').optional(),
    assignee: reference('Name, email or "@me".').optional(),
    priority: Priority.optional().describe('Only this priority.'),
    label: reference('Name or id; group/label for one in a group.').optional(),
    project: reference('Name, slug, id or URL.').optional(),
    created_after: createdAfter,
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ issues: z.array(IssueRow), pagination: Pagination, ...noticesField }),
  example: { team: 'ENG', state: 'In Progress', limit: 5 },
  async run({ limit, end_cursor, ...filters }, { linear, resolver, startOf }) {
    const begins = startOf(filters.created_after)
    const { after, first, since, result, pagination } = startPaging(['ListIssues', filters], { limit, end_cursor }, begins)
    const page = await resolver.list(filters, async (read) => listPage(linear, { ...read, since }, { first, after }))
    return result({
      issues: page.issues.map(issuePrinter(page.issues)),
      pagination: pagination(page.has_more_issues, page.issues_end_cursor),
      ...noticesOf(
        meaningNotice(filters.state, page),
        ...(teamNotices(filters, page) ?? [emptyNotice('issue', page.issues, { ...filters, after })]),
        archivedFilterNotice(page.issues, page.team, page.project),
        keywordsNotice(filters.keywords, page.issues, 'team, state, assignee, priority, label, project or created_after'),
      ),
    })
  },
})

/** The notice for a state with several meanings, or an undocumented word for several types. */
function meaningNotice(state: string | undefined, { state: found = [], namesakes = [] }: IssuePage): string | undefined {
  const { types = [] } = stateTypesIn(state ?? '') ?? {}
  const isByType = types.length > 0 && found[0]?.id === types[0]
  const isDocumented = /^(?:open|closed)$/i.test(plainReading(state ?? ''))
  if (state === undefined || (namesakes.length === 0 && (isDocumented || types.length < 2 || !isByType))) return undefined
  const [name] = namesakes
  const all = `${types.length === 1 ? 'the type' : 'the types'} ${joinWords(types)}`
  if (isByType)
    return `${quote(state, 80)} (state) was read as ${all}.${name === undefined ? '' : ` To match only the state with that name, pass ${quote(name, 80)}.`}`
  const word = plainReading(state).toLowerCase()
  const other = [word, word.toUpperCase()].find((each) => !namesakes.includes(each))
  return `${quote(state, 80)} (state) was read as a state's name.${other === undefined ? '' : ` To match ${all}, pass ${quote(other, 80)}.`}`
}

/** The notices for a list that is empty because the state or label in the filter belongs to a different team. */
function teamNotices({ state, label }: IssueFilters, page: IssuePage): string[] | undefined {
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
      ? `Label ${quote(label)} belongs to ${[...new Set(owners.map(({ name, key }) => `${quote(name)} (${key})`))].join(', ')}, not to ${teamName}.`
      : undefined,
  ).notices
}

export const getIssue = defineTool({
  name: 'GetIssue',
  title: 'Get an issue',
  description: Message.of(
    'Get a single issue (ticket, bug, task): read, view, show or open its details, description, comments, attachments, relations and sub-issues.',
    sentence`To search, use ${{ tool: 'IssueTracker.ListIssues' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: sentence`${{ tool: 'IssueTracker.ListComments' }} reads all comments; include_comments, include_attachments, include_relations and include_children leave parts out.`,
  input: z.strictObject({
    issue_id: issueReference,
    include_comments: includeFlag(Message.of('The newest 50.', sentence`${{ tool: 'IssueTracker.ListComments' }} reads older ones.`)),
    include_attachments: includeFlag('The newest 50.'),
    include_relations: includeFlag('Blocking, blocked, duplicate, related issues.'),
    include_children: includeFlag('The newest 50 sub-issues.'),
  }),
  output: z.object({ issue: IssueDetail }),
  example: { issue_id: 'ENG-9' },
  async run(args, { linear }) {
    const id = issueId(args.issue_id)
    const parts = {
      comments: args.include_comments,
      attachments: args.include_attachments,
      relations: args.include_relations,
      children: args.include_children,
    }
    const { issue } = await withNotFoundHint(issueRef(id), linear.send(documents.getIssue, { id, ...parts }))
    await requireSameWorkspace(linear, args.issue_id, issue.url)
    return { issue: issueDetail(issue) }
  },
})

export const createIssue = defineTool({
  name: 'CreateIssue',
  title: 'Create an issue',
  description: Message.of(
    'Create an issue: open, make, file, raise or report a new ticket, bug, task or sub-issue in a team, with labels and a due date. It is assigned to you by default. An unknown name creates nothing.',
    sentence`To change an issue, use ${{ tool: 'IssueTracker.UpdateIssue' }}.`,
  ),
  effect: 'create',
  scopes: ['issues:create'],
  input: z.strictObject({ ...newIssueParameters, auto_accept_matches: autoAccept }),
  output: z.object({ issue: WrittenIssue, attachment: Link.optional(), ...noticesField }),
  example: { team: 'ENG', title: 'Invitations expire', labels_to_add: ['Bug'] },
  async run(args, { linear, resolver }, { operation, notice }) {
    const page = newPage(args)
    const { twins, ...ids } = await resolver.newIssue({ ...args, ...newIssueReferences(args) })
    const description = args.description === undefined ? undefined : withLineBreaks(args.description)
    const input = newIssueInput(args, ids, description?.text)
    const identity = await operation.claim()
    const attachment = page && { id: identity.uuid('attachment'), ...page }
    const id = identity.uuid('issue')
    const created = await documents.createIssue(linear, { input: { ...input, id }, attachment })
    const { attachmentError, wasCreatedEarlier } = created
    if (attachmentError) operation.leaveOpen()
    // An earlier attempt at this call may have created one of the twins.
    const twin = twins.find((each) => each.id !== id)
    if (twin) notice(twinNotice(twin))
    return {
      issue: writtenIssue(created.issue),
      ...(created.attachment && { attachment: linkOf(created.attachment) }),
      ...noticesOf(
        description?.notice,
        repeatNotice(identity, wasCreatedEarlier, created.issue.archived_at),
        ...(wasCreatedEarlier ? [] : confirmedIssue(input, created, attachment)),
        attachmentError && `The issue was created, but the URL was not attached: ${attachmentError.message}`,
      ),
    }
  },
})

/** Notices for the parts of the input that a new issue does not show. */
function confirmedIssue(
  input: Parameters<typeof shownInIssue>[0],
  { issue, attachment }: Pick<documents.CreatedIssue, 'issue' | 'attachment'>,
  page: NewAttachment | undefined,
) {
  const shown = { ...shownInIssue(input, issue), ...(page && attachment && shownInAttachment(page, attachment)) }
  return [confirmCreated('Linear', shown), ...cutNotice('description', input.description, issueText(issue))]
}

/** The notice for an open issue with the same title as a new one. */
function twinNotice({ identifier, state }: z.output<typeof IssueRef>): Message {
  return Message.of(
    `${identifier}, which is in ${quote(state.name, 80)}, has the same title.`,
    sentence`If they are the same task, ${{ tool: 'IssueTracker.CreateIssueRelation' }} marks one as a duplicate of the other.`,
  )
}
