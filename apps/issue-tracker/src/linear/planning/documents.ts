import * as z from 'zod'
import { creation, update } from '../client.ts'
import { nodes, pageVariables, query } from '../document.ts'
import {
  Flag,
  ArchivableTeam,
  filteringIssue,
  NamedRef,
  OptionalText,
  PageUrl,
  Person,
  ProjectChoice,
  ProjectRef,
  TeamChoice,
  TeamRef,
  Text,
  Timestamp,
} from '../records.ts'

const DocumentRef = z.object({ id: Text, title: Text, slug_id: Text })

/** A document in a list. It belongs to one of four kinds of record. */
const DocumentRow = DocumentRef.extend({
  url: PageUrl,
  updated_at: Timestamp,
  archived_at: Timestamp,
  creator: Person.optional(),
  project: ProjectRef.optional(),
  initiative: NamedRef.optional(),
  issue: z.object({ id: Text, identifier: Text }).optional(),
  team: TeamRef.optional(),
})
export type DocumentRow = z.output<typeof DocumentRow>

/** A document, as stored by Linear. */
const StoredDocument = DocumentRow.extend({ content: OptionalText, created_at: Timestamp, updated_by: Person.optional() })
export type StoredDocument = z.output<typeof StoredDocument>

export const listDocuments = query(
  'ListDocuments',
  { ...pageVariables, filter: 'DocumentFilter', project: 'ProjectFilter', team: 'TeamFilter', issue: 'IssueFilter' },
  {
    issue: filteringIssue,
    documents: nodes('documents(first: $first, after: $after, filter: $filter, orderBy: updatedAt)', DocumentRow),
    has_more_documents: Flag,
    documents_end_cursor: OptionalText,
    project: nodes('projects(first: 2, includeArchived: true, filter: $project) @include(if: $hasProject)', ProjectChoice).optional(),
    team: nodes('teams(first: 2, includeArchived: true, filter: $team) @include(if: $hasTeam)', ArchivableTeam).optional(),
  },
)

/** Documents that a reference may mean, with their texts. */
export const documentLookup = query(
  'DocumentReferences',
  { document: 'DocumentFilter!' },
  { documents: nodes('documents(first: 3, filter: $document, includeArchived: true)', StoredDocument) },
)

export const documentSuggestions = query(
  'DocumentSuggestions',
  {},
  { documents: nodes('documents(first: 250, orderBy: updatedAt)', DocumentRef) },
)

/** Records that a new document may belong to. */
export const documentOwners = query(
  'DocumentOwners',
  { project: 'ProjectFilter', initiative: 'InitiativeFilter', issue: 'IssueFilter', team: 'TeamFilter' },
  {
    project: nodes('projects(first: 3, includeArchived: true, filter: $project) @include(if: $hasProject)', ProjectChoice).optional(),
    initiative: nodes(
      'initiatives(first: 3, includeArchived: true, filter: $initiative) @include(if: $hasInitiative)',
      DocumentRef.omit({ title: true }).extend({ name: Text }),
    ).optional(),
    issue: nodes(
      'issues(first: 1, includeArchived: true, filter: $issue) @include(if: $hasIssue)',
      z.object({ id: Text, identifier: Text, archived_at: Timestamp }),
    ).optional(),
    team: nodes('teams(first: 3, includeArchived: true, filter: $team) @include(if: $hasTeam)', ArchivableTeam).optional(),
  },
)

export const ownerSuggestions = query(
  'OwnerSuggestions',
  { projects: 'Boolean!', initiatives: 'Boolean!', teams: 'Boolean!' },
  {
    project: nodes('projects(first: 250) @include(if: $projects)', ProjectChoice).optional(),
    initiative: nodes('initiatives(first: 250) @include(if: $initiatives)', NamedRef).optional(),
    team: nodes('teams(first: 250) @include(if: $teams)', TeamChoice).optional(),
  },
)

export const createDocument = creation('CreateDocument', 'Document', StoredDocument)

export const updateDocument = update('UpdateDocument', 'Document', StoredDocument)
