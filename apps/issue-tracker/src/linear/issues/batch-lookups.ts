import type { LinearDocument as Linear } from '@linear/sdk'
import { TooLarge } from '@mcp-toolkits/core/errors'
import * as z from 'zod'
import type { LinearCall } from '../client.ts'
import { type Declarations, field, nodes, query, type Variables } from '../document.ts'
import { AssignableLabel, Assignee, type IssueReferences, type NewIssueReferences, TeamSettings } from '../lookups.ts'
import { closedTypes, Cycle, IssueRef, OptionalText, ProjectChoice, State, TeamRef, Text, Timestamp, VendorPriority } from '../records.ts'
import { cycleFilter, isUuid, issueFilter, issueId, issueIdentifier, labelFilter, projectFilter, readingsOf } from '../references.ts'
import { teamFilter, userFilter } from '../references.ts'

/* Everything that a batch's rows refer to, in one request that uses no more of Linear's complexity quota than other requests. */

const batchVariables = {
  hasState: 'Boolean!',
  assignee: 'UserFilter',
  labels: 'IssueLabelFilter',
  project: 'ProjectFilter',
  cycle: 'CycleFilter',
} as const satisfies Declarations

/** Maximum number of records of each kind that a batch can refer to. */
const most = { teams: 5, people: 40, labels: 75, projects: 20, cycles: 10, grouped: 5 } as const

const BatchTeam = TeamSettings.extend({
  states: nodes('states(first: 50) @include(if: $hasState)', State).optional(),
  assignee: nodes(`members(first: ${most.people}, filter: $assignee) @include(if: $hasAssignee)`, Assignee).optional(),
  cycle: nodes(`cycles(first: ${most.cycles}, filter: $cycle) @include(if: $hasCycle)`, Cycle).optional(),
  project: nodes(`projects(first: ${most.projects}, filter: $project) @include(if: $hasProject)`, ProjectChoice).optional(),
})

const OwnedLabel = AssignableLabel.extend({ archived_at: Timestamp, team: TeamRef.optional() })

const Workspace = z.object({
  viewer: Assignee,
  teams: nodes(`teams(first: ${most.teams}, includeArchived: true, filter: $team)`, BatchTeam),
  labels: nodes(
    `issueLabels(first: ${most.labels}, filter: $labels, includeArchived: true) @include(if: $hasLabels)`,
    OwnedLabel,
  ).optional(),
  people: nodes(`users(first: ${most.people}, filter: $assignee, includeDisabled: true) @include(if: $hasAssignee)`, Assignee).optional(),
  projects: nodes(
    `projects(first: ${most.people}, filter: $project, includeArchived: true) @include(if: $hasProject)`,
    ProjectChoice,
  ).optional(),
})
/** Everything that a batch's rows refer to. */
export type BatchWorkspace = z.output<typeof Workspace>
export type BatchTeam = BatchWorkspace['teams'][number]

/** Everything that new issues refer to, and open issues with the same titles. */
export const newIssuesLookup = query(
  'NewIssuesReferences',
  { team: 'TeamFilter!', parent: 'IssueFilter', twin: 'IssueFilter!', ...batchVariables },
  {
    ...Workspace.shape,
    twins: nodes('issues(first: 50, filter: $twin)', IssueRef.extend({ team: z.object({ id: Text }) })),
    parents: nodes(
      'issues(first: 50, filter: $parent, includeArchived: true) @include(if: $hasParent)',
      IssueRef.extend({ archived_at: Timestamp }),
    ).optional(),
  },
)

const Id = z.object({ id: Text })
const inGroups = nodes(`labels(first: ${most.grouped}, filter: { parent: { name: { neq: "" } } })`, AssignableLabel)

const Target = IssueRef.extend({
  archived_at: Timestamp,
  description: field('description @include(if: $text)', OptionalText),
  priority: VendorPriority,
  estimate: z.number().optional(),
  due_date: OptionalText,
  assignee: Id.optional(),
  delegate: Id.optional(),
  project: Id.optional(),
  cycle: Id.optional(),
  team: TeamRef,
  label_ids: z.array(Text).default([]),
  labels: inGroups.default([]),
})
/** An issue before a change. */
export type BatchTarget = z.output<typeof Target>

