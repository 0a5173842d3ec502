import { InvalidInput, NotFound, ToolError } from '@mcp-toolkits/core'
import { ErrorCollector, type Candidate, findMatch, throwCombined } from '@mcp-toolkits/core/matching'
import type { LinearClient } from '../linear/client.ts'
import { issueFilter, teamFilter } from '../linear/filters.ts'
import * as documents from '../linear/issue-references.ts'
import { quoted } from '../linear/references.ts'
import { candidate, cycle, type Nameable } from './candidates.ts'
import { formerly } from './formerly.ts'
import {
  type IssueNames,
  kindsOf,
  type Parameter,
  parameters,
  projectWanted,
  questionsInTeam,
  unfit,
  variablesOf,
} from './issue-questions.ts'
import { applicable, labelQuestion, refuseBoth, refuseRivals } from './labels.ts'
import { isMe } from './me.ts'
import { type Question, resolve } from './references.ts'

/** The ids behind the names of a call; absent for what it does not name. */
export interface IssueIds {
  readonly assigneeId: string | undefined
  readonly stateId: string | undefined
  readonly projectId: string | undefined
  readonly cycleId: string | undefined
  readonly addedLabelIds: readonly string[]
  readonly removedLabelIds: readonly string[]
}

export interface NewIssue extends IssueNames {
  readonly team: string
  readonly parent_issue?: string | undefined
}

export interface NewIssueIds extends IssueIds {
  readonly teamId: string
  readonly parentId: string | undefined
}

/**
 * The ids behind all names of a new issue. One request; one more when a name misses. Throws one error for all that cannot be used;
 * nothing has been written by then.
 */
export async function resolveNewIssue(linear: LinearClient, named: NewIssue, signal: AbortSignal): Promise<NewIssueIds> {
  const parent = named.parent_issue === undefined ? undefined : issueFilter(named.parent_issue)
  const variables = { ...variablesOf(named), team: teamFilter(named.team), parent, hasParent: parent !== undefined }
  const first = await linear.run(documents.newIssueReferences, variables, signal)
  const [above] = first.parent ?? []
  const failures = parent && !above ? [noParent(named.parent_issue)] : []
  const attempts = new ErrorCollector()
  const place = attempts.collect(() => findTeam(named, first))
  if (attempts.failures.length > 0) await reportAnywhere(linear, { named, failures: [...attempts.failures, ...failures] }, signal)
  const teamId = place()
  const known = first.team.find(({ id }) => id === teamId)
  const scoped = known ? { scope: known, outside: first } : await nearTeam(linear, { named, team: teamId }, signal)
  const call = { named, ...scoped, mayDrop: true, present: [], failures: closed(scoped.scope) }
  const ids = await resolveInTeam(linear, call, signal).catch((error: unknown) => {
    if (error instanceof ToolError) throwCombined([error, ...failures])
    throw error
  })
  // A former identifier is looked for only when all else is right, so that a miss costs one request, not two.
  const former = parent && !above ? await formerly(linear, named.parent_issue ?? '', signal) : above
  if (!former) throwCombined(failures)
  return { ...ids, teamId, parentId: former?.id }
}

/** The id of the team; an archived one only where no other fits. */
function findTeam(
  { team: wanted, auto_accept_matches: autoAccept }: NewIssue,
  { team: found, teams: all }: { readonly team: readonly documents.Scope[]; readonly teams: readonly Candidate[] },
): string {
  const archived = new Set(found.filter(({ archived_at: archivedAt }) => archivedAt).map(({ id }) => id))
  return findMatch(wanted, found.length > 0 ? found : all, {
    kind: 'team',
    parameter: 'team',
    autoAccept,
    isPreferred: ({ id }) => !archived.has(id),
    listTool: { tool: 'IssueTracker.ListTeams' },
  }).candidate.id
}

/** What a team has of the names of a call, and what else it has of their kinds: a near miss of the team's name is to cost one request. */
async function nearTeam(
  linear: LinearClient,
  { named, team }: { readonly named: NewIssue; readonly team: string },
  signal: AbortSignal,
): Promise<Pick<InTeam, 'scope' | 'outside' | 'suggested'>> {
  const given = parameters.filter((parameter) => named[parameter] !== undefined)
  const found = await linear.run(documents.nearTeamReferences, { ...variablesOf(named), ...kindsOf(given), team }, signal)
  return { scope: found.team, outside: found, suggested: found }
}

function noParent(wanted = ''): NotFound {
  return new NotFound(`No issue has the reference ${quoted(wanted)} (parent_issue). IssueTracker.ListIssues finds it by other means.`, {
    next: { tool: 'IssueTracker.ListIssues' },
  })
}

