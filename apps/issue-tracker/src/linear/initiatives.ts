import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { operation, type Paged } from './operation.ts'
import { InitiativeRow, Person, ProjectRef, ProjectRow } from './records.ts'

const LinkedProject = ProjectRow.omit({
  description: true,
  created_at: true,
  updated_at: true,
  archived_at: true,
  teams: true,
  has_more_teams: true,
})

/** An initiative without its long text, which tools cut. */
export const InitiativeDetail = InitiativeRow.omit({ description: true }).extend({
  started_at: z.string().nullish(),
  completed_at: z.string().nullish(),
  creator: Person.nullish(),
  parent_initiative: z.object({ id: z.string(), name: z.string() }).nullish(),
  projects: z.array(LinkedProject).optional(),
  has_more_projects: z.boolean().optional(),
})

/** Initiatives by id or name, with all of them beside for suggestions. Never together with anything else: they have a scope of their own. */
export const findInitiative = operation<{ filter: Linear.InitiativeFilter; projects: boolean }>()(
  `query GetInitiative($filter: InitiativeFilter!, $projects: Boolean!) {
    exact: initiatives(first: 3, includeArchived: true, filter: $filter) { nodes {
      ...InitiativeRow content startedAt completedAt creator { ...Person } parentInitiative { id name }
      projects(first: 50) @include(if: $projects) {
        nodes { ...ProjectRef url progress health startDate targetDate status { id name type } lead { ...Person } } pageInfo { hasNextPage }
      }
    } }
    candidates: initiatives(first: 250) { nodes { id name } }
  }`,
  z.object({
    exact: z.array(InitiativeDetail.extend({ description: z.string().nullish(), content: z.string().nullish() })),
    candidates: z.array(z.object({ id: z.string(), name: z.string() })),
  }),
)

export const listInitiatives = operation<{ filter: Linear.InitiativeFilter } & Paged>()(
  `query ListInitiatives($first: Int!, $after: String, $filter: InitiativeFilter) {
    initiatives(first: $first, after: $after, filter: $filter, orderBy: createdAt) { nodes { ...InitiativeRow } pageInfo { ...Page } }
  }`,
  z.object({ initiatives: z.array(InitiativeRow), has_more_initiatives: z.boolean(), initiatives_end_cursor: z.string().nullish() }),
)

export const getInitiativeText = operation<{ id: string }>()(
  `query GetInitiativeDescription($id: String!) { initiative(id: $id) { id name slugId url description content updatedAt } }`,
  z.object({
    initiative: ProjectRef.extend({
      url: z.string(),
      description: z.string().nullish(),
      content: z.string().nullish(),
      updated_at: z.string(),
    }),
  }),
)

/** Linear's words for an initiative's status, and ours; it has no `paused`. */
export const initiativeStatuses = { planned: 'Planned', started: 'Active', completed: 'Completed' } as const

/** Our word for a status of Linear's; those that we have none for keep theirs. */
export function initiativeStatus(vendorStatus: string): string {
  const known = Object.entries(initiativeStatuses).find(([, theirs]) => theirs === vendorStatus)
  return known?.[0] ?? vendorStatus.toLowerCase()
}
