import { field, nodes, pageVariables, query } from './document.ts'
import {
  ArchivableTeam,
  Cycle,
  Flag,
  IssueRef,
  OptionalText,
  Person,
  State,
  TeamChoice,
  TeamRef,
  Text,
  Timestamp,
  VendorPriority,
} from './records.ts'
import { plainReading } from './references.ts'
import * as z from 'zod'

export const Team = TeamRef.extend({
  description: OptionalText,
  archived_at: Timestamp,
  retired_at: Timestamp,
  parent: TeamRef.omit({ id: true }).optional(),
})

export const TeamDetail = Team.extend({
  visibility: OptionalText,
  timezone: OptionalText,
  created_at: Timestamp,
  updated_at: Timestamp,
  cycles_enabled: z.boolean().optional(),
  triage_enabled: z.boolean().optional(),
  issue_estimation_type: OptionalText,
  issue_count: z.number().optional(),
  active_cycle: Cycle.optional(),
  default_issue_state: z.object({ name: Text }).optional(),
  members: nodes('members(first: 50)', Person.extend({ active: z.boolean().default(true) })).default([]),
  has_more_members: Flag,
  states: nodes('states(first: 50)', State).default([]),
  has_more_states: Flag,
})

/** Teams by id, key or name, plus all teams for suggestions. */
export const findTeam = query(
  'GetTeam',
  { filter: 'TeamFilter!' },
  {
    exact: nodes('teams(first: 3, includeArchived: true, filter: $filter)', TeamDetail),
    candidates: nodes('teams(first: 250)', TeamChoice),
  },
)

/** The teams with any of the given keys. */
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
    has_more_teams: Flag,
    teams_end_cursor: OptionalText,
  },
)

const Label = z.object({
  name: Text,
  description: OptionalText,
  is_group: Flag,
  parent: z.object({ name: Text }).optional(),
  team: z.object({ key: Text }).optional(),
  archived_at: Timestamp,
  retired_at: Timestamp,
})

export const listLabels = query(
  'ListLabels',
  { first: 'Int!' },
  { labels: nodes('issueLabels(first: $first)', Label), has_more_labels: Flag },
)

const WorkflowState = z.object({
  name: Text,
  type: Text,
  position: z.number().optional(),
  description: OptionalText,
  team: z.object({ key: Text }),
})

export const listWorkflowStates = query(
  'ListWorkflowStates',
  { first: 'Int!', filter: 'WorkflowStateFilter', team: 'TeamFilter' },
  {
    states: nodes('workflowStates(first: $first, filter: $filter)', WorkflowState),
    has_more_states: Flag,
    team: nodes('teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam)', ArchivableTeam).optional(),
  },
)

/** The types of workflow states, in workflow order. */
export const stateTypes = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'] as const

/** Words that stand for several types; "active" is Linear's name for a list of issues in such states. */
export const stateWords = {
  open: ['triage', 'backlog', 'unstarted', 'started'],
  active: ['unstarted', 'started'],
  closed: ['completed', 'canceled', 'duplicate'],
} as const
const typesByWord = new Map<string, readonly string[]>([
  ...stateTypes.map((type) => [type, [type]] as const),
  ...Object.entries(stateWords),
])
/** Types that are usually also state names. */
const typesAsNames = ['triage', 'backlog', 'canceled', 'duplicate']

/** Workflow state types that text names. */
interface StateTypes {
  readonly types: readonly string[]
  /** True if the text is often a state's name. */
  readonly isLikelyName: boolean
}

/** The types that text names: one, or several for a word such as "open". Undefined for any other text. */
export function stateTypesIn(text: string): StateTypes | undefined {
  const word = plainReading(text).toLowerCase()
  const types = typesByWord.get(word)
  return types && { types, isLikelyName: typesAsNames.includes(word) }
}

/** Sorts a team's states in workflow order, because Linear does not. */
export function inWorkflowOrder<WithType extends { readonly type: string; readonly position?: number | undefined }>(
  states: readonly WithType[],
): WithType[] {
  const types: readonly string[] = stateTypes
  const placeOf = ({ type }: WithType) => (types.includes(type) ? types.indexOf(type) : types.length)
  return states.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.position ?? 0) - (b.position ?? 0))
}

export const CycleRow = Cycle.extend({
  progress: z.number().optional(),
  is_previous: Flag,
  team: z.object({ key: Text }),
})

export const CycleDetail = CycleRow.extend({
  description: OptionalText,
  completed_at: Timestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
  archived_at: Timestamp,
  scope_history: z.array(z.number()).default([]),
  completed_scope_history: z.array(z.number()).default([]),
  issue_count_history: z.array(z.number()).default([]),
  completed_issue_count_history: z.array(z.number()).default([]),
  issues: nodes(
    'issues(first: 25, orderBy: updatedAt)',
    IssueRef.extend({ priority: VendorPriority, estimate: z.number().optional(), assignee: Person.optional() }),
  ).default([]),
  has_more_issues: Flag,
})

export const getCycle = query('GetCycle', { id: 'String!' }, { cycle: field('cycle(id: $id)', CycleDetail) })

export const listCycles = query(
  'ListCycles',
  { ...pageVariables, filter: 'CycleFilter', team: 'TeamFilter' },
  {
    cycles: nodes('cycles(first: $first, after: $after, filter: $filter)', CycleRow),
    has_more_cycles: Flag,
    cycles_end_cursor: OptionalText,
    team: nodes(
      'teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam)',
      ArchivableTeam.extend({ cycles_enabled: z.boolean().default(true) }),
    ).optional(),
  },
)

/** Cycles that a reference may mean. */
export const cyclesAtPosition = query(
  'CyclesByReference',
  { filter: 'CycleFilter!' },
  { cycles: nodes('cycles(first: 20, filter: $filter)', Cycle.extend({ team: TeamRef })) },
)
