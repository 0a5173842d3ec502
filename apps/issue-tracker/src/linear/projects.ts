import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation, type Paged, type TeamCheck } from './operation.ts'
import { IssueRef, ListedTeam, Member, Person, Priority, ProjectRef, ProjectRow } from './records.ts'

export const Milestone = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  target_date: z.string().nullish(),
  status: z.string(),
  progress: z.number(),
})

export const ProjectUpdate = z.object({
  id: z.string(),
  body: z.string(),
  health: z.string(),
  created_at: z.string(),
  url: z.string(),
  user: Person.nullish(),
})

/** A project without its long text, which tools cut. */
export const ProjectDetail = ProjectRow.omit({ description: true }).extend({
  priority: Priority,
  started_at: z.string().nullish(),
  completed_at: z.string().nullish(),
  canceled_at: z.string().nullish(),
  creator: Person.nullish(),
  project_updates: z.array(ProjectUpdate).describe('The latest five status posts.'),
  project_milestones: z.array(Milestone).optional(),
  has_more_project_milestones: z.boolean().optional(),
  members: z.array(Member).optional(),
  has_more_members: z.boolean().optional(),
  issues: z
    .array(IssueRef.extend({ updated_at: z.string(), priority: Priority, assignee: Person.nullish() }))
    .optional()
    .describe('The ten that changed last.'),
  has_more_issues: z.boolean().optional(),
})

const Stored = ProjectDetail.extend({ description: z.string(), content: z.string().nullish() })
type Flags = Readonly<Record<'milestones' | 'members' | 'issues', boolean>>
const flags = '$milestones: Boolean!, $members: Boolean!, $issues: Boolean!'

/** One project by id or slug. */
export const getProject = operation<Flags & { id: string }>()(
  `query GetProjectById($id: String!, ${flags}) { project(id: $id) { ...ProjectDetail } }`,
  z.object({ project: Stored }),
)

/** Projects of a name, whatever its case, with all of them beside for suggestions. */
export const findProject = operation<Flags & { filter: Linear.ProjectFilter }>()(
  `query GetProject($filter: ProjectFilter!, ${flags}) { exact: projects(first: 3, includeArchived: true, filter: $filter) { nodes { ...ProjectDetail } } candidates: projects(first: 250) { nodes { ...ProjectRef } } }`,
  z.object({ exact: z.array(Stored), candidates: z.array(ProjectRef) }),
)

export const listProjects = operation<{ filter: Linear.ProjectFilter | undefined } & Paged & TeamCheck>()(
  `query ListProjects($first: Int!, $after: String, $filter: ProjectFilter, $team: TeamFilter, $hasTeam: Boolean!) {
    projects(first: $first, after: $after, filter: $filter, orderBy: createdAt) { nodes { ...ProjectRow } pageInfo { ...Page } }
    team: teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam) { nodes { ...TeamRef archivedAt } }
  }`,
  z.object({
    projects: z.array(ProjectRow),
    has_more_projects: z.boolean(),
    projects_end_cursor: z.string().nullish(),
    team: z.array(ListedTeam).optional(),
  }),
)

/** The long text of a project; Linear keeps a short one beside it. */
export const getProjectText = operation<{ id: string }>()(
  `query GetProjectDescription($id: String!) { project(id: $id) { ...ProjectRef url description content updatedAt } }`,
  z.object({
    project: ProjectRef.extend({ url: z.string(), description: z.string(), content: z.string().nullish(), updated_at: z.string() }),
  }),
)
