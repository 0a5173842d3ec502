import type { LinearDocument as Linear } from '@linear/sdk'
import { Conflict, InvalidInput } from '@mcp-toolkits/core'
import * as z from 'zod'
import type { LinearClient } from './client.ts'
import type { ProjectToLink } from './initiative-references.ts'
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

export interface NewLink {
  /** The link's own id, so that a lost answer is not taken for a project that is there twice. */
  readonly id: string
  readonly initiative: z.output<typeof InitiativeRef>
  readonly project: ProjectToLink
}

/** Puts a project into an initiative. Throws `Conflict` where it is in one above or below. */
export async function addProject(linear: LinearClient, link: NewLink, signal: AbortSignal): Promise<void> {
  const { id, initiative: into, project } = link
  const input = { id, initiativeId: into.id, projectId: project.id }
  try {
    await linear.run(linkProject, { input }, signal)
  } catch (error) {
    if (error instanceof Conflict) return
    throw error instanceof InvalidInput ? explained(error, link) : error
  }
}

/** Why Linear refuses a link, as far as the initiatives that the project is in can explain it. */
function explained(refusal: InvalidInput, { initiative: into, project }: NewLink): InvalidInput | Conflict {
  const names = project.initiative_to_projects.map(({ initiative: { name } }) => `"${name}"`)
  if (names.length === 0) return refusal
  return new Conflict(
    `${refusal.message} Project "${project.name}" is in ${names.join(', ')} already, and can be in only one of an initiative and those above and below it. To move it to "${into.name}", a person takes it out there first, in Linear.`,
  )
}