/** A batch's issues, and everything that changes to them refer to. */
export const issuesLookup = query(
  'IssuesReferences',
  { issue: 'IssueFilter!', team: 'TeamFilter!', text: 'Boolean!', ...batchVariables },
  { ...Workspace.shape, issues: nodes('issues(first: 50, filter: $issue, includeArchived: true)', Target) },
)

export async function lookUpNewIssues(linear: LinearCall, rows: readonly NewIssueReferences[]) {
  const parents = rows.flatMap(({ parent_issue: parent }) => parent ?? [])
  const twins = rows.map((row) => ({ title: { eqIgnoreCase: row.title.trim() }, team: teamFilter(...readingsOf(row.team)) }))
  const team = teamFilter(...distinct(rows.map(({ team }) => team)).flatMap(readingsOf))
  const found = await linear.send(newIssuesLookup, {
    ...variablesOf(rows, team),
    team,
    parent: parents.length === 0 ? undefined : { or: distinct(parents).map(issueFilter) },
    twin: { or: twins, state: { type: { nin: [...closedTypes] } } },
  })
  return checkLimits(found)
}

interface ChangeRow extends IssueReferences {
  /** The issue, by identifier or id. */
  readonly id: string
  /** True if the description is needed. */
  readonly text: boolean
}

export async function lookUpIssues(linear: LinearCall, rows: readonly ChangeRow[]) {
  const ids = rows.map(({ id }) => issueId(id))
  const keys = distinct(ids.flatMap((id) => issueIdentifier.exec(id)?.[1] ?? []))
  const uuids = ids.filter(isUuid)
  const byId = uuids.length === 0 ? [] : [{ issues: { some: { id: { in: uuids } } } }]
  const team: Linear.TeamFilter = { or: [...keys.map((key) => ({ key: { eqIgnoreCase: key } })), ...byId] }
  const text = rows.some((row) => row.text)
  return checkLimits(await linear.send(issuesLookup, { ...variablesOf(rows, team), team, text, issue: { or: ids.map(issueFilter) } }))
}

/** Labels come only from the workspace and the rows' teams, because many teams may have labels with the same name. */
function variablesOf(rows: readonly IssueReferences[], team: Linear.TeamFilter): Variables<typeof batchVariables> {
  const all = (references: readonly (string | undefined)[]) => distinct(references.flatMap((each) => each ?? []))
  const people = all(rows.map(({ assignee }) => assignee))
  const labels = all(rows.flatMap((row) => [...(row.labels_to_add ?? []), ...(row.labels_to_remove ?? [])]))
  const projects = all(rows.map(({ project }) => project))
  const cycles = all(rows.map(({ cycle }) => cycle))
  return {
    hasState: rows.some(({ state }) => state !== undefined),
    assignee: people.length === 0 ? undefined : userFilter(...people.flatMap(readingsOf)),
    labels:
      labels.length === 0 ? undefined : { and: [labelFilter(...labels.flatMap(readingsOf)), { or: [{ team: { null: true } }, { team }] }] },
    project: projects.length === 0 ? undefined : projectFilter(...projects.flatMap(readingsOf)),
    cycle: cycles.length === 0 ? undefined : { or: cycles.map(cycleFilter) },
  }
}

const distinct = (texts: readonly string[]) => [...new Set(texts)]

/** Throws `TooLarge` if Linear may have more records than requested. */
function checkLimits<Found extends BatchWorkspace>(found: Found): Found {
  const { teams, people = [], labels = [], projects = [] } = found
  const sizes = {
    teams: teams.length >= most.teams,
    people: [people, ...teams.map(({ assignee = [] }) => assignee)].some(({ length }) => length >= most.people),
    labels: labels.length >= most.labels,
    projects: projects.length >= most.people || teams.some(({ project = [] }) => project.length >= most.projects),
    cycles: teams.some(({ cycle = [] }) => cycle.length >= most.cycles),
  }
  const kinds = Object.entries(sizes).flatMap(([kind, isFull]) => (isFull ? [kind] : []))
  if (kinds.length === 0) return found
  throw new TooLarge(
    `The rows name too many different ${kinds.join(' and ')} for one batch; nothing was written. Make several smaller ones.`,
  )
}

/** True if an issue may have labels from more groups than were read. */
export const hasUnreadGroups = ({ labels }: BatchTarget) => labels.length >= most.grouped
