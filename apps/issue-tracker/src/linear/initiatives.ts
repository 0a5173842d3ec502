import { Conflict, InvalidInput, quote } from '@mcp-toolkits/core/errors'
import { confirmChange } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { CreatedButMissing, creation, type LinearCall, update } from './client.ts'
import { field, mutation, nodes, pageVariables, query } from './document.ts'
import { Flag, NamedRef, OptionalText, PageUrl, Person, ProjectChoice, TeamRef, Text, Timestamp } from './records.ts'
import { ProjectRow } from './projects.ts'

export const InitiativeRef = z.object({ id: Text, name: Text, slug_id: Text })
export const ArchivedInitiative = InitiativeRef.extend({ archived_at: Timestamp })

export const InitiativeRow = NamedRef.extend({
  url: PageUrl,
  status: Text,
  health: OptionalText,
  target_date: OptionalText,
  updated_at: Timestamp,
  archived_at: Timestamp,
  owner: Person.optional(),
})

/** An initiative, as stored by Linear, with every field that can be sent. */
const StoredInitiative = InitiativeRow.extend({ description: OptionalText, content: OptionalText })
export type StoredInitiative = z.output<typeof StoredInitiative>

/** An initiative without its long text. */
export const InitiativeDetail = InitiativeRow.extend({
  slug_id: Text,
  created_at: Timestamp,
  started_at: Timestamp,
  completed_at: Timestamp,
  creator: Person.optional(),
  parent_initiative: NamedRef.optional(),
  projects: nodes(
    'projects(first: 50) @include(if: $projects)',
    ProjectRow.omit({ updated_at: true, archived_at: true, teams: true, has_more_teams: true }),
  ).optional(),
  has_more_projects: z.boolean().optional(),
})

/**
 * Initiatives by id or name, plus all initiatives for suggestions. The document selects only initiatives, because they need a separate
 * scope.
 */
export const findInitiative = query(
  'GetInitiative',
  { filter: 'InitiativeFilter!', projects: 'Boolean!' },
  {
    exact: nodes(
      'initiatives(first: 3, includeArchived: true, filter: $filter)',
      InitiativeDetail.extend({ description: OptionalText, content: OptionalText }),
    ),
    candidates: nodes('initiatives(first: 250)', NamedRef),
  },
)

export const listInitiatives = query(
  'ListInitiatives',
  { ...pageVariables, filter: 'InitiativeFilter' },
  {
    initiatives: nodes('initiatives(first: $first, after: $after, filter: $filter, orderBy: createdAt)', InitiativeRow),
    has_more_initiatives: Flag,
    initiatives_end_cursor: OptionalText,
  },
)

export const getInitiativeText = query(
  'GetInitiativeDescription',
  { id: 'String!' },
  {
    initiative: field('initiative(id: $id)', z.object({ url: PageUrl, description: OptionalText, content: OptionalText })),
  },
)

/** Our words for an initiative's status, each with Linear's word. Linear has none for `paused`. */
export const initiativeStatuses = {
  proposed: 'Proposed',
  planned: 'Planned',
  started: 'Active',
  completed: 'Completed',
  canceled: 'Canceled',
} as const

/** Our word for a Linear status, or else Linear's own word. */
export function initiativeStatus(vendorStatus: string): string {
  const known = Object.entries(initiativeStatuses).find(([, status]) => status === vendorStatus)
  return known?.[0] ?? vendorStatus
}

export const createInitiative = creation('CreateInitiative', 'Initiative', StoredInitiative)

export const updateInitiative = update('UpdateInitiative', 'Initiative', StoredInitiative)

/** Archives an initiative by its id; a slug is not accepted. Archiving it again changes nothing. */
export const archiveInitiative = mutation(
  'ArchiveInitiative',
  { id: 'String!' },
  { initiative_archive: field('initiativeArchive(id: $id)', z.object({ entity: ArchivedInitiative })) },
)

const FoundInitiative = ArchivedInitiative.extend({
  description: field('description @include(if: $text)', OptionalText),
  content: field('content @include(if: $text)', OptionalText),
})
/** The initiative that a reference means, with its text if needed. */
export type FoundInitiative = z.output<typeof FoundInitiative>

