import { InvalidInput, NotFound, ToolError } from '@mcp-toolkits/core'
import { ErrorCollector, type Candidate, type Explanation, throwCombined } from '@mcp-toolkits/core/matching'
import { Message, sentence } from '@mcp-toolkits/core/message'
import type * as z from 'zod'
import type { LinearCall } from '../linear/client.ts'
import * as lookups from '../linear/lookups.ts'
import { inWorkflowOrder } from '../linear/teams.ts'
import { checkCycles, checkDisjoint, checkEstimate, checkGroups, checkOpen } from './issue-rules.ts'
import {
  candidate,
  cycleCandidate,
  isMe,
  type ReferenceKind,
  matchReferences,
  type NamedRecord,
  onlyOne,
  type ReferenceQuery,
} from './matching.ts'
import { findMovedIssue, issueRef, notFound } from './not-found.ts'
import { quote } from '@mcp-toolkits/core/text'

interface IssueArguments extends lookups.IssueReferences {
  readonly estimate?: number | undefined
  readonly auto_accept_matches: boolean
}

interface NewIssueArguments extends IssueArguments, lookups.NewIssueReferences {}

interface IssueChangeArguments extends IssueArguments {
  /** The issue, by identifier or id. */
  readonly id: string
  readonly attachment_url?: string | undefined
  /** Whether the call changes anything besides estimate and cycle. */
  readonly canOmit: boolean
}

/** Resolves the references of calls that write issues. Everything is checked before anything is written. */
export function issueResolver(linear: LinearCall) {
  return {
    /**
     * The ids for a new issue. One request; one more when a reference misses. All errors are thrown as one.
     */
    async newIssue(references: NewIssueArguments) {
      const found = await lookups.lookUpNewIssue(linear, references)
      const { parent_issue: parent } = references
      const parentId = found.parent?.[0]?.id
      const failures = parent !== undefined && parentId === undefined ? [notFound(issueRef(parent), 'parent_issue')] : []
      const teamId = await matchTeam(references, found).catch(async (error: unknown) => {
        if (!(error instanceof ToolError)) throw error
        return reportWithoutTeam(linear, references, [error, ...failures])
      })
      const scope = await scopeOf(linear, references, found, teamId)
      const matched = await matchInTeam(linear, references, scope).catch((error: unknown) => {
        if (error instanceof ToolError) throwCombined([error, ...failures])
        throw error
      })
      const { assigneeId, stateId, projectId, cycleId, addedLabelIds: labelIds } = matched
      const ids = { teamId, assigneeId, stateId, projectId, cycleId, labelIds }
      if (parent === undefined || parentId !== undefined) return { ...ids, parentId }
      // Only when everything else is valid, so that a miss costs one request, not two.
      const moved = await findMovedIssue(linear, parent)
      if (!moved) throwCombined(failures)
      return { ...ids, parentId: moved?.id }
    },

    /**
     * The ids for a change of an issue, its current record, and its attachment with the URL. One request; one more when a reference
     * misses. All errors are thrown as one.
     */
    async issueChange(change: IssueChangeArguments) {
      const found = await lookups.lookUpIssue(linear, change.id, change.attachment_url, change).catch(async (error: unknown) => {
        if (!(error instanceof NotFound)) throw error
        return reportWithoutTeam(linear, change, [notFound(issueRef(change.id))])
      })
      const { issue: foundIssue, ...workspace } = found
      const { present, attachments, team, ...issue } = foundIssue
      const ids = await matchInTeam(linear, change, { team, workspace, present, failures: [], canOmit: change.canOmit })
      return { ids, issue: { ...issue, team: { id: team.id, key: team.key, name: team.name } }, existingAttachment: attachments?.[0] }
    },
  }
}

/** The ids for a change of an issue. */
export type IssueChangeIds = Awaited<ReturnType<typeof matchInTeam>>

type NewIssueLookup = z.output<typeof lookups.newIssueLookup.data>

