import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation } from './operation.ts'
import { Project } from './project-writes.ts'
import { ListedTeam, Member, ProjectRef, TeamRef } from './records.ts'

const ProjectStatus = z.object({ id: z.string(), type: z.string(), position: z.number() })
export type ProjectStatus = z.output<typeof ProjectStatus>

/** What the workspace has of the people and statuses that a project is to get. */
export interface ProjectVariables {
  readonly lead: Linear.UserFilter | undefined
  readonly hasLead: boolean
  readonly hasState: boolean
}

const declared = '$lead: UserFilter, $hasLead: Boolean!, $hasState: Boolean!'

const inWorkspace = `lead: users(first: 3, filter: $lead) @include(if: $hasLead) { nodes { ...Member } }
    organization @include(if: $hasState) { projectStatuses { id type position } }`

const InWorkspace = z.object({
  lead: z.array(Member).optional(),
  organization: z.object({ project_statuses: z.array(ProjectStatus) }).optional(),
})
export type InWorkspace = z.output<typeof InWorkspace>

/** All that a new project refers to. */
export const newProjectReferences = operation<ProjectVariables & { team: Linear.TeamFilter }>()(
  `query NewProjectReferences($team: TeamFilter!, ${declared}) {
    team: teams(first: 3, includeArchived: true, filter: $team) { nodes { ...TeamRef archivedAt } }
    ${inWorkspace}
  }`,
  InWorkspace.extend({ team: z.array(ListedTeam) }),
)

const Found = Project.extend({ all_teams: z.array(TeamRef).optional(), has_more_all_teams: z.boolean().optional() })
/** A project that a call names, with every team that it has where that is asked for. */
export type FoundProject = z.output<typeof Found>

/** A project by whatever names it, and all that a change of it refers to. */
export const projectReferences = operation<
  ProjectVariables & { project: Linear.ProjectFilter; teams: Linear.TeamFilter | undefined; hasTeams: boolean }
>()(
  `query ProjectReferences($project: ProjectFilter!, $teams: TeamFilter, $hasTeams: Boolean!, ${declared}) {
    project: projects(first: 3, filter: $project, includeArchived: true) { nodes {
      ...ProjectRow content
      allTeams: teams(first: 100, includeArchived: true) @include(if: $hasTeams) { nodes { ...TeamRef } pageInfo { hasNextPage } }
    } }
    teams(first: 50, includeArchived: true, filter: $teams) @include(if: $hasTeams) { nodes { ...TeamRef archivedAt } }
    ${inWorkspace}
  }`,
  InWorkspace.extend({ project: z.array(Found), teams: z.array(ListedTeam).optional() }),
)

/** What the references of a call could have meant, for the kinds that missed; archived projects only where they can be meant. */
export const projectSuggestions = operation<Record<'projects' | 'archived' | 'teams' | 'people', boolean>>()(
  `query ProjectSuggestions($projects: Boolean!, $archived: Boolean!, $teams: Boolean!, $people: Boolean!) {
    projects(first: 250, includeArchived: $archived) @include(if: $projects) { nodes { ...ProjectRef } }
    teams(first: 250) @include(if: $teams) { nodes { ...TeamRef } }
    people: users(first: 250) @include(if: $people) { nodes { ...Member } }
  }`,
  z.object({
    projects: z.array(ProjectRef).optional(),
    teams: z.array(TeamRef).optional(),
    people: z.array(Member).optional(),
  }),
)
