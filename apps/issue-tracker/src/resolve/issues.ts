import { ErrorCollector, InvalidInput, joinWords, NotFound, quote, throwCombined, ToolError, withDetails } from '@mcp-toolkits/core/errors'
import type { Candidate } from '@mcp-toolkits/core/references'
import type * as z from 'zod'
import type { LinearCall } from '../linear/client.ts'
import * as lookups from '../linear/lookups.ts'
import type { ArchivableTeam, State, TeamRef } from '../linear/records.ts'
import type { ReferenceKind } from './corrections.ts'
import {
  assignable,
  issueParameters,
  type OtherTeamMatches,
  type OtherTeamRecord,
  otherTeamRecords,
  type IssueParameter,
  labelQuery,
  queriesIn,
  stateQuery,
  type TeamScope,
} from './issue-queries.ts'
import { checkCycle, checkDisjoint, checkEstimate, checkGroups, checkOpen } from './rules.ts'
import {
  candidate,
  cycleCandidate,
  isMe,
  matchReferences,
  type NamedRecord,
  type Notice,
  onlyOne,
  type ReferenceQuery,
} from './matching.ts'
import { findMovedIssue, issueRef, notFound, ReferenceNotFound, throwSuggested } from './not-found.ts'

interface IssueArguments extends lookups.IssueReferences {
  readonly estimate?: number | undefined
  readonly auto_accept_matches: boolean
}

interface NewIssueArguments extends IssueArguments, lookups.NewIssueReferences {
  /** True if the caller named the assignee; otherwise, the caller is the assignee. */
  readonly namesAssignee: boolean
}

interface IssueChangeArguments extends IssueArguments {
  /** The issue, by identifier or id. */
  readonly id: string
  readonly attachment_url?: string | undefined
  /** True if the description is needed. */
  readonly text: boolean
  /** True if the call changes anything besides estimate and cycle. */
  readonly canOmit: boolean
}

/** Resolves references in calls that write issues. Everything is checked before anything is written. */
export function issueResolver(linear: LinearCall, notice: Notice) {
  const resolution = { linear, notice }
  return {
    /**
     * The ids for a new issue, and open issues with its title. Takes one request, plus one if a reference does not match. All errors are
     * thrown as one.
     */
    async newIssue(references: NewIssueArguments) {
      const found = await lookups.lookUpNewIssue(linear, references)
      const { parent_issue: parent } = references
      const parentId = found.parent?.[0]?.id
      const failures = parent !== undefined && parentId === undefined ? [notFound(issueRef(parent), 'parent_issue')] : []
      const teamId = await matchTeam(references, found, notice).catch(async (error: unknown) => {
        if (!(error instanceof ToolError)) throw error
        const explained = withDetails(error, error.text.and(unchecked(references)), error.details)
        return reportWithoutTeam(resolution, references, [explained, ...failures])
      })
      const scope = await scopeOf(linear, references, found, teamId)
      const matched = await matchInTeam(resolution, references, scope).catch(async (error: unknown) => {
        if (error instanceof ToolError) await throwSuggested(linear, [error, ...failures], references)
        throw error
      })
      const { assigneeId, delegateId, stateId, projectId, cycleId, addedLabelIds: labelIds } = matched
      const ids = { teamId, assigneeId, delegateId, stateId, projectId, cycleId, labelIds, twins: found.twins }
      if (parent === undefined || parentId !== undefined) return { ...ids, parentId }
      // Looked up only if everything else is valid, so that an unknown reference costs one request instead of two.
      const moved = await findMovedIssue(linear, parent)
      if (!moved) throwCombined(failures)
      return { ...ids, parentId: moved?.id }
    },

    /** The workflow state that a reference means in a team. Takes no request unless the team has no such state. */
    async targetState(
      {
        target_state: reference,
        auto_accept_matches: autoAccept,
      }: { readonly target_state: string; readonly auto_accept_matches: boolean },
      team: z.output<typeof TeamRef> & { readonly states: readonly z.output<typeof State>[] },
    ): Promise<Candidate> {
      const states: OtherTeamRecord[] = []
      const query = stateQuery(reference, team, states)
      const matches = await matchReferences(
        { target_state: query },
        {
          autoAccept,
          notice,
          async suggest() {
            const { states_elsewhere: found } = await lookups.suggestInTeam(linear, team.id, { state: reference })
            states.push(...(found ?? []).flatMap((each) => otherTeamRecords(each, team)))
            return {}
          },
        },
      )
      return onlyOne(matches('target_state'))
    },

    /**
     * The ids for a change to an issue, its current record, and its attachment with the URL. Takes one request, plus one if a reference
     * does not match. All errors are thrown as one.
     */
    async issueChange(change: IssueChangeArguments) {
      const found = await lookups.lookUpIssue(linear, change.id, change).catch(async (error: unknown) => {
        if (!(error instanceof NotFound)) throw error
        const { id: issue_id, ...references } = change
        const failure = new ReferenceNotFound(issueRef(issue_id), { more: unchecked(references) })
        const named = { issue_id, ...references }
        return reportWithoutTeam(resolution, named, [failure])
      })
      const { issue: foundIssue, ...workspace } = found
      const { present, attachments, team, ...issue } = foundIssue
      const ids = await matchInTeam(resolution, change, {
        team,
        workspace,
        present,
        failures: [],
        canOmit: change.canOmit,
        canClear: true,
        canLeaveUnassigned: false,
      })
      return { ids, issue: { ...issue, team: { id: team.id, key: team.key, name: team.name } }, existingAttachment: attachments?.[0] }
    },
  }
}