/** The id of the team; an archived team matches only if no other does. */
async function matchTeam({ team, auto_accept_matches: autoAccept }: NewIssueArguments, found: NewIssueLookup): Promise<string> {
  const archived = new Set(found.team.filter((one) => one.archived_at).map(({ id }) => id))
  const query: ReferenceQuery = {
    kind: 'team',
    reference: team,
    found: (found.team.length > 0 ? found.team : found.teams).map(candidate),
    isPreferred: ({ id }) => !archived.has(id),
  }
  const matches = await matchReferences({ team: query }, { autoAccept })
  return onlyOne(matches('team')).id
}

/** Where the references of a call are looked up: the team, its workspace, and the issue. */
interface TeamScope {
  readonly team: lookups.TeamLookup
  readonly workspace: lookups.WorkspaceLookup
  /** The labels that the issue has now. */
  readonly present: readonly lookups.AssignableLabel[]
  /** Errors of the call that were found earlier. */
  readonly failures: readonly ToolError[]
  readonly canOmit: boolean
  /** Suggestions for the references, if they were requested earlier. */
  readonly suggestions?: lookups.TeamSuggestions | undefined
}

/** The scope of a new issue. A team found by an approximate name costs one request, which also returns suggestions. */
async function scopeOf(linear: LinearCall, references: NewIssueArguments, found: NewIssueLookup, teamId: string): Promise<TeamScope> {
  const team = found.team.find(({ id }) => id === teamId)
  const near = team ? undefined : await lookups.lookUpInNearTeam(linear, teamId, references, flagsOf(references))
  const collector = new ErrorCollector()
  const scope = near?.team ?? team
  if (!scope) throw new NotFound('The team was removed during the lookup. Repeat the call.')
  collector.collect(() => {
    checkOpen(scope)
  })
  return { team: scope, workspace: near ?? found, present: [], failures: collector.failures, canOmit: true, suggestions: near }
}

/** The kinds that a call refers to, for which suggestions are requested. */
function flagsOf(references: lookups.IssueReferences): lookups.SuggestionFlags {
  const { assignee, project, cycle, labels_to_add: added, labels_to_remove: removed } = references
  return {
    allPeople: assignee !== undefined,
    allLabels: added !== undefined || removed !== undefined,
    allProjects: project !== undefined,
    allCycles: cycle !== undefined,
  }
}

/** The ids behind the references of a call whose team is known; undefined for what it does not refer to. A miss costs one request. */
async function matchInTeam(linear: LinearCall, references: IssueArguments, scope: TeamScope) {
  const { team, workspace, present } = scope
  const labels = [...(team.labels ?? []), ...(workspace.organization?.labels ?? [])]
  const matches = await matchReferences(queriesIn(references, scope, labels), {
    autoAccept: references.auto_accept_matches,
    failures: [...scope.failures, ...teamRuleErrors(references, scope)],
    async suggest(missed) {
      if (missed.size === 1 && missed.has('workflow state')) return {}
      const flags = {
        allPeople: missed.has('person'),
        allLabels: missed.has('label'),
        allProjects: missed.has('project'),
        allCycles: missed.has('cycle'),
      }
      const all = scope.suggestions ?? (await linear.run(lookups.teamSuggestions, { team: team.id, ...flags }))
      labels.push(...(all.team.all_labels ?? []), ...(all.organization?.all_labels ?? []))
      return {
        person: all.team.all_people?.map(candidate),
        project: all.team.all_projects?.map(candidate),
        cycle: all.team.all_cycles?.map(cycleCandidate),
        label: assignable(labels),
      }
    },
  })
  const idsOf = (parameter: Parameter) => matches(parameter).map(({ id }) => id)
  const [added, removed] = [idsOf('labels_to_add'), idsOf('labels_to_remove')]
  checkDisjoint('label', matches('labels_to_add'), matches('labels_to_remove'))
  const remaining = present.filter(({ id }) => !removed.includes(id))
  if (added.length > 0) checkGroups([...remaining, ...labels.filter(({ id }) => added.includes(id))])
  return {
    assigneeId: idsOf('assignee')[0],
    stateId: idsOf('state')[0],
    projectId: idsOf('project')[0],
    cycleId: idsOf('cycle')[0],
    addedLabelIds: added,
    removedLabelIds: removed,
  }
}

