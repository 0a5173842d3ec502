import { ErrorCollector, InvalidInput, quote } from '@mcp-toolkits/core/errors'
import type { Candidate } from '@mcp-toolkits/core/references'
import type * as z from 'zod'
import type { LinearCall } from '../../linear/client.ts'
import { canLead } from '../../linear/lookups.ts'
import * as documents from '../../linear/projects.ts'
import type { ArchivableTeam, ProjectRef } from '../../linear/records.ts'
import { isUuid, plainReading, projectId, slugIn } from '../../linear/references.ts'
import type { TeamChange } from '../../linear/stored.ts'
import { findStatus } from './statuses.ts'
import { checkDisjoint } from '../rules.ts'
import type { ReferenceKind } from '../corrections.ts'
import { candidate, isMe, matchReferences, type Notice, onlyOne, type ReferenceQuery, unassignable } from '../matching.ts'

interface ProjectArguments extends documents.ProjectReferences {
  readonly auto_accept_matches: boolean
}

interface NewProjectArguments extends ProjectArguments {
  readonly name: string
  readonly team: string
}

interface ProjectChangeArguments extends ProjectArguments {
  readonly project_id: string
  readonly description?: string | undefined
  readonly teams_to_add?: readonly string[] | undefined
  readonly teams_to_remove?: readonly string[] | undefined
}

/** The ids for a call's references; undefined for parameters that are not set. */
interface ProjectIds {
  readonly leadId: string | undefined
  readonly statusId: string | undefined
}

/** The reference to the record that a call writes to. */
export interface TargetReference<Parameter extends string> {
  readonly parameter: Parameter
  readonly reference: string
  readonly autoAccept: boolean
  /** True if the record's text is needed; then even an id is looked up. */
  readonly text?: boolean
  /** True if an approximate match may be archived. */
  readonly includesArchived?: boolean
}

/** The id or slug, if Linear accepts it unchanged; undefined for a name, which needs a lookup. */
export function directProjectId(reference: string): string | undefined {
  const id = projectId(plainReading(reference))
  return isUuid(id) || slugIn(id) !== undefined ? id : undefined
}

/** Resolves references in calls that write projects. Everything is checked before anything is written. */
export function projectResolver(linear: LinearCall, notice: Notice) {
  const suggest = async (missed: ReadonlySet<ReferenceKind>, archived = false) => {
    const flags = { projects: missed.has('project'), archived, teams: missed.has('team'), people: missed.has('person') }
    const all = await linear.send(documents.projectSuggestions, flags)
    return { project: all.projects?.map(candidate), team: all.teams?.map(candidate), person: all.people?.map(candidate) }
  }

  return {
    /**
     * The ids for a new project, and projects with its name. Takes one request, plus one if a reference does not match. All errors are
     * thrown as one.
     */
    async newProject(
      references: NewProjectArguments,
    ): Promise<{ readonly ids: ProjectIds & { readonly teamId: string }; readonly namesakes: readonly z.output<typeof ProjectRef>[] }> {
      const found = await documents.lookUpNewProject(linear, references)
      const collector = new ErrorCollector()
      const status = collector.collect(() => statusIn(references.state, found))
      const matches = await matchReferences(
        { team: teamQuery(references.team, found.team), lead: leadQuery(references.lead, found) },
        { autoAccept: references.auto_accept_matches, notice, failures: collector.failures, suggest },
      )
      const ids = { teamId: onlyOne(matches('team')).id, leadId: matches('lead')[0]?.id, statusId: status()?.id }
      return { ids, namesakes: found.namesakes }
    },

    /**
     * The project and the ids for its change; `teamIds` are all teams after the change, undefined if they stay the same. The project
     * includes its text if the call replaces it.
     */
    async projectChange(
      references: ProjectChangeArguments,
    ): Promise<
      ProjectIds & { readonly project: FoundProject; readonly teamIds: readonly string[] | undefined; readonly teamChange: TeamChange }
    > {
      const { project_id: project, lead, state, teams_to_add: added = [], teams_to_remove: removed = [] } = references
      const others = { lead, state, teams: [...added, ...removed], text: references.description !== undefined }
      const found = await documents.lookUpProject(linear, project, others)
      const collector = new ErrorCollector()
      const status = collector.collect(() => statusIn(state, found))
      const currentTeams = found.project.flatMap(({ all_teams: teams = [] }) => teams)
      const matches = await matchReferences(
        {
          project_id: { ...projectQuery(project, found.project), isExactOnly: true },
          teams_to_add: teamQuery(added, found.teams ?? []),
          teams_to_remove: { kind: 'team', reference: removed, found: [...currentTeams, ...(found.teams ?? [])].map(candidate) },
          lead: leadQuery(lead, found),
        },
        { autoAccept: references.auto_accept_matches, notice, failures: collector.failures, suggest },
      )
      const { id } = onlyOne(matches('project_id'))
      // After an approximate match, only the project's name and id are known.
      const match = found.project.find((one) => one.id === id) ?? onlyOne((await documents.lookUpProject(linear, id, others)).project)
      const { all_teams: teams = [], has_more_all_teams: hasMoreTeams = false, ...rest } = match
      const idsOf = (parameter: 'teams_to_add' | 'teams_to_remove') => matches(parameter).map((team) => team.id)
      const has = (team: Candidate) => teams.some((one) => one.id === team.id)
      for (const team of matches('teams_to_add')) if (has(team)) notice(`Team ${quote(team.name, 80)} is already in the project.`)
      for (const team of matches('teams_to_remove')) if (!has(team)) notice(`Team ${quote(team.name, 80)} is not in the project.`)
      return {
        project: rest,
        leadId: matches('lead')[0]?.id,
        teamChange: { added: idsOf('teams_to_add'), removed: idsOf('teams_to_remove') },
        // A project whose status is already of that type keeps it.
        statusId: match.status.type === state ? undefined : status()?.id,
        teamIds:
          others.teams.length === 0
            ? undefined
            : teamsAfter({ name: match.name, teams, hasMoreTeams }, matches('teams_to_add'), matches('teams_to_remove')),
      }
    },

    /** The id of the project to write to, and its record unless the reference matched only approximately. */
    async project<Parameter extends 'project' | 'project_id'>({
      parameter,
      reference,
      autoAccept,
      includesArchived,
    }: TargetReference<Parameter>): Promise<{ readonly id: string; readonly found: documents.FoundProject | undefined }> {
      const { project: found } = await documents.lookUpProject(linear, reference)
      const matches = await matchReferences(
        { [parameter]: projectQuery(reference, found) },
        { autoAccept, notice, suggest: (missed) => suggest(missed, includesArchived) },
      )
      const { id } = onlyOne(matches(parameter))
      return { id, found: found.find((one) => one.id === id) }
    },
  }
}

