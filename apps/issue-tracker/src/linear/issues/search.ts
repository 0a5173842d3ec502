import type { LinearDocument as Linear } from '@linear/sdk'
import type * as z from 'zod'
import type { LinearCall } from '../client.ts'
import type { IssueFilters } from './issue-list.ts'
import { nodes, pageVariables, priorities, query } from '../document.ts'
import { Assignee } from '../lookups.ts'
import {
  ArchivableTeam,
  closedTypes,
  Cycle,
  Flag,
  Issue,
  IssueRef,
  LabelRef,
  Member,
  NamedRef,
  OptionalText,
  ProjectChoice,
  ProjectRef,
  State,
  TeamChoice,
  TeamRef,
  Timestamp,
} from '../records.ts'
import {
  cycleFilter,
  cyclePage,
  issueFilter,
  keywordFilters,
  labelFilter,
  milestoneFilter,
  plainReading,
  projectFilter,
  readingsOf,
  stateFilter,
  teamFilter,
  userFilter,
  workOf,
} from '../references.ts'
import { stateTypesIn } from '../teams.ts'

const OwnedCycle = Cycle.extend({ team: TeamRef })
const OwnedMilestone = NamedRef.extend({ project: ProjectRef })

/** Issues, and the records that match each name in the filter. */
export const searchQuery = query(
  'SearchIssues',
  {
    ...pageVariables,
    filter: 'IssueFilter!',
    order: 'PaginationOrderBy!',
    archived: 'Boolean!',
    team: 'TeamFilter',
    states: 'WorkflowStateFilter',
    assignee: 'UserFilter',
    creator: 'UserFilter',
    labels: 'IssueLabelFilter',
    project: 'ProjectFilter',
    milestone: 'ProjectMilestoneFilter',
    cycle: 'CycleFilter',
    parent: 'IssueFilter',
  },
  {
    issues: nodes('issues(first: $first, after: $after, filter: $filter, orderBy: $order, includeArchived: $archived)', Issue),
    has_more_issues: Flag,
    issues_end_cursor: OptionalText,
    team: nodes('teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam)', ArchivableTeam).optional(),
    states: nodes('workflowStates(first: 50, filter: $states) @include(if: $hasStates)', State).optional(),
    assignee: nodes('users(first: 5, filter: $assignee, includeDisabled: true) @include(if: $hasAssignee)', Assignee).optional(),
    creator: nodes('users(first: 5, filter: $creator, includeDisabled: true) @include(if: $hasCreator)', Assignee).optional(),
    labels: nodes('issueLabels(first: 50, filter: $labels) @include(if: $hasLabels)', LabelRef).optional(),
    project: nodes('projects(first: 2, includeArchived: true, filter: $project) @include(if: $hasProject)', ProjectChoice).optional(),
    milestone: nodes('projectMilestones(first: 5, filter: $milestone) @include(if: $hasMilestone)', OwnedMilestone).optional(),
    cycle: nodes('cycles(first: 10, filter: $cycle) @include(if: $hasCycle)', OwnedCycle).optional(),
    parent: nodes(
      'issues(first: 1, includeArchived: true, filter: $parent) @include(if: $hasParent)',
      IssueRef.extend({ archived_at: Timestamp }),
    ).optional(),
  },
)
export type SearchPage = z.output<typeof searchQuery.data>

/** All records of the kinds for which a reference did not match. */
export const searchSuggestions = query(
  'SearchCandidates',
  {
    team: 'Boolean!',
    states: 'Boolean!',
    people: 'Boolean!',
    labels: 'Boolean!',
    project: 'Boolean!',
    milestone: 'Boolean!',
    cycle: 'Boolean!',
  },
  {
    team: nodes('teams(first: 250) @include(if: $team)', TeamChoice).optional(),
    states: nodes('workflowStates(first: 250) @include(if: $states)', State).optional(),
    people: nodes('users(first: 250, includeDisabled: true) @include(if: $people)', Member).optional(),
    labels: nodes('issueLabels(first: 200, filter: { isGroup: { eq: false } }) @include(if: $labels)', LabelRef).optional(),
    project: nodes('projects(first: 100) @include(if: $project)', ProjectChoice).optional(),
    milestone: nodes('projectMilestones(first: 100) @include(if: $milestone)', NamedRef).optional(),
    cycle: nodes('cycles(first: 50) @include(if: $cycle)', Cycle).optional(),
  },
)

/** A search's filters, as the caller names them. `created` and `updated` end before `until`; `due` includes it. */
export interface SearchFilters extends Pick<IssueFilters, 'keywords' | 'team' | 'assignee' | 'project'> {
  readonly states?: readonly string[] | undefined
  readonly unassigned?: boolean | undefined
  readonly creator?: string | undefined
  readonly priorities?: readonly (typeof priorities)[number][] | undefined
  readonly labels?: readonly string[] | undefined
  readonly milestone?: string | undefined
  readonly cycle?: string | undefined
  readonly parent_issue?: string | undefined
  readonly created: Range
  readonly updated: Range
  readonly due: Range
}

interface Range {
  readonly from: string | undefined
  readonly until: string | undefined
}

interface SearchOptions {
  readonly first: number
  readonly after: string | undefined
  readonly order: 'createdAt' | 'updatedAt'
  readonly archived: boolean
}

/** The given states that are names; the rest are types, or words for several types. `read`, if given, lists the words to treat as names. */
export function stateNames(states: readonly string[] = [], read?: readonly string[]): readonly string[] {
  return states.filter((state) => {
    const word = stateTypesIn(state)
    return word === undefined || (read ? read.includes(state) : word.isLikelyName)
  })
}

