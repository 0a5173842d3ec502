import { InvalidInput, type ToolError } from '@mcp-toolkits/core'
import type { Candidate } from '@mcp-toolkits/core/matching'
import type { LinearClient } from '../linear/client.ts'
import { projectFilter, teamFilter, userFilter } from '../linear/filters.ts'
import * as documents from '../linear/project-references.ts'
import { isUuid, projectNamed, slugIn } from '../linear/references.ts'
import { attempt, type Outcome } from './attempt.ts'
import { person, project } from './candidates.ts'
import { isMe } from './issue-questions.ts'
import { type Question, resolve } from './references.ts'
import { teamsAfter } from './project-teams.ts'

/** What a call that writes a project names besides its teams. */
interface Named {
  readonly lead?: string | undefined
  readonly state?: string | undefined
  readonly auto_accept_matches: boolean
}

/** The ids behind it; absent for what was not given. */
interface Ids {
  readonly leadId: string | undefined
  readonly statusId: string | undefined
}

export interface NewProject extends Named {
  readonly team: string
}

export interface ProjectChange extends Named {
  readonly project_id: string
  readonly teams_to_add?: readonly string[] | undefined
  readonly teams_to_remove?: readonly string[] | undefined
}

/** What each parameter refers to. */
const kinds: Readonly<Record<string, 'project' | 'team' | 'person'>> = {
  project_id: 'project',
  project: 'project',
  team: 'team',
  teams_to_add: 'team',
  teams_to_remove: 'team',
  lead: 'person',
}

/** The id or slug by which Linear itself takes a project; undefined for a name, which has to be looked up. */
export function takenAsItIs(given: string): string | undefined {
  const named = projectNamed(given)
  return isUuid(named) || slugIn(named) !== undefined ? named : undefined
}

/** The ids behind the names of a new project. One request; one more when a name misses. Throws one error for all that cannot be used. */
export async function resolveNewProject(
  linear: LinearClient,
  named: NewProject,
  signal: AbortSignal,
): Promise<Ids & { readonly teamId: string | undefined }> {
  const found = await linear.run(documents.newProjectReferences, { ...variablesOf(named), team: teamFilter(named.team) }, signal)
  const status = attempt(() => statusOf(named.state, found))
  const means = await resolve(
    { team: { kind: 'team', wanted: named.team, found: found.team }, lead: leadQuestion(named, found) },
    { autoAccept: named.auto_accept_matches, failures: failuresOf(status), suggest: (missed) => suggestions(linear, missed, signal) },
  )
  return { teamId: means('team')[0]?.id, leadId: means('lead')[0]?.id, statusId: 'result' in status ? status.result : undefined }
}

/** The ids behind the names of a change; status and teams (all that the project has afterwards) only where they do not stay as they are. */
export async function resolveProjectChange(
  linear: LinearClient,
  named: ProjectChange,
  signal: AbortSignal,
): Promise<Ids & { readonly project: documents.FoundProject; readonly teamIds: readonly string[] | undefined }> {
  const { project_id: given, teams_to_add: toAdd = [], teams_to_remove: toRemove = [] } = named
  const teams = [...toAdd, ...toRemove].map(teamFilter)
  const rest = { ...variablesOf(named), teams: teams.length > 0 ? { or: teams } : undefined, hasTeams: teams.length > 0 }
  const first = await linear.run(documents.projectReferences, { ...rest, project: projectFilter(given) }, signal)
  const status = attempt(() => statusOf(named.state, first))
  const present = first.project.flatMap(({ all_teams: own = [] }) => own)
  const means = await resolve(
    {
      project_id: targetQuestion(given, first.project),
      teams_to_add: { kind: 'team', wanted: toAdd, found: first.teams ?? [] },
      teams_to_remove: { kind: 'team', wanted: toRemove, found: [...present, ...(first.teams ?? [])] },
      lead: leadQuestion(named, first),
    },
    { autoAccept: named.auto_accept_matches, failures: failuresOf(status), suggest: (missed) => suggestions(linear, missed, signal) },
  )
  const id = means('project_id')[0]?.id ?? given
  const known = first.project.find((one) => one.id === id)
  // A near miss of its name: what it has is not known yet.
  const found = known ?? (await linear.run(documents.projectReferences, { ...rest, project: { id: { eq: id } } }, signal)).project[0]
  if (!found) throw new InvalidInput(`Project "${given}" was removed while it was looked up.`)
  return {
    project: found,
    leadId: means('lead')[0]?.id,
    // A status of that type that the project has already is as good as the first one.
    statusId: 'result' in status && found.status.type !== named.state ? status.result : undefined,
    teamIds: teams.length === 0 ? undefined : teamsAfter(found, { added: means('teams_to_add'), removed: means('teams_to_remove') }),
  }
}