function projectQuery(reference: string, found: readonly documents.FoundProject[]): ReferenceQuery {
  return { kind: 'project', reference, found: found.map(candidate) }
}

/** A project's team, which must not be archived. */
function teamQuery(reference: string | readonly string[], found: readonly z.output<typeof ArchivableTeam>[]): ReferenceQuery {
  return {
    kind: 'team',
    reference,
    found: found.filter((team) => !team.archived_at).map(candidate),
    ineligible: {
      candidates: found.filter((team) => team.archived_at).map(candidate),
      explain: ({ name }) => ({ message: `Team ${quote(name)} is archived and accepts no projects. Name another team.` }),
    },
  }
}

function leadQuery(reference: string | undefined, { lead: found = [] }: documents.ProjectWorkspace): ReferenceQuery {
  const [me] = isMe(reference) ? found : []
  const others = found.filter((person) => !canLead(person))
  return {
    kind: 'person',
    reference: me ? me.id : reference,
    found: found.filter(canLead).map(candidate),
    noRecord: { message: 'No tool removes the lead of a project. Leave "lead" out.', next: { change: { lead: null } } },
    ineligible: {
      candidates: others.map(candidate),
      explain: ({ id, name }) => ({ message: unassignable(others.find((person) => person.id === id) ?? { name, active: true }) }),
    },
  }
}

/** The status that a call names, by type or name. */
function statusIn(state: string | undefined, { organization }: documents.ProjectWorkspace): documents.ProjectStatus | undefined {
  return state === undefined ? undefined : findStatus(state, organization?.project_statuses ?? [])
}

type FoundProject = Omit<documents.FoundProject, 'all_teams' | 'has_more_all_teams'>

interface TeamsOfProject {
  readonly name: string
  readonly teams: readonly { readonly id: string }[]
  /** True if there are more teams than were read. */
  readonly hasMoreTeams: boolean
}

/**
 * A project's teams after a change, because Linear replaces the whole list; undefined if the list stays the same. Throws `InvalidInput`
 * for an impossible change.
 */
function teamsAfter(
  { name, teams, hasMoreTeams }: TeamsOfProject,
  added: readonly Candidate[],
  removed: readonly Candidate[],
): readonly string[] | undefined {
  if (hasMoreTeams)
    throw new InvalidInput(
      `Project ${quote(name)} has more than 100 teams, and a change could lose some. Change its teams in Linear itself.`,
    )
  checkDisjoint('team', added, removed)
  const remaining = teams.filter(({ id }) => !removed.some((one) => one.id === id))
  const after = [...new Set([...remaining, ...added].map(({ id }) => id))]
  if (after.length === 0)
    throw new InvalidInput(
      `A project needs at least one team, and this would remove the last one from ${quote(name)}. Name another in teams_to_add, or keep one.`,
    )
  const isSame = after.length === teams.length && teams.every(({ id }) => after.includes(id))
  return isSame ? undefined : after
}
