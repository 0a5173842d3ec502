import { Message, sentence } from '@mcp-toolkits/core/errors'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { issueFiles } from '../../linear/issues/issue-files.ts'
import { issueId } from '../../linear/references.ts'
import { requireSameWorkspace } from '../../linear/workspace.ts'
import { issueRef, withNotFoundHint } from '../../resolve/not-found.ts'
import { moreNotice, noticesOf } from '../../tools/notices.ts'
import { issueReference, noticesField } from '../../tools/parameters.ts'
import { IssueName, issueName } from '../../tools/rows.ts'
import { FileRow, filesOf } from './issue-files.ts'

export const listAttachments = defineTool({
  name: 'ListAttachments',
  title: 'List the files of an issue',
  description: Message.of(
    'List the files and links of an issue: its attachments, and the pictures and files in its description and its newest 100 comments.',
    sentence`To read one, use ${{ tool: 'IssueTracker.ReadAttachment' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ issue: issueReference }),
  output: z.object({ issue: IssueName, attachments: z.array(FileRow), ...noticesField }),
  example: { issue: 'ENG-21' },
  async run({ issue: reference }, { linear, files }) {
    const id = issueId(reference)
    const { issue } = await withNotFoundHint(issueRef(id), linear.send(issueFiles, { id }))
    await requireSameWorkspace(linear, reference, issue.url)
    const attachments = filesOf(issue, (await files()).isKept)
    const more = moreNotice(issue.has_more_attachments || issue.has_more_comments, 'look at the issue in Linear')
    const none = attachments.length === 0 ? `${issue.identifier} has no files or links.` : undefined
    return { issue: issueName(issue), attachments, ...noticesOf(none, more) }
  },
})
