import type { Candidate } from '@mcp-toolkits/core/matching'
import type * as z from 'zod'
import type { LinearClient } from '../linear/client.ts'
import { projectFilter } from '../linear/filters.ts'
import * as documents from '../linear/initiative-references.ts'
import type { ArchivedInitiative, InitiativeRef } from '../linear/initiative-writes.ts'
import type { ProjectRef } from '../linear/records.ts'
import { isUuid, slugIn, tidy } from '../linear/references.ts'
import { candidate } from './candidates.ts'
import { type Listed, placeOf } from './lists.ts'
import { onlyOne } from './lookup.ts'
import { takenAsItIs } from './project.ts'
import { type Question, resolve } from './references.ts'

export interface InitiativeTarget {
  readonly parameter: 'initiative' | 'initiative_id'
  readonly wanted: string
  readonly autoAccept: boolean
  /** Whether an archived one can be meant by a near miss too. */
  readonly archived?: boolean
}

/** The id of an initiative that is to be written to, and the initiative as it is where it had to be looked up by its exact name. */
export async function resolveInitiative(
  linear: LinearClient,
  { parameter, wanted, autoAccept, archived = false }: InitiativeTarget,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly found: z.output<typeof ArchivedInitiative> | undefined }> {
  if (isUuid(tidy(wanted))) return { id: tidy(wanted), found: undefined }
  const first = await linear.run(documents.initiativeReferences, { initiative: documents.initiativeFilter(wanted) }, signal)
  const means = await resolve(
    { [parameter]: question(wanted, first.initiative) },
    {
      autoAccept,
      async suggest() {
        const { initiatives } = await linear.run(documents.initiativeSuggestions, { archived }, signal)
        return { [parameter]: initiatives.map(candidate) }
      },
    },
  )
  const { id } = onlyOne(means(parameter))
  return { id, found: first.initiative.find((one) => one.id === id) }
}

export interface Link {
  readonly initiative: string
  readonly project: string
  readonly auto_accept_matches: boolean
}

/** An initiative and a project, whether it is in it, and which of the two is archived. */
export interface Linked {
  readonly initiative: z.output<typeof InitiativeRef>
  readonly project: z.output<typeof ProjectRef>
  readonly isLinked: boolean
  readonly archived: readonly ('initiative' | 'project')[]
}

/** What a link is to connect. One request; more when a name misses. Throws one error for both names where both cannot be used. */
export async function resolveLink(linear: LinearClient, wanted: Link, signal: AbortSignal): Promise<Linked> {
  const filters = { initiative: documents.initiativeFilter(wanted.initiative), project: projectFilter(wanted.project) }
  const first = await linear.run(documents.linkReferences, filters, signal)
  const means = await resolve(
    {
      initiative: question(wanted.initiative, first.initiative),
      project: { kind: 'project', wanted: takenAsItIs(wanted.project) ?? wanted.project, found: first.project.map(placed) },
    },
    {
      autoAccept: wanted.auto_accept_matches,
      async suggest(missed) {
        const ask = { initiatives: missed.includes('initiative'), projects: missed.includes('project') }
        const { initiatives = [], projects = [] } = await linear.run(documents.linkSuggestions, ask, signal)
        return { initiative: initiatives.map(candidate), project: projects.map(candidate) }
      },
    },
  )
  const ids = { initiative: onlyOne(means('initiative')).id, project: onlyOne(means('project')).id }
  const initiative = first.initiative.find(({ id }) => id === ids.initiative)
  const found = first.project.find(({ id }) => id === ids.project)
  if (initiative && found) {
    const { archived_at: ended, ...into } = initiative
    const { id, name, slug_id: slug, archived_at: projectEnded, initiative_to_projects: links } = found
    return {
      initiative: into,
      project: { id, name, slug_id: slug },
      isLinked: links.some((one) => one.initiative.id === into.id),
      archived: [...(ended ? ['initiative' as const] : []), ...(projectEnded ? ['project' as const] : [])],
    }
  }
  // A near miss of a name was taken: what that one is in is not known yet.
  return resolveLink(linear, { ...ids, auto_accept_matches: false }, signal)
}

function question(given: string, found: readonly Listed[]): Question {
  const named = documents.initiativeNamed(given)
  return { kind: 'initiative', wanted: slugIn(named) ?? given, found: found.map(placed) }
}

/** A record with what tells it from its namesakes. */
function placed(one: Listed): Candidate {
  return { ...candidate(one), parent: placeOf(one) }
}
