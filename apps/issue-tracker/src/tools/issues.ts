import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { relationsOf } from '../linear/issue-relations.ts'
import {
  getIssue as getIssueOperation,
  IssueDetail,
  listComments as listCommentsOperation,
  listIssues as listIssuesOperation,
} from '../linear/issues.ts'
import { Comment, Issue, IssueRef, Priority } from '../linear/records.ts'
import { refuseForeignPage } from '../linear/addresses.ts'
import { issueNamed } from '../linear/references.ts'
import { archivedAmong, refuseMisses } from '../resolve/lists.ts'
import { issueSought, sought } from '../resolve/sought.ts'
import { issueVariables, teamNotice } from './issue-filters.ts'
import { emptyNotice, noticeOf } from './notices.ts'
import { createdAfter, endCursor, include, issueReference, keywords, limit, reference } from './parameters.ts'

const name = (what: string) => reference(what).optional()

export const listIssues = defineTool({
  name: 'ListIssues',
  title: 'List issues',
  description:
    'Issues that pass all filters given, newest first, archived ones left out. A name that matches nothing is refused with the nearest. Pages skip and repeat nothing, even while issues change.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Words, all of them in title or description.'),
    team: name('Name, key or id.'),
    state: name('Name or id of a workflow state.'),
    assignee: name('Name or e-mail of a person; "@me" is the current user.'),
    priority: Priority.optional().describe('Exactly this priority.'),
    label: name('Name or id of a label; group/label in a group.'),
    project: name('Name, slug, id or URL.'),
    created_after: createdAfter,
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ issues: z.array(Issue), pagination: Pagination, notice: z.string().optional() }),
  async run({ limit: first, end_cursor: cursor, ...filters }, { linear }, { signal }) {
    const { after, pagination } = startPaging(['ListIssues', filters], cursor)
    const page = await linear.run(listIssuesOperation, { first, after, ...issueVariables(filters) }, signal)
    await refuseMisses(linear, { wanted: filters, found: page }, signal)
    const [project] = page.project ?? []
    if (filters.project !== undefined && project) refuseForeignPage(filters.project, project.url)
    const whyEmpty = [emptyNotice('issue', page.issues, filters).notice, archivedAmong(page.issues, page.team, page.project)]
    return {
      issues: page.issues,
      pagination: pagination(page.has_more_issues, page.issues_end_cursor),
      ...noticeOf(...whyEmpty),
      ...teamNotice(filters, page),
    }
  },
})

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
    'One issue in full: description, people, state, labels, and as asked for comments, attachments, relations and sub-issues, 50 of each.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    issue_id: issueReference,
    include_comments: include.comments,
    include_attachments: include.attachments,
    include_relations: include.flag('Blockers, what it blocks, duplicates, related issues.'),
    include_children: include.flag('The newest 50 sub-issues.'),
  }),
  output: z.object({ issue: IssueDetail.extend({ relations: Relations.optional() }) }),
  async run({ issue_id: wanted, ...flags }, { linear }, { signal }) {
    const id = issueNamed(wanted)
    const asked = {
      comments: flags.include_comments,
      attachments: flags.include_attachments,
      relations: flags.include_relations,
      children: flags.include_children,
    }
    const { issue } = await sought(issueSought(id), linear.run(getIssueOperation, { id, ...asked }, signal))
    refuseForeignPage(wanted, issue.url)
    const { relations, inverse_relations: inverse, has_more_relations: more, has_more_inverse_relations: moreInverse, ...rest } = issue
    if (!relations || !inverse) return { issue: rest }
    return { issue: { ...rest, relations: relationsOf(relations, inverse, more === true || moreInverse === true) } }
  },
})

export const listComments = defineTool({
  name: 'ListComments',
  title: 'List comments of an issue',
  description:
    'Comments of an issue with author and time, newest first: a reply can stand before what it replies to (parent_id). Comments on passages of the description (quoted_text) are among them.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ issue: issueReference, limit, end_cursor: endCursor }),
  output: z.object({
    issue: z.object({ id: z.string(), identifier: z.string(), title: z.string(), url: z.string() }),
    comments: z.array(Comment),
    pagination: Pagination,
    notice: z.string().optional(),
  }),
  async run({ issue: wanted, limit: first, end_cursor: cursor }, { linear }, { signal }) {
    const id = issueNamed(wanted)
    const { after, pagination } = startPaging(['ListComments', id], cursor)
    const { issue } = await sought(issueSought(id), linear.run(listCommentsOperation, { id, first, after }, signal))
    refuseForeignPage(wanted, issue.url)
    const { comments, has_more_comments: more, comments_end_cursor: end, ...about } = issue
    return { issue: about, comments, pagination: pagination(more, end), ...emptyNotice('comment', comments, { issue: id }) }
  },
})
