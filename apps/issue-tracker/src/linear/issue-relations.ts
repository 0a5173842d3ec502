import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { type Given, operation } from './operation.ts'
import { IssueRef } from './records.ts'

const id = z.object({ id: z.string() })
const Side = IssueRef.extend({
  relations: z.array(z.object({ type: z.string(), related_issue: id })),
  inverse_relations: z.array(z.object({ type: z.string(), issue: id })),
})
export type Side = z.output<typeof Side>

/** Two issues, and the relations of the first: Linear stores each relation on one of its two issues only. */
export const bothIssues = operation<{ source: Linear.IssueFilter; related: Linear.IssueFilter }>()(
  `query BothIssues($source: IssueFilter!, $related: IssueFilter!) {
    source: issues(first: 1, includeArchived: true, filter: $source) { nodes {
      ...IssueRef relations(first: 100) { nodes { type relatedIssue { id } } } inverseRelations(first: 100) { nodes { type issue { id } } }
    } }
    related: issues(first: 1, includeArchived: true, filter: $related) { nodes { ...IssueRef } }
  }`,
  z.object({ source: z.array(Side), related: z.array(IssueRef) }),
)

const Relation = z.object({ type: z.string(), issue: IssueRef, related_issue: IssueRef })

export const relate = operation<{ input: Given<Linear.IssueRelationCreateInput> }>()(
  `mutation CreateIssueRelation($input: IssueRelationCreateInput!) {
    issueRelationCreate(input: $input) { issueRelation { type issue { ...IssueRef } relatedIssue { ...IssueRef } } }
  }`,
  z.object({ issue_relation_create: z.object({ issue_relation: Relation }) }),
)

/** Both issues after a relation was made: a duplicate moves its issue to another state. */
export const relation = operation<{ id: string }>()(
  'query Relation($id: String!) { issueRelation(id: $id) { type issue { ...IssueRef } relatedIssue { ...IssueRef } } }',
  z.object({ issue_relation: Relation }),
)

type Outgoing = readonly { readonly type: string; readonly related_issue: z.output<typeof IssueRef> }[]
type Incoming = readonly { readonly type: string; readonly issue: z.output<typeof IssueRef> }[]

/** Relations as an issue sees them. Linear stores `blocks` and `duplicate` on one side only; the other side reads them in reverse. */
export function relationsOf(outgoing: Outgoing, incoming: Incoming, hasMore: boolean) {
  const to = (type: string) => outgoing.filter((relation) => relation.type === type).map((relation) => relation.related_issue)
  const from = (type: string) => incoming.filter((relation) => relation.type === type).map((relation) => relation.issue)
  return {
    blocks: to('blocks'),
    blocked_by: from('blocks'),
    duplicate_of: to('duplicate'),
    duplicated_by: from('duplicate'),
    related: [...to('related'), ...from('related')],
    has_more: hasMore,
  }
}
