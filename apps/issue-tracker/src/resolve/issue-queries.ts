import { joinWords, Message, type NextStep, quote, sentence, type ToolError } from '@mcp-toolkits/core/errors'
import type { Candidate, Explanation } from '@mcp-toolkits/core/references'
import type * as z from 'zod'
import type * as lookups from '../linear/lookups.ts'
import type { State, TeamRef } from '../linear/records.ts'
import { cyclePosition } from '../linear/references.ts'
import { inWorkflowOrder } from '../linear/teams.ts'
import { candidate, cycleCandidate, isMe, type NamedRecord, type ReferenceQuery, unassignable } from './matching.ts'

/** The scope in which a call's references are matched: the team, the workspace and the issue. */
export interface TeamScope {
  readonly team: lookups.TeamLookup
  readonly workspace: lookups.WorkspaceLookup
  /** The issue's current labels. */
  readonly present: readonly lookups.AssignableLabel[]
  /** Errors found earlier in the call. */
  readonly failures: readonly ToolError[]
  readonly canOmit: boolean
  /** True if the call can clear the issue's values. */
  readonly canClear: boolean
  /** True if an error may propose leaving the issue unassigned: only if the caller named no assignee. */
  readonly canLeaveUnassigned: boolean
  /** Suggestions for the references, if they were requested earlier. */
  readonly suggestions?: (Pick<lookups.TeamSuggestions, 'team' | 'organization'> & Partial<lookups.TeamSuggestions>) | undefined
}

export type IssueParameter = keyof lookups.IssueReferences
export const issueParameters = ['assignee', 'state', 'project', 'cycle', 'labels_to_add', 'labels_to_remove'] as const

/** A record that belongs to a different team, and that team's key. */
export interface OtherTeamRecord extends Candidate {
  readonly owner: string
}

/** Records in other teams with the name in a reference. Both lists are filled only if nothing matches. */
export interface OtherTeamMatches {
  readonly labels: OtherTeamRecord[]
  readonly states: OtherTeamRecord[]
}

type Owned = NamedRecord & { readonly team?: { readonly id: string; readonly key: string } | null | undefined }

export function otherTeamRecords(record: Owned, team: { readonly id: string }): OtherTeamRecord[] {
  const { team: owner } = record
  return owner && owner.id !== team.id ? [{ ...candidate(record), owner: owner.key }] : []
}

function explainOtherTeam(kind: string, { key }: { readonly key: string }, all: readonly OtherTeamRecord[]) {
  return ({ name }: Candidate, namesake?: Candidate): Explanation => {
    const owners = [...new Set(all.filter((each) => each.name === name).map(({ owner }) => owner))]
    const own = namesake ? `has its own, ${quote(namesake.name)}` : 'has none by that name'
    return { message: `${quote(name)} is a ${kind} of team ${joinWords(owners)}, and team ${key} ${own}.` }
  }
}

/** The query for each reference in a call. */
export function queriesIn(
  references: lookups.IssueReferences,
  scope: TeamScope & { readonly labels: readonly lookups.AssignableLabel[]; readonly elsewhere: OtherTeamMatches },
): Readonly<Record<IssueParameter, ReferenceQuery>> {
  const { team, workspace, present, labels, elsewhere } = scope
  const currentLabels = new Set(present.map(({ id }) => id))
  const retired = labels.filter(({ id, retired_at: retiredAt }) => retiredAt !== undefined && !currentLabels.has(id))
  const inTeam = { team: team.key }
  return {
    assignee: assigneeQuery(references.assignee, scope),
    state: stateQuery(references.state, { ...team, states: team.states ?? [] }, elsewhere.states),
    project: {
      kind: 'project',
      reference: references.project,
      found: (team.project ?? []).map(candidate),
      ineligible: { candidates: (workspace.projects ?? []).map(candidate), explain: (project) => notInTeam(project, team, workspace) },
      noRecord: leaveOut('project'),
      listTool: { tool: 'IssueTracker.ListProjects', arguments: inTeam },
    },
    cycle: cycleQuery(references.cycle, team),
    labels_to_add: labelQuery(references.labels_to_add, labels, { team, elsewhere: elsewhere.labels, retired }),
    labels_to_remove: {
      ...labelQuery(references.labels_to_remove, [...present, ...labels], { team, elsewhere: elsewhere.labels }),
      isPreferred: ({ id }) => currentLabels.has(id),
    },
  }
}

export function stateQuery(
  reference: string | undefined,
  team: z.output<typeof TeamRef> & { readonly states: readonly z.output<typeof State>[] },
  elsewhere: readonly OtherTeamRecord[],
): ReferenceQuery {
  return {
    kind: 'workflow state',
    reference,
    found: inWorkflowOrder(team.states).map(candidate),
    isComplete: true,
    ineligible: { candidates: elsewhere, explain: explainOtherTeam('state', team, elsewhere) },
    listTool: { tool: 'IssueTracker.ListWorkflowStates', arguments: { team: team.key } },
  }
}

