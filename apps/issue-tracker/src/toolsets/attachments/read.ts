import { InvalidInput, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { withContent } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { issueFiles } from '../../linear/issues/issue-files.ts'
import { issueId } from '../../linear/references.ts'
import { requireSameWorkspace } from '../../linear/workspace.ts'
import { issueRef, withNotFoundHint } from '../../resolve/not-found.ts'
import { chunkParameters } from '../../tools/long-text.ts'
import { issueReference, reference } from '../../tools/parameters.ts'
import { FileRow, filesOf, findFile, nameIn } from './issue-files.ts'
import { pictureType, textPart } from './file-text.ts'

export const readAttachment = defineTool({
  name: 'ReadAttachment',
  title: 'Read a file of an issue',
  description: Message.of(
    'Look at a file of an issue: a picture is shown to you, and for text files, tables, PDFs and Office documents you get the text, in parts. Links to other services are not fetched.',
    sentence`${{ tool: 'IssueTracker.ListAttachments' }} lists the files.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    issue: issueReference,
    attachment: reference('Title, file name or URL.'),
    ...chunkParameters,
  }),
  output: z.object({
    attachment: FileRow,
    media_type: z.string(),
    bytes: z.int(),
    text: z.string().optional(),
    offset: z.int().optional(),
    next_offset: z.int().nullable().optional(),
    total_characters: z.int().optional(),
  }),
  example: { issue: 'ENG-21', attachment: 'Privacy answers.csv' },
  async run(args, { linear, files: openFiles }, { scope }) {
    const [id, files] = [issueId(args.issue), await openFiles()]
    const { issue } = await withNotFoundHint(issueRef(id), linear.send(issueFiles, { id }))
    await requireSameWorkspace(linear, args.issue, issue.url)
    const attachment = findFile(filesOf(issue, files.isKept), args.attachment, issue)
    if (attachment.kind === 'link')
      throw new InvalidInput(`${quote(attachment.title, 80)} is a link to a different service, which is not fetched: ${attachment.url}`)
    const { bytes, mediaType } = await files.read(attachment.url, scope)
    const file = { bytes, mediaType, name: nameIn(attachment.url) }
    const picture = pictureType(file)
    const data = { attachment, media_type: picture ?? mediaType, bytes: bytes.byteLength }
    if (picture !== undefined) return withContent(data, { uri: attachment.url, mimeType: picture, bytes, isPicture: true })
    return { ...data, ...(await textPart(file, args, scope)) }
  },
})
