import * as z from 'zod'
import { field, nodes, pageVariables, query } from './document.ts'
import { ArchivableTeam, Cycle, IssueRef, Person, Priority, TeamRef, Timestamp } from './records.ts'

export const CycleRow = Cycle.extend({
  progress: z.number(),
  is_previous: z.boolean(),
  team: z.object({ key: z.string() }),
})

export const CycleDetail = CycleRow.extend({
  description: z.string().optional(),
  completed_at: Timestamp,
  created_at: z.string(),
  updated_at: z.string(),
  archived_at: Timestamp,
  scope_history: z.array(z.number()),
  completed_scope_history: z.array(z.number()),
  issue_count_history: z.array(z.number()),
  completed_issue_count_history: z.array(z.number()),
  issues: nodes(
    'issues(first: 25, orderBy: updatedAt)',
    IssueRef.extend({ priority: Priority, estimate: z.number().optional(), assignee: Person.optional() }),
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
    cycles_end_cursor: z.string().optional(),
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
