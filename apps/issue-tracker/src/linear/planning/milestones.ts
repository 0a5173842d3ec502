import * as z from 'zod'
import { creation, update } from '../client.ts'
import { nodes, pageVariables, query } from '../document.ts'
import {
  Flag,
  IssueRef,
  NamedRef,
  OptionalText,
  PageUrl,
  Person,
  ProjectChoice,
  ProjectRef,
  Timestamp,
  VendorPriority,
} from '../records.ts'

/** A milestone in a list. */
export const Milestone = NamedRef.extend({
  target_date: OptionalText,
  status: OptionalText,
  progress: z.number().optional(),
})
export type Milestone = z.output<typeof Milestone>

/** A milestone, as stored by Linear, with every field that can be sent. */
const StoredMilestone = Milestone.extend({ description: OptionalText, project: ProjectRef })
export type StoredMilestone = z.output<typeof StoredMilestone>

/** Members for a project's schema: the milestones that match `$milestone`, and all milestones for suggestions. */
export const milestoneMatches = <Found extends z.ZodType>(milestone: Found) => ({
  milestone: nodes('projectMilestones(first: 3, filter: $milestone)', milestone),
  all_milestones: nodes('projectMilestones(first: 100)', NamedRef),
})

const Project = ProjectChoice.extend({ url: PageUrl })

export const listMilestones = query(
  'ListMilestones',
  { project: 'ProjectFilter!', ...pageVariables },
  {
    projects: nodes(
      'projects(first: 3, filter: $project, includeArchived: true)',
      Project.extend({
        milestones: nodes('projectMilestones(first: $first, after: $after)', Milestone),
        has_more_milestones: Flag,
        milestones_end_cursor: OptionalText,
      }),
    ),
  },
)

/** One milestone in full. */
const MilestoneDetail = Milestone.extend({
  description: OptionalText,
  created_at: Timestamp,
  updated_at: Timestamp,
  issues: nodes(
    'issues(first: 10, orderBy: updatedAt)',
    IssueRef.extend({ updated_at: Timestamp, priority: VendorPriority, assignee: Person.optional() }),
  ),
  has_more_issues: Flag,
})

export const getMilestone = query(
  'GetMilestone',
  { project: 'ProjectFilter!', milestone: 'ProjectMilestoneFilter!' },
  {
    projects: nodes('projects(first: 3, filter: $project, includeArchived: true)', Project.extend(milestoneMatches(MilestoneDetail))),
  },
)

/** A project, the milestone that a call names in it, and milestones that already have the new name. */
export const milestoneLookup = query(
  'MilestoneReferences',
  { project: 'ProjectFilter!', milestone: 'ProjectMilestoneFilter!', name: 'ProjectMilestoneFilter!' },
  {
    projects: nodes(
      'projects(first: 3, filter: $project, includeArchived: true)',
      Project.extend({
        archived_at: Timestamp,
        ...milestoneMatches(StoredMilestone),
        namesakes: nodes('projectMilestones(first: 3, filter: $name)', StoredMilestone),
      }),
    ),
  },
)

export const createMilestone = creation('CreateMilestone', 'ProjectMilestone', StoredMilestone)

export const updateMilestone = update('UpdateMilestone', 'ProjectMilestone', StoredMilestone)
