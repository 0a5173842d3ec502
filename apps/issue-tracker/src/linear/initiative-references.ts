import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { ArchivedInitiative, InitiativeRef, LinkOfProject } from './initiative-writes.ts'
import { operation } from './operation.ts'
import { ProjectRef, TeamRef } from './records.ts'
import { isUuid, slugIn, tidy } from './references.ts'

const address = /^(?:https?:\/\/)?linear\.app\/[^/\s]+\/initiative\/([^/?#\s]+)/i

/** An initiative as it can be looked up, by id, slug or name; from the address of its page or the end of one too. */
export function initiativeNamed(given: string): string {
  const wanted = tidy(given)
  const last = address.exec(wanted)?.[1] ?? wanted
  return slugIn(last) ?? last
}

export function initiativeFilter(given: string): Linear.InitiativeFilter {
  const wanted = tidy(given)
  const byId = isUuid(wanted) ? [{ id: { eq: wanted } }] : []
  return { or: [{ name: { eqIgnoreCase: wanted } }, { slugId: { eq: initiativeNamed(wanted) } }, ...byId] }
}

/** An initiative by whatever names it. */
export const initiativeReferences = operation<{ initiative: Linear.InitiativeFilter }>()(
  `query InitiativeReferences($initiative: InitiativeFilter!) {
    initiative: initiatives(first: 3, filter: $initiative, includeArchived: true) { nodes { id name slugId url archivedAt } }
  }`,
  z.object({ initiative: z.array(ArchivedInitiative) }),
)

export const initiativeSuggestions = operation<{ archived: boolean }>()(
  'query InitiativeSuggestions($archived: Boolean!) { initiatives(first: 250, includeArchived: $archived) { nodes { id name slugId } } }',
  z.object({ initiatives: z.array(InitiativeRef) }),
)

const InitiativeToLink = InitiativeRef.extend({ archived_at: z.string().nullish() })
export type InitiativeToLink = z.output<typeof InitiativeToLink>

const ProjectToLink = ProjectRef.extend({
  archived_at: z.string().nullish(),
  teams: z.array(TeamRef),
  initiative_to_projects: z.array(LinkOfProject),
})
export type ProjectToLink = z.output<typeof ProjectToLink>

/** An initiative and a project by whatever names them, and which initiatives the project is in. */
export const linkReferences = operation<{ initiative: Linear.InitiativeFilter; project: Linear.ProjectFilter }>()(
  `query LinkReferences($initiative: InitiativeFilter!, $project: ProjectFilter!) {
    initiative: initiatives(first: 3, filter: $initiative, includeArchived: true) { nodes { id name slugId archivedAt } }
    project: projects(first: 3, filter: $project, includeArchived: true) { nodes {
      ...ProjectRef archivedAt teams(first: 3) { nodes { ...TeamRef } } initiativeToProjects(first: 50) { nodes { id initiative { id name } } }
    } }
  }`,
  z.object({ initiative: z.array(InitiativeToLink), project: z.array(ProjectToLink) }),
)

export const linkSuggestions = operation<{ initiatives: boolean; projects: boolean }>()(
  `query LinkSuggestions($initiatives: Boolean!, $projects: Boolean!) {
    initiatives(first: 250) @include(if: $initiatives) { nodes { id name slugId } }
    projects(first: 250) @include(if: $projects) { nodes { ...ProjectRef } }
  }`,
  z.object({ initiatives: z.array(InitiativeRef).optional(), projects: z.array(ProjectRef).optional() }),
)
