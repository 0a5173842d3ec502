import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import type { LinearCall } from '../client.ts'
import { nodes, pageVariables, priorities, query } from '../document.ts'
import { Assignee } from '../lookups.ts'
import { Flag, ArchivableTeam, Issue, LabelRef, NamedRef, ProjectChoice, State, TeamRef } from '../records.ts'
import {
  keywordFilters,
  labelFilter,
  plainReading,
  projectFilter,
  readingsOf,
  stateFilter,
  teamFilter,
  userFilter,
  workOf,
} from '../references.ts'
import { stateTypesIn } from '../teams.ts'

/**
 * Issues, and the records that each name in the filter matches: an empty list alone would not show that a name is unknown. Issues are
 * sorted by creation time, which never changes, so pages neither skip nor repeat issues.
 */
export const issuesQuery = query(
  'ListIssues',
  {
    ...pageVariables,
    filter: 'IssueFilter',
    team: 'TeamFilter',
    state: 'WorkflowStateFilter',
    assignee: 'UserFilter',
    label: 'IssueLabelFilter',
    project: 'ProjectFilter',
  },
  {
    issues: nodes('issues(first: $first, after: $after, filter: $filter, orderBy: createdAt)', Issue),
    has_more_issues: Flag,
    issues_end_cursor: z.string().optional(),
    team: nodes(
      'teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam)',
      ArchivableTeam.extend({ states: nodes('states(first: 50) @include(if: $hasState)', State).optional() }),
    ).optional(),
    state: nodes('workflowStates(first: 20, filter: $state) @include(if: $hasState)', NamedRef).optional(),
    assignee: nodes('users(first: 5, filter: $assignee, includeDisabled: true) @include(if: $hasAssignee)', Assignee).optional(),
    label: nodes(
      'issueLabels(first: 20, filter: $label) @include(if: $hasLabel)',
      LabelRef.extend({ team: TeamRef.optional() }),
    ).optional(),
    project: nodes(
      'projects(first: 2, includeArchived: true, filter: $project) @include(if: $hasProject)',
      ProjectChoice.extend({ teams: nodes('teams(first: 3)', TeamRef).default([]) }),
    ).optional(),
  },
)
export type IssuePage = z.output<typeof issuesQuery.data> & {
  /** The states with the name in the filter, if that is also a word for types. */
  readonly namesakes?: readonly string[]
}

export interface IssueFilters {
  readonly keywords?: string | undefined
  readonly team?: string | undefined
  readonly state?: string | undefined
  readonly assignee?: string | undefined
  readonly priority?: (typeof priorities)[number] | undefined
  readonly label?: string | undefined
  readonly project?: string | undefined
  /** A timestamp, or a day in UTC. */
  readonly since?: string | undefined
}

/**
 * One page of the issues that match all filters. A state is matched by name or, if the team has no such state, by its type or by a word for
 * several types. A type or word that is rarely a name counts as a name only if it matches exactly. The likelier meaning is tried first; if
 * it is wrong, a second request follows.
 */
export async function listIssues(
  linear: LinearCall,
  filters: IssueFilters,
  page: { readonly first: number; readonly after: string | undefined },
): Promise<IssuePage> {
  const references = referencesIn(filters)
  const { state: text = '' } = filters
  const byType = stateTypesIn(text)
  if (!byType) return linear.send(issuesQuery, { ...references, ...page, filter: filterOf(filters, references) })
  const named = stateFilter(...readingsOf(text))
  const inTeam = references.team ? { and: [named, { team: references.team }] } : named
  const read = async (isByName: boolean) => {
    const filter = filterOf(filters, { ...references, state: isByName ? named : { type: { in: [...byType.types] } } })
    return linear.send(issuesQuery, { ...references, ...page, state: inTeam, filter })
  }
  const first = await read(byType.isLikelyName)
  const namesakes = (first.state ?? []).map(({ name }) => name)
  const isName = byType.isLikelyName ? namesakes.length > 0 : namesakes.includes(plainReading(text))
  const isInVain = !isName && first.team?.[0]?.states?.every(({ type }) => !byType.types.includes(type)) === true
  const found = isName === byType.isLikelyName || isInVain ? first : await read(isName)
  const state = isName ? found.state : byType.types.map((type) => ({ id: type, name: type }))
  return { ...found, state, ...(!byType.isLikelyName && { namesakes }) }
}

const optional = <Filter>(reference: string | undefined, toFilter: (reference: string) => Filter) =>
  reference === undefined ? undefined : toFilter(reference)

function referencesIn({ team, state, assignee, label, project }: IssueFilters) {
  return {
    team: optional(team, teamFilter),
    state: optional(state, stateFilter),
    assignee: optional(assignee, userFilter),
    label: optional(label, (name) => ({ isGroup: { eq: false }, ...labelFilter(name) })),
    project: optional(project, projectFilter),
  }
}

function filterOf(filters: IssueFilters, references: ReturnType<typeof referencesIn>): Linear.IssueFilter | undefined {
  const { keywords, priority, since } = filters
  const { team, state, assignee, label, project } = references
  const conditions: Linear.IssueFilter[] = [
    ...keywordFilters(keywords),
    ...(team ? [{ team }] : []),
    ...(state ? [{ state }] : []),
    ...(assignee ? [workOf(assignee)] : []),
    ...(label ? [{ labels: { some: label } }] : []),
    ...(project ? [{ project }] : []),
    ...(priority === undefined ? [] : [{ priority: { eq: priorities.indexOf(priority) } }]),
    ...(since === undefined ? [] : [{ createdAt: { gte: since } }]),
  ]
  return conditions.length === 0 ? undefined : { and: conditions }
}