/** Errors that depend only on the settings of the team, not on what the references mean. */
function teamRuleErrors({ estimate, cycle }: IssueArguments, { team, canOmit }: TeamScope): readonly ToolError[] {
  const collector = new ErrorCollector()
  collector.collect(() => {
    if (estimate !== undefined) checkEstimate(estimate, team, canOmit)
  })
  collector.collect(() => {
    if (cycle !== undefined) checkCycles(team, canOmit)
  })
  return collector.failures
}

type Parameter = keyof lookups.IssueReferences

/** The query for each reference of a call. */
function queriesIn(
  references: lookups.IssueReferences,
  { team, workspace, present }: TeamScope,
  labels: readonly lookups.AssignableLabel[],
): Readonly<Record<Parameter, ReferenceQuery>> {
  const currentLabels = new Set(present.map(({ id }) => id))
  const inTeam = { team: team.key }
  return {
    assignee: assigneeQuery(references.assignee, team, workspace),
    state: {
      kind: 'workflow state',
      reference: references.state,
      found: inWorkflowOrder(team.states ?? []).map(candidate),
      listTool: { tool: 'IssueTracker.ListWorkflowStates', arguments: inTeam },
    },
    project: {
      kind: 'project',
      reference: projectReference(references.project),
      found: (team.project ?? []).map(candidate),
      ineligible: { candidates: (workspace.projects ?? []).map(candidate), explain: (project) => notInTeam(project, team, workspace) },
      listTool: { tool: 'IssueTracker.ListProjects', arguments: inTeam },
    },
    cycle: cycleQuery(references.cycle, team),
    labels_to_add: labelQuery(references.labels_to_add, labels),
    labels_to_remove: {
      ...labelQuery(references.labels_to_remove, [...present, ...labels]),
      isPreferred: ({ id }) => currentLabels.has(id),
    },
  }
}

/** The text to match with projects: the slug if the reference is a URL or ends with the slug. */
function projectReference(reference: string | undefined): string | undefined {
  if (reference === undefined) return undefined
  const id = lookups.projectId(reference)
  return id === lookups.normalize(reference) ? reference : id
}

function assigneeQuery(reference: string | undefined, team: lookups.TeamLookup, { people = [] }: lookups.WorkspaceLookup): ReferenceQuery {
  const [me] = isMe(reference) ? people : []
  return {
    kind: 'person',
    reference: me?.id ?? reference,
    found: (team.assignee ?? []).map(candidate),
    ineligible: { candidates: people.map(candidate), explain: ({ name }) => notAMember(name, team, isMe(reference)) },
    listTool: membersOf(team),
  }
}

function membersOf({ key }: lookups.TeamLookup) {
  return { tool: 'IssueTracker.GetTeam', arguments: { value: key, lookup_by: 'key' } }
}

function notAMember(name: string, team: lookups.TeamLookup, isCaller: boolean): Explanation {
  if (!isCaller)
    return {
      message: `${quote(name)} is not a member of team ${team.key}, so the issue cannot be assigned to them.`,
      next: membersOf(team),
    }
  return {
    message: `"@me" is ${quote(name)}, who is not a member of team ${team.key}. Name a member as assignee, or "none" to leave the issue unassigned.`,
    next: { change: { assignee: 'none' } },
  }
}

