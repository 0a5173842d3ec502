import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation, type Paged, type TeamCheck } from './operation.ts'
import { Cycle, IssueRef, ListedTeam, Person, Priority, TeamRef } from './records.ts'

export const CycleRow = Cycle.extend({
  description: z.string().nullish(),
  progress: z.number(),
  is_future: z.boolean(),
  is_previous: z.boolean(),
  team: TeamRef,
})

export const CycleDetail = CycleRow.extend({
  created_at: z.string(),
  updated_at: z.string(),
  archived_at: z.string().nullish(),
  scope_history: z.array(z.number()).describe('Points in the cycle, one number a day.'),
  completed_scope_history: z.array(z.number()),
  issue_count_history: z.array(z.number()),
  completed_issue_count_history: z.array(z.number()),
  issues: z.array(IssueRef.extend({ priority: Priority, estimate: z.number().nullish(), assignee: Person.nullish() })),
  has_more_issues: z.boolean(),
})

const row = '...Cycle description progress isFuture isPrevious team { ...TeamRef }'

export const getCycle = operation<{ id: string }>()(
  `query GetCycle($id: String!) { cycle(id: $id) {
    ${row} createdAt updatedAt archivedAt scopeHistory completedScopeHistory issueCountHistory completedIssueCountHistory
    issues(first: 25, orderBy: updatedAt) { nodes { ...IssueRef priority estimate assignee { ...Person } } pageInfo { hasNextPage } }
  } }`,
  z.object({ cycle: CycleDetail }),
)

export const listCycles = operation<{ filter: Linear.CycleFilter } & Paged & TeamCheck>()(
  `query ListCycles($first: Int!, $after: String, $filter: CycleFilter, $team: TeamFilter, $hasTeam: Boolean!) {
    cycles(first: $first, after: $after, filter: $filter) { nodes { ${row} } pageInfo { ...Page } }
    team: teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam) { nodes { ...TeamRef archivedAt cyclesEnabled } }
  }`,
  z.object({
    cycles: z.array(CycleRow),
    has_more_cycles: z.boolean(),
    cycles_end_cursor: z.string().nullish(),
    team: z.array(ListedTeam.extend({ cycles_enabled: z.boolean() })).optional(),
  }),
)