export interface ProjectTarget {
  readonly parameter: 'project' | 'project_id'
  readonly wanted: string
  readonly autoAccept: boolean
}

/** The id of a project that is to be written to, and the project as it is; that of a near miss is not known. */
export async function resolveProject(
  linear: LinearClient,
  { parameter, wanted, autoAccept }: ProjectTarget,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly found: documents.FoundProject | undefined }> {
  const variables = { ...variablesOf({ auto_accept_matches: autoAccept }), teams: undefined, hasTeams: false }
  const { project: all } = await linear.run(documents.projectReferences, { ...variables, project: projectFilter(wanted) }, signal)
  const means = await resolve(
    { [parameter]: targetQuestion(wanted, all) },
    { autoAccept, suggest: (missed) => suggestions(linear, missed, signal) },
  )
  const id = means(parameter)[0]?.id ?? wanted
  return { id, found: all.find((one) => one.id === id) }
}

function variablesOf({ lead, state }: Named): documents.ProjectVariables {
  return { lead: lead === undefined ? undefined : userFilter(lead), hasLead: lead !== undefined, hasState: state !== undefined }
}

function targetQuestion(given: string, found: readonly documents.FoundProject[]): Question {
  return { kind: 'project', wanted: projectNamed(given), found: found.map((one) => ({ ...project(one), parent: placeOf(one) })) }
}

/** What tells a project from its namesakes. */
function placeOf({ teams, archived_at: archivedAt }: documents.FoundProject): string {
  return [...teams.map(({ key }) => key), ...(archivedAt ? ['archived'] : [])].join(', ')
}

function leadQuestion({ lead }: Named, { lead: found = [] }: documents.InWorkspace): Question {
  const [me] = isMe(lead) ? found : []
  return { kind: 'person', wanted: me ? me.id : lead, found: found.map(person) }
}

/** The status of a type that stands first. Throws `InvalidInput` when the workspace has none of it. */
function statusOf(type: string | undefined, { organization }: documents.InWorkspace): string | undefined {
  if (type === undefined) return undefined
  const statuses = organization?.project_statuses ?? []
  const [first] = statuses.filter((status) => status.type === type).toSorted((a, b) => a.position - b.position)
  if (first) return first.id
  const types = [...new Set(statuses.map((status) => status.type))].join(', ')
  throw new InvalidInput(`This workspace has no project status of type "${type}" (state); it has ${types}.`)
}

function failuresOf(outcome: Outcome<unknown>): readonly ToolError[] {
  return 'failure' in outcome ? [outcome.failure] : []
}

async function suggestions(
  linear: LinearClient,
  missed: readonly string[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, readonly Candidate[]>>> {
  const ask = (kind: string) => missed.some((parameter) => kinds[parameter] === kind)
  const flags = { projects: ask('project'), teams: ask('team'), people: ask('person') }
  const all = await linear.run(documents.projectSuggestions, flags, signal)
  const found = { project: (all.projects ?? []).map(project), team: all.teams ?? [], person: (all.people ?? []).map(person) }
  return Object.fromEntries(Object.entries(kinds).map(([parameter, kind]) => [parameter, found[kind]]))
}
