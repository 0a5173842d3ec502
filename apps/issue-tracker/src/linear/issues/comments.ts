import * as z from 'zod'
import { creation, update } from '../client.ts'
import { field, nodes, pageVariables, query } from '../document.ts'
import { Flag, Comment, NamedRef, OptionalText, PageUrl, Text, Timestamp } from '../records.ts'

/** A comment, as stored by Linear. */
const WrittenComment = z.object({
  id: Text,
  body: Text,
  url: PageUrl,
  created_at: Timestamp,
  edited_at: Timestamp,
  parent_id: OptionalText,
  issue: z.object({ id: Text, identifier: Text, archived_at: Timestamp }).optional(),
})
export type WrittenComment = z.output<typeof WrittenComment>

/** An issue's comments, newest first. */
export const listComments = query(
  'ListComments',
  { id: 'String!', ...pageVariables },
  {
    issue: field(
      'issue(id: $id)',
      z.object({
        identifier: Text,
        url: PageUrl,
        comments: nodes('comments(first: $first, after: $after, orderBy: createdAt)', Comment),
        has_more_comments: Flag,
        comments_end_cursor: OptionalText,
      }),
    ),
  },
)

export const updateComment = update('UpdateComment', 'Comment', WrittenComment)

/** A comment's text and its issue. */
export const commentText = query(
  'CommentText',
  { id: 'String!' },
  { comment: field('comment(id: $id)', WrittenComment.pick({ body: true, issue: true }).partial()) },
)

export const createComment = creation('AddComment', 'Comment', WrittenComment)

/** The ids of an issue's comments. */
export const commentIds = query(
  'CommentIds',
  { issue: 'IssueFilter!' },
  {
    issues: nodes(
      'issues(first: 1, includeArchived: true, filter: $issue)',
      z.object({ comments: nodes('comments(first: 250)', z.object({ id: Text })) }),
    ),
  },
)

/** The caller's latest comments; the caller can change only their own. */
export const ownComments = query(
  'OwnComments',
  {},
  {
    comments: nodes('comments(first: 5, filter: { user: { isMe: { eq: true } } }, orderBy: createdAt)', z.object({ id: Text, body: Text })),
  },
)

const IssueIds = z.object({ id: Text, identifier: Text, archived_at: Timestamp })

/** The comment to reply to, and the issue that the call also names. */
export const commentThread = query(
  'CommentThread',
  { comment: 'ID!', issue: 'IssueFilter!' },
  {
    comments: nodes(
      'comments(first: 1, filter: { id: { eq: $comment } })',
      z.object({ id: Text, parent_id: OptionalText, issue: IssueIds.optional(), project: NamedRef.optional() }),
    ),
    issues: nodes('issues(first: 1, includeArchived: true, filter: $issue)', IssueIds),
  },
)
