import * as z from 'zod'
import { creation, type LinearCall, update } from './client.ts'
import { type Declarations, field, mutation, nodes, pageVariables, query, type Variables } from './document.ts'
import { Assignee } from './lookups.ts'
import { nameFilter, projectFilter, readingsOf, teamFilter, userFilter } from './references.ts'
import {
  ArchivableTeam,
  Flag,
  IssueRef,
  Member,
  NamedRef,
  OptionalText,
  PageUrl,
  Person,
  ProjectChoice,
  ProjectRef,
  TeamChoice,
  TeamRef,
  Text,
  Timestamp,
  VendorPriority,
} from './records.ts'

export const ProjectRow = ProjectRef.extend({
  url: PageUrl,
  progress: z.number().optional(),
  health: OptionalText,
  start_date: OptionalText,
  target_date: OptionalText,
  updated_at: Timestamp,
  archived_at: Timestamp,
  status: z.object({ name: Text, type: Text }),
  lead: Person.optional(),
  teams: nodes('teams(first: 10)', TeamRef).default([]),
  has_more_teams: Flag,
})

/** A project, as stored by Linear, with every field that can be sent. */
const StoredProject = ProjectRow.extend({
  description: Text,
  content: OptionalText,
  status: z.object({ id: Text, name: Text, type: Text }),
  all_teams: nodes('teams(first: 100, includeArchived: true)', z.object({ id: Text })),
})
export type StoredProject = z.output<typeof StoredProject>

const Milestone = z.object({
  name: Text,
  description: OptionalText,
  target_date: OptionalText,
  status: OptionalText,
  progress: z.number().optional(),
})

const ProjectUpdate = z.object({
  body: Text,
  health: OptionalText,
  created_at: Timestamp,
  user: Person.optional(),
})

/** A project without its long text, which tools truncate. */
const ProjectDetail = ProjectRow.extend({
  created_at: Timestamp,
  priority: VendorPriority,
  started_at: Timestamp,
  completed_at: Timestamp,
  canceled_at: Timestamp,
  creator: Person.optional(),
  project_updates: nodes('projectUpdates(first: 5)', ProjectUpdate).default([]),
  project_milestones: nodes('projectMilestones(first: 50) @include(if: $milestones)', Milestone).optional(),
  has_more_project_milestones: z.boolean().optional(),
  members: nodes('members(first: 50) @include(if: $members)', Person.extend({ active: z.boolean().default(true) })).optional(),
  has_more_members: z.boolean().optional(),
  issues: nodes(
    'issues(first: 10, orderBy: updatedAt) @include(if: $issues)',
    IssueRef.extend({ updated_at: Timestamp, priority: VendorPriority, assignee: Person.optional() }),
  ).optional(),
  has_more_issues: z.boolean().optional(),
})

const LongProject = ProjectDetail.extend({ description: OptionalText, content: OptionalText })
export type LongProject = z.output<typeof LongProject>
const flags = { milestones: 'Boolean!', members: 'Boolean!', issues: 'Boolean!' } as const

/** One project by id or slug. */
export const getProject = query('GetProjectById', { id: 'String!', ...flags }, { project: field('project(id: $id)', LongProject) })

/** Projects with a given name, ignoring case, plus all projects for suggestions. */
export const findProject = query(
  'GetProject',
  { filter: 'ProjectFilter!', ...flags },
  {
    exact: nodes('projects(first: 3, includeArchived: true, filter: $filter)', LongProject),
    candidates: nodes('projects(first: 250)', ProjectChoice),
  },
)

export const listProjects = query(
  'ListProjects',
  { ...pageVariables, filter: 'ProjectFilter', team: 'TeamFilter' },
  {
    projects: nodes('projects(first: $first, after: $after, filter: $filter, orderBy: createdAt)', ProjectRow),
    has_more_projects: Flag,
    projects_end_cursor: OptionalText,
    team: nodes('teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam)', ArchivableTeam).optional(),
  },
)

/** The workspace's project statuses. */
export const statusNames = query(
  'ProjectStatusNames',
  {},
  { organization: z.object({ project_statuses: z.array(z.object({ name: Text, type: Text })) }) },
)

/** A project's long text, which Linear stores in addition to a short one. */
export const getProjectText = query(
  'GetProjectDescription',
  { id: 'String!' },
  {
    project: field('project(id: $id)', z.object({ url: PageUrl, description: OptionalText, content: OptionalText })),
  },
)

export type Project = z.output<typeof ProjectRow>

export const createProject = creation('CreateProject', 'Project', StoredProject)

/** Changes a project, by its id or slug. */
export const updateProject = update('UpdateProject', 'Project', StoredProject)

