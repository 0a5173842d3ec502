import { InvalidInput } from '@mcp-toolkits/core'
import { ErrorCollector, type Candidate } from '@mcp-toolkits/core/matching'
import type { LinearClient } from '../linear/client.ts'
import type * as z from 'zod'
import { projectFilter, teamFilter, userFilter } from '../linear/filters.ts'
import * as documents from '../linear/project-references.ts'
import type { Project } from '../linear/project-writes.ts'
import type { ListedTeam } from '../linear/records.ts'
import { isUuid, projectNamed, slugIn } from '../linear/references.ts'
import { candidate } from './candidates.ts'
import { isMe } from './me.ts'
import { placeOf } from './lists.ts'
import { onlyOne } from './lookup.ts'
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
): Promise<Ids & { readonly teamId: string }> {
  const found = await linear.run(documents.newProjectReferences, { ...variablesOf(named), team: teamFilter(named.team) }, signal)
  const attempts = new ErrorCollector()
  const status = attempts.collect(() => statusOf(named.state, found))
  const means = await resolve(
    { team: teamQuestion(named.team, found.team), lead: leadQuestion(named, found) },
    {
      autoAccept: named.auto_accept_matches,
      failures: attempts.failures,
      suggest: (missed) => suggestions(linear, { missed }, signal),
    },
  )
  return { teamId: onlyOne(means('team')).id, leadId: means('lead')[0]?.id, statusId: status() }
}

/** The ids behind the names of a change; status and teams (all that the project has afterwards) only where they do not stay as they are. */
export async function resolveProjectChange(
  linear: LinearClient,
  named: ProjectChange,
  signal: AbortSignal,
): Promise<Ids & { readonly project: Project; readonly teamIds: readonly string[] | undefined }> {
  const { project_id: given, teams_to_add: toAdd = [], teams_to_remove: toRemove = [] } = named
  const teams = [...toAdd, ...toRemove].map(teamFilter)
  const rest = { ...variablesOf(named), teams: teams.length > 0 ? { or: teams } : undefined, hasTeams: teams.length > 0 }
  const first = await linear.run(documents.projectReferences, { ...rest, project: projectFilter(given) }, signal)
  const attempts = new ErrorCollector()
  const status = attempts.collect(() => statusOf(named.state, first))
  const present = first.project.flatMap(({ all_teams: own = [] }) => own)
  const means = await resolve(
    {
      project_id: targetQuestion(given, first.project),
      teams_to_add: teamQuestion(toAdd, first.teams ?? []),
      teams_to_remove: { kind: 'team', wanted: toRemove, found: [...present, ...(first.teams ?? [])] },
      lead: leadQuestion(named, first),
    },
    {
      autoAccept: named.auto_accept_matches,
      failures: attempts.failures,
      suggest: (missed) => suggestions(linear, { missed }, signal),
    },
  )
  const { id } = onlyOne(means('project_id'))
  const known = first.project.find((one) => one.id === id)
  // A near miss of its name: what it has is not known yet.
  const found = known ?? onlyOne((await linear.run(documents.projectReferences, { ...rest, project: { id: { eq: id } } }, signal)).project)
  const { all_teams: before = [], has_more_all_teams: hasMore = false, ...about } = found
  const change = { added: means('teams_to_add'), removed: means('teams_to_remove') }
  return {
    project: about,
    leadId: means('lead')[0]?.id,
    // A status of that type that the project has already is as good as the first one.
    statusId: found.status.type === named.state ? undefined : status(),
    teamIds: teams.length === 0 ? undefined : teamsAfter({ name: found.name, before, hasMore }, change),
  }
}

export interface ProjectTarget {
  readonly parameter: 'project' | 'project_id'
  readonly wanted: string
  readonly autoAccept: boolean
  /** Whether an archived one can be meant by a near miss too. */
  readonly archived?: boolean
}

/** The id of a project that is to be written to, and the project as it is; that of a near miss is not known. */
export async function resolveProject(
  linear: LinearClient,
  { parameter, wanted, autoAccept, archived = false }: ProjectTarget,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly found: documents.FoundProject | undefined }> {
  const variables = { ...variablesOf({ auto_accept_matches: autoAccept }), teams: undefined, hasTeams: false }
  const { project: all } = await linear.run(documents.projectReferences, { ...variables, project: projectFilter(wanted) }, signal)
  const means = await resolve(
    { [parameter]: targetQuestion(wanted, all) },
    { autoAccept, suggest: (missed) => suggestions(linear, { missed, archived }, signal) },
  )
  const { id } = onlyOne(means(parameter))
  return { id, found: all.find((one) => one.id === id) }
}

function variablesOf({ lead, state }: Named): documents.ProjectVariables {
  return { lead: lead === undefined ? undefined : userFilter(lead), hasLead: lead !== undefined, hasState: state !== undefined }
}

function targetQuestion(given: string, found: readonly documents.FoundProject[]): Question {
  return { kind: 'project', wanted: takenAsItIs(given) ?? given, found: found.map((one) => ({ ...candidate(one), parent: placeOf(one) })) }
}

type Team = z.output<typeof ListedTeam>

/** A team that takes part from now on; an archived one cannot. */
function teamQuestion(wanted: string | readonly string[], found: readonly Team[]): Question {
  return {
    kind: 'team',
    wanted,
    found: found.filter((one) => !one.archived_at).map(candidate),
    ineligible: {
      candidates: found.filter((one) => one.archived_at).map(candidate),
      explain: ({ name }) => ({ message: `Team "${name}" is archived and takes on no projects. Name another team.` }),
    },
  }
}

function leadQuestion({ lead }: Named, { lead: found = [] }: documents.InWorkspace): Question {
  const [me] = isMe(lead) ? found : []
  return { kind: 'person', wanted: me ? me.id : lead, found: found.map(candidate) }
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

async function suggestions(
  linear: LinearClient,
  { missed, archived = false }: { readonly missed: readonly string[]; readonly archived?: boolean },
  signal: AbortSignal,
): Promise<Readonly<Record<string, readonly Candidate[]>>> {
  const ask = (kind: string) => missed.some((parameter) => kinds[parameter] === kind)
  const flags = { projects: ask('project'), archived, teams: ask('team'), people: ask('person') }
  const all = await linear.run(documents.projectSuggestions, flags, signal)
  const found = { project: all.projects, team: all.teams, person: all.people }
  return Object.fromEntries(Object.entries(kinds).map(([parameter, kind]) => [parameter, (found[kind] ?? []).map(candidate)]))
}
