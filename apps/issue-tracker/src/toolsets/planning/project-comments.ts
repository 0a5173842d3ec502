import { InvalidInput, Message, NotFound, quote, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import { confirmCreated, type Identity } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import type { CreateResult } from '../../linear/client.ts'
import * as documents from '../../linear/planning/discussion.ts'
import { isUuid, plainReading } from '../../linear/references.ts'
import { showsLine, showsText } from '../../linear/stored.ts'
import { withinProject } from '../../resolve/planning/within-project.ts'
import { type MarkdownText, withLineBreaks } from '../../tools/long-text.ts'
import { archivedNotice, noticesOf, repeatNotice } from '../../tools/notices.ts'
import { autoAccept, body, endCursor, limit, noticesField, projectReference, reference } from '../../tools/parameters.ts'
import { cutNotice } from '../../tools/replaced-text.ts'
import { CommentRow, commentRows, compact, text, optionalText } from '../../tools/rows.ts'

export const listProjectComments = defineTool({
  name: 'ListProjectComments',
  title: 'List project comments',
  description: Message.of(
    'Read the comments on a project, newest first: the discussion, and what people say about a passage of its description.',
    sentence`For status posts, use ${{ tool: 'IssueTracker.ListProjectUpdates' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit.',
  input: z.strictObject({
    project: projectReference,
    comment_filter: z.enum(['all', 'only_quoted', 'only_unquoted']).default('all').describe('Whether they quote a passage.'),
    include_resolved: z.boolean().default(true).describe('Include resolved threads.'),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ project: text, comments: z.array(CommentRow), pagination: Pagination, ...noticesField }),
  example: { project: 'Trails launch' },
  async run({ limit, end_cursor, ...filters }, { linear }, { notice }) {
    const { after, first, result, pagination } = startPaging(['ListProjectComments', filters], { limit, end_cursor })
    const project = await withinProject(linear, { reference: filters.project, notice }, async (filter) => {
      return (await linear.send(documents.listProjectComments, { project: filter, first, after })).projects
    })
    const rows = commentRows(project.comments.filter((comment) => isWanted(comment, filters)))
    const left = project.comments.length - rows.length
    return result({
      project: project.name,
      comments: rows,
      pagination: pagination(project.has_more_comments, project.comments_end_cursor),
      ...noticesOf(
        project.comments.length === 0 && end_cursor === undefined ? 'The project has no comments.' : undefined,
        left === 0 ? undefined : `${left} of this page's comments are left out by comment_filter or include_resolved.`,
      ),
    })
  },
})

interface CommentFilters {
  readonly comment_filter: 'all' | 'only_quoted' | 'only_unquoted'
  readonly include_resolved: boolean
}

/** Applies two filters that Linear does not have. */
function isWanted(
  { quoted_text: quoted, resolved_at: resolved }: { readonly quoted_text?: string | undefined; readonly resolved_at?: string | undefined },
  { comment_filter: filter, include_resolved: includesResolved }: CommentFilters,
): boolean {
  return (filter === 'all' || (quoted !== undefined) === (filter === 'only_quoted')) && (includesResolved || resolved === undefined)
}

const output = z.object({
  comment: z.object({
    id: text,
    project: optionalText,
    parent_id: optionalText,
    quoted_text: optionalText,
    url: optionalText,
    created_at: optionalText,
  }),
  ...noticesField,
})

/** The result for a new comment, without its text, which the caller already knows. */
function commentResult(
  { record, wasCreatedEarlier }: CreateResult<documents.ProjectComment>,
  sent: { readonly body: MarkdownText; readonly quotedText?: string | undefined; readonly parentId?: string | undefined },
  { identity, archived }: { readonly identity: Identity; readonly archived: string | undefined },
): z.output<typeof output> {
  const { id, project, url, parent_id, quoted_text, created_at } = record
  const shown = {
    body: showsText(sent.body.text, record.body),
    quoted_text: showsLine(sent.quotedText, quoted_text),
    parent_comment_id: sent.parentId === undefined ? undefined : parent_id === sent.parentId,
  }
  const confirmed = wasCreatedEarlier ? [] : [confirmCreated('Linear', shown), ...cutNotice('body', sent.body.text, record.body)]
  const comment = compact({ id, project: project?.name, parent_id, quoted_text, url, created_at })
  return { comment, ...noticesOf(sent.body.notice, archived, repeatNotice(identity, wasCreatedEarlier), ...confirmed) }
}

