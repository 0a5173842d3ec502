import { Message, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import * as documents from '../../linear/planning/milestones.ts'
import { milestoneFilter, readingsOf } from '../../linear/references.ts'
import { onlyOne } from '../../resolve/matching.ts'
import { findMilestone } from '../../resolve/planning/milestones.ts'
import { withinProject } from '../../resolve/planning/within-project.ts'
import { ShortDescription, withShortDescription } from '../../tools/long-text.ts'
import { noticesOf } from '../../tools/notices.ts'
import { autoAccept, endCursor, limit, noticesField, projectReference, reference } from '../../tools/parameters.ts'
import { compact, IssueLine, issueLines, text } from '../../tools/rows.ts'
import { MilestoneRow, milestoneRow } from './rows.ts'

export const listMilestones = defineTool({
  name: 'ListMilestones',
  title: 'List milestones',
  description: Message.of(
    'List the milestones (phases) of a project: target dates, status and progress.',
    sentence`For one with its issues, use ${{ tool: 'IssueTracker.GetMilestone' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ project: projectReference, limit, end_cursor: endCursor }),
  output: z.object({ project: text, milestones: z.array(MilestoneRow), pagination: Pagination, ...noticesField }),
  example: { project: 'Trails launch' },
  async run(args, { linear }, { notice }) {
    const { after, first, result, pagination } = startPaging(['ListMilestones', args.project], args)
    const project = await withinProject(linear, { reference: args.project, notice }, async (filter) => {
      return (await linear.send(documents.listMilestones, { project: filter, first, after })).projects
    })
    return result({
      project: project.name,
      milestones: project.milestones.map(milestoneRow),
      pagination: pagination(project.has_more_milestones, project.milestones_end_cursor),
      ...noticesOf(project.milestones.length === 0 && after === undefined ? 'The project has no milestones.' : undefined),
    })
  },
})

const MilestoneDetail = MilestoneRow.extend({
  project: text,
  ...ShortDescription.shape,
  created_at: text.optional(),
  updated_at: text.optional(),
  issues: z.array(IssueLine).optional().describe('The ten most recently changed.'),
  has_more_issues: z.boolean().optional(),
})

export const getMilestone = defineTool({
  name: 'GetMilestone',
  title: 'Get a milestone',
  description: Message.of(
    'Get one milestone of a project by its name or id: description, target date, status, progress and recent issues.',
    sentence`For all of them, use ${{ tool: 'IssueTracker.ListMilestones' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ project: projectReference, query: reference('Name, id or URL.'), auto_accept_matches: autoAccept }),
  output: z.object({ milestone: MilestoneDetail, ...noticesField }),
  example: { project: 'Trails launch', query: 'Public beta' },
  async run(args, { linear }, { notice }) {
    const read = async (milestone: string) =>
      withinProject(linear, { reference: args.project, autoAccept: args.auto_accept_matches, notice }, async (project) => {
        return (await linear.send(documents.getMilestone, { project, milestone: milestoneFilter(...readingsOf(milestone)) })).projects
      })
    const project = await read(args.query)
    const wanted = { parameter: 'query', reference: args.query, autoAccept: args.auto_accept_matches, notice }
    const { id, found } = await findMilestone(wanted, project)
    const milestone = found ?? onlyOne((await read(id)).milestone)
    const { description, created_at, updated_at, issues, has_more_issues } = milestone
    const long = withShortDescription({ description })
    const detail = { ...milestoneRow(milestone), project: project.name, ...long, created_at, updated_at }
    return { milestone: compact({ ...detail, issues: issueLines(issues), has_more_issues }) }
  },
})
