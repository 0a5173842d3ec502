import * as z from 'zod'
import { update } from '../client.ts'
import { field, mutation, nodes, query } from '../document.ts'
import { IssueRef, Timestamp } from '../records.ts'

/** An issue with its parent. */
const PlacedIssue = IssueRef.extend({ archived_at: Timestamp, parent: IssueRef.optional() })
export type PlacedIssue = z.output<typeof PlacedIssue>

/** An issue and its future parent. */
export const issueAndParent = query(
  'IssueAndParent',
  { source: 'IssueFilter!', related: 'IssueFilter!' },
  {
    source: nodes('issues(first: 1, includeArchived: true, filter: $source)', PlacedIssue),
    related: nodes('issues(first: 1, includeArchived: true, filter: $related)', PlacedIssue),
  },
)

/** An issue by its id or identifier, with its parent and the time at which it was archived. */
export const placeOfIssue = query('PlaceOfIssue', { id: 'String!' }, { issue: field('issue(id: $id)', PlacedIssue) })

export const setParent = update('SetParent', 'Issue', PlacedIssue)

export const unarchiveIssue = mutation(
  'UnarchiveIssue',
  { id: 'String!' },
  { issue_unarchive: field('issueUnarchive(id: $id)', z.object({ entity: PlacedIssue })) },
)

export const deleteRelation = mutation(
  'DeleteIssueRelation',
  { id: 'String!' },
  { issue_relation_delete: field('issueRelationDelete(id: $id)', z.object({ entity_id: z.string().optional() })) },
)
