import type { LinearDocument as Linear } from '@linear/sdk'
import { TooLarge } from '@mcp-toolkits/core'
import { spellingsOf } from '@mcp-toolkits/core/printable'
import * as z from 'zod'
import type { LinearCall } from './client.ts'
import { type Declarations, field, nodes, query, type Variables } from './document.ts'
import { Cycle, Issue, IssueRef, Member, NamedRef, ProjectRef, State, TeamRef, Timestamp } from './records.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Linear's slugs end a URL, after the name: `billing-rewrite-1a2b3c4d5e6f`. */
const slug = /^(?:[^/\s]*-)?([0-9a-f]{12})$/i
const issuePage = /^(?:https?:\/\/)?linear\.app\/[^/\s]+\/issue\/([a-z][a-z0-9]*-\d+)(?![^/?#])/i
const projectPage = /^(?:https?:\/\/)?linear\.app\/[^/\s]+\/project\/([^/?#\s]+)/i
const initiativePage = /^(?:https?:\/\/)?linear\.app\/[^/\s]+\/initiative\/([^/?#\s]+)/i
const cycleNumber = /^(?:cycle\s*)?(\d+)$/i

/** Whether a text is a UUID; Linear may refuse others where it compares ids. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/** A reference without surrounding space, and with composed accents. */
export function normalize(reference: string): string {
  return reference.trim().normalize('NFC')
}

/** The slug that a text is or ends with; undefined for a UUID, whose end looks like a slug. */
export function slugIn(text: string): string | undefined {
  return isUuid(text) ? undefined : slug.exec(text)?.[1]
}

/** The identifier or id of an issue, also from the URL of its page. */
export function issueId(reference: string): string {
  const text = normalize(reference)
  return issuePage.exec(text)?.[1] ?? text
}

/** The slug or id of a project, also from the URL of its page or the end of one; any other text as it is. */
export function projectId(reference: string): string {
  return slugOnPage(projectPage, reference)
}

/** The slug or id of an initiative, also from the URL of its page or the end of one; any other text as it is. */
export function initiativeId(reference: string): string {
  return slugOnPage(initiativePage, reference)
}

function slugOnPage(page: RegExp, reference: string): string {
  const text = normalize(reference)
  const last = page.exec(text)?.[1] ?? text
  return slugIn(last) ?? last
}

/** The number of a cycle, where a reference is one. */
export function cycleNumberIn(reference: string): string | undefined {
  return cycleNumber.exec(normalize(reference))?.[1]
}

/** By name, as the caller wrote it or as we printed it. */
const byName = (text: string) => spellingsOf(text).map((name) => ({ name: { eqIgnoreCase: name } }))

/** Records of a name; the filter of every lookup by name alone. */
export function nameFilter(text: string) {
  const [only = {}, ...others] = byName(text)
  return others.length === 0 ? only : { or: [only, ...others] }
}

const byId = (text: string) => (isUuid(text) ? [{ id: { eq: text } }] : [])

/** A team by key, name or id. */
export function teamFilter(reference: string): Linear.TeamFilter {
  const text = normalize(reference)
  return { or: [{ key: { eqIgnoreCase: text } }, ...byName(text), ...byId(text)] }
}

/** An active person, no app, by e-mail address, name, display name or id; `@me` is the caller. */
export function userFilter(reference: string): Linear.UserFilter {
  const text = normalize(reference)
  if (text.toLowerCase() === '@me') return { isMe: { eq: true } }
  const displayNames = spellingsOf(text).map((name) => ({ displayName: { eqIgnoreCase: name } }))
  const names = [{ email: { eqIgnoreCase: text } }, ...byName(text), ...displayNames]
  return { active: { eq: true }, app: { eq: false }, or: [...names, ...byId(text)] }
}

/** A workflow state by name or id. */
export function stateFilter(reference: string): Linear.WorkflowStateFilter {
  const text = normalize(reference)
  return { or: [...byName(text), ...byId(text)] }
}

/** A label by name or id; `group/child`, `group: child` and `group → child` name one of a group. */
export function labelFilter(reference: string): Linear.IssueLabelFilter {
  const text = normalize(reference)
  const inGroup = spellingsOf(text).flatMap((spelling) =>
    [...spelling.matchAll(/[:→/]/g)].map(({ index }) => ({
      name: { eqIgnoreCase: spelling.slice(index + 1).trim() },
      parent: { name: { eqIgnoreCase: spelling.slice(0, index).trim() } },
    })),
  )
  return { isGroup: { eq: false }, or: [...byName(text), ...inGroup.slice(0, 3), ...byId(text)] }
}

/** A project by name, slug, id or URL. */
export function projectFilter(reference: string): Linear.ProjectFilter {
  const text = normalize(reference)
  return { or: [...byName(text), { slugId: { eq: projectId(text) } }, ...byId(text)] }
}

/** An initiative by name, slug, id or URL. */
export function initiativeFilter(reference: string): Linear.InitiativeFilter {
  const text = normalize(reference)
  return { or: [...byName(text), { slugId: { eq: initiativeId(text) } }, ...byId(text)] }
}

/** A cycle by number, name or id, or by `current` or `next`. */
function cycleFilter(reference: string): Linear.CycleFilter {
  const text = normalize(reference)
  const number = cycleNumberIn(text)
  if (number !== undefined) return { number: { eq: Number(number) } }
  if (text.toLowerCase() === 'current') return { isActive: { eq: true } }
  if (text.toLowerCase() === 'next') return { isNext: { eq: true } }
  return { or: [...byName(text), ...byId(text)] }
}

/** An issue by identifier, id or URL. No filter finds a former identifier; `issue(id:)` does. */
export function issueFilter(reference: string): Linear.IssueFilter {
  const id = issueId(reference)
  if (isUuid(id)) return { id: { eq: id } }
  const [, key, number] = /^([a-z][a-z0-9]*)-([1-9]\d{0,8})$/i.exec(id) ?? []
  if (key !== undefined) return { team: { key: { eqIgnoreCase: key } }, number: { eq: Number(number) } }
  // No issue has this id.
  return { id: { eq: '00000000-0000-4000-8000-000000000000' } }
}

/** Every word of `keywords` in the name. */
export function nameFilters(keywords: string | undefined): { name: { containsIgnoreCase: string } }[] {
  return words(keywords).map((word) => ({ name: { containsIgnoreCase: word } }))
}

/** Every word of `keywords` in the title or the description. */
export function keywordFilters(keywords: string | undefined): Linear.IssueFilter[] {
  return words(keywords).map((word) => ({ or: [{ title: { containsIgnoreCase: word } }, { description: { containsIgnoreCase: word } }] }))
}

/** Each word is a condition of the filter; Linear refuses queries that are too complex and documents no limit of conditions. */
const maxWords = 100
const maxKeywords = 2_000

function words(keywords = ''): string[] {
  if (keywords.length > maxKeywords) throw tooManyWords(`${keywords.length} characters; one search takes at most ${maxKeywords}`)
  const found = keywords.split(/\s+/).filter((word) => word !== '')
  if (found.length > maxWords) throw tooManyWords(`${found.length} words; one search takes at most ${maxWords}`)
  return found
}

function tooManyWords(reason: string): TooLarge {
  return new TooLarge(`"keywords" has ${reason}. Shorten it to the few words that identify what you look for; nothing was searched.`)
}

/** What a call that writes an issue refers to within the team. */
export interface IssueReferences {
  readonly assignee?: string | undefined
  readonly state?: string | undefined
  readonly project?: string | undefined
  readonly cycle?: string | undefined
  readonly labels_to_add?: readonly string[] | undefined
  readonly labels_to_remove?: readonly string[] | undefined
}

/** A label with what decides whether an issue can have it. */
export const AssignableLabel = z.object({
  id: z.string(),
  name: z.string(),
  is_group: z.boolean(),
  parent: z.object({ id: z.string(), name: z.string() }).nullish(),
})
export type AssignableLabel = z.output<typeof AssignableLabel>

const referenceVariables = {
  assignee: 'UserFilter',
  labels: 'IssueLabelFilter',
  hasState: 'Boolean!',
  project: 'ProjectFilter',
  cycle: 'CycleFilter',
} as const satisfies Declarations

/** What the references of a call match in a team. A member, label, cycle or project of the same name elsewhere does not count. */
const TeamLookup = TeamRef.extend({
  cycles_enabled: z.boolean(),
  issue_estimation_type: z.string(),
  issue_estimation_allow_zero: z.boolean(),
  issue_estimation_extended: z.boolean(),
  retired_at: Timestamp,
  archived_at: Timestamp,
  states: nodes('states(first: 50) @include(if: $hasState)', State).optional(),
  assignee: nodes('members(first: 3, filter: $assignee) @include(if: $hasAssignee)', Member).optional(),
  labels: nodes('labels(first: 80, filter: $labels) @include(if: $hasLabels)', AssignableLabel).optional(),
  cycle: nodes('cycles(first: 3, filter: $cycle) @include(if: $hasCycle)', Cycle).optional(),
  project: nodes('projects(first: 3, filter: $project) @include(if: $hasProject)', ProjectRef).optional(),
})
/** The team that the references of a call must belong to. */
export type TeamLookup = z.output<typeof TeamLookup>

/** What the references match in the workspace, so that an error can say that it exists outside the team. */
const WorkspaceLookup = z.object({
  organization: field(
    'organization @include(if: $hasLabels)',
    z.object({ labels: nodes('labels(first: 80, filter: $labels)', AssignableLabel) }),
  ).optional(),
  people: nodes('users(first: 3, filter: $assignee) @include(if: $hasAssignee)', Member).optional(),
  projects: nodes(
    'projects(first: 3, filter: $project, includeArchived: true) @include(if: $hasProject)',
    ProjectRef.extend({ archived_at: Timestamp }),
  ).optional(),
})
export type WorkspaceLookup = z.output<typeof WorkspaceLookup>

function variablesOf({ assignee, state, project, cycle, ...references }: IssueReferences): Variables<typeof referenceVariables> {
  const labels = [...(references.labels_to_add ?? []), ...(references.labels_to_remove ?? [])]
  return {
    assignee: assignee === undefined ? undefined : userFilter(assignee),
    // Groups are looked up too, so that an error can say what they are.
    labels: labels.length === 0 ? undefined : { or: labels.flatMap((label) => labelFilter(label).or ?? []) },
    hasState: state !== undefined,
    project: project === undefined ? undefined : projectFilter(project),
    cycle: cycle === undefined ? undefined : cycleFilter(cycle),
  }
}

/** All that a new issue refers to, and every team: if the team is not found, the other names cannot be looked up. */
export const newIssueLookup = query(
  'NewIssueReferences',
  { team: 'TeamFilter!', parent: 'IssueFilter', ...referenceVariables },
  {
    ...WorkspaceLookup.shape,
    team: nodes('teams(first: 3, filter: $team, includeArchived: true)', TeamLookup),
    teams: nodes('teams(first: 250)', TeamRef),
    parent: nodes('issues(first: 2, filter: $parent, includeArchived: true) @include(if: $hasParent)', IssueRef).optional(),
  },
)

export interface NewIssueReferences extends IssueReferences {
  readonly team: string
  readonly parent_issue?: string | undefined
}

export async function lookUpNewIssue(linear: LinearCall, { team, parent_issue: parent, ...references }: NewIssueReferences) {
  const filters = { team: teamFilter(team), parent: parent === undefined ? undefined : issueFilter(parent) }
  return linear.run(newIssueLookup, { ...variablesOf(references), ...filters })
}

/** The issue, and all that a change of it refers to. */
export const issueLookup = query(
  'IssueReferences',
  { id: 'String!', url: 'String', ...referenceVariables },
  {
    ...WorkspaceLookup.shape,
    issue: field(
      'issue(id: $id)',
      Issue.extend({
        present: nodes('labels(first: 50, includeArchived: true)', AssignableLabel),
        attachments: nodes(
          'attachments(first: 2, filter: { url: { eq: $url } }) @include(if: $hasUrl)',
          z.object({ id: z.string(), title: z.string(), url: z.string() }),
        ).optional(),
        team: TeamLookup,
      }),
    ),
  },
)

export async function lookUpIssue(linear: LinearCall, id: string, url: string | undefined, references: IssueReferences) {
  return linear.run(issueLookup, { id, url, ...variablesOf(references) })
}

/** The kinds with a reference that missed: all records of these kinds are requested as suggestions. */
const suggestionFlags = { allPeople: 'Boolean!', allLabels: 'Boolean!', allProjects: 'Boolean!', allCycles: 'Boolean!' } as const
export type SuggestionFlags = Variables<typeof suggestionFlags>

const assignable = 'filter: { active: { eq: true }, app: { eq: false } }'

const TeamSuggestions = z.object({
  all_people: nodes(`members(first: 250, ${assignable}) @include(if: $allPeople)`, Member).optional(),
  all_labels: nodes('labels(first: 200) @include(if: $allLabels)', AssignableLabel).optional(),
  all_cycles: nodes('cycles(first: 50) @include(if: $allCycles)', Cycle).optional(),
  all_projects: nodes('projects(first: 250) @include(if: $allProjects)', ProjectRef).optional(),
})
const allLabels = { all_labels: nodes('labels(first: 200)', AssignableLabel) }

/** Suggestions for the references of a call, from its team. */
export const teamSuggestions = query(
  'SuggestionsInTeam',
  { team: 'String!', ...suggestionFlags },
  {
    team: field('team(id: $team)', TeamSuggestions),
    organization: field('organization @include(if: $allLabels)', z.object(allLabels)).optional(),
  },
)
export type TeamSuggestions = z.output<typeof teamSuggestions.data>

/** All that a new issue refers to in a team found by an approximate name, with suggestions from that team. */
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
  return linear.run(nearTeamLookup, { ...variablesOf(references), ...flags, team })
}

/** Suggestions for references whose team is not known. */
export const workspaceSuggestions = query(
  'SuggestionsAnywhere',
  { allPeople: 'Boolean!', allLabels: 'Boolean!', allProjects: 'Boolean!', allStates: 'Boolean!' },
  {
    people: nodes(`users(first: 250, ${assignable}) @include(if: $allPeople)`, Member).optional(),
    labels: nodes('issueLabels(first: 250) @include(if: $allLabels)', AssignableLabel).optional(),
    projects: nodes('projects(first: 250, includeArchived: true) @include(if: $allProjects)', ProjectRef).optional(),
    states: nodes('workflowStates(first: 250) @include(if: $allStates)', State).optional(),
  },
)

/** Suggestions for the filters of a list, for the kinds that missed. */
export const listSuggestions = query(
  'Candidates',
  { team: 'Boolean!', state: 'Boolean!', assignee: 'Boolean!', label: 'Boolean!', project: 'Boolean!' },
  {
    team: nodes('teams(first: 250) @include(if: $team)', TeamRef).optional(),
    state: nodes('workflowStates(first: 250) @include(if: $state)', NamedRef).optional(),
    assignee: nodes('users(first: 250) @include(if: $assignee)', Member.omit({ active: true })).optional(),
    label: nodes(
      'issueLabels(first: 250, filter: { isGroup: { eq: false } }) @include(if: $label)',
      NamedRef.extend({ parent: z.object({ name: z.string() }).nullish() }),
    ).optional(),
    project: nodes('projects(first: 250) @include(if: $project)', ProjectRef).optional(),
  },
)
