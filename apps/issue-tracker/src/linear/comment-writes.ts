import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation } from './operation.ts'
import { Comment } from './records.ts'

const of = 'issue { id identifier title url }'
export const CommentOf = Comment.extend({
  issue: z.object({ id: z.string(), identifier: z.string(), title: z.string(), url: z.string() }).nullish(),
})

export const addComment = operation<{ input: Linear.CommentCreateInput }>()(
  `mutation AddComment($input: CommentCreateInput!) { commentCreate(input: $input) { comment { ...Comment ${of} } } }`,
  z.object({ comment_create: z.object({ comment: CommentOf }) }),
)

export const updateComment = operation<{ id: string; body: string }>()(
  `mutation UpdateComment($id: String!, $body: String!) { commentUpdate(id: $id, input: { body: $body }) { comment { ...Comment ${of} } } }`,
  z.object({ comment_update: z.object({ comment: CommentOf }) }),
)

/** One comment, and the issue it stands at. */
export const getComment = operation<{ id: string }>()(
  `query GetComment($id: String!) { comment(id: $id) { ...Comment ${of} } }`,
  z.object({ comment: CommentOf }),
)

/** A comment that is to be replied to, and the issue that is named beside it. */
export const commentThread = operation<{ comment: string; issue: Linear.IssueFilter }>()(
  `query CommentThread($comment: ID!, $issue: IssueFilter!) {
    comments(first: 1, filter: { id: { eq: $comment } }) { nodes { id parentId issue { id identifier } } }
    issues(first: 1, includeArchived: true, filter: $issue) { nodes { id identifier } }
  }`,
  z.object({
    comments: z.array(
      z.object({
        id: z.string(),
        parent_id: z.string().nullish(),
        issue: z.object({ id: z.string(), identifier: z.string() }).nullish(),
      }),
    ),
    issues: z.array(z.object({ id: z.string(), identifier: z.string() })),
  }),
)