export async function search(
  linear: LinearCall,
  filters: SearchFilters & { readonly namedStates?: readonly string[] },
  options: SearchOptions,
): Promise<SearchPage> {
  const { team, assignee, creator, labels, project, milestone, cycle, parent_issue: parent, states, namedStates } = filters
  const names = stateNames(states, namedStates)
  const types = (states ?? []).filter((state) => !names.includes(state)).flatMap((state) => stateTypesIn(state)?.types ?? [])
  const inTeam = team === undefined ? undefined : teamFilter(...readingsOf(team))
  const references = {
    team: inTeam,
    states: states && { and: [stateFilter(...states.flatMap(readingsOf)), ...(inTeam ? [{ team: inTeam }] : [])] },
    assignee: assignee === undefined ? undefined : userFilter(...readingsOf(assignee)),
    creator: creator === undefined ? undefined : userFilter(...readingsOf(creator)),
    labels: labels === undefined ? undefined : { isGroup: { eq: false }, ...labelFilter(...labels.flatMap(readingsOf)) },
    project: project === undefined ? undefined : projectFilter(...readingsOf(project)),
    milestone: milestone === undefined ? undefined : milestoneFilter(...readingsOf(milestone)),
    cycle: cycle === undefined ? undefined : cycleIn(cycle),
    parent: parent === undefined ? undefined : issueFilter(parent),
  }
  const state = [
    ...(names.length > 0 ? [stateFilter(...names.flatMap(readingsOf))] : []),
    ...(types.length > 0 ? [{ type: { in: types } }] : []),
  ]
  const { keywords, unassigned, priorities: levels = [], created, updated, due } = filters
  const conditions: Linear.IssueFilter[] = [
    ...keywordFilters(keywords),
    ...(references.team ? [{ team: references.team }] : []),
    ...(state.length > 0 ? [{ state: { or: state } }] : []),
    ...(references.assignee ? [workOf(references.assignee)] : []),
    ...(unassigned === true ? [{ assignee: { null: true } }] : []),
    ...(references.creator ? [{ creator: references.creator }] : []),
    ...(levels.length > 0 ? [{ priority: { in: levels.map((level) => priorities.indexOf(level)) } }] : []),
    ...(labels ?? []).map((label) => ({ labels: { some: labelFilter(...readingsOf(label)) } })),
    ...(references.project ? [{ project: references.project }] : []),
    ...(references.milestone ? [{ projectMilestone: references.milestone }] : []),
    ...(references.cycle ? [{ cycle: references.cycle }] : []),
    ...(references.parent ? [{ parent: references.parent }] : []),
    ...rangeOf('createdAt', created, 'lt'),
    ...rangeOf('updatedAt', updated, 'lt'),
    ...rangeOf('dueDate', due, 'lte'),
  ]
  return linear.send(searchQuery, { ...options, ...references, filter: { and: conditions } })
}

function cycleIn(reference: string): Linear.CycleFilter {
  const onPage = cyclePage(plainReading(reference))
  return onPage ? { and: [{ team: { key: { eqIgnoreCase: onPage.team } } }, cycleFilter(onPage.cycle)] } : cycleFilter(reference)
}

function rangeOf(field: 'createdAt' | 'updatedAt' | 'dueDate', { from, until }: Range, end: 'lt' | 'lte'): Linear.IssueFilter[] {
  return [...(from === undefined ? [] : [{ [field]: { gte: from } }]), ...(until === undefined ? [] : [{ [field]: { [end]: until } }])]
}

const DescribedIssue = Issue.extend({ description: OptionalText })

/**
 * Open issues with any of the given words, issues with two of them in their title, and the team that the search is limited to. A common
 * word can be in many issues.
 */
export const similarIssues = query(
  'SimilarIssues',
  { filter: 'IssueFilter!', pairs: 'IssueFilter', team: 'TeamFilter' },
  {
    issues: nodes('issues(first: 25, orderBy: updatedAt, filter: $filter)', DescribedIssue),
    has_more_issues: Flag,
    alike: nodes('issues(first: 30, orderBy: updatedAt, filter: $pairs) @include(if: $hasPairs)', DescribedIssue).optional(),
    team: nodes('teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam)', ArchivableTeam).optional(),
  },
)

/** Maximum number of words to combine into pairs: 8 words make 28 pairs. */
const mostPaired = 8

export async function findSimilar(
  linear: LinearCall,
  { words, paired: titled }: { readonly words: readonly string[]; readonly paired: readonly string[] },
  reference: string | undefined,
) {
  const team = reference === undefined ? undefined : teamFilter(...readingsOf(reference))
  const open = { state: { type: { nin: [...closedTypes] } }, ...(team && { team }) }
  const inTitle = (word: string) => ({ title: { containsIgnoreCaseAndAccent: word } })
  const paired = titled.toSorted((one, other) => other.length - one.length).slice(0, mostPaired)
  const pairs = paired.flatMap((one, index) => paired.slice(index + 1).map((other) => ({ and: [inTitle(one), inTitle(other)] })))
  const found = await linear.send(similarIssues, {
    filter: { ...open, or: words.flatMap((word) => [inTitle(word), { description: { containsIgnoreCaseAndAccent: word } }]) },
    pairs: pairs.length === 0 ? undefined : { ...open, or: pairs },
    team,
  })
  const { issues, alike = [] } = found
  return { ...found, issues: [...new Map([...alike, ...issues].map((issue) => [issue.identifier, issue])).values()] }
}
