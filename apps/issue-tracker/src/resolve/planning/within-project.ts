import type { LinearDocument as Linear } from '@linear/sdk'
import type * as z from 'zod'
import type { LinearCall } from '../../linear/client.ts'
import { projectSuggestions } from '../../linear/projects.ts'
import type { ProjectRef } from '../../linear/records.ts'
import { projectFilter, readingsOf } from '../../linear/references.ts'
import { requireSameWorkspace } from '../../linear/workspace.ts'
import { candidate, matchReferences, type Notice, onlyOne } from '../matching.ts'

/** A project and what a call needs from it. */
type ProjectPart = z.output<typeof ProjectRef> & { readonly url?: string | undefined }

/**
 * The project that a reference means, with the part that `read` also requests. If the reference does not match, that takes one more
 * request, and another if a similar name is accepted.
 */
export async function withinProject<Found extends ProjectPart>(
  linear: LinearCall,
  { reference, autoAccept = false, notice }: { readonly reference: string; readonly autoAccept?: boolean; readonly notice: Notice },
  read: (filter: Linear.ProjectFilter) => Promise<readonly Found[]>,
): Promise<Found> {
  const found = await read(projectFilter(...readingsOf(reference)))
  const matches = await matchReferences(
    { project: { kind: 'project', reference, found: found.map(candidate) } },
    {
      autoAccept,
      notice,
      async suggest() {
        const { projects } = await linear.send(projectSuggestions, { projects: true, archived: true, teams: false, people: false })
        return { project: projects?.map(candidate) }
      },
    },
  )
  const { id } = onlyOne(matches('project'))
  const project = found.find((each) => each.id === id) ?? onlyOne(await read({ id: { eq: id } }))
  await requireSameWorkspace(linear, reference, project.url)
  return project
}
