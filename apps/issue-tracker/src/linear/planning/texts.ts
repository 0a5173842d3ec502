import * as z from 'zod'
import { update } from '../client.ts'
import { field, nodes, query } from '../document.ts'
import { OptionalText, PageUrl, Text, Timestamp } from '../records.ts'

/* Records with the long texts that people edit. */

const Written = z.object({ id: Text, url: PageUrl, updated_at: Timestamp, archived_at: Timestamp })
export const IssueText = Written.extend({ identifier: Text, description: OptionalText })
export const PlanText = Written.extend({
  name: Text,
  slug_id: Text,
  description: OptionalText,
  content: OptionalText,
})
export const DocumentText = Written.extend({ title: Text, slug_id: Text, content: OptionalText })

export const textOfIssue = query('TextOfIssue', { id: 'String!' }, { issue: field('issue(id: $id)', IssueText) })

export const textOfProject = query(
  'TextOfProject',
  { project: 'ProjectFilter!' },
  { projects: nodes('projects(first: 3, filter: $project, includeArchived: true)', PlanText) },
)

/** Initiatives have their own document, because they need a separate scope. */
export const textOfInitiative = query(
  'TextOfInitiative',
  { initiative: 'InitiativeFilter!' },
  { initiatives: nodes('initiatives(first: 3, filter: $initiative, includeArchived: true)', PlanText) },
)

export const editIssue = update('EditIssueText', 'Issue', IssueText)

export const editProject = update('EditProjectText', 'Project', PlanText)

export const editInitiative = update('EditInitiativeText', 'Initiative', PlanText)

export const editDocument = update('EditDocumentText', 'Document', DocumentText)
