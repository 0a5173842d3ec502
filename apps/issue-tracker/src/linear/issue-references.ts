import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation } from './operation.ts'
import { Cycle, Issue, IssueRef, Member, ProjectRef, State, TeamRef } from './records.ts'

/** A label with what decides whether an issue can have it. */
export const Label = z.object({
  id: z.string(),
  name: z.string(),
  is_group: z.boolean(),
  parent: z.object({ id: z.string(), name: z.string() }).nullish(),
})
export type Label = z.output<typeof Label>

const label = 'id name isGroup parent { id name }'
const Found = <Record extends z.ZodType>(record: Record) => z.array(record).optional()

/** What a team has of the names that are asked for; a member, label, cycle or project of the same name elsewhere does not count. */
const Scope = TeamRef.extend({
  cycles_enabled: z.boolean(),
  issue_estimation_type: z.string(),
  issue_estimation_allow_zero: z.boolean(),
  issue_estimation_extended: z.boolean(),
  retired_at: z.string().nullish(),
  archived_at: z.string().nullish(),
  states: Found(State),
  assignee: Found(Member),
  labels: Found(Label),
  cycle: Found(Cycle),
  project: Found(ProjectRef),
})
/** The team that the references of a call must belong to. */
export type Scope = z.output<typeof Scope>

const declared = `$assignee: UserFilter, $hasAssignee: Boolean!, $labels: IssueLabelFilter, $hasLabels: Boolean!, $hasState: Boolean!,
    $project: ProjectFilter, $hasProject: Boolean!, $cycle: CycleFilter, $hasCycle: Boolean!`

const inTeam = `...TeamRef cyclesEnabled issueEstimationType issueEstimationAllowZero issueEstimationExtended retiredAt archivedAt
    states(first: 50) @include(if: $hasState) { nodes { ...State } }
    assignee: members(first: 3, filter: $assignee) @include(if: $hasAssignee) { nodes { ...Member } }
    labels(first: 80, filter: $labels) @include(if: $hasLabels) { nodes { ${label} } }
    cycle: cycles(first: 3, filter: $cycle) @include(if: $hasCycle) { nodes { ...Cycle } }
    project: projects(first: 3, filter: $project) @include(if: $hasProject) { nodes { ...ProjectRef } }`

const inWorkspace = `organization @include(if: $hasLabels) { labels(first: 80, filter: $labels) { nodes { ${label} } } }
    people: users(first: 3, filter: $assignee) @include(if: $hasAssignee) { nodes { ...Member } }
    projects(first: 3, filter: $project, includeArchived: true) @include(if: $hasProject) { nodes { ...ProjectRef archivedAt } }`

/** What exists outside the team, so that a refusal can say that it does. */
const Outside = z.object({
  organization: z.object({ labels: z.array(Label) }).optional(),
  people: Found(Member),
  projects: Found(ProjectRef.extend({ archived_at: z.string().nullish() })),
})
export type Outside = z.output<typeof Outside>

export interface ReferenceVariables {
  readonly assignee: Linear.UserFilter | undefined
  readonly hasAssignee: boolean
  readonly labels: Linear.IssueLabelFilter | undefined
  readonly hasLabels: boolean
  readonly hasState: boolean
  readonly project: Linear.ProjectFilter | undefined
  readonly hasProject: boolean
  readonly cycle: Linear.CycleFilter | undefined
  readonly hasCycle: boolean
}

/** All that a new issue refers to, in one request, and every team beside it: no other name can be looked for without the team. */
export const newIssueReferences = operation<
  ReferenceVariables & { team: Linear.TeamFilter; parent: Linear.IssueFilter | undefined; hasParent: boolean }
>()(
  `query NewIssueReferences($team: TeamFilter!, $parent: IssueFilter, $hasParent: Boolean!, ${declared}) {
    team: teams(first: 3, filter: $team, includeArchived: true) { nodes { ${inTeam} } }
    teams(first: 250) { nodes { ...TeamRef } }
    parent: issues(first: 2, filter: $parent, includeArchived: true) @include(if: $hasParent) { nodes { ...IssueRef } }
    ${inWorkspace}
  }`,
  Outside.extend({ team: z.array(Scope), teams: z.array(TeamRef), parent: Found(IssueRef) }),
)