/** A status update with its project, and the project's latest updates. */
export const StatusPost = z.object({
  health: Text,
  created_at: Text,
  url: PageUrl,
  archived_at: Timestamp,
  body: Text,
  project: ProjectRef.extend({
    archived_at: Timestamp,
    project_updates: nodes('projectUpdates(first: 10)', z.object({ id: Text, body: Text, created_at: Text })),
  }),
})
export type StatusPost = z.output<typeof StatusPost>

export const createProjectUpdate = creation('CreateProjectUpdate', 'ProjectUpdate', StatusPost)

const ArchivedProject = ProjectRef.extend({ archived_at: Timestamp })

/**
 * Archives a project, by its id or slug; an archived project stays unchanged. Linear deprecates `projectArchive` in favor of
 * `projectDelete`, which is no replacement, because it moves a project to the trash.
 */
export const archiveProject = mutation(
  'ArchiveProject',
  { id: 'String!' },
  { project_archive: field('projectArchive(id: $id)', z.object({ entity: ArchivedProject })) },
)

/** References to workspace records in a call that writes a project. */
export interface ProjectReferences {
  readonly lead?: string | undefined
  readonly state?: string | undefined
}

const referenceVariables = { lead: 'UserFilter', hasState: 'Boolean!' } as const satisfies Declarations

const ProjectStatus = NamedRef.extend({ type: Text, position: z.number() })
export type ProjectStatus = z.output<typeof ProjectStatus>

const ProjectWorkspace = z.object({
  lead: nodes('users(first: 5, filter: $lead, includeDisabled: true) @include(if: $hasLead)', Assignee).optional(),
  organization: field('organization @include(if: $hasState)', z.object({ project_statuses: z.array(ProjectStatus) })).optional(),
})
export type ProjectWorkspace = z.output<typeof ProjectWorkspace>

function variablesOf({ lead, state }: ProjectReferences): Variables<typeof referenceVariables> {
  return { lead: lead === undefined ? undefined : userFilter(...readingsOf(lead)), hasState: state !== undefined }
}

export const newProjectLookup = query(
  'NewProjectReferences',
  { team: 'TeamFilter!', name: 'ProjectFilter!', ...referenceVariables },
  {
    ...ProjectWorkspace.shape,
    namesakes: nodes('projects(first: 2, filter: $name)', ProjectRef),
    team: nodes('teams(first: 3, includeArchived: true, filter: $team)', ArchivableTeam),
  },
)

/** Everything that a new project refers to. */
export async function lookUpNewProject(
  linear: LinearCall,
  references: ProjectReferences & { readonly team: string; readonly name: string },
) {
  return linear.send(newProjectLookup, {
    ...variablesOf(references),
    team: teamFilter(...readingsOf(references.team)),
    name: nameFilter(references.name),
  })
}

const FoundProject = ProjectRow.extend({
  ...ProjectChoice.shape,
  description: field('description @include(if: $text)', OptionalText),
  content: field('content @include(if: $text)', OptionalText),
  all_teams: nodes('teams(first: 100, includeArchived: true) @include(if: $hasTeams)', TeamRef).optional(),
  has_more_all_teams: z.boolean().optional(),
})
/** The project that a reference means, with its text and all its teams if needed. */
export type FoundProject = z.output<typeof FoundProject>

export const projectLookup = query(
  'ProjectReferences',
  { project: 'ProjectFilter!', teams: 'TeamFilter', text: 'Boolean!', ...referenceVariables },
  {
    ...ProjectWorkspace.shape,
    project: nodes('projects(first: 3, filter: $project, includeArchived: true)', FoundProject),
    teams: nodes('teams(first: 50, includeArchived: true, filter: $teams) @include(if: $hasTeams)', ArchivableTeam).optional(),
  },
)

/** A project and everything that a change to it refers to. */
export async function lookUpProject(
  linear: LinearCall,
  project: string,
  { teams = [], text = false, ...references }: ProjectReferences & { readonly teams?: readonly string[]; readonly text?: boolean } = {},
) {
  const filters = {
    project: projectFilter(...readingsOf(project)),
    teams: teams.length > 0 ? teamFilter(...teams.flatMap(readingsOf)) : undefined,
  }
  return linear.send(projectLookup, { ...variablesOf(references), ...filters, text })
}

/** Suggestions for the kinds that did not match, with archived projects if the reference can mean one. */
export const projectSuggestions = query(
  'ProjectSuggestions',
  { projects: 'Boolean!', archived: 'Boolean!', teams: 'Boolean!', people: 'Boolean!' },
  {
    projects: nodes('projects(first: 250, includeArchived: $archived) @include(if: $projects)', ProjectChoice).optional(),
    teams: nodes('teams(first: 250) @include(if: $teams)', TeamChoice).optional(),
    people: nodes('users(first: 250, filter: { active: { eq: true }, app: { eq: false } }) @include(if: $people)', Member).optional(),
  },
)
