import { NotFound } from '@mcp-toolkits/core/errors'
import { type Candidate, exactMatcher } from '@mcp-toolkits/core/references'
import type * as z from 'zod'
import type { LinearCall } from '../../linear/client.ts'
import * as documents from '../../linear/initiatives.ts'
import type { ProjectRef } from '../../linear/records.ts'
import { initiativeFilter, isUuid, plainReading, projectFilter, readingsOf } from '../../linear/references.ts'
import { candidate, matchReferences, type NamedRecord, type Notice, onlyOne, type ReferenceQuery } from '../matching.ts'
import type { TargetReference } from './projects.ts'

interface LinkArguments {
  readonly initiative: string
  readonly project: string
  readonly auto_accept_matches: boolean
}

/** An initiative and a project, the link between them (if the project is in the initiative), and which of them are archived. */
interface InitiativeAndProject {
  readonly initiative: z.output<typeof documents.InitiativeRef>
  readonly project: z.output<typeof ProjectRef>
  readonly linkId: string | undefined
  readonly archived: readonly ('initiative' | 'project')[]
}

/** Resolves references in calls that write initiatives. */
export function initiativeResolver(linear: LinearCall, notice: Notice) {
  return {
    /** The id of the initiative to write to, and also its record unless the reference was an id or matched only approximately. */
    async initiative<Parameter extends 'initiative' | 'initiative_id'>({
      parameter,
      reference,
      autoAccept,
      text = false,
      includesArchived: archived = false,
    }: TargetReference<Parameter>): Promise<{
      readonly id: string
      readonly found: documents.FoundInitiative | undefined
    }> {
      if (isUuid(plainReading(reference)) && !text) return { id: plainReading(reference), found: undefined }
      const filter = initiativeFilter(...readingsOf(reference))
      const { initiative: found } = await linear.send(documents.initiativeLookup, { initiative: filter, text })
      const suggest = async () => {
        const { initiatives } = await linear.send(documents.initiativeSuggestions, { archived })
        return { initiative: initiatives.map(candidate) }
      }
      const matches = await matchReferences({ [parameter]: initiativeQuery(reference, found) }, { autoAccept, notice, suggest })
      const { id } = onlyOne(matches(parameter))
      const match = found.find((one) => one.id === id)
      // After an approximate match, the text is not yet known.
      if (text && !match) return this.initiative({ parameter, reference: id, autoAccept, text })
      return { id, found: match }
    },

    /**
     * The initiative and the project of a link. Takes one request, or more if a reference does not match. Errors in both references are
     * thrown as one.
     */
    async link(references: LinkArguments): Promise<InitiativeAndProject> {
      const filters = {
        initiative: initiativeFilter(...readingsOf(references.initiative)),
        project: projectFilter(...readingsOf(references.project)),
      }
      const found = await linear.send(documents.linkLookup, filters)
      let all: Partial<Record<'initiative' | 'project', readonly Candidate[] | undefined>> = {}
      const matches = await matchReferences(
        {
          initiative: initiativeQuery(references.initiative, found.initiative),
          project: {
            kind: 'project',
            reference: references.project,
            found: found.project.map(candidate),
          },
        },
        {
          autoAccept: references.auto_accept_matches,
          notice,
          async suggest(missed) {
            const flags = { initiatives: missed.has('initiative'), projects: missed.has('project') }
            const { initiatives, projects } = await linear.send(documents.linkSuggestions, flags)
            all = { initiative: initiatives?.map(candidate), project: projects?.map(candidate) }
            return all
          },
        },
      ).catch((error: unknown) => {
        const { initiative: project, project: initiative } = references
        if (!exactMatcher(all.initiative ?? [])(initiative) || !exactMatcher(all.project ?? [])(project)) throw error
        throw new NotFound('The project and the initiative are swapped.', { next: { change: { initiative, project } } })
      })
      const ids = { initiative: onlyOne(matches('initiative')).id, project: onlyOne(matches('project')).id }
      const initiative = found.initiative.find(({ id }) => id === ids.initiative)
      const project = found.project.find(({ id }) => id === ids.project)
      // After an approximate match, the project's links are not yet known.
      if (!initiative || !project) return this.link({ ...ids, auto_accept_matches: false })
      const link = project.initiative_to_projects.find((one) => one.initiative.id === initiative.id)
      return {
        initiative: { id: initiative.id, name: initiative.name, slug_id: initiative.slug_id },
        project: { id: project.id, name: project.name, slug_id: project.slug_id },
        linkId: link?.id,
        archived: [...(initiative.archived_at ? ['initiative' as const] : []), ...(project.archived_at ? ['project' as const] : [])],
      }
    },
  }
}

function initiativeQuery(reference: string, found: readonly NamedRecord[]): ReferenceQuery {
  return { kind: 'initiative', reference, found: found.map(candidate) }
}
