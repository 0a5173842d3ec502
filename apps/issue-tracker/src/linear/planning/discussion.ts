import * as z from 'zod'
import { creation } from '../client.ts'
import { field, mutation, nodes, pageVariables, query } from '../document.ts'
import { Comment, Flag, OptionalText, PageUrl, Person, ProjectChoice, ProjectRef, Text, Timestamp } from '../records.ts'

const Project = ProjectChoice.extend({ url: PageUrl })
const project = 'projects(first: 3, filter: $project, includeArchived: true)'

/** Comments on a project, newest first. */
export const listProjectComments = query(
  'ListProjectComments',
  { project: 'ProjectFilter!', ...pageVariables },
  {
    projects: nodes(
      project,
      Project.extend({
        comments: nodes('comments(first: $first, after: $after, orderBy: createdAt)', Comment),
        has_more_comments: Flag,
        comments_end_cursor: OptionalText,
      }),
    ),
  },
)

const ProjectComment = z.object({
  id: Text,
  body: Text,
  url: PageUrl,
  created_at: Timestamp,
  parent_id: OptionalText,
  quoted_text: OptionalText,
  project: ProjectRef.optional(),
})
export type ProjectComment = z.output<typeof ProjectComment>

/** A project to comment on, and the comment to reply to. */
export const projectThread = query(
  'ProjectThread',
  { project: 'ProjectFilter!', comment: 'ID' },
  {
    projects: nodes(project, Project.extend({ archived_at: Timestamp })),
    comments: nodes(
      'comments(first: 1, filter: { id: { eq: $comment } }) @include(if: $hasComment)',
      ProjectComment.pick({ id: true, parent_id: true, project: true }),
    ).optional(),
  },
)

export const createProjectComment = creation('AddProjectComment', 'Comment', ProjectComment)

/** The thread that a comment begins. */
const Thread = z.object({
  id: Text,
  url: PageUrl,
  resolved_at: Timestamp,
  resolving_user: Person.optional(),
  resolving_comment: z.object({ id: Text }).optional(),
  issue: z.object({ identifier: Text, archived_at: Timestamp }).optional(),
  project: ProjectRef.optional(),
})
export type Thread = z.output<typeof Thread>

export const resolveComment = mutation(
  'ResolveComment',
  { id: 'String!', resolving: 'String' },
  { comment_resolve: field('commentResolve(id: $id, resolvingCommentId: $resolving)', z.object({ comment: Thread })) },
)

export const unresolveComment = mutation(
  'UnresolveComment',
  { id: 'String!' },
  { comment_unresolve: field('commentUnresolve(id: $id)', z.object({ comment: Thread })) },
)

/** A project's status posts, newest first. */
export const listProjectUpdates = query(
  'ListProjectUpdates',
  { project: 'ProjectFilter!', ...pageVariables },
  {
    projects: nodes(
      project,
      Project.extend({
        health: OptionalText,
        project_updates: nodes(
          'projectUpdates(first: $first, after: $after, orderBy: createdAt)',
          z.object({
            id: Text,
            body: Text,
            health: OptionalText,
            created_at: Timestamp,
            edited_at: Timestamp,
            url: PageUrl,
            user: Person.optional(),
          }),
        ),
        has_more_project_updates: Flag,
        project_updates_end_cursor: OptionalText,
      }),
    ),
  },
)
