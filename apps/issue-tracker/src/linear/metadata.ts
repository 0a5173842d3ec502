import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation, type TeamCheck } from './operation.ts'
import { ListedTeam, State, TeamRef } from './records.ts'

export const Label = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  color: z.string(),
  is_group: z.boolean().describe('A group holds labels and cannot be applied itself.'),
  parent: z.object({ id: z.string(), name: z.string() }).nullish().describe('Its group; an issue has one label of a group at most.'),
  team: TeamRef.nullish().describe('Absent for a label of the whole workspace.'),
  archived_at: z.string().nullish(),
})

export const listLabels = operation<{ first: number }>()(
  `query ListLabels($first: Int!) {
    labels: issueLabels(first: $first) {
      nodes { id name description color isGroup parent { id name } team { ...TeamRef } archivedAt } pageInfo { hasNextPage }
    }
  }`,
  z.object({ labels: z.array(Label), has_more_labels: z.boolean() }),
)

export const WorkflowState = State.extend({ position: z.number(), description: z.string().nullish(), color: z.string(), team: TeamRef })

/** The order in which work goes through the types of state. */
const stateTypes = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']

/** States of one team as its workflow has them; Linear gives them in the order in which they were made. */
export function inWorkflowOrder<Each extends { readonly type: string; readonly position?: number | undefined }>(
  states: readonly Each[],
): Each[] {
  return states.toSorted((a, b) => stateTypes.indexOf(a.type) - stateTypes.indexOf(b.type) || (a.position ?? 0) - (b.position ?? 0))
}

export const listWorkflowStates = operation<{ first: number; filter: Linear.WorkflowStateFilter } & TeamCheck>()(
  `query ListWorkflowStates($first: Int!, $filter: WorkflowStateFilter, $team: TeamFilter, $hasTeam: Boolean!) {
    states: workflowStates(first: $first, filter: $filter) { nodes { ...State description color team { ...TeamRef } } pageInfo { hasNextPage } }
    team: teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam) { nodes { ...TeamRef archivedAt } }
  }`,
  z.object({ states: z.array(WorkflowState), has_more_states: z.boolean(), team: z.array(ListedTeam).optional() }),
)
