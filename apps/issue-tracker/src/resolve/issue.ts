import { InvalidInput, NotFound, type ToolError } from '@mcp-toolkits/core'
import { type Candidate, findReference } from '@mcp-toolkits/core/matching'
import type { LinearClient } from '../linear/client.ts'
import { issueFilter, teamFilter } from '../linear/filters.ts'
import { tidy } from '../linear/references.ts'
import * as documents from '../linear/issue-references.ts'
import { attempt } from './attempt.ts'
import { cycle, person, project } from './candidates.ts'
import {
  applicable,
  isMe,
  kindsOf,
  type Named,
  type Parameter,
  parameters,
  questionsInTeam,
  unfit,
  variablesOf,
} from './issue-questions.ts'
import { labelReference, refuseRivals } from './labels.ts'
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

export interface NewIssue extends Named {
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
  const rest = { ...variablesOf(named), parent, hasParent: parent !== undefined }
  const first = await linear.run(documents.newIssueReferences, { ...rest, team: teamFilter(named.team) }, signal)
  const above = attempt(() => parentOf(named.parent_issue, first.parent ?? []))
  const failures = 'failure' in above ? [above.failure] : []
  const options = { kind: 'team', parameter: 'team', autoAccept: named.auto_accept_matches }
  const team = attempt(() => findReference(tidy(named.team), first.team.length > 0 ? first.team : first.teams, options).match.id)
  if ('failure' in team) return reportAnywhere(linear, { named, failures: [team.failure, ...failures] }, signal)
  // A near miss of the team's name: what it has of the other names is not known yet.
  const isKnown = first.team.some(({ id }) => id === team.result)
  const found = isKnown ? first : await linear.run(documents.newIssueReferences, { ...rest, team: { id: { eq: team.result } } }, signal)
  const scope = found.team.find(({ id }) => id === team.result)
  if (!scope) throw new NotFound(`Team "${named.team}" was removed while it was looked up.`)
  const ids = await resolveInTeam(linear, { named, scope, workspace: found, failures: [...failures, ...closed(scope)] }, signal)
  return { ...ids, teamId: scope.id, parentId: 'result' in above ? above.result : undefined }
}

function parentOf(wanted: string | undefined, [found]: readonly { readonly id: string }[]): string | undefined {
  if (wanted === undefined || found) return found?.id
  throw new NotFound(`No issue has the reference "${wanted}" (parent_issue). IssueTracker.ListIssues finds it by other means.`)
}

function closed({ key, retired_at: retiredAt, archived_at: archivedAt }: documents.Scope): ToolError[] {
  if (!retiredAt && !archivedAt) return []
  return [new InvalidInput(`Team ${key} is ${retiredAt ? 'retired' : 'archived'} and takes no new issues. Choose another team.`)]
}

export interface InTeam {
  readonly named: Named
  readonly scope: documents.Scope
  readonly workspace: documents.InWorkspace
  readonly failures?: readonly ToolError[]
  /** Labels that the issue has already. */
  readonly present?: readonly documents.Label[]
}

/** The ids behind the names of a call whose team is known. Costs a request only when a name misses. */
export async function resolveInTeam(
  linear: LinearClient,
  { named, scope, workspace, failures = [], present = [] }: InTeam,
  signal: AbortSignal,
): Promise<IssueIds> {
  const labels = [...(scope.labels ?? []), ...(workspace.organization?.labels ?? [])]
  const means = await resolve<Parameter>(questionsInTeam(named, scope, workspace), {
    autoAccept: named.auto_accept_matches,
    failures: [...failures, ...unfit(named, scope, workspace)],
    async suggest(missed) {
      const kinds = kindsOf(missed)
      if (!Object.values(kinds).includes(true)) return {}
      const { team, organization } = await linear.run(documents.suggestionsInTeam, { team: scope.id, ...kinds }, signal)
      labels.push(...(team.labels ?? []), ...(organization?.labels ?? []))
      const labelled = applicable(labels)
      return {
        assignee: (team.members ?? []).map(person),
        project: (team.projects ?? []).map(project),
        cycle: (team.cycles ?? []).map(cycle),
        labels_to_add: labelled,
        labels_to_remove: labelled,
      }
    },
  })
  const idsOf = (parameter: Parameter) => means(parameter).map(({ id }) => id)
  const [added, removed] = [idsOf('labels_to_add'), idsOf('labels_to_remove')]
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
  readonly named: Named
  /** Why the team is not known, and what else is wrong already. */
  readonly failures: readonly [ToolError, ...ToolError[]]
}

/** Throws what is wrong with a call whose team is not known: a name that nothing in the workspace has is wrong in any case. */
export async function reportAnywhere(linear: LinearClient, { named, failures }: Unplaced, signal: AbortSignal): Promise<never> {
  const { people, labels: labelled, projects } = kindsOf(parameters.filter((parameter) => named[parameter] !== undefined))
  const flags = { people: people && !isMe(named.assignee), labels: labelled, projects, states: named.state !== undefined }
  const all = Object.values(flags).includes(true) ? await linear.run(documents.suggestionsAnywhere, flags, signal) : {}
  const labels = distinct(applicable(all.labels ?? []))
  const ask = (kind: string, wanted: Question['wanted'], found: readonly Candidate[] = []): Question => ({ kind, wanted, found })
  await resolve(
    {
      assignee: ask('person', isMe(named.assignee) ? undefined : named.assignee, all.people?.map(person)),
      state: ask('workflow state', named.state, distinct(all.states ?? [])),
      project: ask('project', named.project, distinct((all.projects ?? []).map(project))),
      labels_to_add: ask('label', named.labels_to_add?.map(labelReference), labels),
      labels_to_remove: ask('label', named.labels_to_remove?.map(labelReference), labels),
    },
    { autoAccept: false, suggest: () => Promise.resolve({}), failures },
  )
  throw failures[0]
}

/** One of each name: which team's it is does not matter yet. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((candidate) => [candidate.key ?? candidate.name, candidate])).values()]
}
