import type { LinearDocument as Linear } from '@linear/sdk'
import { Conflict, InvalidInput } from '@mcp-toolkits/core'
import * as z from 'zod'
import type { LinearClient } from './client.ts'
import { once, type Once } from './once.ts'
import { type Given, operation } from './operation.ts'
import { InitiativeRow } from './records.ts'

/** An initiative with its long text, which tools cut. */
export const Initiative = InitiativeRow.extend({ content: z.string().nullish() })
export type Initiative = z.output<typeof Initiative>

const initiative = '...InitiativeRow content'

export const newInitiative = operation<{ input: Given<Linear.InitiativeCreateInput> }>()(
  `mutation CreateInitiative($input: InitiativeCreateInput!) { initiativeCreate(input: $input) { initiative { ${initiative} } } }`,
  z.object({ initiative_create: z.object({ initiative: Initiative }) }),
)

export const createdInitiative = operation<{ id: string }>()(
  `query CreatedInitiative($id: String!) { initiative(id: $id) { ${initiative} } }`,
  z.object({ initiative: Initiative }),
)

/** Creates an initiative under its own id, however often it is sent. */
export async function createInitiative(
  linear: LinearClient,
  input: Given<Linear.InitiativeCreateInput> & { readonly id: string },
  signal: AbortSignal,
): Promise<Once<Initiative>> {
  return once(
    async () => (await linear.run(newInitiative, { input }, signal)).initiative_create.initiative,
    async () => (await linear.run(createdInitiative, { id: input.id }, signal)).initiative,
  )
}

export const updateInitiative = operation<{ id: string; input: Given<Linear.InitiativeUpdateInput> }>()(
  `mutation UpdateInitiative($id: String!, $input: InitiativeUpdateInput!) {
    initiativeUpdate(id: $id, input: $input) { initiative { ${initiative} } }
  }`,
  z.object({ initiative_update: z.object({ initiative: Initiative }) }),
)

export const InitiativeRef = z.object({ id: z.string(), name: z.string(), slug_id: z.string() })
export const ArchivedInitiative = InitiativeRef.extend({ url: z.string(), archived_at: z.string().nullish() })

/** Archiving what is archived changes nothing. Takes the id alone, no slug. */
export const archiveInitiative = operation<{ id: string }>()(
  'mutation ArchiveInitiative($id: String!) { initiativeArchive(id: $id) { entity { id name slugId url archivedAt } } }',
  z.object({ initiative_archive: z.object({ entity: ArchivedInitiative }) }),
)

export const linkProject = operation<{ input: Linear.InitiativeToProjectCreateInput }>()(
  'mutation LinkProject($input: InitiativeToProjectCreateInput!) { initiativeToProjectCreate(input: $input) { initiativeToProject { id } } }',
  z.object({ initiative_to_project_create: z.object({ initiative_to_project: z.object({ id: z.string() }) }) }),
)

export const LinkOfProject = z.object({ id: z.string(), initiative: z.object({ id: z.string(), name: z.string() }) })

/** The initiatives that a project is in. */
export const linksOfProject = operation<{ id: string }>()(
  'query LinksOfProject($id: String!) { project(id: $id) { initiativeToProjects(first: 50) { nodes { id initiative { id name } } } } }',
  z.object({ project: z.object({ initiative_to_projects: z.array(LinkOfProject) }) }),
)

export interface NewLink {
  /** The link's own id, so that a lost answer is not taken for a project that is there twice. */
  readonly id: string
  readonly initiative: { readonly id: string; readonly name: string }
  readonly project: { readonly id: string; readonly name: string }
}

/**
 * Puts a project into an initiative, and says whether it was this that did. Where Linear refuses, it is looked at again: somebody else
 * can have done it meanwhile. Throws `Conflict` where the project is in an initiative above or below.
 */
export async function addProject(linear: LinearClient, link: NewLink, signal: AbortSignal): Promise<boolean> {
  const { id, initiative: into, project } = link
  try {
    await linear.run(linkProject, { input: { id, initiativeId: into.id, projectId: project.id } }, signal)
    return true
  } catch (error) {
    if (error instanceof Conflict) return true
    if (!(error instanceof InvalidInput)) throw error
    const { initiative_to_projects: links } = (await linear.run(linksOfProject, { id: project.id }, signal)).project
    if (links.some((one) => one.initiative.id === into.id)) return false
    throw explained(error, link, links)
  }
}

/** Why Linear refuses a link, as far as the initiatives that the project is in can explain it. */
function explained(refusal: InvalidInput, { initiative: into, project }: NewLink, links: readonly z.output<typeof LinkOfProject>[]) {
  const names = links.map(({ initiative: { name } }) => `"${name}"`)
  if (names.length === 0) return refusal
  return new Conflict(
    `${refusal.message} Project "${project.name}" is in ${names.join(', ')} already, and can be in only one of an initiative and those above and below it. To move it to "${into.name}", a person takes it out there first, in Linear.`,
  )
}
