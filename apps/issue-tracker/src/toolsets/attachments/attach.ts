import { Message, sentence } from '@mcp-toolkits/core/errors'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { createUnique } from '../../linear/client.ts'
import { issueWithEarlier } from '../../linear/issues/issue-files.ts'
import { issueId } from '../../linear/references.ts'
import { issueRef, withNotFoundHint } from '../../resolve/not-found.ts'
import { creationNotice, noticesOf } from '../../tools/notices.ts'
import { issueReference, markdown, noticesField, reference, title } from '../../tools/parameters.ts'
import { IssueName, issueName } from '../../tools/rows.ts'
import { addToIssue, contentOf, earlierFile, fileName, linkable } from './new-file.ts'

const AttachedFile = z.object({
  title: z.string(),
  url: z.string(),
  bytes: z.int().optional(),
  attachment_id: z.string().optional(),
  comment_id: z.string().optional(),
})

export const attachFile = defineTool({
  name: 'AttachFile',
  title: 'Attach a file to an issue',
  description: Message.of(
    'Attach or upload a file to an issue, from a public URL or from text that you pass: a log, a screenshot, a table, at most 25 MiB. If you pass comment, the file goes into a new comment, where a picture is visible.',
    sentence`To link a page, use ${{ tool: 'IssueTracker.UpdateIssue' }} with attachment_url.`,
  ),
  effect: 'create',
  scopes: ['write'],
  input: z.strictObject({
    issue: issueReference,
    source_url: reference('Public URL of the file.').optional(),
    content: markdown('Text of the file, instead of source_url.').optional(),
    file_name: title('Name with its extension; from source_url if omitted.').optional(),
    title: title('Shown in Linear; file_name if omitted.').optional(),
    comment: markdown('Text of a new comment that contains the file.').optional(),
  }),
  output: z.object({ issue: IssueName, file: AttachedFile, ...noticesField }),
  example: { issue: 'ENG-21', content: 'question,answer\nIs it sold?,no\n', file_name: 'More answers.csv' },
  async run(args, { linear, files: openFiles }, { operation, scope }) {
    const [id, name] = [issueId(args.issue), fileName(args)]
    const files = await openFiles()
    const creation = await createUnique(operation, async (identity) => {
      const ids = { attachment: identity.uuid('attachment'), comment: identity.uuid('comment') }
      const { issue } = await withNotFoundHint(issueRef(id), linear.send(issueWithEarlier, { id, ...ids }))
      const earlier = earlierFile(issue, files.isKept)
      if (earlier) return { issue, file: earlier, wasCreatedEarlier: true, unconfirmed: undefined }
      const file = await contentOf(args, name, { files, scope })
      const stored = {
        title: args.title ?? name,
        url: linkable(await files.store(linear, { ...file, name }, scope)),
        bytes: file.bytes.byteLength,
      }
      const target = { issueId: issue.id, ids, comment: args.comment, isPicture: file.mediaType.startsWith('image/') }
      return { issue, ...(await addToIssue(linear, stored, target)) }
    })
    const { issue, file, wasCreatedEarlier, unconfirmed } = creation.result
    return { issue: issueName(issue), file, ...noticesOf(creationNotice(creation, wasCreatedEarlier), unconfirmed) }
  },
})