function assigneeQuery(reference: string | undefined, scope: TeamScope): ReferenceQuery {
  const { team, workspace } = scope
  const people = workspace.people ?? []
  const [me] = isMe(reference) ? people : []
  const members = (team.assignee ?? []).filter(({ active }) => active)
  return {
    kind: 'person',
    reference: me?.id ?? reference,
    found: members.map(candidate),
    ineligible: {
      candidates: people.map(candidate),
      explain: ({ id }) =>
        notAMember(
          people.find((person) => person.id === id),
          { ...scope, isCaller: me !== undefined },
        ),
    },
    noRecord: { message: 'This names no person. To leave the issue unassigned, pass "none".', next: { change: { assignee: 'none' } } },
    listTool: membersOf(team),
  }
}

function membersOf({ key }: lookups.TeamLookup): NextStep {
  return { tool: 'IssueTracker.GetTeam', arguments: { value: key, lookup_by: 'key' } }
}

function notAMember(
  person: lookups.Assignee | undefined,
  { team, isCaller, canLeaveUnassigned }: Pick<TeamScope, 'team' | 'canLeaveUnassigned'> & { readonly isCaller: boolean },
): Explanation {
  const name = quote(person?.name ?? '')
  if (isCaller) {
    const message = `"@me" is ${name}, who is not a member of team ${team.key}. Name a member as assignee${canLeaveUnassigned ? ', or "none" to leave the issue unassigned' : ''}.`
    return { message, next: canLeaveUnassigned ? { change: { assignee: 'none' } } : membersOf(team) }
  }
  const message =
    person?.active === false
      ? unassignable(person)
      : `${name} is not a member of team ${team.key}, so the issue cannot be assigned to ${person?.app === true ? 'it' : 'them'}.`
  return { message, next: membersOf(team) }
}

function notInTeam({ id, name }: Candidate, { key }: lookups.TeamLookup, { projects = [] }: lookups.WorkspaceLookup): Explanation {
  const archived = projects.find((project) => project.id === id && project.archived_at)
  if (archived)
    return {
      message: `Project ${quote(name)} is ${archived.trashed === true ? 'in the trash' : 'archived'} and accepts no issues until a person restores it in Linear. Choose another project.`,
    }
  return {
    message: Message.of(
      `Team ${key} is not part of project ${quote(name)}.`,
      sentence`Choose another project, or first add the team with ${{ tool: 'IssueTracker.UpdateProject' }} (teams_to_add).`,
    ),
    // Adding the team is not the next step: the caller did not ask for it.
    next: { tool: 'IssueTracker.ListProjects', arguments: { team: key } },
  }
}

function cycleQuery(reference: string | undefined, team: lookups.TeamLookup): ReferenceQuery {
  const position = reference === undefined ? undefined : cyclePosition(reference)
  return {
    kind: 'cycle',
    reference: team.cycles_enabled ? reference : undefined,
    found: (team.cycle ?? []).map(cycleCandidate),
    noRecord: leaveOut('cycle'),
    listTool: { tool: 'IssueTracker.ListCycles', arguments: { team: team.key } },
    notFound: position === undefined ? undefined : { message: `Team ${team.key} has no ${position} cycle.` },
  }
}

const leaveOut = (parameter: string): Explanation => ({
  message: `For an issue without one, omit "${parameter}".`,
  next: { change: { [parameter]: null } },
})

/** Labels that an issue can have: all except groups. */
export function assignable(labels: readonly lookups.AssignableLabel[]): Candidate[] {
  return labels.filter((label) => !label.is_group).map(candidate)
}

interface LabelOwners {
  /** Labels that can no longer be added to issues. */
  readonly retired?: readonly lookups.AssignableLabel[]
  readonly team: lookups.TeamLookup
  readonly elsewhere: OtherTeamRecord[]
}

export function labelQuery(
  reference: readonly string[] | undefined,
  labels: readonly lookups.AssignableLabel[],
  owners?: LabelOwners,
): ReferenceQuery {
  const { team, elsewhere = [], retired = [] } = owners ?? {}
  elsewhere.push(...[...labels.filter((label) => label.is_group), ...retired].map((label) => ({ ...candidate(label), owner: '' })))
  const explainOther = team && explainOtherTeam('label', team, elsewhere)
  return {
    kind: 'label',
    // Labels whose name other teams also use are shown as `name (KEY)`.
    reference: reference?.map((label) =>
      team && label.toLowerCase().endsWith(` (${team.key.toLowerCase()})`) ? label.slice(0, label.lastIndexOf('(')).trim() : label,
    ),
    found: assignable(labels.filter((label) => !retired.includes(label))),
    ineligible: {
      candidates: elsewhere,
      explain: (found, namesake) => {
        if (retired.some(({ id }) => id === found.id))
          return { message: `Label ${quote(found.name)} is retired and cannot be added to issues. Choose another label.` }
        const group = labels.find(({ id }) => id === found.id)
        return group || !explainOther ? isGroupOfLabels(found, labels) : explainOther(found, namesake)
      },
    },
    listTool: { tool: 'IssueTracker.ListLabels', arguments: { limit: 100 } },
  }
}

function isGroupOfLabels({ id, name }: Candidate, labels: readonly lookups.AssignableLabel[]): Explanation {
  const children = [...new Set(labels.filter(({ parent }) => parent?.id === id).map((label) => quote(label.name)))]
  const hint = children.length === 0 ? 'Name that label.' : `Name one of ${children.join(', ')}.`
  return { message: `${quote(name)} is a label group, and an issue can only have one of its labels. ${hint}` }
}
