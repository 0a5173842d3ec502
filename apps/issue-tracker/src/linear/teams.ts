import * as z from 'zod'
import { nodes, pageVariables, query } from './document.ts'
import { ArchivableTeam, Cycle, Member, NamedRef, State, TeamRef, Timestamp } from './records.ts'

export const Team = TeamRef.extend({
  description: z.string().nullish(),
  visibility: z.string().nullish(),
  timezone: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  archived_at: Timestamp,
  cycles_enabled: z.boolean(),
  issue_estimation_type: z.string(),
  issue_count: z.number(),
  parent: TeamRef.nullish(),
})

export const TeamDetail = Team.extend({
  retired_at: Timestamp.describe('A retired team takes no new issues.'),
  triage_enabled: z.boolean(),
  active_cycle: Cycle.nullish(),
  default_issue_state: State.nullish(),
  members: nodes('members(first: 50)', Member),
  has_more_members: z.boolean(),
  states: nodes('states(first: 50)', State),
  has_more_states: z.boolean(),
})

/** Teams by one column, with all teams beside them for suggestions. */
export const findTeam = query(
  'GetTeam',
  { filter: 'TeamFilter!' },
  {
    exact: nodes('teams(first: 3, includeArchived: true, filter: $filter)', TeamDetail),
    candidates: nodes('teams(first: 250)', TeamRef),
  },
)

/** The teams that have one of some keys. */
export const teamsOfKeys = query(
  'TeamsOfKeys',
  { filter: 'TeamFilter!' },
  { teams: nodes('teams(first: 20, includeArchived: true, filter: $filter)', TeamRef) },
)

export const listTeams = query(
  'ListTeams',
  { ...pageVariables, filter: 'TeamFilter', includeArchived: 'Boolean!' },
  {
    teams: nodes('teams(first: $first, after: $after, filter: $filter, includeArchived: $includeArchived)', Team),
    has_more_teams: z.boolean(),
    teams_end_cursor: z.string().nullish(),
  },
)

export const Label = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  color: z.string(),
  is_group: z.boolean().describe('A group holds labels and cannot be applied itself.'),
  parent: NamedRef.nullish().describe('Its group; an issue has one label of a group at most.'),
  team: TeamRef.nullish().describe('Absent for a label of the whole workspace.'),
  archived_at: Timestamp,
})

export const listLabels = query(
  'ListLabels',
  { first: 'Int!' },
  { labels: nodes('issueLabels(first: $first)', Label), has_more_labels: z.boolean() },
)

export const WorkflowState = State.extend({
  position: z.number(),
  description: z.string().nullish(),
  color: z.string(),
  team: TeamRef,
})

export const listWorkflowStates = query(
  'ListWorkflowStates',
  { first: 'Int!', filter: 'WorkflowStateFilter', team: 'TeamFilter' },
  {
    states: nodes('workflowStates(first: $first, filter: $filter)', WorkflowState),
    has_more_states: z.boolean(),
    team: nodes('teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam)', ArchivableTeam).optional(),
  },
)

/** The types of workflow states, in the order of a workflow. */
const stateTypes = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']

/** Whether a text is a type of workflow states. */
export function isStateType(text: string): boolean {
  return stateTypes.includes(text.toLowerCase())
}

/** States of one team in the order of its workflow, which Linear does not return them in. */
export function inWorkflowOrder<WithType extends { readonly type: string; readonly position?: number | undefined }>(
  states: readonly WithType[],
): WithType[] {
  return states.toSorted((a, b) => stateTypes.indexOf(a.type) - stateTypes.indexOf(b.type) || (a.position ?? 0) - (b.position ?? 0))
}
