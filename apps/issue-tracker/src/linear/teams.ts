import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation, type Paged } from './operation.ts'
import { Cycle, Member, State, TeamRef } from './records.ts'

const moment = z.string().nullish()

export const Team = TeamRef.extend({
  description: z.string().nullish(),
  visibility: z.string().nullish(),
  timezone: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  archived_at: moment,
  cycles_enabled: z.boolean(),
  issue_estimation_type: z.string(),
  issue_count: z.number(),
  parent: TeamRef.nullish(),
})

export const TeamDetail = Team.extend({
  retired_at: moment.describe('A retired team takes no new issues.'),
  triage_enabled: z.boolean(),
  active_cycle: Cycle.nullish(),
  default_issue_state: State.nullish(),
  members: z.array(Member),
  has_more_members: z.boolean(),
  states: z.array(State),
  has_more_states: z.boolean(),
})

const fields =
  '...TeamRef description visibility timezone createdAt updatedAt archivedAt cyclesEnabled issueEstimationType issueCount parent { ...TeamRef }'

/** Teams by one column, with all teams beside them for suggestions. */
export const findTeam = operation<{ filter: Linear.TeamFilter }>()(
  `query GetTeam($filter: TeamFilter!) {
    exact: teams(first: 3, includeArchived: true, filter: $filter) { nodes {
      ${fields} retiredAt triageEnabled activeCycle { ...Cycle } defaultIssueState { ...State }
      members(first: 50) { nodes { ...Member } pageInfo { hasNextPage } } states(first: 50) { nodes { ...State } pageInfo { hasNextPage } }
    } }
    candidates: teams(first: 250) { nodes { ...TeamRef } }
  }`,
  z.object({ exact: z.array(TeamDetail), candidates: z.array(TeamRef) }),
)

export const listTeams = operation<{ filter: Linear.TeamFilter; includeArchived: boolean } & Paged>()(
  `query ListTeams($first: Int!, $after: String, $filter: TeamFilter, $includeArchived: Boolean!) {
    teams(first: $first, after: $after, filter: $filter, includeArchived: $includeArchived) { nodes { ${fields} } pageInfo { ...Page } }
  }`,
  z.object({ teams: z.array(Team), has_more_teams: z.boolean(), teams_end_cursor: z.string().nullish() }),
)