/** All that a change of an issue refers to, in one request, and what the issue has now. */
export const issueReferences = operation<ReferenceVariables & { id: string; url: string; hasUrl: boolean }>()(
  `query IssueReferences($id: String!, $url: String!, $hasUrl: Boolean!, ${declared}) {
    issue(id: $id) {
      ...Issue
      present: labels(first: 50, includeArchived: true) { nodes { ${label} } }
      attachments(first: 2, filter: { url: { eq: $url } }) @include(if: $hasUrl) { nodes { id title url } }
      team { ${inTeam} }
    }
    ${inWorkspace}
  }`,
  Outside.extend({
    issue: Issue.extend({
      present: z.array(Label),
      attachments: Found(z.object({ id: z.string(), title: z.string(), url: z.string() })),
      team: Scope,
    }),
  }),
)

const asked = '$allPeople: Boolean!, $allLabels: Boolean!, $allProjects: Boolean!, $allCycles: Boolean!'

/** The kinds of which everything is asked for, because a name missed. */
export interface Asked {
  readonly allPeople: boolean
  readonly allLabels: boolean
  readonly allProjects: boolean
  readonly allCycles: boolean
}

const assignable = 'filter: { active: { eq: true }, app: { eq: false } }'

const allInTeam = `allPeople: members(first: 250, ${assignable}) @include(if: $allPeople) { nodes { ...Member } }
    allLabels: labels(first: 200) @include(if: $allLabels) { nodes { ${label} } }
    allCycles: cycles(first: 50) @include(if: $allCycles) { nodes { ...Cycle } }
    allProjects: projects(first: 250) @include(if: $allProjects) { nodes { ...ProjectRef } }`

const AllInTeam = z.object({
  all_people: Found(Member),
  all_labels: Found(Label),
  all_cycles: Found(Cycle),
  all_projects: Found(ProjectRef),
})

const inOrganization = `organization @include(if: $allLabels) { allLabels: labels(first: 200) { nodes { ${label} } } }`

const Suggestions = z.object({ team: AllInTeam, organization: z.object({ all_labels: Found(Label) }).optional() })
/** What the references of a call could have meant, within its team. */
export type Suggestions = z.output<typeof Suggestions>

export const suggestionsInTeam = operation<Asked & { team: string }>()(
  `query SuggestionsInTeam($team: String!, ${asked}) {
    team(id: $team) { ${allInTeam} }
    ${inOrganization}
  }`,
  Suggestions,
)

/** All that a new issue refers to in a team whose name was nearly right, and what else it could mean there. */
export const nearTeamReferences = operation<ReferenceVariables & Asked & { team: string }>()(
  `query NearTeamReferences($team: String!, ${asked}, ${declared}) {
    team(id: $team) { ${inTeam} ${allInTeam} }
    ${inWorkspace}
    ${inOrganization}
  }`,
  Outside.extend({
    team: Scope.extend(AllInTeam.shape),
    organization: z.object({ labels: z.array(Label), all_labels: Found(Label) }).optional(),
  }),
)

/** What they could have meant when their team is not known. */
export const suggestionsAnywhere = operation<Omit<Asked, 'allCycles'> & { allStates: boolean }>()(
  `query SuggestionsAnywhere($allPeople: Boolean!, $allLabels: Boolean!, $allProjects: Boolean!, $allStates: Boolean!) {
    people: users(first: 250, ${assignable}) @include(if: $allPeople) { nodes { ...Member } }
    labels: issueLabels(first: 250) @include(if: $allLabels) { nodes { ${label} } }
    projects(first: 250, includeArchived: true) @include(if: $allProjects) { nodes { ...ProjectRef } }
    states: workflowStates(first: 250) @include(if: $allStates) { nodes { ...State } }
  }`,
  z.object({ people: Found(Member), labels: Found(Label), projects: Found(ProjectRef), states: Found(State) }),
)
