import { Message, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import * as documents from '../../linear/planning/discussion.ts'
import { withinProject } from '../../resolve/planning/within-project.ts'
import { noticesOf } from '../../tools/notices.ts'
import { endCursor, limit, noticesField, projectReference } from '../../tools/parameters.ts'
import { compact, peopleIn, text, optionalText } from '../../tools/rows.ts'

export const listProjectUpdates = defineTool({
  name: 'ListProjectUpdates',
  title: 'List project updates',
  description: Message.of(
    'Read the status posts (updates, weekly reports) of a project, newest first, with the health that each reports.',
    sentence`To post one, use ${{ tool: 'IssueTracker.CreateProjectUpdate' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit.',
  input: z.strictObject({ project: projectReference, limit, end_cursor: endCursor }),
  output: z.object({
    project: text,
    health: optionalText.describe('Of the project now.'),
    project_updates: z.array(
      z.object({
        id: text,
        user: optionalText,
        health: optionalText,
        body: text,
        created_at: optionalText,
        edited_at: optionalText,
        url: optionalText,
      }),
    ),
    pagination: Pagination,
    ...noticesField,
  }),
  example: { project: 'Trails launch' },
  async run(args, { linear }, { notice }) {
    const { after, first, result, pagination } = startPaging(['ListProjectUpdates', args.project], args)
    const project = await withinProject(linear, { reference: args.project, notice }, async (filter) => {
      return (await linear.send(documents.listProjectUpdates, { project: filter, first, after })).projects
    })
    const { project_updates: posts, has_more_project_updates: hasMore, project_updates_end_cursor: end } = project
    const person = peopleIn(posts.map(({ user }) => user))
    return result({
      ...compact({ project: project.name, health: project.health }),
      project_updates: posts.map(({ id, user, health, body, ...rest }) => compact({ id, user: person(user), health, body, ...rest })),
      pagination: pagination(hasMore, end),
      ...noticesOf(posts.length === 0 && after === undefined ? 'The project has no updates.' : undefined),
    })
  },
})
