import type * as z from 'zod'
import type { LinearCall } from '../linear/client.ts'
import { type IssueWithRelations, relationLookup } from '../linear/issues/relations.ts'
import type { IssueRef } from '../linear/records.ts'
import { issueFilter, issueId } from '../linear/references.ts'
import { findMovedIssue, issueRef, notFound, throwSuggested } from './not-found.ts'

export const relationTypes = ['blocks', 'blockedBy', 'duplicate', 'related'] as const
export type RelationType = (typeof relationTypes)[number]

/** Linear has no "blocked by": the other issue blocks this one. */
export const vendorTypes = { blocks: 'blocks', blockedBy: 'blocks', duplicate: 'duplicate', related: 'related' } as const

/** Both issues. One request; more for an issue with a former identifier. */
export async function findBoth(
  linear: LinearCall,
  issue: string,
  relatedIssue: string,
): Promise<{
  readonly source: IssueWithRelations
  readonly related: z.output<typeof IssueRef> & { readonly archived_at?: string | null | undefined }
}> {
  const found = await linear.send(relationLookup, { source: issueFilter(issue), related: issueFilter(relatedIssue) })
  const [[source], [related]] = [found.source, found.related]
  if (source && related) return { source, related }
  const [first, second] = await Promise.all([source ?? findMovedIssue(linear, issue), related ?? findMovedIssue(linear, relatedIssue)])
  const missing = [...(first ? [] : [issue]), ...(second ? [] : [relatedIssue])]
  const failures = missing.map((reference) => notFound(issueRef(issueId(reference))))
  await throwSuggested(linear, failures, { issue, related_issue: relatedIssue })
  return findBoth(linear, first?.id ?? issue, second?.id ?? relatedIssue)
}

interface Relations {
  readonly relations: IssueWithRelations['relations']
  readonly inverse: IssueWithRelations['inverse_relations']
}

/** The ids of the relations of that type to the issue `to`. */
export function relationIds({ relations, inverse }: Relations, to: string, type: RelationType): readonly string[] {
  const outgoing = relations.filter((each) => each.type === type && each.related_issue.id === to)
  const incoming = inverse.filter((each) => each.type === vendorTypes[type] && each.issue.id === to)
  const found = { blocks: outgoing, duplicate: outgoing, blockedBy: incoming, related: [...outgoing, ...incoming] }
  return found[type].map(({ id }) => id)
}
