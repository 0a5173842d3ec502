import * as z from 'zod'
import { field, nodes, pageVariables, query } from './document.ts'
import { ArchivableTeam, Cycle, IssueRef, Person, Priority, TeamRef, Timestamp } from './records.ts'

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
  archived_at: Timestamp,
  scope_history: z.array(z.number()).describe('Points in the cycle, one number a day.'),
  completed_scope_history: z.array(z.number()),
  issue_count_history: z.array(z.number()),
  completed_issue_count_history: z.array(z.number()),
  issues: nodes(
    'issues(first: 25, orderBy: updatedAt)',
    IssueRef.extend({ priority: Priority, estimate: z.number().nullish(), assignee: Person.nullish() }),
  ),
  has_more_issues: z.boolean(),
})

export const getCycle = query('GetCycle', { id: 'String!' }, { cycle: field('cycle(id: $id)', CycleDetail) })

export const listCycles = query(
  'ListCycles',
  { ...pageVariables, filter: 'CycleFilter', team: 'TeamFilter' },
  {
    cycles: nodes('cycles(first: $first, after: $after, filter: $filter)', CycleRow),
    has_more_cycles: z.boolean(),
    cycles_end_cursor: z.string().nullish(),
    team: nodes(
      'teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam)',
      ArchivableTeam.extend({ cycles_enabled: z.boolean() }),
    ).optional(),
  },
)

/** Cycles that a reference may mean. */
export const cyclesAtPosition = query(
  'CyclesByReference',
  { filter: 'CycleFilter!' },
  { cycles: nodes('cycles(first: 20, filter: $filter)', Cycle.extend({ team: TeamRef })) },
)
