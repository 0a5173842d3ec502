import * as z from 'zod'
import { field, mutation, nodes, query } from '../document.ts'
import { Flag, IssueRef, OptionalText, Text, Timestamp } from '../records.ts'

const id = z.object({ id: Text })
const Outgoing = id.extend({ type: Text, related_issue: id })
const Incoming = id.extend({ type: Text, issue: id })
const IssueWithRelations = IssueRef.extend({
  archived_at: Timestamp,
  relations: nodes('relations(first: 100)', Outgoing),
  has_more_relations: Flag,
  relations_end_cursor: OptionalText,
  inverse_relations: nodes('inverseRelations(first: 100)', Incoming),
  has_more_inverse_relations: Flag,
  inverse_relations_end_cursor: OptionalText,
})
/** An issue with its relations in both directions. */
export type IssueWithRelations = z.output<typeof IssueWithRelations>

/** Two issues with their relations: Linear stores each relation on only one of its two issues. */
export const relationLookup = query(
  'BothIssues',
  { source: 'IssueFilter!', related: 'IssueFilter!' },
  {
    source: nodes('issues(first: 1, includeArchived: true, filter: $source)', IssueWithRelations),
    related: nodes('issues(first: 1, includeArchived: true, filter: $related)', IssueWithRelations),
  },
)

const more = { id: 'String!', after: 'String!' } as const

/** Another page of the relations that Linear stores on an issue. */
export const moreRelations = query('MoreRelations', more, {
  issue: field(
    'issue(id: $id)',
    z.object({
      relations: nodes('relations(first: 100, after: $after)', Outgoing),
      has_more_relations: Flag,
      relations_end_cursor: OptionalText,
    }),
  ),
})

/** Another page of the relations that Linear stores on other issues. */
export const moreInverseRelations = query('MoreInverseRelations', more, {
  issue: field(
    'issue(id: $id)',
    z.object({
      inverse_relations: nodes('inverseRelations(first: 100, after: $after)', Incoming),
      has_more_inverse_relations: Flag,
      inverse_relations_end_cursor: OptionalText,
    }),
  ),
})

const Relation = z.object({ type: Text, issue: IssueRef, related_issue: IssueRef })

export const createRelation = mutation(
  'CreateIssueRelation',
  { input: 'IssueRelationCreateInput!' },
  { issue_relation_create: field('issueRelationCreate(input: $input)', z.object({ issue_relation: Relation })) },
)

/** Both issues of a relation, with their states after it was created: marking an issue as a duplicate changes its state. */
export const getRelation = query('Relation', { id: 'String!' }, { issue_relation: field('issueRelation(id: $id)', Relation) })

type OutgoingRows = readonly { readonly type: string; readonly related_issue: z.output<typeof IssueRef> }[]
type IncomingRows = readonly { readonly type: string; readonly issue: z.output<typeof IssueRef> }[]

/**
 * Relations from an issue's point of view. Linear stores `blocks` and `duplicate` on one side only; from the other side, they are reversed.
 */
export function relationsOf(outgoing: OutgoingRows, incoming: IncomingRows) {
  const to = (type: string) => outgoing.filter((each) => each.type === type).map((each) => each.related_issue)
  const from = (type: string) => incoming.filter((each) => each.type === type).map((each) => each.issue)
  return {
    blocks: to('blocks'),
    blocked_by: from('blocks'),
    duplicate_of: to('duplicate'),
    duplicated_by: from('duplicate'),
    related: [...to('related'), ...from('related')],
  }
}
