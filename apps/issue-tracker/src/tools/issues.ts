import { Pagination, paging } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { keywordFilters, labelFilter, projectFilter, teamFilter, tidy, userFilter } from '../linear/filters.ts'
import {
  getIssue as getIssueOperation,
  IssueDetail,
  listComments as listCommentsOperation,
  listIssues as listIssuesOperation,
} from '../linear/issues.ts'
import { priorities } from '../linear/presentation.ts'
import { Comment, Issue, IssueRef, Priority } from '../linear/records.ts'
import { refuseMisses, sought } from '../resolve.ts'
import { emptyNotice } from './notices.ts'
import { createdAfter, endCursor, include, issueReference, keywords, limit } from './parameters.ts'
import { relationsOf } from './relations.ts'

const issueSought = (wanted: string) => ({ kind: 'issue', wanted, listedBy: 'IssueTracker.ListIssues' })

const name = (what: string) => z.string().min(1).optional().describe(what)

export const listIssues = defineTool({
  name: 'ListIssues',
  title: 'List issues',
  description:
    'Issues of the workspace, last changed first, narrowed by any of the filters together. A name that belongs to nothing is refused with the nearest names. Archived issues are left out. An issue that changes while you read on moves to the front of the list.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Words that all appear in the title or the description.'),
    team: name('Name or key of a team.'),
    state: name('Name of a workflow state; teams may share it.'),
    assignee: name('Name or e-mail address of a person; "@me" is the current user.'),
    priority: Priority.optional().describe('Exactly this priority.'),
    label: name('Name of a label.'),
    project: name('Name of a project.'),
    created_after: createdAfter,
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ issues: z.array(Issue), pagination: Pagination, notice: z.string().optional() }),
  async run({ limit: first, end_cursor: cursor, ...filters }, { linear }, { signal }) {
    const { after, pagination } = paging(['ListIssues', filters], cursor)
    const page = await linear.run(listIssuesOperation, { first, after, ...issueVariables(filters) }, signal)
    await refuseMisses(linear, { wanted: filters, found: page }, signal)
    return {
      issues: page.issues,
      pagination: pagination(page.has_more_issues, page.issues_end_cursor),
      ...emptyNotice('issue', page.issues, filters),
    }
  },
})

interface IssueFilters {
  readonly keywords?: string | undefined
  readonly team?: string | undefined
  readonly state?: string | undefined
  readonly assignee?: string | undefined
  readonly priority?: (typeof priorities)[number] | undefined
  readonly label?: string | undefined
  readonly project?: string | undefined
  readonly created_after?: string | undefined
}

/** The filter of the list, and beside it one of each name, by which the same request checks that the name exists. */
function issueVariables({ keywords, team, state, assignee, priority, label, project, created_after: since }: IssueFilters) {
  const of = <Filter>(value: string | undefined, make: (wanted: string) => Filter) => (value === undefined ? undefined : make(value))
  const checks = {
    team: of(team, teamFilter),
    state: of(state, (wanted) => ({ name: { eqIgnoreCase: tidy(wanted) } })),
    assignee: of(assignee, userFilter),
    label: of(label, labelFilter),
    project: of(project, projectFilter),
  }
  const { label: withLabel, ...relations } = checks
  const conditions = [
    ...(keywords === undefined ? [] : keywordFilters(keywords)),
    ...Object.entries(relations).flatMap(([field, filter]) => (filter === undefined ? [] : [{ [field]: filter }])),
    ...(withLabel === undefined ? [] : [{ labels: { some: withLabel } }]),
    ...(priority === undefined ? [] : [{ priority: { eq: priorities.indexOf(priority) } }]),
    ...(since === undefined ? [] : [{ createdAt: { gte: since } }]),
  ]
  return {
    filter: conditions.length === 0 ? undefined : { and: conditions },
    ...checks,
    hasTeam: team !== undefined,
    hasState: state !== undefined,
    hasAssignee: assignee !== undefined,
    hasLabel: label !== undefined,
    hasProject: project !== undefined,
  }
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
    'One issue in full: description, people, state, labels, and as asked for its comments, attachments, relations and sub-issues, 50 of each.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    issue_id: issueReference,
    include_comments: include.comments,
    include_attachments: include.attachments,
    include_relations: include.flag('Include what blocks it, what it blocks, duplicates and related issues.'),
    include_children: include.flag('Include the first 50 sub-issues.'),
  }),
  output: z.object({ issue: IssueDetail.extend({ relations: Relations.optional() }) }),
  async run({ issue_id: reference, ...flags }, { linear }, { signal }) {
    const id = tidy(reference)
    const asked = {
      comments: flags.include_comments,
      attachments: flags.include_attachments,
      relations: flags.include_relations,
      children: flags.include_children,
    }
    const { issue } = await sought(issueSought(id), linear.run(getIssueOperation, { id, ...asked }, signal))
    const { relations, inverse_relations: inverse, has_more_relations: more, has_more_inverse_relations: moreInverse, ...rest } = issue
    if (!relations || !inverse) return { issue: rest }
    return { issue: { ...rest, relations: relationsOf(relations, inverse, more === true || moreInverse === true) } }
  },
})

export const listComments = defineTool({
  name: 'ListComments',
  title: 'List comments of an issue',
  description:
    'Comments of an issue with author and time, newest first, so that a reply can stand before the comment it replies to (parent_id). Comments on passages of the description are among them (quoted_text).',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ issue: issueReference, limit, end_cursor: endCursor }),
  output: z.object({
    issue: z.object({ id: z.string(), identifier: z.string(), title: z.string(), url: z.string() }),
    comments: z.array(Comment),
    pagination: Pagination,
    notice: z.string().optional(),
  }),
  async run({ issue: reference, limit: first, end_cursor: cursor }, { linear }, { signal }) {
    const id = tidy(reference)
    const { after, pagination } = paging(['ListComments', id], cursor)
    const { issue } = await sought(issueSought(id), linear.run(listCommentsOperation, { id, first, after }, signal))
    const { comments, has_more_comments: more, comments_end_cursor: end, ...about } = issue
    return { issue: about, comments, pagination: pagination(more, end), ...emptyNotice('comment', comments, { issue: id }) }
  },
})
