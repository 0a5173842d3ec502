import * as z from 'zod'
import type { LinearCall } from './client.ts'
import { type Declarations, field, nodes, query, type Variables } from './document.ts'
import {
  ArchivableTeam,
  closedTypes,
  Cycle,
  Flag,
  Issue,
  IssueRef,
  Member,
  NamedRef,
  ProjectChoice,
  State,
  TeamChoice,
  TeamRef,
  Text,
  Timestamp,
} from './records.ts'
import { cycleFilter, issueFilter, labelFilter, projectFilter, readingsOf, stateFilter, teamFilter, userFilter } from './references.ts'

/** References to records in the issue's team, in a call that writes an issue. */
export interface IssueReferences {
  readonly assignee?: string | undefined
  readonly state?: string | undefined
  readonly project?: string | undefined
  readonly cycle?: string | undefined
  readonly labels_to_add?: readonly string[] | undefined
  readonly labels_to_remove?: readonly string[] | undefined
}

/** A label with the facts that decide whether an issue can have it. */
export const AssignableLabel = z.object({
  id: Text,
  name: Text,
  is_group: Flag,
  retired_at: Timestamp,
  parent: z.object({ id: Text, name: Text }).optional(),
})
export type AssignableLabel = z.output<typeof AssignableLabel>

/** A person or app, with the facts that decide whether work can be assigned to it. */
export const Assignee = Member.extend({ app: Flag })
export type Assignee = z.output<typeof Assignee>

/** True if someone can lead a project: active people can, apps cannot. */
export function canLead({ active, app }: Assignee): boolean {
  return active && !app
}

const referenceVariables = {
  assignee: 'UserFilter',
  labels: 'IssueLabelFilter',
  hasState: 'Boolean!',
  project: 'ProjectFilter',
  cycle: 'CycleFilter',
} as const satisfies Declarations

/** A team, with the settings that determine valid values for its issues. */
export const TeamSettings = ArchivableTeam.extend({
  cycles_enabled: z.boolean(),
  issue_estimation_type: Text,
  issue_estimation_allow_zero: z.boolean(),
  issue_estimation_extended: z.boolean(),
})

/**
 * Records in a team that match a call's references. A member, label, cycle or project with the same name outside the team does not count.
 */
const TeamLookup = TeamSettings.extend({
  states: nodes('states(first: 50) @include(if: $hasState)', State).optional(),
  assignee: nodes('members(first: 5, filter: $assignee) @include(if: $hasAssignee)', Assignee).optional(),
  labels: nodes('labels(first: 80, filter: $labels) @include(if: $hasLabels)', AssignableLabel).optional(),
  cycle: nodes('cycles(first: 3, filter: $cycle) @include(if: $hasCycle)', Cycle).optional(),
  project: nodes('projects(first: 3, filter: $project) @include(if: $hasProject)', ProjectChoice).optional(),
})
/** The team that a call's references must belong to. */
export type TeamLookup = z.output<typeof TeamLookup>

/** Matches in the whole workspace, so that an error can say that something exists outside the team. */
const WorkspaceLookup = z.object({
  organization: field(
    'organization @include(if: $hasLabels)',
    z.object({ labels: nodes('labels(first: 80, filter: $labels)', AssignableLabel) }),
  ).optional(),
  people: nodes('users(first: 5, filter: $assignee, includeDisabled: true) @include(if: $hasAssignee)', Assignee).optional(),
  projects: nodes('projects(first: 3, filter: $project, includeArchived: true) @include(if: $hasProject)', ProjectChoice).optional(),
})
export type WorkspaceLookup = z.output<typeof WorkspaceLookup>

function variablesOf({ assignee, state, project, cycle, ...references }: IssueReferences): Variables<typeof referenceVariables> {
  const labels = [...(references.labels_to_add ?? []), ...(references.labels_to_remove ?? [])]
  return {
    assignee: assignee === undefined ? undefined : userFilter(...readingsOf(assignee)),
    // Groups are looked up too, so that an error can name them as groups.
    labels: labels.length === 0 ? undefined : labelFilter(...labels.flatMap(readingsOf)),
    hasState: state !== undefined,
    project: project === undefined ? undefined : projectFilter(...readingsOf(project)),
    cycle: cycle === undefined ? undefined : cycleFilter(cycle),
  }
}

/**
 * Everything that a new issue refers to, and open issues with its title. Lists all teams too, because an unknown team leaves the other
 * names unresolved.
 */
export const newIssueLookup = query(
  'NewIssueReferences',
  { team: 'TeamFilter!', parent: 'IssueFilter', twin: 'IssueFilter!', ...referenceVariables },
  {
    ...WorkspaceLookup.shape,
    team: nodes('teams(first: 3, filter: $team, includeArchived: true)', TeamLookup),
    teams: nodes('teams(first: 250)', TeamRef),
    twins: nodes('issues(first: 2, filter: $twin)', IssueRef),
    parent: nodes(
      'issues(first: 2, filter: $parent, includeArchived: true) @include(if: $hasParent)',
      IssueRef.extend({ archived_at: Timestamp }),
    ).optional(),
  },
)

export interface NewIssueReferences extends IssueReferences {
  readonly team: string
  readonly title: string
  readonly parent_issue?: string | undefined
}

export async function lookUpNewIssue(
  linear: LinearCall,
  { team: reference, title, parent_issue: parent, ...references }: NewIssueReferences,
) {
  const team = teamFilter(...readingsOf(reference))
  const twin = { title: { eqIgnoreCase: title.trim() }, team, state: { type: { nin: [...closedTypes] } } }
  const filters = { team, twin, parent: parent === undefined ? undefined : issueFilter(parent) }
  return linear.send(newIssueLookup, { ...variablesOf(references), ...filters })
}