/** Initiatives that a reference may mean. */
export const initiativeLookup = query(
  'InitiativeReferences',
  { initiative: 'InitiativeFilter!', text: 'Boolean!' },
  { initiative: nodes('initiatives(first: 3, filter: $initiative, includeArchived: true)', FoundInitiative) },
)

export const initiativeSuggestions = query(
  'InitiativeSuggestions',
  { archived: 'Boolean!' },
  { initiatives: nodes('initiatives(first: 250, includeArchived: $archived)', InitiativeRef) },
)

const InitiativeLink = z.object({ id: Text, initiative: NamedRef })
const projectLinks = nodes('initiativeToProjects(first: 50)', InitiativeLink)

/** Initiatives and projects that the references in a link may mean, and the initiatives that the projects are in. */
export const linkLookup = query(
  'LinkReferences',
  { initiative: 'InitiativeFilter!', project: 'ProjectFilter!' },
  {
    initiative: nodes(
      'initiatives(first: 3, filter: $initiative, includeArchived: true)',
      InitiativeRef.extend({ archived_at: Timestamp }),
    ),
    project: nodes(
      'projects(first: 3, filter: $project, includeArchived: true)',
      ProjectChoice.extend({ teams: nodes('teams(first: 3)', TeamRef), initiative_to_projects: projectLinks }),
    ),
  },
)

export const linkSuggestions = query(
  'LinkSuggestions',
  { initiatives: 'Boolean!', projects: 'Boolean!' },
  {
    initiatives: nodes('initiatives(first: 250) @include(if: $initiatives)', InitiativeRef).optional(),
    projects: nodes('projects(first: 250) @include(if: $projects)', ProjectChoice).optional(),
  },
)

export const linkProject = mutation(
  'LinkProject',
  { input: 'InitiativeToProjectCreateInput!' },
  {
    initiative_to_project_create: field(
      'initiativeToProjectCreate(input: $input)',
      z.object({ initiative_to_project: InitiativeLink.extend({ project: NamedRef }) }),
    ),
  },
)

/** A project's initiatives. */
export const linksOfProject = query(
  'LinksOfProject',
  { id: 'String!' },
  { project: field('project(id: $id)', z.object({ initiative_to_projects: projectLinks })) },
)

interface NewLink {
  /** The link's id, which distinguishes a link made by an earlier attempt at this call from one that already existed. */
  readonly id: string
  readonly initiative: { readonly id: string; readonly name: string }
  readonly project: { readonly id: string; readonly name: string }
}

/**
 * Adds a project to an initiative, and says which attempt or call added it. If Linear refuses, the links are reread, because another call
 * may have added the project meanwhile. The project's other initiatives may be the reason, so the error names them; it is a `Conflict` if
 * Linear mentions initiatives.
 */
export async function addProject(
  linear: LinearCall,
  link: NewLink,
): Promise<'by this attempt' | 'by an earlier attempt' | 'by another call'> {
  const { id, initiative, project } = link
  try {
    const input = { id, initiativeId: initiative.id, projectId: project.id }
    const { initiative_to_project: stored } = (await linear.send(linkProject, { input })).initiative_to_project_create
    confirmChange('Linear', { initiative: stored.initiative.id === initiative.id, project: stored.project.id === project.id })
    return 'by this attempt'
  } catch (error) {
    if (!(error instanceof InvalidInput || error instanceof Conflict)) throw error
    const { initiative_to_projects: present } = (await linear.send(linksOfProject, { id: project.id })).project
    const existing = present.find((one) => one.initiative.id === initiative.id)
    if (existing) return existing.id === id ? 'by an earlier attempt' : 'by another call'
    // The conflict is about the id that we chose.
    if (error instanceof Conflict) throw new CreatedButMissing()
    if (present.length === 0) throw error
    const names = present.map((one) => quote(one.initiative.name)).join(', ')
    const related = `Project ${quote(project.name)} is already in ${names}, and cannot be in two initiatives if one contains the other.`
    const way = `If ${quote(initiative.name)} contains it or is contained in it, a person must first remove the project from the other one in Linear.`
    const text = [error.message, related, way].join(' ')
    // Any other refusal may have a different reason.
    throw /initiative/i.test(error.message) ? new Conflict(text) : new InvalidInput(text)
  }
}
