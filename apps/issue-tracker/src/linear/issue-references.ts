import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation } from './operation.ts'
import { Cycle, IssueRef, Member, ProjectRef, State, TeamRef } from './records.ts'

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
    labels(first: 20, filter: $labels) @include(if: $hasLabels) { nodes { ${label} } }
    cycle: cycles(first: 3, filter: $cycle) @include(if: $hasCycle) { nodes { ...Cycle } }
    project: projects(first: 3, filter: $project) @include(if: $hasProject) { nodes { ...ProjectRef } }`

const inWorkspace = `organization @include(if: $hasLabels) { labels(first: 20, filter: $labels) { nodes { ${label} } } }
    people: users(first: 3, filter: $assignee) @include(if: $hasAssignee) { nodes { ...Member } }
    projects(first: 3, filter: $project) @include(if: $hasProject) { nodes { ...ProjectRef } }`

/** What the whole workspace has of the names that are asked for. */
const InWorkspace = z.object({
  organization: z.object({ labels: z.array(Label) }).optional(),
  people: Found(Member),
  projects: Found(ProjectRef),
})
/** What exists outside the team, so that a refusal can say that it does. */
export type InWorkspace = z.output<typeof InWorkspace>

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
    team: teams(first: 3, filter: $team) { nodes { ${inTeam} } }
    teams(first: 250) { nodes { ...TeamRef } }
    parent: issues(first: 2, filter: $parent, includeArchived: true) @include(if: $hasParent) { nodes { ...IssueRef } }
    ${inWorkspace}
  }`,
  InWorkspace.extend({ team: z.array(Scope), teams: z.array(TeamRef), parent: Found(IssueRef) }),
)

/** All that a change of an issue refers to, in one request, and what the issue has now. */
export const issueReferences = operation<ReferenceVariables & { id: string; url: string; hasUrl: boolean }>()(
  `query IssueReferences($id: String!, $url: String!, $hasUrl: Boolean!, ${declared}) {
    issue(id: $id) {
      ...IssueRef
      labels(first: 50) { nodes { ${label} } }
      attachments(first: 2, filter: { url: { eq: $url } }) @include(if: $hasUrl) { nodes { id title url } }
      team { ${inTeam} }
    }
    ${inWorkspace}
  }`,
  InWorkspace.extend({
    issue: IssueRef.extend({
      labels: z.array(Label),
      attachments: Found(z.object({ id: z.string(), title: z.string(), url: z.string() })),
      team: Scope,
    }),
  }),
)

const flags = '$people: Boolean!, $labels: Boolean!, $projects: Boolean!'

/** The kinds of reference that missed. */
export interface Missed {
  readonly people: boolean
  readonly labels: boolean
  readonly projects: boolean
}

/** What the references of a call could have meant, within its team. */
export const suggestionsInTeam = operation<Missed & { team: string; cycles: boolean }>()(
  `query SuggestionsInTeam($team: String!, ${flags}, $cycles: Boolean!) {
    team(id: $team) {
      members(first: 250) @include(if: $people) { nodes { ...Member } }
      labels(first: 200) @include(if: $labels) { nodes { ${label} } }
      cycles(first: 50) @include(if: $cycles) { nodes { ...Cycle } }
      projects(first: 250) @include(if: $projects) { nodes { ...ProjectRef } }
    }
    organization @include(if: $labels) { labels(first: 200) { nodes { ${label} } } }
  }`,
  z.object({
    team: z.object({ members: Found(Member), labels: Found(Label), cycles: Found(Cycle), projects: Found(ProjectRef) }),
    organization: z.object({ labels: z.array(Label) }).optional(),
  }),
)

/** What they could have meant when their team is not known. */
export const suggestionsAnywhere = operation<Missed & { states: boolean }>()(
  `query SuggestionsAnywhere(${flags}, $states: Boolean!) {
    people: users(first: 250) @include(if: $people) { nodes { ...Member } }
    labels: issueLabels(first: 250) @include(if: $labels) { nodes { ${label} } }
    projects(first: 250) @include(if: $projects) { nodes { ...ProjectRef } }
    states: workflowStates(first: 250) @include(if: $states) { nodes { ...State } }
  }`,
  z.object({ people: Found(Member), labels: Found(Label), projects: Found(ProjectRef), states: Found(State) }),
)
