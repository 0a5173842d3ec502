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