function closed({ key, retired_at: retiredAt, archived_at: archivedAt }: documents.Scope): ToolError[] {
  if (!retiredAt && !archivedAt) return []
  return [
    new InvalidInput(`Team ${key} is ${retiredAt ? 'retired' : 'archived'} and takes no new issues. Choose another team.`, {
      next: { tool: 'IssueTracker.ListTeams' },
    }),
  ]
}

export interface InTeam {
  readonly named: IssueNames
  readonly scope: documents.Scope
  readonly outside: documents.Outside
  readonly failures: readonly ToolError[]
  /** Labels that the issue has already. */
  readonly present: readonly documents.Label[]
  /** Whether the call has a point without its estimate and its cycle. */
  readonly mayDrop: boolean
  /** What the names could have meant, where that is known already. */
  readonly suggested?: documents.Suggestions | undefined
}

/** The ids behind the names of a call whose team is known. Costs a request only when a name misses. */
export async function resolveInTeam(linear: LinearClient, call: InTeam, signal: AbortSignal): Promise<IssueIds> {
  const { named, scope, outside, failures, present, mayDrop, suggested } = call
  const labels = [...(scope.labels ?? []), ...(outside.organization?.labels ?? [])]
  const means = await resolve<Parameter>(questionsInTeam(named, { team: scope, outside, present }), {
    autoAccept: named.auto_accept_matches,
    failures: [...failures, ...unfit(named, scope, mayDrop)],
    async suggest(missed) {
      const kinds = kindsOf(missed)
      if (!Object.values(kinds).includes(true)) return {}
      const all = suggested ?? (await linear.run(documents.suggestionsInTeam, { team: scope.id, ...kinds }, signal))
      labels.push(...(all.team.all_labels ?? []), ...(all.organization?.all_labels ?? []))
      return {
        assignee: (all.team.all_people ?? []).map(candidate),
        project: (all.team.all_projects ?? []).map(candidate),
        cycle: (all.team.all_cycles ?? []).map(cycle),
        labels_to_add: applicable(labels),
        labels_to_remove: applicable(labels),
      }
    },
  })
  const idsOf = (parameter: Parameter) => means(parameter).map(({ id }) => id)
  const [added, removed] = [idsOf('labels_to_add'), idsOf('labels_to_remove')]
  refuseBoth(means('labels_to_add'), means('labels_to_remove'))
  const kept = present.filter(({ id }) => !removed.includes(id))
  if (added.length > 0) refuseRivals([...kept, ...labels.filter(({ id }) => added.includes(id))])
  return {
    assigneeId: idsOf('assignee')[0],
    stateId: idsOf('state')[0],
    projectId: idsOf('project')[0],
    cycleId: idsOf('cycle')[0],
    addedLabelIds: added,
    removedLabelIds: removed,
  }
}

export interface Unplaced {
  readonly named: IssueNames
  /** Why the team is not known, and what else is wrong already. */
  readonly failures: readonly ToolError[]
}

/**
 * Throws what is wrong with a call whose team is not known: a name that nothing in the workspace has is wrong in any case; which of
 * several it means is left to the team.
 */
export async function reportAnywhere(linear: LinearClient, { named, failures }: Unplaced, signal: AbortSignal): Promise<void> {
  const given = parameters.filter((parameter) => named[parameter] !== undefined && !(parameter === 'assignee' && isMe(named.assignee)))
  const { allPeople, allLabels, allProjects } = kindsOf(given)
  const asked = { allPeople, allLabels, allProjects, allStates: given.includes('state') }
  const all = Object.values(asked).includes(true) ? await linear.run(documents.suggestionsAnywhere, asked, signal) : {}
  const isGroup = ({ is_group: itself }: documents.Label) => itself
  const found = all.labels ?? []
  const labels = [...distinct(found.filter(isGroup)), ...distinct(found.filter((one) => !isGroup(one)))]
  const ask = (kind: string, wanted: string | undefined, records: readonly Nameable[] = []): Question => {
    return { kind, wanted, found: distinct(records).map(candidate), allowTies: true }
  }
  await resolve(
    {
      assignee: ask('person', allPeople ? named.assignee : undefined, all.people),
      state: ask('workflow state', named.state, all.states),
      project: ask('project', projectWanted(named.project), all.projects),
      labels_to_add: { ...labelQuestion(named.labels_to_add, labels), allowTies: true },
      labels_to_remove: { ...labelQuestion(named.labels_to_remove, labels), allowTies: true },
    },
    { autoAccept: false, suggest: () => Promise.resolve({}), failures },
  )
}

/** One of each name: which team's it is does not matter yet. */
function distinct<Kind extends Nameable>(records: readonly Kind[]): Kind[] {
  return [...new Map(records.map((one) => [`${one.parent?.name ?? ''}/${one.name}`, one])).values()]
}