/** The ids for a change to an issue. */
export type IssueChangeIds = Awaited<ReturnType<typeof matchInTeam>>

/** The ids for a new issue. */
export interface NewIssueIds extends Omit<IssueChangeIds, 'addedLabelIds' | 'removedLabelIds'> {
  readonly teamId: string
  readonly parentId: string | undefined
  readonly labelIds: readonly string[]
}

type NewIssueLookup = z.output<typeof lookups.newIssueLookup.data>

/** The team's id; an archived team matches only if no other team does. */
export async function matchTeam(
  { team, auto_accept_matches: autoAccept }: Pick<NewIssueArguments, 'team' | 'auto_accept_matches'>,
  found: { readonly team: readonly z.output<typeof ArchivableTeam>[]; readonly teams: readonly z.output<typeof TeamRef>[] },
  notice: Notice,
): Promise<string> {
  const archived = new Set(found.team.filter((one) => one.archived_at).map(({ id }) => id))
  const query: ReferenceQuery = {
    kind: 'team',
    reference: team,
    found: (found.team.length > 0 ? found.team : found.teams).map(candidate),
    isPreferred: ({ id }) => !archived.has(id),
  }
  const matches = await matchReferences({ team: query }, { autoAccept, notice })
  return onlyOne(matches('team')).id
}

interface Resolution {
  readonly linear: LinearCall
  readonly notice: Notice
}

