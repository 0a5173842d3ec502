import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import type { LinearClient } from './client.ts'
import { once, type Once } from './once.ts'
import { type Given, operation } from './operation.ts'
import { ProjectUpdate } from './projects.ts'
import { ProjectRef, ProjectRow } from './records.ts'

/** A project with its long text, which tools cut. */
export const Project = ProjectRow.extend({ content: z.string().nullish() })
export type Project = z.output<typeof Project>

const project = '...ProjectRow content'

export const newProject = operation<{ input: Given<Linear.ProjectCreateInput> }>()(
  `mutation CreateProject($input: ProjectCreateInput!) { projectCreate(input: $input) { project { ${project} } } }`,
  z.object({ project_create: z.object({ project: Project }) }),
)

export const createdProject = operation<{ id: string }>()(
  `query CreatedProject($id: String!) { project(id: $id) { ${project} } }`,
  z.object({ project: Project }),
)

/** Creates a project under its own id, however often it is sent. */
export async function createProject(
  linear: LinearClient,
  input: Given<Linear.ProjectCreateInput> & { readonly id: string },
  signal: AbortSignal,
): Promise<Once<Project>> {
  return once(
    async () => (await linear.run(newProject, { input }, signal)).project_create.project,
    async () => (await linear.run(createdProject, { id: input.id }, signal)).project,
  )
}

/** Changes a project, named by its id or slug. */
export const updateProject = operation<{ id: string; input: Given<Linear.ProjectUpdateInput> }>()(
  `mutation UpdateProject($id: String!, $input: ProjectUpdateInput!) { projectUpdate(id: $id, input: $input) { project { ${project} } } }`,
  z.object({ project_update: z.object({ project: Project }) }),
)

/** A status post with the project that it is about. */
export const PostedUpdate = ProjectUpdate.extend({ project: ProjectRef.extend({ archived_at: z.string().nullish() }) })
export type PostedUpdate = z.output<typeof PostedUpdate>

const posted = '{ id body health createdAt url user { ...Person } project { ...ProjectRef archivedAt } }'

export const newProjectUpdate = operation<{ input: Given<Linear.ProjectUpdateCreateInput> }>()(
  `mutation CreateProjectUpdate($input: ProjectUpdateCreateInput!) { projectUpdateCreate(input: $input) { projectUpdate ${posted} } }`,
  z.object({ project_update_create: z.object({ project_update: PostedUpdate }) }),
)

export const createdProjectUpdate = operation<{ id: string }>()(
  `query CreatedProjectUpdate($id: String!) { projectUpdate(id: $id) ${posted} }`,
  z.object({ project_update: PostedUpdate }),
)

/** Posts a status update under its own id, however often it is sent. */
export async function createProjectUpdate(
  linear: LinearClient,
  input: Given<Linear.ProjectUpdateCreateInput> & { readonly id: string },
  signal: AbortSignal,
): Promise<Once<PostedUpdate>> {
  return once(
    async () => (await linear.run(newProjectUpdate, { input }, signal)).project_update_create.project_update,
    async () => (await linear.run(createdProjectUpdate, { id: input.id }, signal)).project_update,
  )
}

export const ArchivedProject = ProjectRef.extend({ url: z.string(), archived_at: z.string().nullish() })

export const projectArchive = operation<{ id: string }>()(
  'mutation ArchiveProject($id: String!) { projectArchive(id: $id) { entity { ...ProjectRef url archivedAt } } }',
  z.object({ project_archive: z.object({ entity: ArchivedProject }) }),
)

/**
 * Archives a project, named by its id or slug; one that is archived stays as it is. Linear deprecates `projectArchive` in favour of
 * `projectDelete`, which moves a project to the trash: not what archiving means, so this one place goes on using it.
 */
export async function archiveProject(linear: LinearClient, id: string, signal: AbortSignal): Promise<z.output<typeof ArchivedProject>> {
  return (await linear.run(projectArchive, { id }, signal)).project_archive.entity
}