export const addProjectComment = defineTool({
  name: 'AddProjectComment',
  title: 'Comment on a project',
  description: Message.of(
    'Add a comment on a project, perhaps about a passage of its description.',
    sentence`To report on its progress, use ${{ tool: 'IssueTracker.CreateProjectUpdate' }}.`,
  ),
  effect: 'create',
  scopes: ['comments:create'],
  input: z.strictObject({
    project: projectReference,
    body: body(),
    quoted_text: body('The passage that it is about.').optional(),
    auto_accept_matches: autoAccept,
  }),
  output,
  example: { project: 'Trails launch', body: 'Agreed.' },
  async run(args, { linear }, { operation, notice }) {
    const wanted = { reference: args.project, autoAccept: args.auto_accept_matches, notice }
    const { id: projectId, archived_at: archivedAt } = await withinProject(linear, wanted, async (project) => {
      return (await linear.send(documents.projectThread, { project })).projects
    })
    const sent = { body: withLineBreaks(args.body), quotedText: args.quoted_text }
    const identity = await operation.claim()
    const input = { id: identity.uuid('comment'), projectId, body: sent.body.text, quotedText: sent.quotedText }
    const created = await documents.createProjectComment(linear, input)
    return commentResult(created, sent, { identity, archived: archivedNotice('project', archivedAt) })
  },
})

export const replyToProjectComment = defineTool({
  name: 'ReplyToProjectComment',
  title: 'Reply to a project comment',
  description: Message.of(
    'Reply to a comment on a project. A reply to a reply joins the same thread.',
    sentence`To start a thread, use ${{ tool: 'IssueTracker.AddProjectComment' }}.`,
  ),
  effect: 'create',
  scopes: ['comments:create'],
  input: z.strictObject({
    project: projectReference,
    parent_comment_id: reference(sentence`Id, from ${{ tool: 'IssueTracker.ListProjectComments' }}.`),
    body: body(),
  }),
  output,
  example: { project: 'Trails launch', parent_comment_id: '4ce6ecd4-9ddf-4522-a4d6-5878db4724b0', body: 'Agreed.' },
  async run(args, { linear }, { operation, notice }) {
    const comment = plainReading(args.parent_comment_id)
    const next = { tool: 'IssueTracker.ListProjectComments', arguments: { project: args.project } }
    if (!isUuid(comment)) throw new InvalidInput(`"parent_comment_id" must be a comment's id (a UUID).`, { next })
    let parent:
      | { readonly id: string; readonly parent_id?: string | undefined; readonly project?: { readonly id: string } | undefined }
      | undefined
    const project = await withinProject(linear, { reference: args.project, notice }, async (filter) => {
      const { projects, comments } = await linear.send(documents.projectThread, { project: filter, comment })
      parent = comments?.[0]
      return projects
    })
    if (parent?.project?.id !== project.id)
      throw new NotFound(`Project ${quote(project.name, 80)} has no comment ${quote(comment)} (parent_comment_id).`, { next })
    const sent = { body: withLineBreaks(args.body), parentId: parent.parent_id ?? parent.id }
    const identity = await operation.claim()
    const input = { id: identity.uuid('comment'), projectId: project.id, parentId: sent.parentId, body: sent.body.text }
    const created = await documents.createProjectComment(linear, input)
    return commentResult(created, sent, { identity, archived: archivedNotice('project', project.archived_at) })
  },
})
