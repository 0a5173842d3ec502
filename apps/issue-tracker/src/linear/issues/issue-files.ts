import * as z from 'zod'
import { field, mutation, nodes, query } from '../document.ts'
import { Flag, IssueRef, PageUrl, Person, Text, Timestamp } from '../records.ts'
import { AttachmentRef } from './attachments.ts'

const Attached = AttachmentRef.extend({ created_at: Timestamp, creator: Person.optional() })

/** An issue with its attachments, and the texts that can also contain files. */
export const issueFiles = query(
  'IssueFiles',
  { id: 'String!' },
  {
    issue: field(
      'issue(id: $id)',
      IssueRef.extend({
        url: PageUrl,
        description: Text.optional(),
        attachments: nodes('attachments(first: 100)', Attached).default([]),
        has_more_attachments: Flag,
        comments: nodes(
          'comments(first: 100, orderBy: createdAt)',
          z.object({ id: Text, body: Text.default(''), created_at: Timestamp, user: Person.optional() }),
        ).default([]),
        has_more_comments: Flag,
      }),
    ),
  },
)
export type IssueFiles = z.output<typeof issueFiles.data>['issue']

/** An issue, with anything that an earlier attempt at the call added to it. */
export const issueWithEarlier = query(
  'IssueWithEarlier',
  { id: 'String!', attachment: 'ID!', comment: 'ID!' },
  {
    issue: field(
      'issue(id: $id)',
      IssueRef.extend({
        archived_at: Timestamp,
        attachments: nodes('attachments(first: 1, filter: { id: { eq: $attachment } })', AttachmentRef).default([]),
        comments: nodes('comments(first: 1, filter: { id: { eq: $comment } })', z.object({ id: Text, body: Text })).default([]),
      }),
    ),
  },
)

export const attachFile = mutation(
  'AttachFile',
  { attachment: 'AttachmentCreateInput!' },
  { attachment_create: field('attachmentCreate(input: $attachment)', z.object({ attachment: AttachmentRef })) },
)

/** Reserves a place for a file. https://linear.app/developers/how-to-upload-a-file-to-linear */
export const reserveFile = mutation(
  'ReserveFile',
  { contentType: 'String!', filename: 'String!', size: 'Int!' },
  {
    file_upload: field(
      'fileUpload(contentType: $contentType, filename: $filename, size: $size)',
      z.object({
        upload_file: z.object({
          upload_url: Text,
          asset_url: Text,
          headers: z.array(z.object({ key: Text, value: Text })),
        }),
      }),
    ),
  },
)