function notInTeam({ id, name }: Candidate, { key }: lookups.TeamLookup, { projects = [] }: lookups.WorkspaceLookup): Explanation {
  if (projects.some((project) => project.id === id && project.archived_at))
    return {
      message: `Project ${quote(name)} is archived and accepts no issues until a person restores it in Linear. Choose another project.`,
    }
  return {
    message: Message.of(
      `Team ${key} does not take part in project ${quote(name)}.`,
      sentence`Add the team to it first (${{ tool: 'IssueTracker.UpdateProject' }} with teams_to_add), or choose another project.`,
    ),
    next: { tool: 'IssueTracker.UpdateProject', arguments: { project_id: id, teams_to_add: [key] } },
  }
}

/** `current` and `next` match by position, not by name. */
function cycleQuery(reference: string | undefined, team: lookups.TeamLookup): ReferenceQuery {
  const text = reference?.trim().toLowerCase() ?? ''
  const isRelative = text === 'current' || text === 'next'
  const found = team.cycle ?? []
  const direct = isRelative ? found[0]?.id : lookups.cycleNumberIn(text)
  return {
    kind: 'cycle',
    reference: team.cycles_enabled ? (direct ?? reference) : undefined,
    found: found.map(cycleCandidate),
    listTool: { tool: 'IssueTracker.ListCycles', arguments: { team: team.key } },
    notFound: isRelative ? { message: `Team ${team.key} has no ${text} cycle.` } : undefined,
  }
}

/** Labels that an issue can have, which excludes groups. */
function assignable(labels: readonly lookups.AssignableLabel[]): Candidate[] {
  return labels.filter((label) => !label.is_group).map(candidate)
}

function labelQuery(reference: readonly string[] | undefined, labels: readonly lookups.AssignableLabel[]): ReferenceQuery {
  return {
    kind: 'label',
    reference,
    found: assignable(labels),
    ineligible: {
      candidates: labels.filter((label) => label.is_group).map(candidate),
      explain: ({ name }) => ({
        message: `${quote(name)} is a group of labels, and an issue can only have one of its labels. Name that label.`,
      }),
    },
    listTool: { tool: 'IssueTracker.ListLabels', arguments: { limit: 100 } },
  }
}

/**
 * Throws the errors of a call whose team is not known. A reference that matches nothing in the workspace is wrong in any team; which of
 * several matches it means depends on the team.
 */
async function reportWithoutTeam(linear: LinearCall, references: IssueArguments, failures: readonly ToolError[]): Promise<never> {
  const assignee = isMe(references.assignee) ? undefined : references.assignee
  const { allPeople, allLabels, allProjects } = flagsOf({ ...references, assignee })
  const flags = { allPeople, allLabels, allProjects, allStates: references.state !== undefined }
  const all = Object.values(flags).includes(true) ? await linear.run(lookups.workspaceSuggestions, flags) : {}
  const labels = [
    ...uniqueByName((all.labels ?? []).filter((one) => one.is_group)),
    ...uniqueByName(all.labels?.filter((one) => !one.is_group)),
  ]
  const query = (kind: ReferenceKind, reference: string | undefined, records: readonly NamedRecord[] | undefined): ReferenceQuery => {
    return { kind, reference, found: uniqueByName(records).map(candidate), allowTies: true }
  }
  await matchReferences(
    {
      assignee: query('person', assignee, all.people),
      state: query('workflow state', references.state, all.states),
      project: query('project', projectReference(references.project), all.projects),
      labels_to_add: { ...labelQuery(references.labels_to_add, labels), allowTies: true },
      labels_to_remove: { ...labelQuery(references.labels_to_remove, labels), allowTies: true },
    },
    { autoAccept: false, failures },
  )
  throw new InvalidInput('The team of the call is not known.')
}

/** One record of each name, because the team does not matter yet. */
function uniqueByName<Record extends NamedRecord>(records: readonly Record[] = []): Record[] {
  return [...new Map(records.map((record) => [`${record.parent?.name ?? ''}/${record.name}`, record])).values()]
}
