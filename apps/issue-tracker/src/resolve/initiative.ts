import type { Candidate } from '@mcp-toolkits/core/matching'
import type * as z from 'zod'
import type { LinearClient } from '../linear/client.ts'
import { projectFilter } from '../linear/filters.ts'
import * as documents from '../linear/initiative-references.ts'
import type { ArchivedInitiative, InitiativeRef } from '../linear/initiative-writes.ts'
import { isUuid, projectNamed, tidy } from '../linear/references.ts'
import { project } from './candidates.ts'
import { type Question, resolve } from './references.ts'

export interface InitiativeTarget {
  readonly parameter: 'initiative' | 'initiative_id'
  readonly wanted: string
  readonly autoAccept: boolean
}

/** The id of an initiative that is to be written to, and the initiative as it is where it had to be looked up by its exact name. */
export async function resolveInitiative(
  linear: LinearClient,
  { parameter, wanted, autoAccept }: InitiativeTarget,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly found: z.output<typeof ArchivedInitiative> | undefined }> {
  if (isUuid(tidy(wanted))) return { id: tidy(wanted), found: undefined }
  const first = await linear.run(documents.initiativeReferences, { initiative: documents.initiativeFilter(wanted) }, signal)
  const means = await resolve(
    { [parameter]: question(wanted, first.initiative) },
    {
      autoAccept,
      async suggest() {
        const { initiatives } = await linear.run(documents.initiativeSuggestions, {}, signal)
        return { [parameter]: initiatives.map(candidate) }
      },
    },
  )
  const id = means(parameter)[0]?.id ?? wanted
  return { id, found: first.initiative.find((one) => one.id === id) }
}

export interface Link {
  readonly initiative: string
  readonly project: string
  readonly auto_accept_matches: boolean
}

/** An initiative and a project, and the initiatives that the project is in. */
export interface Linked {
  readonly initiative: z.output<typeof InitiativeRef>
  readonly project: documents.ProjectToLink
}

/** What a link is to connect. One request; more when a name misses. Throws one error for both names where both cannot be used. */
export async function resolveLink(linear: LinearClient, wanted: Link, signal: AbortSignal): Promise<Linked> {
  const filters = { initiative: documents.initiativeFilter(wanted.initiative), project: projectFilter(wanted.project) }
  const first = await linear.run(documents.linkReferences, filters, signal)
  const known = [...first.initiative]
  const means = await resolve(
    {
      initiative: question(wanted.initiative, first.initiative),
      project: { kind: 'project', wanted: projectNamed(wanted.project), found: first.project.map(project) },
    },
    {
      autoAccept: wanted.auto_accept_matches,
      async suggest(missed) {
        const ask = { initiatives: missed.includes('initiative'), projects: missed.includes('project') }
        const { initiatives = [], projects = [] } = await linear.run(documents.linkSuggestions, ask, signal)
        known.push(...initiatives)
        return { initiative: initiatives.map(candidate), project: projects.map(project) }
      },
    },
  )
  const ids = { initiative: means('initiative')[0]?.id, project: means('project')[0]?.id }
  const found = {
    initiative: known.find(({ id }) => id === ids.initiative),
    project: first.project.find(({ id }) => id === ids.project),
  }
  if (found.initiative && found.project) return { initiative: found.initiative, project: found.project }
  // A near miss of the project's name was taken: what that one is in is not known yet.
  return resolveLink(
    linear,
    { ...wanted, initiative: ids.initiative ?? wanted.initiative, project: ids.project ?? wanted.project, auto_accept_matches: false },
    signal,
  )
}

function question(given: string, found: readonly z.output<typeof InitiativeRef>[]): Question {
  return { kind: 'initiative', wanted: documents.initiativeNamed(given), found: found.map(candidate) }
}

function candidate({ id, name, slug_id: slug }: z.output<typeof InitiativeRef>): Candidate {
  return { id, name, slug }
}