/** A new issue's scope. A team found by an approximate name costs one request, which also returns suggestions. */
async function scopeOf(linear: LinearCall, references: NewIssueArguments, found: NewIssueLookup, teamId: string): Promise<TeamScope> {
  const team = found.team.find(({ id }) => id === teamId)
  const near = team ? undefined : await lookups.lookUpInNearTeam(linear, teamId, references, flagsOf(references))
  const collector = new ErrorCollector()
  const scope = near?.team ?? team
  if (!scope) throw new NotFound('The team was deleted during the call. Retry the call.')
  collector.collect(() => {
    checkOpen(scope)
  })
  const { failures } = collector
  const canLeaveUnassigned = !references.namesAssignee
  return {
    team: scope,
    workspace: near ?? found,
    present: [],
    failures,
    canOmit: true,
    canClear: false,
    canLeaveUnassigned,
    suggestions: near,
  }
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

async function matchInTeam(resolution: Resolution, references: IssueArguments, scope: TeamScope) {
  return (await matchNamed(resolution, references, scope)).ids
}

/**
 * The ids and names for the references in a call whose team is known; undefined for absent references. A reference that does not match
 * costs one request.
 */
export async function matchNamed({ linear, notice }: Resolution, references: IssueArguments, scope: TeamScope) {
  const { team, workspace, present } = scope
  const labels = [...(team.labels ?? []), ...(workspace.organization?.labels ?? [])]
  const elsewhere: OtherTeamMatches = { labels: [], states: [] }
  const people = [...(team.assignee ?? [])]
  const matches = await matchReferences(queriesIn(references, { ...scope, labels, elsewhere }), {
    autoAccept: references.auto_accept_matches,
    notice,
    failures: [...scope.failures, ...teamRuleErrors(references, scope)],
    async suggest(missed) {
      const flags = {
        allPeople: missed.has('person'),
        allLabels: missed.has('label'),
        allProjects: missed.has('project'),
        allCycles: missed.has('cycle'),
      }
      const state = missed.has('workflow state') ? references.state : undefined
      const all = scope.suggestions ?? (await lookups.suggestInTeam(linear, team.id, { ...references, state }, flags))
      elsewhere.states.push(...(all.states_elsewhere ?? []).flatMap((each) => otherTeamRecords(each, team)))
      elsewhere.labels.push(...(all.labels_elsewhere ?? []).flatMap((each) => otherTeamRecords(each, team)))
      labels.push(...(all.team.all_labels ?? []), ...(all.organization?.all_labels ?? []))
      people.push(...(all.team.all_people ?? []))
      return {
        person: all.team.all_people?.map(candidate),
        project: all.team.all_projects?.map(candidate),
        cycle: all.team.all_cycles?.map(cycleCandidate),
        label: assignable(labels.filter(({ retired_at: retiredAt }) => retiredAt === undefined)),
      }
    },
  })
  const idsOf = (parameter: IssueParameter) => matches(parameter).map(({ id }) => id)
  const [added, removed] = [idsOf('labels_to_add'), idsOf('labels_to_remove')]
  checkDisjoint('label', matches('labels_to_add'), matches('labels_to_remove'))
  const has = (id: string) => present.some((label) => label.id === id)
  for (const { id, name } of matches('labels_to_add')) if (has(id)) notice(`The issue already has the label ${quote(name, 80)}.`)
  for (const { id, name } of matches('labels_to_remove')) if (!has(id)) notice(`The issue does not have the label ${quote(name, 80)}.`)
  const remaining = present.filter(({ id }) => !removed.includes(id))
  if (added.length > 0)
    checkGroups(
      labels.filter(({ id }) => added.includes(id)),
      remaining,
    )
  const [assignee] = matches('assignee')
  const isApp = people.some(({ id, app }) => app && id === assignee?.id)
  if (assignee && isApp) notice(`${quote(assignee.name, 80)} is an app, so it becomes the delegate of the issue, not its assignee.`)
  const ids = {
    assigneeId: isApp ? undefined : assignee?.id,
    delegateId: isApp ? assignee?.id : undefined,
    stateId: idsOf('state')[0],
    projectId: idsOf('project')[0],
    cycleId: idsOf('cycle')[0],
    addedLabelIds: added,
    removedLabelIds: removed,
  }
  return { ids, names: issueParameters.flatMap(matches) }
}

/** Errors that depend only on the team's settings, whatever the references mean. */
function teamRuleErrors({ estimate, cycle }: IssueArguments, scope: TeamScope): readonly ToolError[] {
  const collector = new ErrorCollector()
  collector.collect(() => {
    if (estimate !== undefined) checkEstimate(estimate, scope)
  })
  collector.collect(() => {
    if (cycle !== undefined) checkCycle(cycle, scope.team, scope.canOmit)
  })
  return collector.failures
}

/**
 * Throws the errors of a call whose team is unknown. A reference without a match in the workspace is wrong for any team. One with several
 * matches may be right, depending on the team.
 */
async function reportWithoutTeam(
  { linear, notice }: Resolution,
  references: IssueArguments,
  failures: readonly ToolError[],
): Promise<never> {
  const assignee = isMe(references.assignee) ? undefined : references.assignee
  const { allPeople, allLabels, allProjects } = flagsOf({ ...references, assignee })
  const flags = { allPeople, allLabels, allProjects, allStates: references.state !== undefined }
  const all = Object.values(flags).includes(true) ? await linear.send(lookups.workspaceSuggestions, flags) : {}
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
      project: query('project', references.project, all.projects),
      labels_to_add: { ...labelQuery(references.labels_to_add, labels), allowTies: true },
      labels_to_remove: { ...labelQuery(references.labels_to_remove, labels), allowTies: true },
    },
    { autoAccept: false, notice },
  ).catch(async (error: unknown) => {
    if (error instanceof ToolError) await throwSuggested(linear, [...failures, error], references)
    throw error
  })
  await throwSuggested(linear, failures, references)
  throw new InvalidInput("The call's team is not known. Pass team.")
}

/** Sentence on the arguments that cannot be checked without the team; empty if the call has no such arguments. */
function unchecked({ cycle, estimate }: IssueArguments): string {
  const names = Object.entries({ cycle, estimate }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  return names.length === 0 ? '' : `Not checked yet, because they depend on the team: ${joinWords(names)}.`
}

/** One record per name, because the team does not matter yet. */
function uniqueByName<Record extends NamedRecord>(records: readonly Record[] = []): Record[] {
  return [...new Map(records.map((record) => [`${record.parent?.name ?? ''}/${record.name}`, record])).values()]
}