/** The issue, and everything that a change to it refers to. */
export const issueLookup = query(
  'IssueReferences',
  { id: 'String!', url: 'String', text: 'Boolean!', ...referenceVariables },
  {
    ...WorkspaceLookup.shape,
    issue: field(
      'issue(id: $id)',
      Issue.extend({
        description: field('description @include(if: $text)', Text.optional()),
        present: nodes('labels(first: 50, includeArchived: true)', AssignableLabel),
        attachments: nodes(
          'attachments(first: 2, filter: { url: { eq: $url } }) @include(if: $hasUrl)',
          z.object({ id: Text, title: Text, url: Text }),
        ).optional(),
        team: TeamLookup,
      }),
    ),
  },
)

interface IssueParts extends IssueReferences {
  readonly attachment_url?: string | undefined
  /** True if the description is needed. */
  readonly text: boolean
}

export async function lookUpIssue(linear: LinearCall, id: string, { attachment_url: url, text, ...references }: IssueParts) {
  return linear.send(issueLookup, { id, url, text, ...variablesOf(references) })
}

/** The kinds for which a reference did not match; all their records are requested as suggestions. */
const suggestionFlags = { allPeople: 'Boolean!', allLabels: 'Boolean!', allProjects: 'Boolean!', allCycles: 'Boolean!' } as const
export type SuggestionFlags = Variables<typeof suggestionFlags>

const active = 'filter: { active: { eq: true } }'

const TeamSuggestions = z.object({
  all_people: nodes(`members(first: 250, ${active}) @include(if: $allPeople)`, Assignee).optional(),
  all_labels: nodes('labels(first: 200) @include(if: $allLabels)', AssignableLabel).optional(),
  all_cycles: nodes('cycles(first: 50) @include(if: $allCycles)', Cycle).optional(),
  all_projects: nodes('projects(first: 250) @include(if: $allProjects)', ProjectChoice).optional(),
})
/** A label with the team that it belongs to; a workspace label has no team. */
const OwnedLabel = AssignableLabel.extend({ team: TeamRef.optional() })
const allLabels = { all_labels: nodes('labels(first: 200)', AssignableLabel) }

/** Suggestions for a call's references from its team, and other teams' records with the same names. */
export const teamSuggestions = query(
  'SuggestionsInTeam',
  { team: 'String!', labels: 'IssueLabelFilter', state: 'WorkflowStateFilter', ...suggestionFlags },
  {
    labels_elsewhere: nodes('issueLabels(first: 20, filter: $labels) @include(if: $hasLabels)', OwnedLabel).optional(),
    states_elsewhere: nodes(
      'workflowStates(first: 20, filter: $state) @include(if: $hasState)',
      State.extend({ team: TeamRef }),
    ).optional(),
    team: field('team(id: $team)', TeamSuggestions),
    organization: field('organization @include(if: $allLabels)', z.object(allLabels)).optional(),
  },
)
export type TeamSuggestions = z.output<typeof teamSuggestions.data>

export async function suggestInTeam(
  linear: LinearCall,
  team: string,
  references: IssueReferences,
  flags: SuggestionFlags = { allPeople: false, allLabels: false, allProjects: false, allCycles: false },
) {
  const { labels } = variablesOf(references)
  const state = references.state === undefined ? undefined : stateFilter(...readingsOf(references.state))
  return linear.send(teamSuggestions, { team, ...flags, labels, state })
}

/** Everything that a new issue refers to in a team found by an approximate name, with suggestions from that team. */
export const nearTeamLookup = query(
  'NearTeamReferences',
  { team: 'String!', ...suggestionFlags, ...referenceVariables },
  {
    ...WorkspaceLookup.shape,
    team: field('team(id: $team)', TeamLookup.extend(TeamSuggestions.shape)),
    organization: field(
      'organization @include(if: $hasLabels)',
      z.object({ labels: nodes('labels(first: 80, filter: $labels)', AssignableLabel), ...allLabels }),
    ).optional(),
  },
)

export async function lookUpInNearTeam(linear: LinearCall, team: string, references: IssueReferences, flags: SuggestionFlags) {
  return linear.send(nearTeamLookup, { ...variablesOf(references), ...flags, team })
}

/** Suggestions for references whose team is unknown. */
export const workspaceSuggestions = query(
  'SuggestionsAnywhere',
  { allPeople: 'Boolean!', allLabels: 'Boolean!', allProjects: 'Boolean!', allStates: 'Boolean!' },
  {
    people: nodes(`users(first: 250, ${active}) @include(if: $allPeople)`, Member).optional(),
    labels: nodes('issueLabels(first: 250) @include(if: $allLabels)', AssignableLabel).optional(),
    projects: nodes('projects(first: 250, includeArchived: true) @include(if: $allProjects)', ProjectChoice).optional(),
    states: nodes('workflowStates(first: 250) @include(if: $allStates)', State).optional(),
  },
)

/** Suggestions for a list's filters that did not match. */
export const listSuggestions = query(
  'Candidates',
  { team: 'Boolean!', state: 'Boolean!', assignee: 'Boolean!', label: 'Boolean!', project: 'Boolean!' },
  {
    team: nodes('teams(first: 250) @include(if: $team)', TeamChoice).optional(),
    state: nodes('workflowStates(first: 250) @include(if: $state)', State).optional(),
    assignee: nodes('users(first: 250, includeDisabled: true) @include(if: $assignee)', Member.omit({ active: true })).optional(),
    label: nodes(
      'issueLabels(first: 250, filter: { isGroup: { eq: false } }) @include(if: $label)',
      NamedRef.extend({ parent: z.object({ name: Text }).optional() }),
    ).optional(),
    project: nodes('projects(first: 250) @include(if: $project)', ProjectChoice).optional(),
  },
)
